#include "widgets/canvas/node_groups.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "widgets/canvas/picture.h"
#include "widgets/common/corner.h"

namespace sluice::ui {
namespace {

constexpr double margin = 14, group_corner = 12;  // around a node, in points
constexpr int most_lines = 8;                     // of the legend

QString lineOf(const NodeGroup& group) {
  return group.note.isEmpty() ? group.name : group.name + QStringLiteral(": ") + group.note;
}

}  // namespace

QColor groupColour(int group, const CanvasTheme& theme) {
  static const std::array<QColor, 6> hues = {QColor(0x00, 0x72, 0xB2), QColor(0xE6, 0x9F, 0x00),
                                             QColor(0x00, 0x9E, 0x73), QColor(0xCC, 0x79, 0xA7),
                                             QColor(0x56, 0xB4, 0xE9), QColor(0xD5, 0x5E, 0x00)};
  const QColor& hue = hues[static_cast<std::size_t>(group) % hues.size()];
  return theme.is_dark ? blend(hue, Qt::white, 0.15) : hue;
}

std::vector<std::size_t> NodeGroupLayer::boxesOf(const NodeGroup& group, const Picture& picture) const {
  std::set<std::size_t> boxes;
  for (const QString& path : group.nodes) boxes.insert(picture.model.visibleBox(path.toStdString()));
  boxes.erase(nowhere);
  std::erase_if(boxes, [&](std::size_t box) {
    const std::string& folded = picture.model.boxes[box].node_group;
    return !folded.empty() && folded != group.name.toStdString();
  });
  return {boxes.begin(), boxes.end()};
}

std::vector<Plate> NodeGroupLayer::plates(const Picture& picture) const {
  std::vector<Plate> plates;
  if (picture.detail >= Detail::Names) return plates;
  for (int group = 0; group < groups.size(); ++group) {
    if (groups[group].kind != GroupKind::Fusion) continue;
    QRectF around;
    for (const std::size_t box : boxesOf(groups[group], picture)) around |= picture.rect(box);
    if (around.isNull()) continue;
    plates.push_back({.text = groups[group].name,
                      .ground = blend(picture.theme.box, groupColour(group, picture.theme), 0.18),
                      .ink = picture.theme.text,
                      .beside = around,
                      .strong = true,
                      .needed = true});
  }
  return plates;
}

void NodeGroupLayer::paint(QPainter& painter, const Picture& picture) const {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  const bool named = picture.detail == Detail::Full;  // from further away the legend names them
  painter.setFont(canvasFont(picture.theme.family, TextRole::Port));
  for (int group = 0; group < groups.size(); ++group) {
    if (groups[group].kind != GroupKind::Fusion) continue;
    QPainterPath ground;
    ground.setFillRule(Qt::WindingFill);
    std::vector<QRectF> names;
    for (const std::size_t box : boxesOf(groups[group], picture)) {
      const QRectF rect = picture.rect(box).adjusted(-margin, -margin, margin, margin);
      ground.addRoundedRect(rect, group_corner, group_corner);
      names.emplace_back(rect.left() + group_corner, rect.bottom() - margin, rect.width() - group_corner,
                         margin);
    }
    const QColor colour = groupColour(group, picture.theme);
    QPen pen(blend(picture.theme.canvas, colour, 0.6), 1.5);
    pen.setCosmetic(true);
    painter.setPen(pen);
    painter.setBrush(blend(picture.theme.canvas, colour, 0.18));
    painter.drawPath(ground.simplified());
    if (!named) continue;
    // The colour is not the only cue.
    painter.setPen(picture.theme.text);
    for (const QRectF& name : names)
      painter.drawText(name, Qt::AlignLeft | Qt::AlignVCenter, groups[group].name);
  }
  painter.restore();
}

GroupLegend::GroupLegend(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("groupLegend"));
  setCursor(Qt::PointingHandCursor);
  hide();
  keepInCorner(this, Qt::BottomLeftCorner);
}

void GroupLegend::setGroups(const QList<NodeGroup>& groups, const QSet<int>& folded,
                            const CanvasTheme& theme) {
  groups_ = groups;
  folded_ = folded;
  theme_ = theme;
  chooseRows();
  setVisible(!rows_.isEmpty());
  QStringList lines;
  for (const int group : rows_) lines << lineOf(groups_[group]);
  setAccessibleName(lines.join(QLatin1Char('\n')));
  int wide = 0;
  for (const QString& line : lines) wide = std::max(wide, fontMetrics().horizontalAdvance(line));
  const int rows = static_cast<int>(std::min<qsizetype>(rows_.size(), most_lines + 1));
  resize(wide + 44, rows * row(0).height() + 12);
  update();
}

void GroupLegend::chooseRows() {
  QSet<QString> inside;
  rows_.clear();
  for (int group = 0; group < groups_.size(); ++group) {
    const QStringList& nodes = groups_[group].nodes;
    if (std::ranges::all_of(nodes, [&inside](const QString& node) { return inside.contains(node); }))
      continue;
    rows_ << group;
    if (groups_[group].kind == GroupKind::EqualLayers && folded_.contains(group))
      inside.unite({nodes.begin(), nodes.end()});
  }
}

QRect GroupLegend::row(int row) const {
  const int line = fontMetrics().height() + 4;
  return {10, 6 + row * line, width() - 20, line};
}

int GroupLegend::groupAt(const QPoint& position) const {
  for (int line = 0; line < rows_.size() && line < most_lines; ++line)
    if (row(line).contains(position)) return rows_[line];
  return -1;
}

void GroupLegend::mousePressEvent(QMouseEvent* event) {
  event->accept();
  const int group = groupAt(event->pos());
  if (event->button() == Qt::LeftButton && group >= 0) emit pressed(group);
}

bool GroupLegend::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int group = groupAt(help->pos());
  QToolTip::showText(help->globalPos(),
                     group < 0                 ? QString()
                     : folded_.contains(group) ? tr("Show the nodes of %1").arg(groups_[group].name)
                                               : tr("Show %1 as one box").arg(groups_[group].name),
                     this);
  return true;
}

void GroupLegend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme_.box_border, 1));
  painter.setBrush(theme_.box);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
  for (int index = 0; index < rows_.size(); ++index) {
    const QRect line = row(index);
    painter.setPen(theme_.text);
    if (index == most_lines) {
      painter.drawText(line, Qt::AlignVCenter, tr("and %1 more").arg(rows_.size() - most_lines));
      break;
    }
    painter.drawText(line.adjusted(24, 0, 0, 0), Qt::AlignVCenter, lineOf(groups_[rows_[index]]));
    paintSign(painter, QRectF(line.left(), line.top() + 3.5, 16, line.height() - 7), rows_[index]);
  }
}

/// In the colour of the group, if it has one, with what a press does: + unfolds, - folds.
void GroupLegend::paintSign(QPainter& painter, const QRectF& square, int group) const {
  const bool coloured = groups_[group].kind == GroupKind::Fusion;
  const QColor colour = coloured ? groupColour(group, theme_) : theme_.box_border;
  painter.setPen(QPen(blend(theme_.canvas, colour, 0.6), 1.5));
  painter.setBrush(blend(theme_.canvas, colour, 0.18));
  painter.drawRoundedRect(square, 3, 3);
  painter.setPen(QPen(theme_.text, 1.2));
  const QPointF middle = square.center();
  painter.drawLine(middle - QPointF(3, 0), middle + QPointF(3, 0));
  if (folded_.contains(group)) painter.drawLine(middle - QPointF(0, 3), middle + QPointF(0, 3));
}

}  // namespace sluice::ui
