#pragma once
// OccupancyPlot: tokens waiting in FIFOs over simulated time. One stepped line a stream, a dashed line at
// each depth, a band from lowest to highest where the recording was decimated, and a time cursor.

#include <QTimer>
#include <functional>
#include <optional>
#include <vector>

#include "engine/distributions/occupancy_bands.h"
#include "engine/simulator/result.h"
#include "widgets/plots/plot.h"

namespace sluice::ui {

struct OccupancyTrace {
  QString name;             ///< FlatStream::name
  std::uint64_t depth = 0;  ///< tokens
  OccupancySeries series;
  std::function<std::uint32_t(Cycles)> level = {};  ///< exact at every cycle; null: as the series knows it
  std::optional<int> style = {};                    ///< number of its PlotTheme::series(); none: its place
};

class OccupancyPlot : public Plot {
  Q_OBJECT

 public:
  explicit OccupancyPlot(QWidget* parent = nullptr);

  /// `end`: the simulated cycles; the last value of a trace holds until then. The zoom stays while the user
  /// has one and the streams are the same.
  void setTraces(std::vector<OccupancyTrace> traces, Cycles end, const QString& title);
  /// Behind the traces, until others are set: what the traces of a set come to in between.
  void setBands(std::vector<OccupancyBand> bands);
  void clear(const QString& notice);
  /// Greyed: the numbers belong to an older point.
  void setStale(bool stale);
  /// The time cursor that all views share, with the levels there.
  void setTime(std::optional<Cycles> cycle);

  const std::vector<OccupancyTrace>& traces() const { return traces_; }
  QString title() const { return title_; }
  QString csv() const override;

 signals:
  /// The cycle under the mouse.
  void cursorMoved(quint64 cycle);
  /// A click.
  void cycleChosen(qint64 cycle);

 protected:
  void restyle() override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  void createBands();
  void styleBands();
  void fade(bool stale);
  struct Lines {
    QCPGraph *low, *high, *last, *depth;  ///< low and high only while decimated, else null
    std::size_t trace = 0, alike = 0;     ///< which is drawn, and how many others lie exactly on it
  };

  void createLines();
  void nameLines();
  Lines linesOf(const OccupancyTrace& trace);
  void rescale();
  void placeCursor(double x);  ///< drawn with the next replot, as is that of putCursorBack()
  void showCursor(double x);
  void drawCursor();
  void putCursorBack();
  void hideHover();
  QStringList levelsAt(Cycles cycle) const;
  void hideCursor();

  std::vector<OccupancyTrace> traces_;
  std::vector<Lines> lines_;
  std::vector<OccupancyBand> bands_;
  std::vector<QCPGraph*> band_graphs_;  ///< low, middle and high of each
  Cycles end_ = 0;
  QString title_;
  bool zoomed_ = false, stale_ = false;
  QTimer patience_;  ///< until what is shown fades
  QCPTextElement* heading_ = nullptr;
  QCPItemStraightLine* cursor_ = nullptr;
  QCPItemText* cursor_label_ = nullptr;
  std::optional<Cycles> time_;
  QPointF pressed_;
};

/// The tokens in the FIFO at `cycle`.
std::uint32_t occupancyAt(const OccupancySeries& series, Cycles cycle);

}  // namespace sluice::ui
