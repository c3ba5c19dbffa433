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
constexpr double arrow_pitch = 24, contour_pen = 2.6;

QString tr(const char* text) {
  return QCoreApplication::translate("DeadlockLayer", text);
}

std::size_t boxOf(const Picture& picture, const QString& path) {
  return path.isEmpty() ? nowhere : picture.model.visibleBox(path.toStdString());
}

QPainterPath boxed(const QRectF& label) {
  QPainterPath path;
  path.addRoundedRect(label.adjusted(-3, -3, 3, 3), 4, 4);
  return path;
}

QString titleOf(const WaitGroup& group, int instances) {
  QString title = instances > 1 ? tr("%1 wait cycles alike").arg(instances) : group.title;
  if (group.closed_at)
    title += tr(" · closed at cycle %1")
                 .arg(exactNumber(static_cast<std::uint64_t>(std::max<qint64>(0, *group.closed_at))));
  return title;
}

}  // namespace

void DeadlockLayer::setExplanation(const DeadlockExplanation& explanation, const QSet<int>& shown,
                                   int current) {
  explanation_ = explanation;
  shown_ = shown;
  current_ = current;
  wait_cycles_.clear();
  for (int index = 0; index < explanation_.groups.size(); ++index) {
    const WaitGroup& group = explanation_.groups[index];
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
  QSet<std::size_t> own;
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
      if (link == nowhere) continue;
      path = path.united(stroker.createStroke(picture.links[link].path).simplified());
      if (const QRectF label = picture.labelRect(link); !label.isEmpty()) path = path.united(boxed(label));
      own.insert(link);
    }
  }
  const QRectF all = path.boundingRect();
  for (std::size_t link = 0; link < picture.links.size(); ++link)
    if (const QRectF label = picture.labelRect(link); label.intersects(all) && !own.contains(link))
      path = path.subtracted(boxed(label));
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
}

void DeadlockLayer::paintWaitCycle(QPainter& painter, const Picture& picture, const WaitCycle& cycle) const {
  const WaitGroup& group = explanation_.groups[cycle.group];
  const bool strong = cycle.group == current_;
  const QColor colour = picture.theme.deadlock;
  const QPainterPath around = contour(picture, group);
  if (around.isEmpty()) return;
  QColor ground = colour;
  ground.setAlphaF(strong ? 0.10F : 0.04F);
  QPen pen(colour, strong ? contour_pen : 1.4, strong ? Qt::SolidLine : Qt::DashLine);
  painter.setPen(pen);
  painter.setBrush(ground);
  painter.drawPath(around);
  for (const WaitStep& step : group.steps)
    for (const WaitedStream& wait : step.streams) paintWait(painter, picture, wait, colour, strong);
}

std::vector<std::pair<int, std::size_t>> DeadlockLayer::waiting(const Picture& picture) const {
  QSet<std::size_t> done{nowhere};
  for (const WaitCycle& cycle : wait_cycles_)
    for (const WaitStep& step : explanation_.groups[cycle.group].steps)
      done.insert(boxOf(picture, step.node));
  std::vector<std::pair<int, std::size_t>> waiting;
  for (int index = 0; index < explanation_.groups.size(); ++index) {
    const WaitGroup& group = explanation_.groups[index];
    if (group.kind == WaitGroup::Kind::WaitCycle || !shown_.contains(index) || group.steps.isEmpty())
      continue;
    const std::size_t box = boxOf(picture, group.steps.front().node);
    if (done.contains(box)) continue;
    done.insert(box);
    waiting.emplace_back(index, box);
  }
  return waiting;
}

void DeadlockLayer::paintVictims(QPainter& painter, const Picture& picture) const {
  for (const auto& [index, box] : waiting(picture)) {
    const QRectF around = picture.titleRect(box).adjusted(-3, -3, 3, 3);
    if (explanation_.groups[index].kind == WaitGroup::Kind::Victim) {
      QColor pale = picture.theme.canvas;
      pale.setAlphaF(0.55F);
      painter.setPen(Qt::NoPen);
      painter.setBrush(pale);
      painter.drawRoundedRect(around, 8, 8);
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(picture.theme.muted, index == current_ ? 2.4 : 1.2, Qt::DotLine));
    painter.drawRoundedRect(around, 8, 8);
  }
}

