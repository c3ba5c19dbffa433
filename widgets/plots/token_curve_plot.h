#pragma once
// TokenCurvePlot: what a producer gives and a consumer takes over time, and below it what waits between the
// two. The line at the consumer's start is dragged with the mouse or moved with the arrow keys.

#include <vector>

#include "engine/tensor/sizing/occupancy.h"
#include "widgets/plots/plot.h"

namespace sluice::ui {

class TokenCurvePlot : public Plot {
  Q_OBJECT

 public:
  explicit TokenCurvePlot(QWidget* parent = nullptr);

  /// With the occupancy's estimate and depth as lines.
  void setStream(const StreamTiming& stream, const FifoBehaviour& fifo);
  void clear(const QString& notice);

  std::int64_t delay() const { return stream_.delay; }
  /// The earliest start at which the first token can be there.
  std::int64_t leastDelay() const { return stream_.production.initial_delay + fifo_.hop_latency; }
  std::int64_t mostDelay() const;
  /// Moves the consumer's start as far as it goes, and says so.
  void moveDelay(std::int64_t delay);

  struct Sample {
    std::int64_t time, produced, taken, waiting;
  };
  /// At every change, or evenly spread where there are too many.
  const std::vector<Sample>& samples() const { return samples_; }
  /// The middle of the delay's handle, in pixels.
  QPoint handle() const;
  QString csv() const override;

 signals:
  void delayChanged(qint64 delay);

 protected:
  void restyle() override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void build();
  void sample();
  void drawCurves();
  void rescale();
  bool nearHandle(const QPointF& point) const;
  std::int64_t end() const;

  StreamTiming stream_;
  FifoBehaviour fifo_;
  bool shown_ = false, dragging_ = false;
  std::vector<Sample> samples_;
  QCPAxisRect* waiting_rect_;
  QCPGraph *produced_, *taken_, *waiting_, *depth_, *estimate_;
  QCPItemStraightLine *start_above_, *start_below_;
  QCPItemText *start_label_, *peak_label_;
};

}  // namespace sluice::ui
