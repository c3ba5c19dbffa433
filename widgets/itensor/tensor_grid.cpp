#include "widgets/itensor/tensor_grid.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/canvas/canvas_theme.h"

namespace sluice::ui {
namespace {

constexpr double left_margin = 58, top_margin = 38, right_margin = 12, legend_height = 26;
constexpr std::size_t short_path = 48;  // tokens
constexpr double to_come = 0.3;         // of its colour, for a tile that is not sent yet

QPen cosmetic(const QColor& colour, double width, Qt::PenStyle style = Qt::SolidLine) {
  QPen pen(colour, width, style);
  pen.setJoinStyle(Qt::MiterJoin);
  return pen;
}

/// Black or white, whichever is told apart better.
QColor inkOn(const QColor& ground) {
  return contrast(ground, Qt::black) > contrast(ground, Qt::white) ? Qt::black : Qt::white;
}

QString numbersText(const std::vector<std::int64_t>& tokens, const QFontMetricsF& metrics, double room) {
  QString all;
  for (const std::int64_t token : tokens)
    all += (all.isEmpty() ? QString() : QStringLiteral(", ")) + QString::number(token);
  const QString first = QString::number(tokens.front());
  for (const QString& text : {all, first + QStringLiteral(", \u2026"), first})
    if (metrics.horizontalAdvance(text) <= room) return text;
  return {};
}

/// The distance between labels of an axis: whole tiles, far enough apart.
std::int64_t labelStep(std::int64_t tile, double pixels_per_element, double room) {
  std::int64_t step = std::max<std::int64_t>(1, tile);
  while (static_cast<double>(step) * pixels_per_element < room) step *= 2;
  return step;
}

}  // namespace

QColor orderColour(double share) {
  static constexpr std::array<std::array<double, 3>, 5> stops = {
      {{0, 34, 78}, {65, 77, 107}, {125, 124, 120}, {188, 175, 111}, {254, 232, 56}}};
  const double at = std::clamp(share, 0.0, 1.0) * (stops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(at), stops.size() - 2);
  const double rest = at - static_cast<double>(below);
  const auto mix = [&](std::size_t channel) {
    return static_cast<int>(
        std::lround((1 - rest) * stops[below][channel] + rest * stops[below + 1][channel]));
  };
  return QColor(mix(0), mix(1), mix(2));
}

struct TensorGrid::Look {
  PlotTheme theme;
  QColor gap, overlap, outside, mark;
  Scale scale;
};

TensorGrid::TensorGrid(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("tensorGrid"));
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
  clear({});
}

void TensorGrid::setPicture(AccessPicture picture, const QString& row_title, const QString& column_title) {
  picture_ = std::move(picture);
  row_title_ = row_title;
  column_title_ = column_title;
  notice_.clear();
  describe();
  update();
}

void TensorGrid::clear(const QString& notice) {
  picture_ = {};
  notice_ = notice;
  describe();
  update();
}

void TensorGrid::setPosition(std::int64_t token) {
  position_ = token;
  update();
}

void TensorGrid::setMarked(std::optional<std::int64_t> token) {
  marked_ = token;
  update();
}

/// For those who do not see it.
void TensorGrid::describe() {
  QString text = notice_;
  if (!picture_.places.empty()) {
    text = tr("%1 tokens at %2 places").arg(picture_.tokens.size()).arg(picture_.places.size());
    const auto has = [this](FlawKind kind) {
      return std::ranges::any_of(picture_.flaws,
                                 [kind](const PictureFlaw& flaw) { return flaw.kind == kind; });
    };
    if (has(FlawKind::Gap)) text += tr(", gaps");
    if (has(FlawKind::Overlap)) text += tr(", overlaps");
    if (has(FlawKind::Outside)) text += tr(", tokens outside the tensor");
  }
  setAccessibleDescription(text);
}

