#pragma once
// ExportDialog: what to write - one view, or several as one figure - in which format, how wide, how large its
// text. It tells what will come out before it is written.

#include <QDialog>
#include <QStringList>
#include <vector>

#include "widgets/export/export.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QListWidget;
class QPushButton;
class QSpinBox;

namespace sluice::ui {

struct View;
class Views;

struct ExportChoice {
  QStringList views = {QStringLiteral("pareto")};  ///< by id; several make one figure
  ExportFormat format = ExportFormat::Pdf;
  int width = single_column;  ///< points
  int text = 8;               ///< points
  int columns = 2;            ///< of a figure

  /// "pareto.pdf".
  QString suggestedName() const;
  QString extension() const;
};

class ExportDialog : public QDialog {
  Q_OBJECT

 public:
  /// `views` must outlive it.
  explicit ExportDialog(const Views& views, QWidget* parent = nullptr);
  ExportChoice choice() const;

 private:
  QWidget* makeSize();
  std::vector<const View*> chosen() const;
  void usePreset();
  void follow();

  const Views& views_;
  QListWidget* subjects_;
  QComboBox *format_, *preset_;
  QDoubleSpinBox* width_;
  QSpinBox *text_, *columns_;
  QLabel* note_;
  QPushButton* go_;
};

}  // namespace sluice::ui
