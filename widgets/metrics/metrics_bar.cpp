#include "widgets/metrics/metrics_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <cmath>

#include "engine/explorer/tables.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/points/points_model.h"

namespace sluice::ui {

MetricTile::MetricTile(const MetricSpec& metric, QWidget* parent)
    : QWidget(parent),
      metric_(metric),
      title_(new QLabel(qt(metric.short_title))),
      number_(new QLabel),
      unit_(new QLabel) {
  setObjectName(QStringLiteral("metric.") + qt(metric.name));
  auto* value = new QHBoxLayout;
  value->setSpacing(4);
  value->addWidget(number_, 0, Qt::AlignBaseline);
  value->addWidget(unit_, 0, Qt::AlignBaseline);
  value->addStretch();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(1);
  layout->addWidget(title_);
  layout->addLayout(value);
  restyle();
  setUnknown();
}

void MetricTile::setValue(double value) {
  const Quantity shown = metricQuantity(qt(metric_.name), value);
  const QString unit = qt(metric_.unit);
  const bool titled = title_->text().compare(unit, Qt::CaseInsensitive) == 0;  // "1.2 M" of cycles
  number_->setText(shown.number);
  unit_->setText(titled ? shown.unit.section(QChar(0x00a0), 0, 0).remove(unit) : shown.unit);
  const bool whole = std::isfinite(value) && std::floor(value) == value && value >= 0 && value < 1e18;
  const QString exact = whole && metric_.kind != MetricKind::Fraction
                            ? exactNumber(static_cast<std::uint64_t>(value))
                            : QString::number(value, 'g', 6);
  setToolTip(qt(metric_.title) + QStringLiteral(": ") + exact);
  setAccessibleName(title_->text() + QLatin1Char(' ') + shownText());
}

void MetricTile::setUnknown() {
  number_->setText(QStringLiteral("\u2013"));
  unit_->clear();
  setToolTip(qt(metric_.title));
}

QString MetricTile::shownText() const {
  return ui::text({number_->text(), unit_->text()});
}

void MetricTile::setStale(bool stale) {
  if (stale == stale_) return;
  stale_ = stale;
  number_->setEnabled(!stale);
  unit_->setEnabled(!stale);
}

void MetricTile::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) restyle();
}

void MetricTile::restyle() {
  if (styling_) return;
  styling_ = true;
  QFont small = font();
  small.setPointSizeF(font().pointSizeF() * 0.85);
  title_->setFont(small);
  unit_->setFont(font());
  QFont large = font();
  large.setPointSizeF(font().pointSizeF() * 1.45);
  number_->setFont(large);
  // As wide as any value gets: nothing jumps while a knob moves.
  setMinimumWidth(QFontMetrics(large).horizontalAdvance(QStringLiteral("888.8")) + 4 +
                  QFontMetrics(font()).horizontalAdvance(metric_.kind == MetricKind::Ratio
                                                             ? QStringLiteral("FLOP/byte")
                                                             : QStringLiteral("MFLOP")));
  QPalette muted = palette();
  muted.setColor(QPalette::WindowText, palette().color(QPalette::PlaceholderText));
  title_->setPalette(muted);
  styling_ = false;
}

MetricsBar::MetricsBar(QWidget* parent) : QWidget(parent), state_(new QLabel) {
  setObjectName(QStringLiteral("metricsBar"));
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(12, 4, 12, 4);
  layout->setSpacing(22);
  for (const MetricSpec* metric : registeredMetrics()) {
    if (metric->prominence < Prominence::Figure) continue;
    layout->addWidget(tiles_[metric] = new MetricTile(*metric), 0);
  }
  layout->addStretch(1);
  state_->setObjectName(QStringLiteral("pointState"));
  QFont bold = state_->font();
  bold.setBold(true);
  state_->setFont(bold);
  layout->addWidget(state_);
}

MetricTile* MetricsBar::tile(const QString& metric_name) const {
  const auto found = tiles_.find(findMetric(metric_name.toStdString()));
  return found == tiles_.end() ? nullptr : found->second;
}

void MetricsBar::setSymbolic(const CostValues& values) {
  for (const auto& [metric, tile] : tiles_) {
    const std::optional<double> value = metric->formula.value(values);
    if (value) tile->setValue(*value);
    tile->setStale(!value);
  }
}

void MetricsBar::setPoint(const DesignPoint& point) {
  for (const auto& [metric, tile] : tiles_) {
    if (isMeasured(point.state)) {
      tile->setValue(metric->number(point.metrics));
    } else if (!metric->formula.term) {
      tile->setUnknown();
    }
    tile->setStale(false);
  }
  if (point.state == PointState::Done) return setState({}, {});
  QString state = QString::fromStdString(sluice::text(point.state));
  if (!state.isEmpty()) state[0] = state[0].toUpper();
  setState(QStringLiteral("\u26a0 ") + state, QString::fromStdString(point.cause));
}

void MetricsBar::clear() {
  for (const auto& [metric, tile] : tiles_) {
    tile->setUnknown();
    tile->setStale(false);
  }
  setState({}, {});
}

void MetricsBar::setStale() {
  for (const auto& [metric, tile] : tiles_) tile->setStale(true);
}

void MetricsBar::setState(const QString& state, const QString& tooltip) {
  state_->setText(state);
  state_->setToolTip(tooltip);
}

}  // namespace sluice::ui