/// Its title, and of the current one what was in its FIFOs when it closed.
void DeadlockLayer::addTitle(const Picture& picture, const WaitCycle& cycle,
                             std::vector<Plate>& plates) const {
  const WaitGroup& group = explanation_.groups[cycle.group];
  const bool strong = cycle.group == current_;
  const CanvasTheme& theme = picture.theme;
  QRectF around;
  std::size_t outermost = nowhere;
  const auto include = [&](const QRectF& rect, std::size_t of) {
    around |= rect;
    if (outermost == nowhere || picture.model.depth(of) < picture.model.depth(outermost)) outermost = of;
  };
  for (const WaitStep& step : group.steps) {
    if (const std::size_t box = boxOf(picture, step.node); box != nowhere)
      include(picture.titleRect(box).adjusted(-margin, -margin, margin, margin),
              picture.model.boxes[box].group);
    for (const WaitedStream& wait : step.streams) {
      const std::size_t link = picture.model.findLink(wait.origin.toStdString());
      if (link == nowhere) continue;
      const std::size_t of = picture.model.links[link].group;
      include(picture.links[link].path.boundingRect(), of);
      if (strong && closing_ && !wait.closing_fill.isEmpty())
        plates.push_back({.text = wait.closing_fill,
                          .ground = theme.box,
                          .ink = theme.text,
                          .link = link,
                          .group = of,
                          .beside = QRectF(picture.links[link].middle, QSizeF(1, 1)),
                          .needed = true});
    }
  }
  if (outermost == nowhere) return;
  plates.push_back({.text = titleOf(group, cycle.instances),
                    .ground = strong ? theme.deadlock : theme.box,
                    .ink = strong ? theme.on_mark : theme.deadlock,
                    .group = outermost,
                    .beside = around.adjusted(0, -3, 0, 3),
                    .strong = true,
                    .needed = true});
}

std::vector<Plate> DeadlockLayer::plates(const Picture& picture) const {
  std::vector<Plate> plates;
  for (const bool strong : {true, false})
    for (const WaitCycle& cycle : wait_cycles_)
      if ((cycle.group == current_) == strong) addTitle(picture, cycle, plates);
  for (const auto& [index, box] : waiting(picture)) {
    const WaitGroup& group = explanation_.groups[index];
    const bool victim = group.kind == WaitGroup::Kind::Victim;
    plates.push_back({.text = victim ? tr("waits, %1 away").arg(group.distance) : tr("stranded"),
                      .ground = picture.theme.box,
                      .ink = picture.theme.muted,
                      .group = picture.model.boxes[box].group,
                      .beside = picture.rect(box).adjusted(-14, -14, 14, 14)});
  }
  return plates;
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
    for (const WaitStep& step : explanation_.groups[index].steps) {
      const std::size_t box = boxOf(picture, step.node);
      if (box != nowhere) bounds |= picture.titleRect(box).adjusted(-margin, -margin - 40, margin, margin);
      if (!picture.theme.on_paper) continue;  // on the screen there is room around what is fitted
      for (const WaitedStream& stream : step.streams) {
        const std::size_t link = picture.model.findLink(stream.origin.toStdString());
        if (link == nowhere) continue;
        bounds |= picture.links[link].path.boundingRect().adjusted(-path_width / 2, -path_width / 2,
                                                                   path_width / 2, path_width / 2);
        if (const QRectF label = picture.labelRect(link); !label.isEmpty())
          bounds |= boxed(label).boundingRect();
      }
    }
  return bounds.isNull() || !picture.theme.on_paper
             ? bounds
             : bounds.adjusted(-contour_pen, -contour_pen, contour_pen, contour_pen);
}

}  // namespace sluice::ui
