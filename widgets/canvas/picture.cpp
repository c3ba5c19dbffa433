#include "widgets/canvas/picture.h"

#include <algorithm>
#include <cmath>

#include "widgets/canvas/curve.h"

namespace sluice::ui {
namespace {

using Measures = SceneMeasures;

/// Keeps the severest mark.
void worsen(std::optional<Mark>& mark, const Mark& other) {
  if (!mark || static_cast<int>(other.kind) > static_cast<int>(mark->kind)) mark = other;
}

}  // namespace

Detail detailFor(double zoom) {
  if (zoom < names_zoom) return zoom < plain_zoom ? Detail::Blocks : Detail::Plain;
  return zoom < full_zoom ? Detail::Names : Detail::Full;
}

QPainterPath curvePath(const std::vector<LayoutPoint>& curve) {
  QPainterPath path(toPoint(curve.front()));
  for (std::size_t i = 0; i + 3 < curve.size(); i += 3)
    path.cubicTo(toPoint(curve[i + 1]), toPoint(curve[i + 2]), toPoint(curve[i + 3]));
  return path;
}

QFont canvasFont(const QString& family, TextRole role) {
  QFont font(family);
  font.setPixelSize(role == TextRole::Name ? 13 : role == TextRole::Port ? 10 : 11);
  if (role == TextRole::Name) font.setWeight(QFont::DemiBold);
  font.setHintingPreference(QFont::PreferNoHinting);  // so that text keeps its shape while zooming
  return font;
}

CanvasFonts::CanvasFonts(const QString& family)
    : metrics_{QFontMetricsF(canvasFont(family, TextRole::Name)),
               QFontMetricsF(canvasFont(family, TextRole::Title)),
               QFontMetricsF(canvasFont(family, TextRole::Detail)),
               QFontMetricsF(canvasFont(family, TextRole::Port))} {}

QString CanvasFonts::elided(const std::string& text, TextRole role, double room) const {
  return metrics(role).elidedText(QString::fromStdString(text), Qt::ElideRight, room);
}

void Picture::set(SceneModel new_model, Arrangement new_arrangement) {
  model = std::move(new_model);
  arrangement = std::move(new_arrangement);
  boxes.assign(model.boxes.size(), {});
  links.assign(model.links.size(), {});
  const CanvasFonts fonts(theme.family);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const SceneBox& box = model.boxes[i];
    BoxLook& look = boxes[i];
    look.badge = QString::fromStdString(box.badge);
    const bool frame = box.kind == SceneBox::Kind::Frame;
    const double room = frame ? arrangement.boxes[i].width - 2 * Measures::padding : box.text_width;
    look.badge_width = box.badge.empty() ? 0 : fonts.width(look.badge, TextRole::Title) + 14;
    look.name =
        fonts.elided(box.name, TextRole::Name, room - look.badge_width - (look.badge_width > 0 ? 28 : 20));
    look.title = fonts.elided(box.title, TextRole::Title, room);
    look.detail = fonts.elided(box.detail, TextRole::Detail, room);
  }
  for (std::size_t i = 0; i < links.size(); ++i) trace(i);
}

void Picture::trace(std::size_t link) {
  const std::vector<LayoutPoint>& curve = arrangement.links[link];
  LinkLook& look = links[link];
  look.path = curvePath(curve);
  look.length = curveLength(curve);
}

double lineWidth(const LinkLook& look) {
  return 1.5 + (look.heat > 0 ? 3.5 * std::min(1.0, look.heat) : 0) + (look.selected ? 1 : 0) +
         (look.mark ? 0.8 : 0);
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
    const std::size_t link = model.findLink(name);
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

QRectF Picture::bounds(std::size_t box) const {
  return rect(box).adjusted(-12, -12, 12, 12);
}

QRectF Picture::linkBounds(std::size_t link) const {
  return links[link].path.controlPointRect().adjusted(-8, -8, 8, 8);
}

QRectF Picture::labelRect(std::size_t link) const {
  const LinkLook& look = links[link];
  const QFontMetricsF metrics(canvasFont(theme.family, TextRole::Port));
  const bool whole = look.selected || look.hovered;
  const double most = whole ? 1000 : std::max(84.0, look.length - 24);
  double width = 0;
  for (const QString& line : look.label)
    width = std::max(width, std::min(most, metrics.horizontalAdvance(line)));
  auto lines = static_cast<double>(look.label.size());
  if (look.mark) {
    width = std::max(width, metrics.horizontalAdvance(look.mark->word) + 26);
    lines += 1.5;
  }
  if (lines == 0) return {};
  QRectF area(0, 0, width + 8, lines * metrics.height() + 2);
  area.moveCenter(look.middle);
  if (look.slope < 0.3) area.translate(0, -area.height() / 2 - 4 - 0.4 * look.slope * area.width());
  return area;
}

QColor Picture::ground(std::size_t group) const {
  return model.depth(group) % 2 == 0 ? theme.canvas : theme.frame;
}

QRectF Picture::contentRect() const {
  QRectF content;
  for (std::size_t i = 0; i < boxes.size(); ++i) content |= bounds(i);
  for (std::size_t i = 0; i < links.size(); ++i) content |= links[i].path.boundingRect() | labelRect(i);
  return content;
}

}  // namespace sluice::ui
