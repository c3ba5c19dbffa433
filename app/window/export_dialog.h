#pragma once
// ExportDialog: what to write, in which format, how wide.

#include <QDialog>

#include "widgets/export/export.h"

class QComboBox;

namespace sluice::ui {

enum class ExportSubject { Canvas, Pareto, Occupancy };

struct ExportChoice {
  ExportSubject subject = ExportSubject::Pareto;
  ExportFormat format = ExportFormat::Pdf;
  int width = singleColumn;  ///< points

  /// Plots are 5 by 8.
  QSize plotSize() const { return {width, width * 5 / 8}; }
  /// "pareto.pdf".
  QString suggestedName() const;
  QString extension() const;
};

class ExportDialog : public QDialog {
  Q_OBJECT

 public:
  explicit ExportDialog(QWidget* parent = nullptr);
  ExportChoice choice() const;

 private:
  QComboBox *subject_, *format_, *width_;
};

}  // namespace sluice::ui
