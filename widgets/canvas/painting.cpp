// How boxes, links and labels look.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "widgets/canvas/labels.h"
#include "widgets/canvas/picture.h"

namespace sluice::ui {
namespace {

using Measures = SceneMeasures;
constexpr double corner = 6;

void writeLine(QPainter& painter, const QRectF& area, const QString& text, const QColor& color,
               const QFont& font, Qt::Alignment alignment = Qt::AlignLeft) {
  if (text.isEmpty()) return;
  painter.setFont(font);
  painter.setPen(color);
  painter.drawText(area, static_cast<int>(alignment | Qt::AlignVCenter) | Qt::TextSingleLine, text);
}

/// The body of a box beside its category stripe: square on the left, round on the right.
QPainterPath bodyPath(const QRectF& rect) {
  QPainterPath path;
  path.moveTo(rect.topLeft());
  path.lineTo(rect.right() - corner, rect.top());
  path.arcTo(rect.right() - 2 * corner, rect.top(), 2 * corner, 2 * corner, 90, -90);
  path.arcTo(rect.right() - 2 * corner, rect.bottom() - 2 * corner, 2 * corner, 2 * corner, 0, -90);
  path.lineTo(rect.bottomLeft());
  path.closeSubpath();
  return path;
}

/// A small sign for the category, so that colour is not the only cue.
void paintCategorySign(QPainter& painter, const QPointF& center, const std::string& category,
                       const QColor& color) {
  painter.setPen(QPen(color, 1.2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.setBrush(Qt::NoBrush);
  const auto at = [&](double x, double y) { return center + QPointF(x, y); };
  const auto line = [&](double x1, double y1, double x2, double y2) {
    painter.drawLine(at(x1, y1), at(x2, y2));
  };
  if (category == "Off-chip memory") {  // a stack of chips
    for (const double y : {-4.0, 0.0, 4.0}) painter.drawRect(QRectF(at(-5, y - 1.2), QSizeF(10, 2.4)));
  } else if (category == "On-chip memory") {  // a chip
    painter.drawRect(QRectF(at(-3.5, -3.5), QSizeF(7, 7)));
    for (const double x : {-2.0, 2.0}) {
      line(x, -5.5, x, -3.5);
      line(x, 3.5, x, 5.5);
    }
  } else if (category == "Routing") {  // a fork
    line(-5, 0, -1, 0);
    line(-1, 0, 5, -4);
    line(-1, 0, 5, 4);
  } else if (category == "Higher order") {  // lambda
    line(-3.5, -5, 4, 5);
    line(0.2, 0, -4, 5);
  } else if (category == "Shape") {  // brackets
    for (const double side : {-1.0, 1.0}) {
      line(side * 2, -5, side * 4.5, -5);
      line(side * 4.5, -5, side * 4.5, 5);
      line(side * 4.5, 5, side * 2, 5);
    }
  } else if (category == "Source" || category == "Sink") {  // an arrow from, or to, a wall
    const double wall = category == "Source" ? -5 : 5;
    line(wall, -4.5, wall, 4.5);
    line(-3, 0, 3, 0);
    line(0.5, -2.5, 3, 0);
    line(0.5, 2.5, 3, 0);
  }
}

/// Error: a disc with a cross. Warning: a triangle with a bar and dot. Deadlock: an octagon with two bars, as
/// "stopped".
void paintMarkSign(QPainter& painter, const QPointF& center, Mark::Kind kind, const CanvasTheme& theme) {
  painter.setPen(QPen(theme.canvas, 1.5));
  painter.setBrush(theme.mark(kind));
  QPolygonF shape;
  const int corners = kind == Mark::Kind::Warning ? 3 : 8;
  const double radius = kind == Mark::Kind::Warning ? 10.5 : 9.5,
               turn = kind == Mark::Kind::Warning ? -90 : 22.5;
  for (int i = 0; i < corners; ++i) {
    const double angle = (turn + 360.0 / corners * i) * M_PI / 180;
    shape << center + radius * QPointF(std::cos(angle), std::sin(angle));
  }
  if (kind == Mark::Kind::Error)
    painter.drawEllipse(center, 9, 9);
  else
    painter.drawPolygon(shape);
  painter.setPen(QPen(theme.on_mark, 2, Qt::SolidLine, Qt::RoundCap));
  const auto line = [&](double x1, double y1, double x2, double y2) {
    painter.drawLine(center + QPointF(x1, y1), center + QPointF(x2, y2));
  };
  if (kind == Mark::Kind::Error) {
    line(-3, -3, 3, 3);
    line(-3, 3, 3, -3);
  } else if (kind == Mark::Kind::Warning) {
    line(0, -4, 0, 0.5);
    line(0, 3.6, 0, 3.7);
  } else {
    line(-2.4, -3.4, -2.4, 3.4);
    line(2.4, -3.4, 2.4, 3.4);
  }
}

QPen markPen(const CanvasTheme& theme, Mark::Kind kind, double width) {
  QPen pen(theme.mark(kind), width);
  pen.setCapStyle(Qt::FlatCap);
  if (kind == Mark::Kind::Error) pen.setDashPattern({5, 2.5});
  if (kind == Mark::Kind::Warning) pen.setDashPattern({1.5, 2});
  if (kind == Mark::Kind::Deadlock) pen.setDashPattern({7, 2, 1.5, 2});
  return pen;
}

void paintBadge(QPainter& painter, const QRectF& area, const QString& text, const CanvasTheme& theme) {
  painter.setPen(Qt::NoPen);
  painter.setBrush(blend(theme.box, theme.selection, 0.16));
  painter.drawRoundedRect(area, area.height() / 2, area.height() / 2);
  QFont font = canvasFont(theme.family, TextRole::Title);
  font.setWeight(QFont::DemiBold);
  writeLine(painter, area, text, theme.text, font, Qt::AlignHCenter);
}

void paintButton(QPainter& painter, const QRectF& area, bool plus, const CanvasTheme& theme) {
  if (theme.on_paper) return;
  painter.setPen(QPen(theme.muted, 1));
  painter.setBrush(theme.box);
  painter.drawRoundedRect(area, 3, 3);
  painter.setPen(QPen(theme.text, 1.5, Qt::SolidLine, Qt::RoundCap));
  const QPointF center = area.center();
  painter.drawLine(center - QPointF(4, 0), center + QPointF(4, 0));
  if (plus) painter.drawLine(center - QPointF(0, 4), center + QPointF(0, 4));
}

void paintPorts(QPainter& painter, const Picture& picture, std::size_t box, bool input, Detail detail) {
  const CanvasTheme& theme = picture.theme;
  const QRectF rect = picture.rect(box);
  const SceneBox& model = picture.model.boxes[box];
  const std::vector<ScenePort>& ports = input ? model.inputs : model.outputs;
  const std::vector<double>& heights =
      input ? picture.arrangement.inputs[box] : picture.arrangement.outputs[box];
  const bool frame = model.kind == SceneBox::Kind::Frame;
  const QFont font = canvasFont(theme.family, TextRole::Port);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const QPointF center(input ? rect.left() : rect.right(), rect.top() + heights[i]);
    if (ports[i].bundle) {
      painter.setPen(QPen(theme.edge, 1.2));
      painter.setBrush(theme.box);
      painter.drawEllipse(center, 5.5, 5.5);
    }
    painter.setPen(ports[i].known ? QPen(theme.box, 1) : QPen(theme.error, 2));
    painter.setBrush(ports[i].known ? theme.edge : theme.box);
    painter.drawEllipse(center, 3.5, 3.5);
    if (detail < Detail::Full || (ports[i].label.empty() && !frame)) continue;
    const QString label = QString::fromStdString(ports[i].label.empty() ? ports[i].name : ports[i].label);
    const double width = 66, inset = input && !frame ? Measures::stripe + 5 : 9, lift = frame ? 3 : -7;
    const double left = input ? center.x() + inset : center.x() - inset - width;
    const SetName set = setName(label, font, width, 1);
    writeLine(painter, QRectF(left, center.y() + lift, width, 15), set.lines.join(QString()),
              ports[i].known ? theme.muted : theme.error, set.font, input ? Qt::AlignLeft : Qt::AlignRight);
  }
}

void paintHeatBar(QPainter& painter, const QRectF& rect, double left, double level,
                  const CanvasTheme& theme) {
  if (theme.on_paper) return;
  QRectF track(left, rect.bottom() - 6.5, rect.right() - Measures::padding - left, 3);
  painter.setPen(Qt::NoPen);
  painter.setBrush(blend(theme.box, theme.edge, 0.25));
  painter.drawRoundedRect(track, 1.5, 1.5);
  track.setWidth(std::max(3.0, track.width() * std::clamp(level, 0.0, 1.0)));
  painter.setBrush(theme.heat(level));
  painter.drawRoundedRect(track, 1.5, 1.5);
}

/// A word of the active view on its plate.
void paintNote(QPainter& painter, const QRectF& area, const Note& note, const CanvasTheme& theme,
               const QFont& font) {
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme.canvas);
  painter.drawRoundedRect(area, 3, 3);
  QRectF filled = area;
  filled.setWidth(area.width() * std::clamp(note.share, 0.0, 1.0));
  painter.setBrush(note.plate);
  painter.drawRoundedRect(filled, 3, 3);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(note.strong ? theme.error : theme.edge, note.strong ? 2 : 1));
  painter.drawRoundedRect(area, 3, 3);
  const QColor ground = note.share > 0.5 && note.plate.isValid() ? note.plate : theme.canvas;
  const bool on_dark = contrast(ground, Qt::white) > contrast(ground, Qt::black);
  SetName set = setName(note.text, font, area.width() - 4, 1);
  if (!note.brief.isEmpty() && set.lines.join(QString()) != note.text)
    set = setName(note.brief, font, area.width() - 4, 1);
  writeLine(painter, area.adjusted(2, 0, -2, 0), set.lines.join(QString()), on_dark ? Qt::white : Qt::black,
            set.font, Qt::AlignHCenter);
}

/// The name of a box with the number of its instances, in as many lines as there is room for. A note has the
/// last line for itself, or the right of the only one.
void paintName(QPainter& painter, const Picture& picture, std::size_t box, QRectF area) {
  const CanvasTheme& theme = picture.theme;
  const SceneBox& model = picture.model.boxes[box];
  const std::optional<Note>& note = picture.boxes[box].note;
  const QFont font = distantFont(picture);
  const QFontMetricsF metrics(font);
  const std::string whole = model.badge.empty() ? model.name : model.name + " " + model.badge;
  // A line that just fails to fit has empty room above and below its letters; small ones stand close.
  const double line = metrics.height(), pitch = picture.small_text ? 0.95 * line : line;
  const double first = picture.small_text ? 0.65 * line : 0.75 * line;
  const int rows = std::clamp(1 + static_cast<int>(std::floor((area.height() - first) / pitch)), 0, 3);
  const bool noted = note && !note->text.isEmpty() && rows > 1;
  if (note && !note->text.isEmpty() && rows == 1) {
    const double width = std::min(metrics.horizontalAdvance(note->text) + 6, 0.55 * area.width());
    const QRectF beside(area.right() - width, area.center().y() - line / 2, width, line);
    paintNote(painter, beside, *note, theme, canvasFont(theme.family, TextRole::Title, picture.text_size));
    area.setRight(beside.left() - 3);
  }
  const auto [name_font, lines] =
      setName(QString::fromStdString(whole), font, area.width(), noted ? rows - 1 : rows);
  const auto below = static_cast<double>(lines.size() + (noted ? 1 : 0)) - 1;
  double y = area.center().y() - (line + pitch * below) / 2;
  if (noted) {  // below the underscores of the name
    const double top = y + pitch * static_cast<double>(lines.size());
    const double right = top > picture.button(box).bottom() ? picture.rect(box).right() - 4 : area.right();
    constexpr double lower = 0.1;
    paintNote(painter, QRectF(area.left(), top + lower * line, right - area.left(), (1 - lower) * line),
              *note, theme, canvasFont(theme.family, TextRole::Title, picture.text_size));
  }
  for (const QString& text : lines) {
    writeLine(painter, QRectF(area.left(), y, area.width() + 1, line), text, theme.text, name_font);
    y += pitch;
  }
}

/// The text of a collapsed box: name and badge, kind or note, parameters.
void paintLines(QPainter& painter, const Picture& picture, std::size_t box, const QRectF& rect,
                Detail detail) {
  const CanvasTheme& theme = picture.theme;
  const SceneBox& model = picture.model.boxes[box];
  const BoxLook& look = picture.boxes[box];
  if (detail == Detail::Names) {
    QRectF area = rect.adjusted(Measures::stripe + (look.mark ? 10 : 4), 1, -4, -1);
    if (model.kind != SceneBox::Kind::Operator && !theme.on_paper)
      area.setRight(picture.button(box).left() - 2);
    return paintName(painter, picture, box, area);
  }
  const double total = look.detail.isEmpty() ? 33 : 48;
  const double top = rect.top() + std::max(3.0, (rect.height() - total) / 2 - (look.heat >= 0 ? 2 : 0));
  const auto line = [&](double y, double height) {
    return QRectF(rect.left() + model.text_left, top + y, model.text_width, height);
  };
  const double right = line(0, 0).right();
  if (model.kind != SceneBox::Kind::Operator && !look.badge.isEmpty())
    paintBadge(painter,
               QRectF(right - 20 - look.badge_width, picture.button(box).top(), look.badge_width, 16),
               look.badge, theme);
  writeLine(painter, line(0, 18), look.name, theme.text, canvasFont(theme.family, TextRole::Name));
  const QFont font = canvasFont(theme.family, TextRole::Title);
  if (look.note && !look.note->text.isEmpty())
    paintNote(painter, line(18, 15), *look.note, theme, font);
  else
    writeLine(painter, line(18, 15), look.title, theme.muted, font);
  writeLine(painter, line(33, 15), look.detail, theme.muted, canvasFont(theme.family, TextRole::Detail));
  if (model.kind == SceneBox::Kind::Operator)
    paintCategorySign(painter, {right - 5, top + 9}, model.category, theme.muted);
}

QPen borderPen(const Picture& picture, std::size_t box, const QColor& plain) {
  const BoxLook& look = picture.boxes[box];
  if (look.mark) return markPen(picture.theme, look.mark->kind, 2);
  return QPen(look.hovered ? picture.theme.selection : plain, look.hovered ? 1.4 : 1);
}

void paintSelection(QPainter& painter, const QRectF& rect, const CanvasTheme& theme) {
  painter.setPen(QPen(theme.selection, 2.4));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(rect.adjusted(-4, -4, 4, 4), corner + 3, corner + 3);
}

/// A word of the active view at the right of an open region's title.
QRectF paintFrameNote(QPainter& painter, const Picture& picture, const QRectF& title, const Note& note) {
  const QFont font = canvasFont(picture.theme.family, TextRole::Title, picture.text_size);
  const QFontMetricsF metrics(font);
  const double width = std::min(metrics.horizontalAdvance(note.text) + 10, title.width() / 2);
  const QRectF area(title.right() - width, title.top() + 5, width, metrics.height() + 3);
  if (area.bottom() > title.bottom()) return {title.topRight(), QSizeF()};
  paintNote(painter, area, note, picture.theme, font);
  return area;
}

/// The title of an open region, which is read from further away than what is in it.
void paintFrameTitle(QPainter& painter, const Picture& picture, std::size_t box, Detail detail) {
  const BoxLook& look = picture.boxes[box];
  const CanvasTheme& theme = picture.theme;
  const double room = detail < Detail::Names ? Measures::padding + 2 : Measures::padding + 34;
  QRectF title = picture.titleRect(box).adjusted(Measures::padding + 2, 0, -room, 0);
  if (look.note && !look.note->text.isEmpty() && detail >= Detail::Names)
    title.setRight(paintFrameNote(painter, picture, title, *look.note).left() - 4);
  if (detail == Detail::Full) {
    const QFont font = canvasFont(theme.family, TextRole::Name);
    writeLine(painter, title, look.name, theme.text, font);
    if (look.badge.isEmpty()) return;
    const double x = title.left() + QFontMetricsF(font).horizontalAdvance(look.name) + 8;
    return paintBadge(painter, QRectF(x, title.center().y() - 8, look.badge_width, 16), look.badge, theme);
  }
  const SceneBox& model = picture.model.boxes[box];
  const QFont font = canvasFont(theme.family, TextRole::Name, picture.text_size);
  const QFontMetricsF metrics(font);
  // Down to the first of its nodes.
  title.setHeight(std::max(title.height(), metrics.height()));
  if (title.height() > Measures::frame_title + Measures::frame_padding) return;
  const std::string whole = model.badge.empty() ? model.name : model.name + " " + model.badge;
  for (const QString& line : nameLines(QString::fromStdString(whole), metrics, title.width(), 1))
    writeLine(painter, title, line, theme.text, font);
}

void paintFrame(QPainter& painter, const Picture& picture, std::size_t box, Detail detail) {
  const CanvasTheme& theme = picture.theme;
  const BoxLook& look = picture.boxes[box];
  const QRectF rect = picture.rect(box);
  painter.setBrush(picture.ground(picture.model.boxes[box].inside));
  if (detail < Detail::Names) {
    painter.setPen(QPen(look.selected ? theme.selection : theme.frame_border, look.selected ? 3 : 0));
    painter.drawRect(rect);
    return paintFrameTitle(painter, picture, box, detail);
  }
  painter.setPen(borderPen(picture, box, theme.frame_border));
  painter.drawRoundedRect(rect, corner + 3, corner + 3);
  paintFrameTitle(painter, picture, box, detail);
  paintButton(painter, picture.button(box), false, theme);
  if (look.heat >= 0) paintHeatBar(painter, rect, rect.left() + Measures::padding, look.heat, theme);
}

void paintPlainBox(QPainter& painter, const Picture& picture, std::size_t box, Detail detail) {
  const CanvasTheme& theme = picture.theme;
  const BoxLook& look = picture.boxes[box];
  const QColor category = theme.category(picture.model.boxes[box].category);
  const QRectF rect = picture.rect(box);
  const QColor fill = look.mark ? theme.mark(look.mark->kind) : look.selected ? theme.selection : category;
  if (detail == Detail::Blocks) {
    painter.fillRect(rect, fill);
    return;
  }
  const bool loud = look.mark || look.selected;
  painter.fillRect(rect, blend(fill, theme.box, loud ? 0.35 : 0.72));
  painter.fillRect(QRectF(rect.left(), rect.top(), 14, rect.height()), fill);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(loud ? fill : theme.box_border, loud ? 5 : 0));
  painter.drawRect(rect);
}

