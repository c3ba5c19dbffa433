#include "widgets/deadlock/deadlock_layer.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPainterPathStroker>
#include <algorithm>
#include <cmath>

#include "widgets/canvas/picture.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

constexpr double margin = 13, corner = 12, path_width = 20;  // of a contour, in points
constexpr double arrow_pitch = 24;

QString tr(const char* text) {
  return QCoreApplication::translate("DeadlockLayer", text);
}

std::size_t boxOf(const Picture& picture, const QString& path) {
  return path.isEmpty() ? nowhere : picture.model.visibleBox(path.toStdString());
}

bool isLegible(const Picture& picture) {
  return picture.detail >= Detail::Names;
}

/// A label on a plate; `anchor` is the middle of its lower edge.
void paintPlate(QPainter& painter, const QPointF& anchor, const QString& text, const QColor& ground,
                const QColor& ink, const QFont& font) {
  const QFontMetricsF metrics(font);
  QRectF plate(0, 0, metrics.horizontalAdvance(text) + 12, metrics.height() + 3);
  plate.moveCenter(anchor - QPointF(0, plate.height() / 2));
  painter.setPen(Qt::NoPen);
  painter.setBrush(ground);
  painter.drawRoundedRect(plate, 4, 4);
  painter.setFont(font);
  painter.setPen(ink);
  painter.drawText(plate, Qt::AlignCenter, text);
}

QString titleOf(const WaitGroup& group, int instances) {
  QString title = instances > 1 ? tr("%1 wait cycles alike").arg(instances) : group.title;
  if (group.closed_at)
    title += tr(" · closed at cycle %1")
                 .arg(exactNumber(static_cast<std::uint64_t>(std::max<qint64>(0, *group.closed_at))));
  return title;
}

}  // namespace

void DeadlockLayer::setStory(const DeadlockStory& story, const QSet<int>& shown, int current) {
  story_ = story;
  shown_ = shown;
  current_ = current;
  wait_cycles_.clear();
  for (int index = 0; index < story_.groups.size(); ++index) {
    const WaitGroup& group = story_.groups[index];
    if (group.kind != WaitGroup::Kind::WaitCycle || !shown_.contains(index)) continue;
    const auto same = std::find_if(wait_cycles_.begin(), wait_cycles_.end(),
                                   [&](const WaitCycle& cycle) { return cycle.alike == group.alike; });
    if (same == wait_cycles_.end()) {
      wait_cycles_.append({index, group.alike, 1});
    } else {
      ++same->instances;
      if (index == current_) same->group = index;
    }
  }
}

QPainterPath DeadlockLayer::contour(const Picture& picture, const WaitGroup& group) const {
  QPainterPath path;
  path.setFillRule(Qt::WindingFill);
  QPainterPathStroker stroker;
  stroker.setWidth(path_width);
  for (const WaitStep& step : group.steps) {
    const std::size_t box = boxOf(picture, step.node);
    if (box != nowhere) {
      QPainterPath around;
      around.addRoundedRect(picture.titleRect(box).adjusted(-margin, -margin, margin, margin), corner,
                            corner);
      path = path.united(around);
    }
    for (const WaitedStream& stream : step.streams) {
      const std::size_t link = picture.model.findLink(stream.origin.toStdString());
      if (link != nowhere) path = path.united(stroker.createStroke(picture.links[link].path).simplified());
    }
  }
  return path.simplified();
}

