#include "widgets/deadlock/frontier_plot.h"

#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "engine/core/csv.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {

FrontierPlot::FrontierPlot(QWidget* parent) : Plot(parent) {
  setObjectName(QStringLiteral("frontierPlot"));
  setAccessibleName(tr("Depths of two FIFOs with which the run ends or deadlocks"));
  setMouseTracking(true);
  const auto series = [this](const QString& name) {
    QCPGraph* graph = addGraph();
    graph->setName(name);
    graph->setLineStyle(QCPGraph::lsNone);
    return graph;
  };
  edge_ = series(tr("deadlocks below"));
  locked_ = series(tr("deadlocks"));
  ending_ = series(tr("ends"));
  corners_ = series(tr("least depths"));
  now_ = series(tr("as it is"));
  edge_->setLineStyle(QCPGraph::lsStepLeft);
  for (QCPAxis* axis : {xAxis, yAxis}) axis->setTicker(QSharedPointer<QCPAxisTicker>(new IntegerTicker));
  addLegendAbove();
  edge_->removeFromLegend();
  setTheme(theme());
  clear(tr("Choose two FIFOs."));
}

void FrontierPlot::restyle() {
  const PlotTheme& look = theme();
  const auto mark = [&look](QCPScatterStyle::ScatterShape shape, const QColor& pen, const QBrush& fill,
                            double size) {
    return QCPScatterStyle(shape, QPen(pen, look.line_width), fill, size);
  };
  const double size = look.marker_size;
  edge_->setPen(QPen(look.failed, look.line_width));
  edge_->setBrush(QBrush(look.tinted(look.failed, 0.5), Qt::BDiagPattern));
  locked_->setScatterStyle(mark(QCPScatterStyle::ssCross, look.failed, Qt::NoBrush, size * 0.8));
  ending_->setScatterStyle(mark(QCPScatterStyle::ssCircle, look.muted, Qt::NoBrush, size * 0.6));
  corners_->setScatterStyle(mark(QCPScatterStyle::ssDiamond, look.frontier, look.frontier, size * 1.3));
  now_->setScatterStyle(mark(QCPScatterStyle::ssSquare, look.current, Qt::NoBrush, size * 2));
  fitLegend(4);
}

void FrontierPlot::clear(const QString& message) {
  picture_ = {};
  for (QCPGraph* graph : {edge_, locked_, ending_, corners_, now_}) graph->data()->clear();
  setNotice(message);
  replotLater();
}

void FrontierPlot::setPicture(const FrontierPicture& picture) {
  picture_ = picture;
  setNotice({});
  xAxis->setLabel(tr("Depth of %1 (tokens)").arg(picture.first));
  yAxis->setLabel(tr("Depth of %1 (tokens)").arg(picture.second));
  for (QCPGraph* graph : {edge_, locked_, ending_, corners_, now_}) graph->data()->clear();
  // The step under the deepest of the cells that deadlock, from column to column.
  QVector<double> columns, heights;
  for (int first = 1; first <= picture.up_to; ++first) {
    int highest = 0;
    for (const FrontierCell& cell : picture.cells)
      if (cell.first == first && !cell.ends) highest = std::max(highest, cell.second);
    columns << first - 0.5;
    heights << highest + 0.5;
  }
  if (!heights.isEmpty()) {
    columns << picture.up_to + 0.5;
    heights << heights.last();
  }
  edge_->setData(columns, heights, true);
  for (const FrontierCell& cell : picture.cells)
    (cell.ends ? ending_ : locked_)->addData(cell.first, cell.second);
  for (const FrontierCorner& corner : picture.corners) corners_->addData(corner.first, corner.second);
  now_->addData(picture.first_now, picture.second_now);
  const int most = std::max({picture.up_to, picture.first_now, picture.second_now});
  xAxis->setRange(0.5, most + 0.5);
  yAxis->setRange(0.5, most + 0.5);
  replotLater();
}

void FrontierPlot::mouseMoveEvent(QMouseEvent* event) {
  const auto first = static_cast<int>(std::lround(xAxis->pixelToCoord(event->pos().x())));
  const auto second = static_cast<int>(std::lround(yAxis->pixelToCoord(event->pos().y())));
  QString text;
  for (const FrontierCell& cell : picture_.cells)
    if (cell.first == first && cell.second == second)
      text = tr("%1 and %2: %3").arg(first).arg(second).arg(cell.ends ? tr("ends") : tr("deadlocks"));
  for (const FrontierCorner& corner : picture_.corners)
    if (corner.first == first && corner.second == second)
      text += tr("\n%1 bytes more than now, %2 cycles")
                  .arg(std::lround(corner.bytes))
                  .arg(exactNumber(static_cast<std::uint64_t>(corner.cycles)));
  QToolTip::showText(event->globalPosition().toPoint(), text, this);
  Plot::mouseMoveEvent(event);
}

QString FrontierPlot::csv() const {
  CsvTable table(
      {"depth_of " + picture_.first.toStdString(), "depth_of " + picture_.second.toStdString(), "ends"});
  for (const FrontierCell& cell : picture_.cells)
    table.row({std::to_string(cell.first), std::to_string(cell.second), cell.ends ? "1" : "0"});
  return QString::fromStdString(table.text());
}

}  // namespace sluice::ui
