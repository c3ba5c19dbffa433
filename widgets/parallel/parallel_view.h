#pragma once
// ParallelView: every explored point as a line across axes of knobs and metrics. Dragging along an axis
// filters (in the shared stack), dragging a title reorders, a double click on it inverts; a click on a line
// selects. The keyboard does all of it: Left and Right choose an axis, Ctrl with them moves it, Up and Down
// brush.

#include <QPainterPath>
#include <QTimer>
#include <QWidget>
#include <optional>

#include "widgets/parallel/line_image.h"
#include "widgets/parallel/parallel_axes.h"
#include "widgets/plots/plot_theme.h"
#include "widgets/points/point_selection.h"

class QPainter;

namespace sluice::ui {

class ParallelView : public QWidget {
  Q_OBJECT

 public:
  explicit ParallelView(PointSelection* selection, QWidget* parent = nullptr);

  const ParallelAxes& axes() const { return axes_; }
  /// Of an axis, in widget pixels: its foot and its head.
  QPointF axisPoint(std::size_t axis, double place) const;
  QRectF titleRect(std::size_t axis) const;
  /// Vectors only: many lines are gathered into segments whose strength tells how many they are. Where titles
  /// would not fit beside each other the axes lie, one below the other.
  void paintForPrint(QPainter& painter, QSizeF size, const PrintStyle& style);
  double paperHeight(const PrintStyle& style);
  QString csv() const;
  QSize minimumSizeHint() const override { return {220, 140}; }

  void moveAxis(std::size_t from, std::size_t to);
  void invertAxis(std::size_t axis);
  void hideAxis(std::size_t axis);
  void showAxis(const QString& column);
  void setLogarithmic(std::size_t axis, bool logarithmic);

 signals:
  void pointActivated(int index);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  /// What the mouse has hold of.
  enum class Hold { Nothing, Title, Brush, MoveBrush, LowEnd, HighEnd };
  struct Layout {
    LineFrame frame;
    double width = 0, gap = 0;
    double title_height = 0, title_line = 0;
    std::size_t title_rows = 1, label_rows = 1;  ///< what is too wide for its gap stands in turns
    bool brief = false;                          ///< titles of metrics are cut short
    bool turned = false;  ///< axes lie: the frame's x go down the page, its top is on the right

    QPointF at(double across, double along) const {
      return turned ? QPointF(along, across) : QPointF(across, along);
    }
  };

  Layout layoutFor(QSizeF size, const QFontMetricsF& metrics) const;
  QString titleOf(std::size_t axis, bool brief) const;
  void readPoints();
  void readAxis(std::size_t axis);
  void readPlaces();
  bool hasMissing() const;
  void renewLater();
  std::vector<LineGroup> groups(const PlotTheme& theme) const;
  static void paintMissing(QPainter& painter, const QRectF& strip, double pitch, const PlotTheme& theme);
  void paintAxes(QPainter& painter, const Layout& layout, const PlotTheme& theme) const;
  QString endLabel(const QFontMetricsF& metrics, std::size_t axis, double place, double room) const;
  void paintLabels(QPainter& painter, const Layout& layout, const PlotTheme& theme, std::size_t axis) const;
  void paintBrush(QPainter& painter, const Layout& layout, const PlotTheme& theme, std::size_t axis) const;
  Layout paperLayout(QSizeF size, const QFontMetricsF& metrics) const;
  Layout turnedLayout(double width, const QFontMetricsF& metrics) const;
  bool fitsUpright(const Layout& layout, const QFontMetricsF& metrics) const;
  QString rangeText(std::size_t axis, const QFontMetricsF& metrics, double room) const;
  void paintTurnedAxes(QPainter& painter, const Layout& layout, const PlotTheme& theme) const;
  void paintTurnedAxis(QPainter& painter, const Layout& layout, const PlotTheme& theme,
                       std::size_t axis) const;
  void paintSegments(QPainter& painter, const Layout& layout, const PlotTheme& theme) const;
  void paintLine(QPainter& painter, const Layout& layout, std::size_t point, const QPen& pen) const;
  QPainterPath lineOf(const Layout& layout, std::size_t point) const;
  std::optional<std::pair<double, double>> brushOf(std::size_t axis) const;
  std::optional<std::size_t> axisAt(QPointF position, double reach) const;
  std::optional<int> lineAt(QPointF position) const;
  double placeAt(double y) const;
  void brush(std::size_t axis, double from, double to);
  void dragBrush(double place);
  void stepBrush(int step);
  void hover(std::optional<int> point, const QPoint& global);
  QString tooltip(int point) const;

  PointSelection* selection_;
  ParallelAxes axes_;
  std::vector<std::vector<float>> places_;  ///< by axis, then point
  PlotTheme theme_;
  Layout layout_;
  QImage lines_;
  bool stale_ = true;
  Hold hold_ = Hold::Nothing;
  std::size_t held_ = 0, current_ = 0;  ///< axes
  QPointF pressed_;
  double grip_ = 0, brush_low_ = 0, brush_high_ = 0;
  double title_x_ = 0;  ///< of the title that is dragged
  int drag_ = 0;        ///< number of the drag, for undo
  std::optional<int> hovered_;
  QTimer refresh_;  ///< while an exploration streams in, the lines are drawn a few times a second
};

}  // namespace sluice::ui