TensorGrid::Scale TensorGrid::scale() const {
  const double across = std::max(1.0, width() - left_margin - right_margin);
  const double down = std::max(1.0, height() - top_margin - legend_height);
  const auto columns = static_cast<double>(std::max<std::int64_t>(1, picture_.drawn.columns));
  const auto rows = static_cast<double>(std::max<std::int64_t>(1, picture_.drawn.rows));
  double x = across / columns, y = down / rows;
  // Square elements, unless the tensor is so long that one side would vanish.
  const double square = std::min({x, y, 48.0});
  x = std::min(x, std::max(square, 40 / columns));
  y = std::min(y, std::max(square, 40 / rows));
  const double left = left_margin + std::max(0.0, (across - x * columns) / 2);
  return {{left - x * static_cast<double>(picture_.drawn.column),
           top_margin - y * static_cast<double>(picture_.drawn.row)},
          x,
          y};
}

QRectF TensorGrid::elementRect(const ElementRect& e) const {
  const Scale at = scale();
  return {at.origin.x() + at.x * static_cast<double>(e.column),
          at.origin.y() + at.y * static_cast<double>(e.row), at.x * static_cast<double>(e.columns),
          at.y * static_cast<double>(e.rows)};
}

QRectF TensorGrid::tileRect(std::int64_t token) const {
  const auto found = std::ranges::lower_bound(picture_.tokens, token);
  if (found == picture_.tokens.end() || *found != token) return {};
  const auto index = static_cast<std::size_t>(found - picture_.tokens.begin());
  return elementRect(picture_.places[picture_.path[index]].elements);
}

/// How far a token is between the first and the last that are drawn.
double TensorGrid::share(std::int64_t token) const {
  const std::int64_t begin = picture_.tokens.front(), length = picture_.tokens.back() - begin;
  return static_cast<double>(token - begin) / static_cast<double>(std::max<std::int64_t>(1, length));
}

/// How many of the drawn tokens have been sent.
std::size_t TensorGrid::drawnUntil() const {
  return static_cast<std::size_t>(std::ranges::upper_bound(picture_.tokens, position_) -
                                  picture_.tokens.begin());
}

void TensorGrid::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  paintWith(painter, PlotTheme::screen(palette(), font()));
}

void TensorGrid::paintForPrint(QPainter& painter, QSizeF size, const PlotTheme& theme) const {
  TensorGrid paper;  // what is drawn follows a widget's size
  paper.resize(size.toSize());
  paper.picture_ = picture_;
  paper.row_title_ = row_title_, paper.column_title_ = column_title_, paper.notice_ = notice_;
  paper.position_ = position_;
  paper.marked_ = marked_;
  painter.save();
  painter.setFont(theme.font);
  paper.paintWith(painter, theme);
  painter.restore();
}

QString TensorGrid::csv() const {
  QString table = QStringLiteral("token,row,column,rows,columns\n");
  for (std::size_t i = 0; i < picture_.path.size(); ++i) {
    const ElementRect& e = picture_.places[picture_.path[i]].elements;
    table += QStringLiteral("%1,%2,%3,%4,%5\n")
                 .arg(picture_.tokens[i])
                 .arg(e.row)
                 .arg(e.column)
                 .arg(e.rows)
                 .arg(e.columns);
  }
  return table;
}

void TensorGrid::paintWith(QPainter& painter, const PlotTheme& theme) const {
  if (picture_.places.empty()) {
    painter.setPen(theme.muted);
    painter.drawText(rect().adjusted(16, 16, -16, -16), static_cast<int>(Qt::AlignCenter) | Qt::TextWordWrap,
                     notice_);
    return;
  }
  const Look look{theme,
                  theme.series(1).colour,
                  theme.series(3).colour,
                  theme.muted,
                  theme.dark ? QColor(0xFF, 0x8A, 0x3D) : QColor(0xD5, 0x5E, 0x00),
                  scale()};
  paintAxes(painter, look);
  paintTiles(painter, look);
  paintFlaws(painter, look);
  paintPath(painter, look);
  paintNumbers(painter, look);
  paintMarks(painter, look);
  paintLegend(painter, look);
}

