#pragma once
// ExportDialog: what to write - one view, or several as one figure - in which format, how wide, how large its
// text. It tells what will come out before it is written.

#include <QDialog>
#include <functional>
#include <vector>

#include "widgets/export/export.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QListWidget;
class QPushButton;
class QSpinBox;

namespace sluice::ui {

enum class ExportSubject {
  Canvas,
  Pareto,
  Occupancy,
  Timeline,
  Parallel,
  Sensitivity,
  Hypervolume,
  // Tables
  Points,
  Stalls,
  NearMisses,
  CompareFigures,
  CompareOperators,
  CompareStreams,
  CompareCauses,
  // Of a comparison
  CompareTimelines,
  CompareOverlay
};
bool isTable(ExportSubject subject);

/// "pareto": of files and the command line.
QString nameOf(ExportSubject subject);
QString titleOf(ExportSubject subject);

struct ExportChoice {
  ExportSubject subject = ExportSubject::Pareto;
  ExportFormat format = ExportFormat::Pdf;
  int width = singleColumn;              ///< points
  int text = 8;                          ///< points
  std::vector<ExportSubject> also = {};  ///< further parts of the same figure
  int columns = 2;                       ///< of such a figure

  /// "pareto.pdf".
  QString suggestedName() const;
  QString extension() const;
};

class ExportDialog : public QDialog {
  Q_OBJECT

 public:
  /// `text_size`: of the canvas at a width, in points.
  explicit ExportDialog(std::function<double(int width)> text_size = {}, QWidget* parent = nullptr);
  ExportChoice choice() const;

 private:
  QWidget* makeSize();
  std::vector<ExportSubject> chosen() const;
  void usePreset();
  void follow();

  std::function<double(int)> canvas_text_;
  QListWidget* subjects_;
  QComboBox *format_, *preset_;
  QDoubleSpinBox* width_;
  QSpinBox *text_, *columns_;
  QLabel* note_;
  QPushButton* go_;
};

}  // namespace sluice::ui