void paintFullBox(QPainter& painter, const Picture& picture, std::size_t box, Detail detail) {
  const CanvasTheme& theme = picture.theme;
  const SceneBox& model = picture.model.boxes[box];
  const BoxLook& look = picture.boxes[box];
  const QRectF rect = picture.rect(box);
  if (model.kind == SceneBox::Kind::Region) {  // a deck of cards: many instances, one box
    painter.setPen(QPen(theme.frame_border, 1));
    painter.setBrush(theme.frame);
    const int cards = model.badge.empty() ? 1 : 2;
    for (int card = cards; card > 0; --card)
      painter.drawRoundedRect(rect.translated(3.5 * card, 3.5 * card), corner, corner);
  }
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme.category(model.category));
  painter.drawRoundedRect(rect, corner, corner);
  painter.setBrush(theme.box);
  painter.drawPath(bodyPath(rect.adjusted(Measures::stripe, 0, 0, 0)));
  painter.setBrush(Qt::NoBrush);
  painter.setPen(borderPen(picture, box, theme.box_border));
  painter.drawRoundedRect(rect, corner, corner);
  paintLines(painter, picture, box, rect, detail);
  if (model.kind == SceneBox::Kind::Region) paintButton(painter, picture.button(box), true, theme);
  if (look.heat >= 0) paintHeatBar(painter, rect, rect.left() + model.text_left, look.heat, theme);
}