void TensorGrid::paintTiles(QPainter& painter, const Look& look) const {
  painter.fillRect(elementRect(picture_.tensor), look.theme.tinted(look.theme.text, 0.04));
  // In the order in which they were sent, what is still to come at the bottom.
  std::vector<std::pair<std::int64_t, const PicturePlace*>> order;
  for (const PicturePlace& place : picture_.places) {
    const auto after = std::ranges::upper_bound(place.tokens, position_);
    order.emplace_back(after == place.tokens.begin() ? -1 : *std::prev(after), &place);
  }
  std::ranges::stable_sort(order, {}, &std::pair<std::int64_t, const PicturePlace*>::first);
  for (const auto& [sent, place] : order) {
    const std::int64_t number = sent < 0 ? place->tokens.front() : sent;
    const QColor full = orderColour(share(number));
    const QColor colour = sent < 0 ? look.theme.tinted(full, to_come) : full;
    QRectF tile = elementRect(place->elements);
    if (std::min(tile.width(), tile.height()) < 8) {
      painter.fillRect(tile, colour);
      continue;
    }
    tile.adjust(1, 1, -1, -1);
    painter.fillRect(tile, colour);
    painter.setPen(cosmetic(look.theme.tinted(full, sent < 0 ? 0.5 : 1), 1));
    painter.drawRect(tile);
  }
  painter.setPen(cosmetic(look.theme.axis, 1.5));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(elementRect(picture_.tensor));
}

void TensorGrid::paintFlaws(QPainter& painter, const Look& look) const {
  for (const PictureFlaw& flaw : picture_.flaws) {
    const QRectF area = elementRect(flaw.elements);
    switch (flaw.kind) {
      case FlawKind::Gap:
        painter.fillRect(area, QBrush(look.gap, Qt::BDiagPattern));
        break;
      case FlawKind::Overlap:
        painter.fillRect(area, QBrush(look.overlap, Qt::DiagCrossPattern));
        break;
      case FlawKind::Outside:
        painter.fillRect(area, QBrush(look.theme.background, Qt::Dense4Pattern));
        painter.setPen(cosmetic(look.outside, 1, Qt::DashLine));
        painter.drawRect(area);
        break;
    }
  }
}

void TensorGrid::paintPath(QPainter& painter, const Look& look) const {
  const std::size_t until = drawnUntil();
  if (picture_.path.size() < 2) return;
  const QRectF tile = elementRect(picture_.places.front().elements);
  const bool room = std::min(tile.width(), tile.height()) > 10;
  // Where lines would cover the tiles, only the last steps have one.
  const std::size_t begin = room || until < short_path ? 0 : until - short_path;
  QPolygonF sent, coming;
  for (std::size_t i = begin; i < picture_.path.size(); ++i) {
    const QPointF centre = elementRect(picture_.places[picture_.path[i]].elements).center();
    if (i < until) sent << centre;
    if (i + 1 >= until) coming << centre;
  }
  if (room) {
    painter.setPen(cosmetic(look.theme.tinted(look.theme.text, 0.35), 1, Qt::DotLine));
    painter.drawPolyline(coming);
  }
  if (sent.isEmpty()) return;
  if (room) {  // a halo, so that the line is seen on dark and bright tiles alike
    painter.setPen(cosmetic(look.theme.background, 4));
    painter.drawPolyline(sent);
  }
  painter.setPen(cosmetic(look.theme.text, 1.6));
  painter.drawPolyline(sent);
  painter.setBrush(look.theme.text);
  painter.setPen(cosmetic(look.theme.background, 1));
  painter.drawEllipse(sent.first(), 3.5, 3.5);
  if (sent.size() < 2) return;
  const QLineF step(sent[sent.size() - 2], sent.last());
  if (step.length() < 4) return;
  const QPointF along = (step.p2() - step.p1()) / step.length(), across(-along.y(), along.x());
  painter.drawPolygon(QPolygonF{step.p2() + along * 4, step.p2() - along * 7 + across * 5,
                                step.p2() - along * 7 - across * 5});
}

