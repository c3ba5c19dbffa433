#pragma once
// ReproduceDialog: runs the experiments behind a published figure and shows its charts and numbers beside the
// published ones. It is not modal: the window goes on working.

#include <QDialog>

#include "app/window/export/figure_run.h"

class QLabel;
class QLineEdit;
class QListWidget;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QTabWidget;
class QTableView;

namespace sluice::ui {

class DiagnosticsList;
class FigureModel;
class FigurePlot;

class ReproduceDialog : public QDialog {
  Q_OBJECT

 public:
  explicit ReproduceDialog(QWidget* parent = nullptr);

  void run();
  /// Chooses the figure of this name (engine/figures/figure.h) and runs it.
  void runFigure(const QString& name);
  bool isRunning() const { return run_.running(); }
  /// While something runs this stops it; otherwise it closes the dialog.
  void reject() override;
  /// The chart in front, in the format of the file's name. What goes wrong stands in the diagnostics.
  bool exportChart(const QString& file);
  /// Published, ours and ratio of every point and claim.
  bool exportTable(const QString& file);

  const std::shared_ptr<const FigureResult>& figure() const { return figure_; }
  /// In front; null without a result.
  FigurePlot* plot() const;

 private:
  QWidget* buildChoice();
  QWidget* buildResults();
  QWidget* buildButtons();
  QTableView* tableOf(FigureModel* model, const QString& name, const QString& title);
  void connectRun();
  void browseTraces();
  void exportChartWithDialog();
  void exportTableWithDialog();
  void showFigure(const std::shared_ptr<const FigureResult>& figure);
  void setDiagnostics(const Diagnostics& diagnostics);
  bool report(const Result<Done>& result, const QString& message);
  void setRunning(bool running);
  void say(const QString& message);

  FigureRun run_;
  std::shared_ptr<const FigureResult> figure_;
  FigureModel *points_, *claims_;
  QListWidget* figures_;
  QLineEdit* traces_;
  QPushButton *start_, *cancel_, *export_chart_, *export_table_;
  QProgressBar* bar_;
  QLabel *status_, *left_;
  QTabWidget *charts_, *details_;
  QTableView *points_table_, *claims_table_;
  QPlainTextEdit* notes_;
  DiagnosticsList* diagnostics_;
};

}  // namespace sluice::ui
