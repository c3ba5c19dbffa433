#pragma once
// TimelineView: the rows of a recorded run over time - states of operators by colour and pattern, occupancy
// of streams as heat - with the time cursor. Only the pixels that show are looked up.
//
// Mouse: drag on the tracks moves the cursor; drag with the middle button (or Shift) pans; the wheel scrolls
// rows, with Ctrl it zooms time, with Shift it pans; a double click shows the whole run. A click on a name
// selects, on a region's triangle folds.

#include <QAbstractScrollArea>
#include <QHash>
#include <memory>

#include "engine/simulator/stalls.h"
#include "widgets/timeline/timeline_rows.h"
#include "widgets/timeline/timeline_strip.h"

namespace sluice::ui {

struct PrintStyle;
class TimeCursor;

/// What is shown: both of one run, kept alive together.
struct TimelineRun {
  std::shared_ptr<const FlatGraph> graph;
  std::shared_ptr<const Timeline> timeline;
  explicit operator bool() const { return graph && timeline; }
};

/// Cycles in which operators neither wait for others nor are done.
BusyCycles busyCycles(const TimelineRun& run);

class TimelineView : public QAbstractScrollArea {
  Q_OBJECT

 public:
  static constexpr int ruler_height = 24, process_height = 20, stream_height = 14;

  explicit TimelineView(TimeCursor* cursor, QWidget* parent = nullptr);

  /// The part that shows stays while it is the same program; a null run shows the notice. The rows begin with
  /// the busiest of `busy`: of the run, where it is empty.
  void setRun(TimelineRun run, const QString& notice, const BusyCycles& busy = {});
  const TimelineRun& run() const { return run_; }
  const TimelineRows& rows() const { return rows_; }
  const TimeRange& range() const { return range_; }
  void setRange(TimeRange range);
  /// Shows at least so much time, for two runs on one scale.
  void setExtent(Cycles cycles);
  void setStale(bool stale);
  /// Lights up the rows of a node or stream of the document; both empty: none.
  void select(const QString& node, const QString& stream);
  /// Marks stretches of one operator's row, and shows the `current` one.
  void setIntervals(OperatorId process, std::vector<StallInterval> intervals, std::size_t current);
  /// What of the run is selected: for stepping from event to event; all of it where nothing is.
  TimelineSelection selection() const;
  int nameWidth() const { return name_width_; }
  QRect rowRect(int row) const;  ///< in the viewport; tracks and name
  double pixelOf(double cycle) const;
  double cycleAt(double pixel) const;
  /// The rows that show, as many as fit on a page and into the size, and what their patterns mean, as
  /// vectors; sizes in points. A line tells how many are left out.
  void paintForPrint(QPainter& painter, const QSizeF& size, const PrintStyle& style) const;
  /// Only rows whose names hold any of the texts; none: all.
  void setFilters(const QStringList& texts);
  double paperHeight(const PrintStyle& style) const;
  /// Every state and level that shows, as a table with a header line.
  QString csv() const;

 public slots:
  void setFilter(const QString& text);
  void setAllCollapsed(bool collapsed);
  /// A region by its path; one that is not there, or is so already, changes nothing.
  void fold(const QString& path, bool collapsed);
  void setStreamsShown(bool shown);
  void zoom(double factor);  ///< about the cursor if it shows, else about the middle
  void fit();
  void goToNextEvent();
  void goToPreviousEvent();

 signals:
  void nodeSelected(const QString& path);
  void streamSelected(const QString& origin);
  void rangeChanged();
  void folded(const QString& path, bool collapsed);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;

 private:
  bool dark() const;
  int tracksWidth() const;
  double whole() const;  ///< cycles that can be shown
  int rowAt(int y) const;
  void rowsChanged();
  void updateScrollBars();
  void moveCursorTo(double pixel);
  void goTo(Cycles cycle);  ///< the range follows a cursor that leaves it
  void selectRow(int row);
  void zoomAbout(double factor, double pixel);
  QString tipAt(const QPoint& position) const;
  void paintRuler(QPainter& painter) const;
  void paintRow(QPainter& painter, int row);
  void paintName(QPainter& painter, int row, const QRect& rect) const;
  void paintCursor(QPainter& painter) const;
  /// The rows that go on paper, and a word on those that do not.
  struct PaperRows {
    std::vector<TimelineRow> rows;
    QString left_out;
  };
  /// At most so many lines, that on those left out included.
  PaperRows paperRows(std::size_t lines) const;
  void dropEmptiest(std::vector<TimelineRow>& rows, std::size_t too_many) const;
  QString paperName(const PaperRows& paper, std::size_t index) const;
  double weightOf(const TimelineRow& row) const;
  void printRuler(QPainter& painter, double names, double width, const PrintStyle& style) const;
  void printRow(QPainter& painter, const TimelineRow& row, const QRectF& tracks, double pitch) const;
  QString cursorText(const TimelineRow& row) const;
  const QImage& strip(int row);

  TimeCursor* cursor_;
  TimelineRun run_;
  TimelineRows rows_;
  TimeRange range_;
  QString notice_, node_, stream_;
  std::vector<int> tops_;  ///< of each row, and the end of the last
  QHash<int, QImage> strips_;
  Cycles extent_ = 0;
  bool stale_ = false, fitted_ = true;
  int name_width_ = 220, current_row_ = -1;
  OperatorId marked_ = 0;
  std::vector<StallInterval> intervals_;
  std::size_t interval_ = 0;
  enum class Drag { None, Cursor, Pan, Names } drag_ = Drag::None;
  QPointF dragged_from_;
  TimeRange range_before_;
};

}  // namespace sluice::ui