void TensorGrid::paintNumbers(QPainter& painter, const Look& look) const {
  QFont small = look.theme.font;
  small.setPointSizeF(std::max(6.0, small.pointSizeF() * 0.85));
  painter.setFont(small);
  const QFontMetricsF metrics(small);
  for (const PicturePlace& place : picture_.places) {
    const QRectF tile = elementRect(place.elements);
    if (tile.height() < metrics.height() + 3) continue;
    const QString text = numbersText(place.tokens, metrics, tile.width() - 8);
    if (text.isEmpty()) continue;
    // On a label of its own: whatever lies below - another tile, a hatch - it can be read.
    QRectF label(tile.left() + 3, tile.top() + 3, metrics.horizontalAdvance(text) + 4, metrics.height());
    const auto last = std::ranges::upper_bound(place.tokens, position_);
    const bool sent = last != place.tokens.begin();
    const QColor full = orderColour(share(sent ? *std::prev(last) : place.tokens.front()));
    const QColor ground = sent ? full : look.theme.tinted(full, to_come);
    painter.fillRect(label, ground);
    painter.setPen(inkOn(ground));
    painter.drawText(label, Qt::AlignCenter, text);
    if (place.tokens.size() < 2) continue;
    const QString times = QStringLiteral("\u00d7%1").arg(place.tokens.size());
    const QRectF badge(tile.right() - metrics.horizontalAdvance(times) - 9,
                       tile.bottom() - metrics.height() - 3, metrics.horizontalAdvance(times) + 6,
                       metrics.height());
    if (badge.left() < tile.left() || badge.top() < label.bottom()) continue;
    painter.setPen(Qt::NoPen);
    painter.setBrush(look.theme.background);
    painter.drawRoundedRect(badge, 3, 3);
    painter.setPen(look.theme.text);
    painter.drawText(badge, Qt::AlignCenter, times);
  }
}

void TensorGrid::paintMarks(QPainter& painter, const Look& look) const {
  painter.setBrush(Qt::NoBrush);
  if (const QRectF here = tileRect(position_); !here.isNull()) {
    painter.setPen(cosmetic(look.theme.background, 5));
    painter.drawRect(here);
    painter.setPen(cosmetic(look.theme.text, 2.5));
    painter.drawRect(here);
  }
  if (!marked_) return;
  const QRectF parts = tileRect(*marked_);
  if (parts.isNull()) return;
  painter.setPen(cosmetic(look.mark, 2.5, Qt::DashLine));
  painter.drawRect(parts.adjusted(-3, -3, 3, 3));
  const bool room = std::min(parts.width(), parts.height()) > 40;
  const QRectF badge(parts.right() - (room ? 22 : -2), parts.top() + (room ? 4 : -16), 18, 18);
  painter.setPen(cosmetic(look.theme.background, 1.5));
  painter.setBrush(look.mark);
  painter.drawEllipse(badge);
  painter.setPen(inkOn(look.mark));
  painter.drawText(badge, Qt::AlignCenter, QStringLiteral("\u2260"));
}

void TensorGrid::paintAxes(QPainter& painter, const Look& look) const {
  QFont small = look.theme.font;
  small.setPointSizeF(std::max(6.0, small.pointSizeF() * 0.85));
  painter.setFont(small);
  painter.setPen(look.theme.muted);
  const QFontMetricsF metrics(small);
  const QRectF area = elementRect(picture_.drawn);
  const ElementRect& tile = picture_.places.front().elements;
  const ElementRect& drawn = picture_.drawn;
  const std::int64_t across = labelStep(tile.columns, look.scale.x, 30);
  for (std::int64_t c = (drawn.column + across - 1) / across * across; c < drawn.column + drawn.columns;
       c += across) {
    const double x = look.scale.origin.x() + look.scale.x * static_cast<double>(c);
    painter.drawLine(QPointF(x, area.top() - 4), QPointF(x, area.top() - 1));
    painter.drawText(QRectF(x - 30, area.top() - 5 - metrics.height(), 60, metrics.height()), Qt::AlignCenter,
                     QString::number(c));
  }
  const std::int64_t down = labelStep(tile.rows, look.scale.y, metrics.height() + 2);
  for (std::int64_t r = (drawn.row + down - 1) / down * down; r < drawn.row + drawn.rows; r += down) {
    const double y = look.scale.origin.y() + look.scale.y * static_cast<double>(r);
    painter.drawLine(QPointF(area.left() - 4, y), QPointF(area.left() - 1, y));
    painter.drawText(QRectF(area.left() - 40, y - metrics.height() / 2, 34, metrics.height()),
                     Qt::AlignRight | Qt::AlignVCenter, QString::number(r));
  }
  painter.setPen(look.theme.text);
  const double top = area.top() - 7 - 2 * metrics.height();
  painter.drawText(QRectF(area.left() - 40, top, std::max(area.width(), 120.0) + 80, metrics.height()),
                   Qt::AlignHCenter, column_title_ + QStringLiteral(" \u2192"));
  painter.save();
  painter.translate(area.left() - 39, area.center().y());
  painter.rotate(90);
  painter.drawText(QRectF(-100, -1, 200, metrics.height()), Qt::AlignCenter,
                   row_title_ + QStringLiteral(" \u2192"));
  painter.restore();
}

