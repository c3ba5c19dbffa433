#pragma once
// TimedGraphView: kernels and FIFOs as a small graph, with a depth at every FIFO; a conflict as the two
// reconvergent paths.

#include <QWidget>

#include "engine/tensor/sizing/fifo_check.h"
#include "widgets/canvas/layout_protocol.h"

namespace sluice::ui {

class TimedGraphView : public QWidget {
  Q_OBJECT

 public:
  explicit TimedGraphView(QWidget* parent = nullptr);

  void setGraph(const TimedGraph& graph);
  void setDepths(std::vector<std::int64_t> depths, std::optional<FifoConflict> conflict);
  void setSelected(std::optional<std::size_t> stream);

  const std::optional<FifoConflict>& conflict() const { return conflict_; }
  /// Where a FIFO's depth stands, in pixels.
  QPointF labelPoint(std::size_t stream) const;
  QRectF kernelRect(std::size_t kernel) const;
  QSize minimumSizeHint() const override { return {220, 140}; }
  QSize sizeHint() const override { return {440, 260}; }

 signals:
  void streamChosen(int stream);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  enum class Role { Plain, FifoPath, SlowPath };

  QTransform toPixels() const;
  std::optional<std::size_t> streamAt(const QPointF& point) const;
  QString tipAt(const QPointF& point) const;
  bool hasLabel(std::size_t stream) const;
  Role roleOf(std::size_t stream) const;
  QPolygonF curveOf(std::size_t stream) const;
  void paintStream(QPainter& painter, std::size_t stream) const;
  void paintKernel(QPainter& painter, std::size_t kernel) const;
  void paintLegend(QPainter& painter) const;

  TimedGraph graph_;
  LayoutGraph boxes_;
  LayoutResult layout_;
  std::vector<std::int64_t> depths_;
  std::optional<FifoConflict> conflict_;
  std::optional<std::size_t> selected_;
};

}  // namespace sluice::ui