void paintArrow(QPainter& painter, const QPainterPath& path, const QColor& color, double width) {
  const QPointF tip = path.currentPosition() - QPointF(3, 0);
  const double length = 7 + width, half = 2.6 + width * 0.7;
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  painter.drawPolygon(QPolygonF{tip, tip + QPointF(-length, -half), tip + QPointF(-length, half)});
}

}  // namespace

void paintBox(QPainter& painter, const Picture& picture, std::size_t box) {
  const Detail detail = picture.detail;
  const bool frame = picture.model.boxes[box].kind == SceneBox::Kind::Frame;
  if (frame)
    paintFrame(painter, picture, box, detail);
  else if (detail < Detail::Names)
    paintPlainBox(painter, picture, box, detail);
  else
    paintFullBox(painter, picture, box, detail);
  if (detail < Detail::Names) return;
  paintPorts(painter, picture, box, true, detail);
  paintPorts(painter, picture, box, false, detail);
  const BoxLook& look = picture.boxes[box];
  if (look.selected) paintSelection(painter, picture.rect(box), picture.theme);
  if (look.mark)
    paintMarkSign(painter, picture.rect(box).topLeft() + QPointF(2, 0), look.mark->kind, picture.theme);
}

void paintLink(QPainter& painter, const Picture& picture, std::size_t link) {
  const Detail detail = picture.detail;
  const CanvasTheme& theme = picture.theme;
  const LinkLook& look = picture.links[link];
  const double width = 1.5 + (look.heat > 0 ? 3.5 * std::min(1.0, look.heat) : 0);
  const QColor plain = look.heat >= 0 ? theme.heat(look.heat) : theme.edge;
  const QColor color = look.mark                       ? theme.mark(look.mark->kind)
                       : look.selected || look.hovered ? theme.selection
                                                       : plain;
  painter.setBrush(Qt::NoBrush);
  if (detail == Detail::Blocks && !look.selected && !look.mark) {
    painter.setPen(QPen(color, 0));
    painter.drawLine(look.path.elementAt(0), look.path.currentPosition());
    return;
  }
  if (look.selected) {
    QColor halo = theme.selection;
    halo.setAlphaF(0.25F);
    painter.setPen(QPen(halo, width + 7, Qt::SolidLine, Qt::RoundCap));
    painter.drawPath(look.path);
  }
  const double drawn = lineWidth(look);
  const QPen line(color, detail >= Detail::Names ? drawn : std::max(3.0, drawn));
  painter.setPen(look.mark ? markPen(theme, look.mark->kind, line.widthF()) : line);
  painter.drawPath(look.path);
  if (detail >= Detail::Names && look.tip) paintArrow(painter, look.path, color, drawn);
}