void TensorGrid::paintLegend(QPainter& painter, const Look& look) const {
  QFont small = look.theme.font;
  small.setPointSizeF(std::max(6.0, small.pointSizeF() * 0.85));
  painter.setFont(small);
  const QFontMetricsF metrics(small);
  double x = 10;
  const double y = height() - legend_height + 7;
  const auto word = [&](const QString& text) {
    painter.setPen(look.theme.text);
    const double wide = metrics.horizontalAdvance(text);
    painter.drawText(QRectF(x, y - 2, wide + 2, 16), Qt::AlignVCenter, text);
    x += wide + 6;
  };
  word(tr("first"));
  QLinearGradient ramp(x, 0, x + 60, 0);
  for (int stop = 0; stop <= 8; ++stop) ramp.setColorAt(stop / 8.0, orderColour(stop / 8.0));
  painter.fillRect(QRectF(x, y + 1, 60, 10), ramp);
  x += 66;
  word(tr("last"));
  const auto swatch = [&](FlawKind kind, const QBrush& brush, const QColor& border, const QString& text) {
    if (std::ranges::none_of(picture_.flaws, [kind](const PictureFlaw& flaw) { return flaw.kind == kind; }))
      return;
    x += 8;
    painter.setPen(cosmetic(border, 1, kind == FlawKind::Outside ? Qt::DashLine : Qt::SolidLine));
    painter.setBrush(brush);
    painter.drawRect(QRectF(x, y + 0.5, 18, 11));
    painter.setBrush(Qt::NoBrush);
    x += 23;
    word(text);
  };
  swatch(FlawKind::Gap, QBrush(look.gap, Qt::BDiagPattern), look.gap, tr("never sent"));
  swatch(FlawKind::Overlap, QBrush(look.overlap, Qt::DiagCrossPattern), look.overlap, tr("sent too often"));
  swatch(FlawKind::Outside, Qt::NoBrush, look.outside, tr("outside"));
  if (!picture_.complete)
    word(tr("  the first %1 of %2 tokens").arg(picture_.tokens.size()).arg(picture_.stream));
}

std::optional<std::size_t> TensorGrid::placeAt(const QPointF& point) const {
  for (std::size_t i = 0; i < picture_.places.size(); ++i)
    if (elementRect(picture_.places[i].elements).contains(point)) return i;
  return std::nullopt;
}

void TensorGrid::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  const auto place = placeAt(event->position());
  if (!place) return;
  const std::vector<std::int64_t>& tokens = picture_.places[*place].tokens;
  const auto later = std::ranges::upper_bound(tokens, position_);
  emit tokenChosen(later == tokens.end() ? tokens.front() : *later);
}

bool TensorGrid::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const auto index = placeAt(help->pos());
  if (!index) {
    QToolTip::hideText();
    return true;
  }
  const PicturePlace& place = picture_.places[*index];
  QStringList numbers;
  for (const std::int64_t token : place.tokens) {
    if (numbers.size() == 20) {
      numbers << QStringLiteral("\u2026");
      break;
    }
    numbers << QString::number(token);
  }
  const ElementRect& e = place.elements;
  QToolTip::showText(help->globalPos(),
                     tr("%1 %2 to %3, %4 %5 to %6\ntokens %7")
                         .arg(row_title_)
                         .arg(e.row)
                         .arg(e.row + e.rows - 1)
                         .arg(column_title_)
                         .arg(e.column)
                         .arg(e.column + e.columns - 1)
                         .arg(numbers.join(QStringLiteral(", "))),
                     this);
  return true;
}

}  // namespace sluice::ui
