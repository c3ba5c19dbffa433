#pragma once
// ComparePanel: run A against run B - tables of differences, both timelines side by side with the same rows,
// one range, one scroll and one cursor, and the FIFO of a stream in both as one plot. "Flip" shows now the
// one, now the other at the same place.

#include <QWidget>
#include <array>
#include <memory>

#include "widgets/compare/compare_model.h"
#include "widgets/timeline/timeline_view.h"

class QAction;
class QBoxLayout;
class QComboBox;
class QLabel;
class QTableView;
class QTabWidget;

namespace sluice::ui {

class OccupancyPlot;
class TimeCursor;

/// One of the two runs; null: not chosen yet.
struct ComparedRun {
  std::shared_ptr<const PointResult> point;  ///< of a measured run: the model's, whose rows it has
  QString title;                             ///< "moe.sluice"
  bool measured = false;
  std::shared_ptr<const Timeline> over_time = {};  ///< of a measured run; null: it was not recorded over time
  QString trust = {};                              ///< why its cycles may be believed
  QStringList settings = {};  ///< of every knob, "tile = 16"; the title tells those that differ
};

class ComparePanel : public QWidget {
  Q_OBJECT

 public:
  explicit ComparePanel(const QList<QAction*>& commands, QWidget* parent = nullptr);

  void setRuns(const ComparedRun& a, const ComparedRun& b);
  void setComparison(std::shared_ptr<const Comparison> comparison);
  const std::shared_ptr<const Comparison>& comparison() const { return comparison_; }
  /// Of the plot: a stream by its origin in B, or in A.
  void showStream(const QString& origin);
  CompareModel* model(CompareModel::Table table) const { return models_[static_cast<std::size_t>(table)]; }
  /// As it is sorted.
  const QTableView* table(CompareModel::Table table) const {
    return tables_[static_cast<std::size_t>(table)];
  }
  /// "A" and "B"; of a comparison with what was measured, "Model" and "Measured".
  QString nameOf(int run) const;
  const ComparedRun& run(int number) const { return runs_[static_cast<std::size_t>(number)]; }
  TimelineView* timeline(int run) const { return views_[static_cast<std::size_t>(run)]; }
  OccupancyPlot* overlay() const { return overlay_; }
  QTabWidget* tabs() const { return tabs_; }
  int flipped() const { return flipped_; }

 public slots:
  /// 0: A, 1: B, -1: both.
  void flip(int run);

 signals:
  void placeActivated(const QString& place);  ///< a node path or a stream's origin

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void arrange();  ///< titles beside the buttons, or below them
  void fitColumns();
  void fitName(std::size_t table);
  void addTable(CompareModel::Table table, const QString& title);
  void addTimelines();
  void linkRanges();

  std::array<CompareModel*, 5> models_{};
  std::array<QTableView*, 5> tables_{};
  std::array<int, 5> name_widths_{};  ///< that the names in them ask for
  std::array<TimelineView*, 2> views_{};
  std::array<ComparedRun, 2> runs_;
  TimeCursor* cursor_;
  OccupancyPlot* overlay_;
  QComboBox* stream_;
  QBoxLayout *bar_, *titles_;
  QLabel *title_a_, *title_b_;
  QTabWidget* tabs_;
  std::shared_ptr<const Comparison> comparison_;
  int flipped_ = -1;
  bool scrolling_ = false;
  std::array<QLabel*, 2> names_{};  ///< beside the timelines
};

/// What a run's timeline shows; null where it has none.
TimelineRun timelineOf(const ComparedRun& run);

}  // namespace sluice::ui