void DeadlockLayer::paintWait(QPainter& painter, const Picture& picture, const WaitedStream& wait,
                              const QColor& colour, bool strong) const {
  const std::size_t link = picture.model.findLink(wait.origin.toStdString());
  if (link == nowhere) return;
  const QPainterPath& path = picture.links[link].path;
  const QRectF label = picture.labelRect(link);
  const double length = path.length();
  const double half = strong ? 5 : 4;
  QPen pen(colour, strong ? 2.4 : 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
  painter.setPen(pen);
  painter.setBrush(Qt::NoBrush);
  for (double at = arrow_pitch / 2; at < length; at += arrow_pitch) {
    const double share = path.percentAtLength(at);
    const QPointF tip = path.pointAtPercent(share);
    if (label.contains(tip)) continue;
    // A full FIFO is waited at by its producer, for who takes; an empty one by its consumer, for who sends.
    const double angle = (path.angleAtPercent(share) + (wait.full ? 0 : 180)) * M_PI / 180;
    const QPointF ahead(std::cos(angle), -std::sin(angle)), aside(-ahead.y(), ahead.x());
    painter.drawPolyline(
        QPolygonF{tip - half * ahead + half * aside, tip, tip - half * ahead - half * aside});
  }
  if (!strong || !closing_ || wait.closing_fill.isEmpty() || !isLegible(picture)) return;
  const QPointF below =
      label.isEmpty() ? picture.links[link].middle : QPointF(label.center().x(), label.bottom());
  const QFont font = canvasFont(picture.theme.family, TextRole::Port, picture.text_size);
  paintPlate(painter, below + QPointF(0, QFontMetricsF(font).height() + 5), wait.closing_fill,
             picture.theme.box, picture.theme.text, font);
}

void DeadlockLayer::paintWaitCycle(QPainter& painter, const Picture& picture, const WaitCycle& cycle) const {
  const WaitGroup& group = story_.groups[cycle.group];
  const bool strong = cycle.group == current_;
  const QColor colour = picture.theme.deadlock;
  const QPainterPath around = contour(picture, group);
  if (around.isEmpty()) return;
  QColor ground = colour;
  ground.setAlphaF(strong ? 0.10F : 0.04F);
  QPen pen(colour, strong ? 2.6 : 1.4, strong ? Qt::SolidLine : Qt::DashLine);
  painter.setPen(pen);
  painter.setBrush(ground);
  painter.drawPath(around);
  for (const WaitStep& step : group.steps)
    for (const WaitedStream& wait : step.streams) paintWait(painter, picture, wait, colour, strong);
  if (!isLegible(picture)) return;
  QFont font = canvasFont(picture.theme.family, TextRole::Title, picture.text_size);
  font.setWeight(QFont::DemiBold);
  QRectF box = around.boundingRect();
  for (const WaitStep& step : group.steps)
    for (const WaitedStream& wait : step.streams)
      if (const std::size_t link = picture.model.findLink(wait.origin.toStdString()); link != nowhere)
        box |= picture.labelRect(link);
  paintPlate(painter, {box.center().x(), box.top() - 3}, titleOf(group, cycle.instances),
             strong ? colour : picture.theme.box, strong ? picture.theme.on_mark : colour, font);
}

void DeadlockLayer::paintVictims(QPainter& painter, const Picture& picture) const {
  QSet<std::size_t> done;
  for (const WaitCycle& cycle : wait_cycles_)
    for (const WaitStep& step : story_.groups[cycle.group].steps) done.insert(boxOf(picture, step.node));
  done.insert(nowhere);
  for (int index = 0; index < story_.groups.size(); ++index) {
    const WaitGroup& group = story_.groups[index];
    if (group.kind == WaitGroup::Kind::WaitCycle || !shown_.contains(index) || group.steps.isEmpty())
      continue;
    const std::size_t box = boxOf(picture, group.steps.front().node);
    if (done.contains(box)) continue;
    done.insert(box);
    const QRectF rect = picture.titleRect(box);
    const bool victim = group.kind == WaitGroup::Kind::Victim;
    if (victim) {
      QColor pale = picture.theme.canvas;
      pale.setAlphaF(0.55F);
      painter.setPen(Qt::NoPen);
      painter.setBrush(pale);
      painter.drawRoundedRect(rect.adjusted(-3, -3, 3, 3), 8, 8);
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(picture.theme.muted, index == current_ ? 2.4 : 1.2, Qt::DotLine));
    painter.drawRoundedRect(rect.adjusted(-3, -3, 3, 3), 8, 8);
    if (!isLegible(picture)) continue;
    const QString text = victim ? tr("waits, %1 away").arg(group.distance) : tr("stranded");
    paintPlate(painter, {rect.center().x(), rect.top() - 4}, text, picture.theme.box, picture.theme.muted,
               canvasFont(picture.theme.family, TextRole::Port, picture.text_size));
  }
}

void DeadlockLayer::paint(QPainter& painter, const Picture& picture) const {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  paintVictims(painter, picture);
  // The current wait cycle on top.
  for (const bool strong : {false, true})
    for (const WaitCycle& cycle : wait_cycles_)
      if ((cycle.group == current_) == strong) paintWaitCycle(painter, picture, cycle);
  painter.restore();
}

QRectF DeadlockLayer::bounds(const Picture& picture) const {
  QRectF bounds;
  for (const int index : shown_)
    for (const WaitStep& step : story_.groups[index].steps) {
      const std::size_t box = boxOf(picture, step.node);
      if (box != nowhere) bounds |= picture.titleRect(box).adjusted(-margin, -margin - 40, margin, margin);
    }
  return bounds;
}

}  // namespace sluice::ui
