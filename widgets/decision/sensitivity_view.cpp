#include "widgets/decision/sensitivity_view.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/csv.h"
#include "widgets/common/quantity.h"
#include "widgets/common/trust_line.h"

namespace sluice::ui {
namespace {

/// Shares of all metrics together: what makes a knob important.
double importance(const SensitivityView::Row& row) {
  double sum = 0;
  for (const KnobEffect& effect : row.effects) sum += std::isnan(effect.share) ? 0 : effect.share;
  return sum;
}

/// A title that stands upright, in two lines where the column has room for them.
QStringList uprightLines(const QString& title, double column, const QFontMetricsF& metrics) {
  if (column < 1.95 * metrics.height()) return {title};
  QStringList best{title};
  double widest = metrics.horizontalAdvance(title);
  for (qsizetype at = title.indexOf(QLatin1Char(' ')); at >= 0;
       at = title.indexOf(QLatin1Char(' '), at + 1)) {
    const QStringList lines{title.left(at), title.mid(at + 1)};
    const double width = std::max(metrics.horizontalAdvance(lines[0]), metrics.horizontalAdvance(lines[1]));
    if (width >= widest) continue;
    widest = width;
    best = lines;
  }
  return best;
}

}  // namespace

QString arrowOf(double trend) {
  if (std::isnan(trend)) return QString();
  if (trend > 0.15) return QStringLiteral("\u2191");
  return trend < -0.15 ? QStringLiteral("\u2193") : QStringLiteral("~");
}

SensitivityView::SensitivityView(PointSelection* selection, QWidget* parent)
    : QWidget(parent), selection_(selection), theme_(PlotTheme::screen(palette(), font())) {
  setObjectName(QStringLiteral("sensitivityView"));
  setAccessibleName(tr("Sensitivity of each metric to each knob"));
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  const auto renew = [this] {
    stale_ = true;
    update();
  };
  connect(selection_, &PointSelection::reset, this, renew);
  refresh_.setSingleShot(true);
  refresh_.setInterval(200);
  connect(&refresh_, &QTimer::timeout, this, renew);
  connect(selection_, &PointSelection::added, this, [this] {
    if (!refresh_.isActive()) refresh_.start();
  });
  connect(selection_, &PointSelection::filtersChanged, this, renew);
}

void SensitivityView::measure() {
  if (!std::exchange(stale_, false)) return;
  rows_.clear();
  metrics_.clear();
  const std::vector<PointColumn>& columns = selection_->columns()->columns();
  const std::size_t count = selection_->columns()->size();
  std::vector<std::vector<double>> values;
  for (const PointColumn& column : columns) {
    if (column.is_knob) continue;
    metrics_.push_back(column.name);
    values.push_back(column.values);
    for (std::size_t point = 0; point < count; ++point)
      if (!selection_->isShown(point)) values.back()[point] = std::numeric_limits<double>::quiet_NaN();
  }
  for (const PointColumn& column : columns) {
    if (!column.is_knob) continue;
    const KnobLevels levels = knobLevels(column.values);
    if (levels.values.size() < 2) continue;
    Row row{column.name, {}};
    for (const std::vector<double>& metric_values : values)
      row.effects.push_back(knobEffect(levels, metric_values));
    rows_.push_back(std::move(row));
  }
  std::stable_sort(rows_.begin(), rows_.end(),
                   [](const Row& a, const Row& b) { return importance(a) > importance(b); });
  row_ = std::min(row_, rows_.empty() ? 0 : rows_.size() - 1);
}

const std::vector<SensitivityView::Row>& SensitivityView::rows() {
  measure();
  return rows_;
}

SensitivityView::Layout SensitivityView::layoutFor(QSizeF size, const PlotTheme& theme) const {
  const QFontMetricsF metrics(theme.font);
  Layout layout;
  double widest = metrics.averageCharWidth() * 3;
  for (const Row& row : rows_) widest = std::max(widest, metrics.horizontalAdvance(row.knob));
  layout.left = std::min(widest + metrics.averageCharWidth() * 2, size.width() * 0.3);
  layout.column =
      (size.width() - layout.left - 4) / static_cast<double>(std::max<std::size_t>(1, metrics_.size()));
  layout.narrow = layout.column < widestWord(metrics) + 6;
  layout.stacked = layout.column < metrics.horizontalAdvance(QStringLiteral("100% \u2191")) + 8;
  layout.top = titleHeight(layout, metrics);
  if (!theme.on_paper)
    layout.top = std::min(layout.top, std::max(size.height() * 0.45, metrics.height() * 3.2));
  layout.row = std::min(
      metrics.height() * (layout.stacked ? 2.6 : 2.2),
      (size.height() - layout.top - 2) / static_cast<double>(std::max<std::size_t>(1, rows_.size())));
  return layout;
}

double SensitivityView::titleHeight(const Layout& layout, const QFontMetricsF& metrics) const {
  double widest = 0, highest = metrics.height() * 2;
  for (const QString& name : metrics_) {
    const QRectF wrapped = metrics.boundingRect(QRectF(0, 0, layout.column - 6, 10000),
                                                Qt::AlignLeft | Qt::TextWordWrap, metricTitle(name));
    highest = std::max(highest, wrapped.height());
    for (const QString& line : uprightLines(metricTitle(name), layout.column, metrics))
      widest = std::max(widest, metrics.horizontalAdvance(line));
  }
  return (layout.narrow ? widest : highest) + 8;
}

/// Of all titles: a word is not broken.
double SensitivityView::widestWord(const QFontMetricsF& metrics) const {
  double widest = 0;
  for (const QString& name : metrics_)
    for (const QString& word : metricTitle(name).split(QRegularExpression(QStringLiteral("[\\s-]"))))
      widest = std::max(widest, metrics.horizontalAdvance(word + QLatin1Char('-')));
  return widest;
}

QRectF SensitivityView::cellRect(std::size_t row, std::size_t metric) {
  measure();
  const Layout layout = layoutFor(size(), theme_);
  return {layout.left + layout.column * static_cast<double>(metric),
          layout.top + layout.row * static_cast<double>(row), layout.column, layout.row};
}

void SensitivityView::paintCell(QPainter& painter, const QRectF& cell, const KnobEffect& effect,
                                const PlotTheme& theme, bool stacked) const {
  const QFontMetricsF metrics(theme.font);
  const double side = stacked ? 1 : 3;
  const QRectF inner = cell.adjusted(side, 2, -side, -2);
  if (std::isnan(effect.share)) {
    painter.setPen(theme.muted);
    painter.drawText(inner, Qt::AlignCenter, QStringLiteral("\u2013"));
    return;
  }
  const double bar_height = std::min(inner.height() * 0.32, metrics.height() * 0.4);
  const QString arrow = arrowOf(effect.trend);
  const QColor ink = effect.share < 0.02 ? theme.muted : theme.text;
  double bar_width = inner.width(), foot = bar_height;
  if (stacked) {  // the arrow beside the bar
    bar_width -= metrics.horizontalAdvance(QLatin1Char('~')) + 1;
    foot = inner.height() / 2;
    painter.setPen(ink);
    painter.drawText(QRectF(inner.left() + bar_width + 1, inner.bottom() - foot, inner.width(), foot),
                     Qt::AlignLeft | Qt::AlignVCenter, arrow);
  }
  const QRectF track(inner.left(), inner.bottom() - (foot + bar_height) / 2, bar_width, bar_height);
  painter.fillRect(track, theme.grid);
  painter.fillRect(QRectF(track.topLeft(), QSizeF(track.width() * effect.share, bar_height)), theme.frontier);
  painter.setPen(ink);
  const QString figure =
      QString::number(effect.share * 100, 'f', 0) + (stacked ? QString() : QStringLiteral("% ") + arrow);
  painter.drawText(QRectF(inner.left(), inner.top(), inner.width(), inner.height() - foot),
                   Qt::AlignLeft | Qt::AlignVCenter, figure);
}

void SensitivityView::paintTitles(QPainter& painter, const Layout& layout, const PlotTheme& theme) const {
  const QFontMetricsF metrics(theme.font);
  painter.setPen(theme.text);
  for (std::size_t metric = 0; metric < metrics_.size(); ++metric) {
    const double left = layout.left + layout.column * static_cast<double>(metric);
    const QString title = metricTitle(metrics_[metric]);
    if (!layout.narrow) {
      painter.drawText(QRectF(left + 3, 0, layout.column - 6, layout.top - 4),
                       static_cast<int>(Qt::AlignLeft | Qt::AlignBottom) | Qt::TextWordWrap, title);
      continue;
    }
    painter.save();
    const QStringList lines = uprightLines(title, layout.column, metrics);
    const double first = metrics.ascent() - metrics.height() * static_cast<double>(lines.size()) / 2;
    painter.translate(left + layout.column / 2 + first, layout.top - 4);
    painter.rotate(-90);
    for (qsizetype line = 0; line < lines.size(); ++line)
      painter.drawText(QPointF(0, static_cast<double>(line) * metrics.height()),
                       metrics.elidedText(lines[line], Qt::ElideRight, layout.top - 6));
    painter.restore();
  }
}

void SensitivityView::paint(QPainter& painter, QSizeF size, const PlotTheme& theme) {
  measure();
  painter.fillRect(QRectF(QPointF(), size), theme.background);
  painter.setFont(theme.font);
  if (rows_.empty()) {
    painter.setPen(theme.muted);
    painter.drawText(QRectF(QPointF(), size), Qt::AlignCenter, tr("No points of differing knobs yet."));
    return;
  }
  const Layout layout = layoutFor(size, theme);
  paintTitles(painter, layout, theme);
  const QFontMetricsF metrics(theme.font);
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const double top = layout.top + layout.row * static_cast<double>(row);
    painter.setPen(QPen(theme.grid, theme.axis_width));
    painter.drawLine(QPointF(0, top), QPointF(size.width(), top));
    painter.setPen(theme.text);
    painter.drawText(QRectF(4, top, layout.left - 8, layout.row), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(rows_[row].knob, Qt::ElideMiddle, layout.left - 8));
    for (std::size_t metric = 0; metric < metrics_.size(); ++metric)
      paintCell(
          painter,
          QRectF(layout.left + layout.column * static_cast<double>(metric), top, layout.column, layout.row),
          rows_[row].effects[metric], theme, layout.stacked);
  }
}

