#pragma once
// TensorTools: the window for iterative tensor types, token curves and FIFO sizes; and TensorCommands, which
// opens it. It is not modal: the main window goes on working.

#include <QDialog>
#include <filesystem>

#include "engine/core/result.h"

class QLabel;
class QPushButton;
class QTabWidget;

namespace sluice::ui {

class Commands;
class ITensorPage;
class SizingPage;
class TokenCurvePage;

class TensorTools : public QDialog {
  Q_OBJECT

 public:
  explicit TensorTools(QWidget* parent = nullptr);

  ITensorPage* types() const { return types_; }
  TokenCurvePage* curves() const { return curves_; }
  SizingPage* sizing() const { return sizing_; }
  /// Brings a page to the front.
  void show(QWidget* page);
  QWidget* page() const;
  /// What the page in front has, in the format of the file's name: the token curves, the table of FIFOs.
  bool exportPage(const QString& file);

 private:
  Result<Done> write(const std::filesystem::path& path);
  void exportWithDialog();

  ITensorPage* types_;
  TokenCurvePage* curves_;
  SizingPage* sizing_;
  QTabWidget* pages_;
  QPushButton* export_;
  QLabel* status_;
};

class TensorCommands : public QObject {
  Q_OBJECT

 public:
  TensorCommands(Commands* commands, QWidget* window);

  /// Made when it is first asked for.
  TensorTools* tools();

 private:
  void addKeys();

  Commands* commands_;
  QWidget* window_;
  TensorTools* tools_ = nullptr;
};

}  // namespace sluice::ui
