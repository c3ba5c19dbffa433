#include "widgets/canvas/picture.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

namespace sluice::ui {
namespace {

using Measures = SceneMeasures;

QString elided(const std::string& text, const QString& family, TextRole role, double width) {
  return QFontMetricsF(canvasFont(family, role)).elidedText(QString::fromStdString(text), Qt::ElideRight, width);
}

/// Keeps the severest mark.
void worsen(std::optional<Mark>& mark, const Mark& other) {
  if (!mark || static_cast<int>(other.kind) > static_cast<int>(mark->kind)) mark = other;
}

}  // namespace

Detail detailFor(double zoom) {
  return zoom < plainZoom ? Detail::Blocks : zoom < fullZoom ? Detail::Plain : Detail::Full;
}

QFont canvasFont(const QString& family, TextRole role) {
  QFont font(family);
  font.setPixelSize(role == TextRole::Name ? 13 : role == TextRole::Port ? 10 : 11);
  if (role == TextRole::Name) font.setWeight(QFont::DemiBold);
  font.setHintingPreference(QFont::PreferNoHinting);  // so that text keeps its shape while zooming
  return font;
}

double canvasTextWidth(const QString& family, const std::string& text, TextRole role) {
  return QFontMetricsF(canvasFont(family, role)).horizontalAdvance(QString::fromStdString(text)) + 1;
}

void Picture::set(SceneModel new_model, Arrangement new_arrangement) {
  model = std::move(new_model);
  arrangement = std::move(new_arrangement);
  boxes.assign(model.boxes.size(), {});
  links.assign(model.links.size(), {});
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const SceneBox& box = model.boxes[i];
    BoxLook& look = boxes[i];
    look.badge = QString::fromStdString(box.badge);
    const double room = box.kind == SceneBox::Kind::Frame ? arrangement.boxes[i].width - 2 * Measures::padding : box.text_width;
    const double badge = box.badge.empty() ? 0 : canvasTextWidth(theme.family, box.badge, TextRole::Title) + 22;
    look.name = elided(box.name, theme.family, TextRole::Name, room - badge - 20);
    look.title = elided(box.title, theme.family, TextRole::Title, room);
    look.detail = elided(box.detail, theme.family, TextRole::Detail, room);
  }
  for (std::size_t i = 0; i < links.size(); ++i) trace(i);
}

void Picture::trace(std::size_t link) {
  const std::vector<LayoutPoint>& curve = arrangement.links[link];
  LinkLook& look = links[link];
  const auto point = [](const LayoutPoint& p) { return QPointF(p.x, p.y); };
  look.path = QPainterPath(point(curve.front()));
  for (std::size_t i = 1; i + 2 < curve.size(); i += 3) {
    look.path.cubicTo(point(curve[i]), point(curve[i + 1]), point(curve[i + 2]));
  }
  look.length = look.path.length();
  const double half = look.path.percentAtLength(look.length / 2);
  look.middle = look.path.pointAtPercent(half);
  const QPointF along = look.path.pointAtPercent(std::min(1.0, half + 0.05)) - look.path.pointAtPercent(std::max(0.0, half - 0.05));
  look.flat = std::abs(along.y()) < 0.5 * std::abs(along.x());
}

void Picture::setLabels(const QHash<QString, QString>& by_origin) {
  for (std::size_t i = 0; i < links.size(); ++i) {
    const QString text = by_origin.value(QString::fromStdString(model.links[i].origin));
    links[i].label = text.isEmpty() ? QStringList() : text.split('\n');
  }
}

void Picture::setHeat(const QHash<QString, double>& of_streams, const QHash<QString, double>& of_nodes) {
  for (std::size_t i = 0; i < links.size(); ++i) {
    links[i].heat = of_streams.value(QString::fromStdString(model.links[i].origin), -1);
  }
  for (BoxLook& look : boxes) look.heat = -1;
  for (auto it = of_nodes.begin(); it != of_nodes.end(); ++it) {
    const std::size_t box = model.visibleBox(it.key().toStdString());
    if (box != nowhere) boxes[box].heat = std::max(boxes[box].heat, it.value());
  }
}

void Picture::setMarks(const QHash<QString, Mark>& marks) {
  for (BoxLook& look : boxes) look.mark.reset();
  for (LinkLook& look : links) look.mark.reset();
  QStringList keys = marks.keys();
  keys.sort();  // of several equally severe ones inside a region, always the same one shows
  for (const QString& key : keys) {
    const std::string name = key.toStdString();
    const std::size_t link = key.contains('#') ? model.findLink(name) : nowhere;
    const std::size_t box = link == nowhere ? model.visibleBox(name) : nowhere;
    if (link != nowhere) worsen(links[link].mark, marks[key]);
    if (box != nowhere) worsen(boxes[box].mark, marks[key]);
  }
}

QRectF Picture::rect(std::size_t box) const {
  const SceneRect& rect = arrangement.boxes[box];
  return {rect.x, rect.y, rect.width, rect.height};
}

QRectF Picture::titleRect(std::size_t box) const {
  QRectF title = rect(box);
  if (model.boxes[box].kind == SceneBox::Kind::Frame) title.setHeight(Measures::frame_title);
  return title;
}

QRectF Picture::button(std::size_t box) const {
  if (model.boxes[box].kind == SceneBox::Kind::Operator) return {};
  const QRectF title = titleRect(box);
  return {title.right() - 24, title.top() + 7, 16, 16};
}

QRectF Picture::bounds(std::size_t box) const { return rect(box).adjusted(-12, -12, 12, 12); }

QRectF Picture::linkBounds(std::size_t link) const { return links[link].path.controlPointRect().adjusted(-8, -8, 8, 8); }

QRectF Picture::labelRect(std::size_t link) const {
  const LinkLook& look = links[link];
  const QFontMetricsF metrics(canvasFont(theme.family, TextRole::Port));
  const bool whole = look.selected || look.hovered;
  const double most = whole ? 1000 : std::max(84.0, look.length - 24);
  double width = 0;
  for (const QString& line : look.label) width = std::max(width, std::min(most, metrics.horizontalAdvance(line)));
  auto lines = static_cast<double>(look.label.size());
  if (look.mark) {
    width = std::max(width, metrics.horizontalAdvance(look.mark->word) + 26);
    lines += 1.5;
  }
  if (lines == 0) return {};
  QRectF area(0, 0, width + 8, lines * metrics.height() + 2);
  area.moveCenter(look.middle);
  if (look.flat) area.translate(0, -area.height() / 2 - 4);
  return area;
}

QColor Picture::ground(std::size_t group) const { return model.depth(group) % 2 == 0 ? theme.canvas : theme.frame; }

QRectF Picture::contentRect() const {
  QRectF content;
  for (std::size_t i = 0; i < boxes.size(); ++i) content |= bounds(i);
  for (std::size_t i = 0; i < links.size(); ++i) content |= links[i].path.boundingRect() | labelRect(i);
  return content;
}

}  // namespace sluice::ui