void SensitivityView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  paint(painter, size(), theme_);
  if (!hasFocus() || rows_.empty()) return;
  painter.setPen(QPen(theme_.current, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(cellRect(row_, metric_).adjusted(1, 1, -1, -1));
}

std::optional<std::pair<std::size_t, std::size_t>> SensitivityView::cellAt(QPointF position) {
  for (std::size_t row = 0; row < rows().size(); ++row)
    for (std::size_t metric = 0; metric < metrics_.size(); ++metric)
      if (cellRect(row, metric).contains(position)) return std::pair(row, metric);
  return std::nullopt;
}

QString SensitivityView::tooltip(std::size_t row, std::size_t metric) const {
  const KnobEffect& effect = rows_[row].effects[metric];
  QString text =
      std::isnan(effect.share)
          ? tr("<p>%2 does not vary.</p>").arg(metricTitle(metrics_[metric]).toHtmlEscaped())
          : tr("<p>The main effect of <b>%1</b> explains %3 % of the variance of %2; correlation with "
               "the knob's rank %4.</p>")
                .arg(rows_[row].knob.toHtmlEscaped(), metricTitle(metrics_[metric]).toHtmlEscaped(),
                     QString::number(effect.share * 100, 'f', 1), QString::number(effect.trend, 'f', 2));
  const PointColumns& columns = *selection_->columns();
  const auto knob = columns.find(rows_[row].knob);
  for (const auto& [value, mean] : effect.means)
    text += QStringLiteral("%1: %2<br>")
                .arg(knob ? columnText(columns.columns()[*knob], static_cast<double>(value)).toHtmlEscaped()
                          : QString::number(value),
                     sluice::ui::text(metricQuantity(metrics_[metric], mean)));
  return withTrust(text, trustLine(*this));
}

void SensitivityView::mouseMoveEvent(QMouseEvent* event) {
  const auto cell = cellAt(event->position());
  if (!cell) return QToolTip::hideText();
  QToolTip::showText(event->globalPosition().toPoint(), tooltip(cell->first, cell->second), this);
}

void SensitivityView::mouseReleaseEvent(QMouseEvent* event) {
  const auto cell = cellAt(event->position());
  if (!cell || event->button() != Qt::LeftButton) return;
  std::tie(row_, metric_) = *cell;
  update();
  emit cellChosen(rows_[row_].knob, metrics_[metric_]);
}

void SensitivityView::keyPressEvent(QKeyEvent* event) {
  if (rows().empty()) return QWidget::keyPressEvent(event);
  const auto step = [](std::size_t& at, int by, std::size_t count) {
    at = static_cast<std::size_t>(std::clamp(static_cast<int>(at) + by, 0, static_cast<int>(count) - 1));
  };
  switch (event->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
      step(row_, event->key() == Qt::Key_Up ? -1 : 1, rows_.size());
      break;
    case Qt::Key_Left:
    case Qt::Key_Right:
      step(metric_, event->key() == Qt::Key_Left ? -1 : 1, metrics_.size());
      break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      emit cellChosen(rows_[row_].knob, metrics_[metric_]);
      break;
    default:
      return QWidget::keyPressEvent(event);
  }
  update();
}

QString SensitivityView::csv() {
  CsvTable table({"knob", "metric", "explained_share", "correlation_with_rank", "means"});
  const PointColumns& columns = *selection_->columns();
  for (const Row& row : rows())
    for (std::size_t metric = 0; metric < metrics_.size(); ++metric) {
      QStringList means;  // "dynamic: 1200; static: 1500"
      for (const auto& [value, mean] : row.effects[metric].means)
        means << columnText(columns.columns()[*columns.find(row.knob)], static_cast<double>(value)) +
                     QStringLiteral(": ") + QString::fromStdString(csvNumber(mean));
      table.row({row.knob.toStdString(), metrics_[metric].toStdString(), csvNumber(row.effects[metric].share),
                 csvNumber(row.effects[metric].trend), means.join(QStringLiteral("; ")).toStdString()});
    }
  return QString::fromStdString(table.text());
}

void SensitivityView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
  theme_ = PlotTheme::screen(palette(), font());
  update();
}

}  // namespace sluice::ui
