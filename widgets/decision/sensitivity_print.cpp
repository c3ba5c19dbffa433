// SensitivityView: what it puts on paper. Where there is no room for a column a metric, the table is a heat
// map: metrics stand below each other, knobs beside each other, the figure in the shade of its share.

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/common/quantity.h"
#include "widgets/decision/sensitivity_view.h"

namespace sluice::ui {
namespace {

constexpr double white_above = 0.55;  // share: black would not be read on its shade
constexpr double title_share = 0.45;  // of the width, for the metrics
constexpr double least_column = 2.4;  // text sizes: "100"
constexpr double usual_column = 6;    // text sizes

class HeatMap {
 public:
  HeatMap(const std::vector<SensitivityView::Row>& rows, const std::vector<QString>& metrics,
          const PlotTheme& theme, double width)
      : rows_(rows), names_(metrics), theme_(theme), metrics_(theme.font), width_(width) {
    for (const QString& name : names_) {
      const bool fits = metrics_.horizontalAdvance(metricTitle(name)) + gap() <= title_share * width;
      titles_ << (fits ? metricTitle(name) : metricShortTitle(name));
      left_ = std::max(left_, metrics_.horizontalAdvance(titles_.last()) + gap());
    }
    const double room = std::max(width - left_, size() * least_column);
    knobs_ = std::min(rows.size(), static_cast<std::size_t>(room / (size() * least_column)));
    double widest = 0;
    for (std::size_t knob = 0; knob < knobs_; ++knob)
      widest = std::max(widest, metrics_.horizontalAdvance(rows[knob].knob) + gap());
    column_ = std::min(room / static_cast<double>(std::max<std::size_t>(1, knobs_)),
                       std::max(usual_column * size(), widest));
    upright_ = widest > column_;
    top_ = upright_ ? widest : metrics_.height() * 1.4;
  }

  double height() const {
    return std::ceil(top_ + row() * static_cast<double>(names_.size()) +
                     metrics_.height() * static_cast<double>(tails().size()) + gap());
  }

  void paint(QPainter& painter) const {
    painter.fillRect(QRectF(0, 0, width_, height()), theme_.background);
    painter.setFont(theme_.font);
    painter.setPen(theme_.text);
    for (std::size_t knob = 0; knob < knobs_; ++knob) paintKnob(painter, knob);
    for (std::size_t metric = 0; metric < names_.size(); ++metric) {
      const double y = top_ + row() * static_cast<double>(metric);
      painter.setPen(theme_.text);
      painter.drawText(QRectF(0, y, left_, row()), Qt::AlignLeft | Qt::AlignVCenter,
                       titles_[static_cast<qsizetype>(metric)]);
      for (std::size_t knob = 0; knob < knobs_; ++knob)
        paintCell(painter, QRectF(x(knob), y, column_, row()), rows_[knob].effects[metric]);
    }
    double y = top_ + row() * static_cast<double>(names_.size()) + gap() / 2;
    painter.setPen(theme_.muted);
    for (const QString& tail : tails()) {
      painter.drawText(QPointF(0, y + metrics_.ascent()), tail);
      y += metrics_.height();
    }
  }

 private:
  double size() const { return theme_.font.pixelSize(); }
  double gap() const { return size(); }
  double row() const { return metrics_.height() * 1.4; }
  double x(std::size_t knob) const { return left_ + column_ * static_cast<double>(knob); }

  void paintKnob(QPainter& painter, std::size_t knob) const {
    const QString& name = rows_[knob].knob;
    if (!upright_) {
      painter.drawText(QRectF(x(knob), 0, column_, top_), Qt::AlignCenter, name);
      return;
    }
    painter.save();
    painter.translate(x(knob) + column_ / 2 + metrics_.ascent() / 2, top_ - gap() / 2);
    painter.rotate(-90);
    painter.drawText(QPointF(0, 0), name);
    painter.restore();
  }

  void paintCell(QPainter& painter, const QRectF& cell, const KnobEffect& effect) const {
    if (std::isnan(effect.share)) {
      painter.setPen(theme_.muted);
      painter.drawText(cell, Qt::AlignCenter, QStringLiteral("\u2013"));
      return;
    }
    painter.fillRect(cell.adjusted(0.5, 0.5, -0.5, -0.5), theme_.tinted(theme_.frontier, effect.share));
    painter.setPen(effect.share > white_above ? theme_.background : theme_.text);
    QString figure = QString::number(effect.share * 100, 'f', 0);
    const QString with_arrow = figure + QLatin1Char(' ') + arrowOf(effect.trend);
    if (metrics_.horizontalAdvance(with_arrow) + 2 <= cell.width()) figure = with_arrow;
    painter.drawText(cell, Qt::AlignCenter, figure);
  }

  /// What the figures are, and what is not shown.
  QStringList tails() const {
    QStringList lines;
    const QStringList words = {
        SensitivityView::tr("% of the variance that the knob explains; \u2191 grows, \u2193 falls with it"),
        SensitivityView::tr("% of variance explained; \u2191 grows with it"),
        SensitivityView::tr("% of variance explained")};
    for (const QString& each : words) {
      if (metrics_.horizontalAdvance(each) > width_) continue;
      lines << each;
      break;
    }
    if (knobs_ < rows_.size())
      lines << SensitivityView::tr("\u2026 %1 more knobs in the CSV").arg(rows_.size() - knobs_);
    return lines;
  }

  const std::vector<SensitivityView::Row>& rows_;
  const std::vector<QString>& names_;
  PlotTheme theme_;
  QFontMetricsF metrics_;
  double width_, left_ = 0, top_ = 0, column_ = 0;
  QStringList titles_;
  std::size_t knobs_ = 0;  ///< that have room, those that explain most
  bool upright_ = false;   ///< their names
};

}  // namespace

double SensitivityView::paperHeight(const PrintStyle& style) {
  measure();
  const PlotTheme theme = PlotTheme::print(style);
  const QFontMetricsF metrics(theme.font);
  const Layout layout = layoutFor(QSizeF(style.width, 10000), theme);
  if (layout.narrow && !rows_.empty()) return HeatMap(rows_, metrics_, theme, style.width).height();
  return std::ceil(layout.top +
                   metrics.height() * 2.1 * static_cast<double>(std::max<std::size_t>(1, rows_.size())));
}

void SensitivityView::paintForPrint(QPainter& painter, QSizeF size, const PrintStyle& style) {
  measure();
  const PlotTheme theme = PlotTheme::print(style);
  painter.save();
  if (layoutFor(size, theme).narrow && !rows_.empty()) {
    painter.fillRect(QRectF(QPointF(), size), theme.background);
    HeatMap(rows_, metrics_, theme, size.width()).paint(painter);
  } else {
    paint(painter, size, theme);
  }
  painter.restore();
}

}  // namespace sluice::ui
