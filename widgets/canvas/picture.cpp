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

int textSizeFor(double zoom) {
  const int least = zoom < small_text_zoom ? smallest_text : small_text;
  return zoom >= full_zoom ? usual_text : static_cast<int>(std::ceil(least / zoom));
}

QPainterPath curvePath(const std::vector<LayoutPoint>& curve) {
  QPainterPath path(toPoint(curve.front()));
  for (std::size_t i = 0; i + 3 < curve.size(); i += 3)
    path.cubicTo(toPoint(curve[i + 1]), toPoint(curve[i + 2]), toPoint(curve[i + 3]));
  return path;
}

QFont canvasFont(const QString& family, TextRole role, int pixel_size) {
  QFont font(family);
  font.setPixelSize(pixel_size);
  if (role == TextRole::Name) font.setWeight(QFont::DemiBold);
  font.setHintingPreference(QFont::PreferNoHinting);  // so that text keeps its shape while zooming
  return font;
}

QFont distantFont(const Picture& picture) {
  QFont font(picture.theme.family);
  font.setPixelSize(picture.text_size);
  font.setHintingPreference(QFont::PreferNoHinting);
  if (picture.small_text) font.setStretch(QFont::SemiCondensed);
  return font;
}

QFont plateFont(const Picture& picture, const Plate& plate) {
  QFont font = canvasFont(picture.theme.family, TextRole::Port, picture.text_size);
  if (plate.strong) font.setWeight(QFont::DemiBold);
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
  content_.reset();
  labelled = {};
  for (std::size_t i = 0; i < links.size(); ++i) trace(i);
}

void Picture::trace(std::size_t link) {
  const std::vector<LayoutPoint>& curve = arrangement.links[link];
  LinkLook& look = links[link];
  look.path = curvePath(curve);
  look.length = curveLength(curve);
  const QPointF before = look.middle;
  look.middle = toPoint(placeOn(curve, 0.5).at);
  look.label_area.translate(look.middle - before);  // until labels are placed anew
  content_.reset();
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

void Picture::setNotes(const Notes& notes) {
  for (BoxLook& look : boxes) look.note.reset();
  for (LinkLook& look : links) look.note.reset();
  for (auto it = notes.begin(); it != notes.end(); ++it) {
    const std::string name = it.key().toStdString();
    if (const std::size_t link = model.findLink(name); link != nowhere) links[link].note = it.value();
    if (const std::size_t box = model.findBox(name); box != nowhere) boxes[box].note = it.value();
  }
}

bool Picture::setZoom(double zoom) {
  const Detail new_detail = detailFor(zoom);
  const int new_text = textSizeFor(zoom);
  if (new_detail == detail && new_text == text_size) return false;
  detail = new_detail;
  text_size = new_text;
  small_text = zoom < small_text_zoom;
  return true;
}

Picture Picture::rearranged(Arrangement places) const {
  Picture moved = *this;
  moved.set(model, std::move(places));
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    moved.boxes[i].heat = boxes[i].heat;
    moved.boxes[i].mark = boxes[i].mark;
    moved.boxes[i].note = boxes[i].note;
  }
  for (std::size_t i = 0; i < links.size(); ++i) {
    moved.links[i].label = links[i].label;
    moved.links[i].heat = links[i].heat;
    moved.links[i].mark = links[i].mark;
    moved.links[i].note = links[i].note;
  }
  return moved;
}

Picture Picture::onPaper(const CanvasTheme& paper) const {
  Picture printed = *this;
  printed.theme = paper;
  for (BoxLook& look : printed.boxes) look.selected = look.hovered = false;
  for (LinkLook& look : printed.links) look.selected = look.hovered = false;
  printed.labelled = {};
  printed.setZoom(1);
  printed.placeLabels();
  return printed;
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

QColor Picture::ground(std::size_t group) const {
  return model.depth(group) % 2 == 0 ? theme.canvas : theme.frame;
}

const QRectF& Picture::contentRect() const {
  if (content_) return *content_;
  QRectF content;
  for (std::size_t i = 0; i < boxes.size(); ++i) content |= bounds(i);
  for (std::size_t i = 0; i < links.size(); ++i) content |= links[i].path.boundingRect();
  return content_.emplace(content);
}

}  // namespace sluice::ui
