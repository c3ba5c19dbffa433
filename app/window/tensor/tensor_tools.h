#pragma once
// TensorTools: the window for iterative tensor types, token curves, FIFO sizes, rewrites and resources; and
// TensorCommands, which opens it. It is not modal: the main window goes on working.

#include <QDialog>
#include <filesystem>
#include <vector>

#include "app/window/shell/background_work.h"
#include "engine/core/result.h"
#include "widgets/fifos/sizing_examples.h"

class QLabel;
class QPushButton;
class QTabWidget;

namespace sluice::ui {

class Commands;
class ITensorPage;
class PlacementPage;
class RewritesPage;
class SizingPage;
class TokenCurvePage;

class TensorTools : public QDialog {
  Q_OBJECT

 public:
  explicit TensorTools(QWidget* parent = nullptr);

  ITensorPage* types() const { return types_; }
  TokenCurvePage* curves() const { return curves_; }
  SizingPage* sizing() const { return sizing_; }
  RewritesPage* rewrites() const { return rewrites_; }
  PlacementPage* placement() const { return placement_; }
  /// Brings a page to the front.
  void show(QWidget* page);
  QWidget* page() const;
  /// What the page in front has, in the format of the file's name: the order of access, the token curves, the
  /// table of FIFOs, the parts of the design on a card.
  bool exportPage(const QString& file);
  /// A JSON file of kernels and streams, for the page of FIFO sizes.
  bool openDesign(const QString& file);
  void openDesignWithDialog();
  /// What the schedule has compiled, for the same page.
  void setCompiled(std::vector<SizingExample> designs);
  /// Nothing is being simulated.
  bool idle() const { return simulating_.idle(); }

 private:
  Result<Done> write(const std::filesystem::path& path);
  void exportWithDialog();
  void offerDesigns();
  void showCurves(std::size_t stream, std::int64_t delay);
  void simulate();

  ITensorPage* types_;
  TokenCurvePage* curves_;
  SizingPage* sizing_;
  RewritesPage* rewrites_;
  PlacementPage* placement_;
  QTabWidget* pages_;
  QPushButton* export_;
  QLabel* status_;
  std::vector<SizingExample> opened_, compiled_;
  BackgroundWork simulating_;
};

class TensorCommands : public QObject {
  Q_OBJECT

 public:
  TensorCommands(Commands* commands, QWidget* window);

  /// Made when it is first asked for.
  TensorTools* tools();
  /// Null until then.
  TensorTools* toolsIfMade() const { return tools_; }
  void setCompiled(const std::vector<SizingExample>& designs);

 signals:
  void made(sluice::ui::TensorTools* tools);

 private:
  void addKeys();

  Commands* commands_;
  QWidget* window_;
  TensorTools* tools_ = nullptr;
  std::vector<SizingExample> compiled_;
};

}  // namespace sluice::ui