void paintLabel(QPainter& painter, const Picture& picture, std::size_t link) {
  const LinkLook& look = picture.links[link];
  QRectF area = picture.labelRect(link);
  if (area.isEmpty()) return;
  const CanvasTheme& theme = picture.theme;
  const QFont font = canvasFont(theme.family, TextRole::Port, picture.text_size);
  if (look.note) return paintNote(painter, area, *look.note, theme, font);
  const QFontMetricsF metrics(font);
  if (look.mark) {
    const QRectF word(area.left(), area.top(), area.width(), mark_rows * metrics.height());
    const double width = look.mark->word.isEmpty() ? 0 : metrics.horizontalAdvance(look.mark->word) + 26;
    QRectF pill(0, 0, width, word.height() - 2);
    pill.moveCenter(word.center());
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.mark(look.mark->kind));
    if (width > 0) painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
    const QPointF sign = width > 0 ? QPointF(pill.left() + 8, pill.center().y()) : word.center();
    paintMarkSign(painter, sign, look.mark->kind, theme);
    writeLine(painter, pill.adjusted(20, 0, 0, 0), look.mark->word, theme.on_mark, font);
    area.setTop(word.bottom());
  }
  if (!look.shows_label) return;
  QColor ground = picture.ground(picture.model.links[link].group);
  ground.setAlphaF(0.86F);
  painter.setPen(Qt::NoPen);
  painter.setBrush(ground);
  painter.drawRoundedRect(area, 4, 4);
  const QColor color = look.selected || look.hovered ? theme.text : theme.muted;
  for (qsizetype i = 0; i < look.label.size(); ++i) {
    const QRectF line(area.left() + 4, area.top() + 1 + static_cast<double>(i) * metrics.height(),
                      area.width() - 8, metrics.height());
    writeLine(painter, line, metrics.elidedText(look.label[i], Qt::ElideRight, line.width() + 0.5), color,
              font, Qt::AlignHCenter);
  }
}

void paintPlates(QPainter& painter, const Picture& picture) {
  painter.setRenderHint(QPainter::Antialiasing);
  for (const Plate& plate : picture.plates) {
    if (plate.area.isEmpty()) continue;
    painter.setPen(Qt::NoPen);
    painter.setBrush(plate.ground);
    painter.drawRoundedRect(plate.area, 4, 4);
    writeLine(painter, plate.area, plate.text, plate.ink, plateFont(picture, plate), Qt::AlignHCenter);
  }
}

void paintGraph(QPainter& painter, const Picture& picture) {
  painter.setRenderHint(QPainter::Antialiasing, picture.detail >= Detail::Names);
  for (const SceneGroup& group :
       picture.model.groups) {  // outer before inner: frames lie below what is in them
    const auto paint_kind = [&](bool frames) {
      for (const std::size_t box : group.boxes) {
        if ((picture.model.boxes[box].kind == SceneBox::Kind::Frame) == frames)
          paintBox(painter, picture, box);
      }
    };
    paint_kind(true);
    for (const std::size_t link : group.links) paintLink(painter, picture, link);
    for (const std::size_t link : group.links) paintLabel(painter, picture, link);
    paint_kind(false);
  }
}

}  // namespace sluice::ui
