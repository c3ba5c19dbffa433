#include "widgets/metrics/metrics_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <array>
#include <cmath>

#include "engine/explorer/tables.h"
#include "widgets/common/quantity.h"
#include "widgets/points/points_model.h"

namespace sluice::ui {
namespace {

struct ShownMetric {
  const char* name;
  const char* title;
};

constexpr std::array<ShownMetric, 7> shownMetrics = {{
    {"cycles", "Cycles"},
    {"on_chip_bytes", "On-chip memory"},
    {"off_chip_bytes", "Off-chip traffic"},
    {"flops", "Compute"},
    {"operational_intensity", "Intensity"},
    {"compute_utilization", "Compute used"},
    {"off_chip_bandwidth_utilization", "Bandwidth used"},
}};

}  // namespace

MetricTile::MetricTile(const QString& metric_name, QWidget* parent)
    : QWidget(parent), metric_(metric_name), title_(new QLabel), number_(new QLabel), unit_(new QLabel) {
  setObjectName(QStringLiteral("metric.") + metric_name);
  for (const ShownMetric& shown : shownMetrics) {
    if (metric_name == QLatin1String(shown.name)) title_->setText(QString::fromLatin1(shown.title));
  }
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
  const Quantity shown = metricQuantity(metric_, value);
  number_->setText(shown.number);
  // The title already says what is counted: "1.2 M" of cycles, "3.4 G" of FLOP.
  unit_->setText(metric_ == QLatin1String("cycles")
                     ? shown.unit.section(QChar(0x00a0), 0, 0).remove(QStringLiteral("cycles"))
                     : shown.unit);
  const bool whole = std::isfinite(value) && std::floor(value) == value && value >= 0 && value < 1e18;
  const QString exact = whole && !isFraction(metric_) ? exactNumber(static_cast<std::uint64_t>(value))
                                                      : QString::number(value, 'g', 6);
  setToolTip(metricTitle(metric_) + QStringLiteral(": ") + exact);
  setAccessibleName(title_->text() + QLatin1Char(' ') + shownText());
}

void MetricTile::setUnknown() {
  number_->setText(QStringLiteral("\u2013"));
  unit_->clear();
  setToolTip(metricTitle(metric_));
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
                  QFontMetrics(font()).horizontalAdvance(metric_ == QLatin1String("operational_intensity")
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
  for (const ShownMetric& shown : shownMetrics) {
    const QString name = QString::fromLatin1(shown.name);
    auto* tile = new MetricTile(name);
    tiles_[name] = tile;
    layout->addWidget(tile, 0);
  }
  layout->addStretch(1);
  state_->setObjectName(QStringLiteral("pointState"));
  QFont bold = state_->font();
  bold.setBold(true);
  state_->setFont(bold);
  layout->addWidget(state_);
}

MetricTile* MetricsBar::tile(const QString& metric_name) const {
  const auto found = tiles_.find(metric_name);
  return found == tiles_.end() ? nullptr : found->second;
}

void MetricsBar::setSymbolic(const SymbolicResult::Values& values) {
  setStale();
  const auto show = [this](const char* name, const std::optional<double>& value) {
    if (!value) return;
    MetricTile* shown = tile(QString::fromLatin1(name));
    shown->setValue(*value);
    shown->setStale(false);
  };
  show("on_chip_bytes", values.on_chip_bytes);
  show("off_chip_bytes", values.off_chip_bytes);
  show("flops", values.flops);
  show("operational_intensity", values.operational_intensity);
}

void MetricsBar::setPoint(const DesignPoint& point) {
  for (const auto& [name, tile] : tiles_) {
    if (isMeasured(point.state)) {
      tile->setValue(sluice::metric(point.metrics, name.toStdString()));
    } else if (name == QLatin1String("cycles") || isFraction(name)) {
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
  for (const auto& [name, tile] : tiles_) {
    tile->setUnknown();
    tile->setStale(false);
  }
  setState({}, {});
}

void MetricsBar::setStale() {
  for (const auto& [name, tile] : tiles_) tile->setStale(true);
}

void MetricsBar::setState(const QString& state, const QString& tooltip) {
  state_->setText(state);
  state_->setToolTip(tooltip);
}

}  // namespace sluice::ui
