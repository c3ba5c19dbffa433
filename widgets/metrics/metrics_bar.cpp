#include "widgets/metrics/metrics_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "engine/explorer/tables.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/points/points_model.h"

namespace sluice::ui {

namespace {

constexpr int wide_spacing = 22, tight_spacing = 8;  // pixels between figures
constexpr int between_parts = 4;                     // likewise, from a figure to its unit
constexpr std::size_t least_tiles = 3;

}  // namespace

MetricTile::MetricTile(const MetricSpec& metric, QWidget* parent)
    : QWidget(parent),
      metric_(metric),
      title_(new QLabel(qt(metric.short_title))),
      number_(new QLabel),
      unit_(new QLabel),
      change_(new QLabel) {
  setObjectName(QStringLiteral("metric.") + qt(metric.name));
  change_->setObjectName(QStringLiteral("change.") + qt(metric.name));
  auto* value = new QHBoxLayout;
  for (QLabel* part : {number_, unit_}) value->addWidget(part, 0, Qt::AlignBaseline);
  auto* title = new QHBoxLayout;
  for (QLabel* part : {title_, change_}) title->addWidget(part, 0, Qt::AlignBaseline);
  for (QHBoxLayout* line : {title, value}) {
    line->setSpacing(between_parts);
    line->addStretch();
  }
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(1);
  layout->addLayout(title);
  layout->addLayout(value);
  restyle();
  setUnknown();
}

void MetricTile::setChangeShown(bool shown) {
  change_->setVisible(shown);
  setMinimumWidth(widthFor(shown));
}

void MetricTile::measure() {
  const QString unit = shown(metric_.kind == MetricKind::Ratio ? 888.8 : 888.8e6).unit;
  const int value = number_->fontMetrics().horizontalAdvance(QStringLiteral("888.8")) + between_parts +
                    unit_->fontMetrics().horizontalAdvance(unit);
  const int title = title_->sizeHint().width();
  const int change = change_->fontMetrics().horizontalAdvance(percentChange(-0.88, 0));
  width_ = std::max(title, value);
  width_with_change_ = std::max(title + between_parts + change, value);
}

/// Without the unit where it is the title: "1.2 M" of cycles.
Quantity MetricTile::shown(double value) const {
  Quantity quantity = metricQuantity(qt(metric_.name), value);
  const QString unit = qt(metric_.unit);
  if (title_->text().compare(unit, Qt::CaseInsensitive) == 0)
    quantity.unit = quantity.unit.section(QChar(0x00a0), 0, 0).remove(unit);
  return quantity;
}

QString MetricTile::exactText(double value) const {
  const bool whole = std::isfinite(value) && std::floor(value) == value && value >= 0 && value < 1e18;
  return whole && metric_.kind != MetricKind::Fraction ? exactNumber(static_cast<std::uint64_t>(value))
                                                       : QString::number(value, 'g', 6);
}

void MetricTile::setValue(double value, Origin origin) {
  value_ = value;
  origin_ = origin;
  tell();
}

void MetricTile::setUnknown() {
  value_.reset();
  tell();
}

void MetricTile::setBefore(std::optional<double> before) {
  before_ = before;
  tell();
}

QString MetricTile::changeText() const {
  return change_->text();
}

void MetricTile::tell() {
  const Quantity quantity = value_ ? shown(*value_) : Quantity{QStringLiteral("\u2013"), {}};
  number_->setText(quantity.number);
  unit_->setText(quantity.unit);
  change_->clear();
  QString tip = qt(metric_.title);
  if (value_) {
    tip = origin_ == Origin::Symbolic
              ? tr("%1: %2, symbolic: from the formulas, before a run").arg(tip, exactText(*value_))
              : tr("%1: %2, of a simulated run").arg(tip, exactText(*value_));
    const double share = before_ ? (*value_ - *before_) / std::abs(*before_) : std::nan("");
    if (std::isfinite(share) && share != 0) {
      change_->setText(std::abs(share) < 9.995 ? percentChange(share, std::abs(share) < 0.1 ? 1 : 0)
                                               : QStringLiteral("\u00d7%1").arg(share + 1, 0, 'g', 3));
      tip += tr("\nBefore: %1. %2 is better.")
                 .arg(exactText(*before_), metric_.smaller_is_better ? tr("Less") : tr("More"));
    }
  }
  if (value_ && origin_ == Origin::Measured && !trust_.isEmpty()) tip += tr("\nTrust: %1").arg(trust_);
  setToolTip(tip);
  setAccessibleName(QStringList{title_->text(), shownText(), changeText()}.join(QLatin1Char(' ')).trimmed());
}

QString MetricTile::shownText() const {
  return ui::text({number_->text(), unit_->text()});
}

void MetricTile::setTrust(const QString& trust) {
  trust_ = trust;
  tell();
}

void MetricTile::setStale(bool stale) {
  if (stale == stale_) return;
  stale_ = stale;
  for (QLabel* part : {number_, unit_, change_}) part->setEnabled(!stale);
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
  change_->setFont(small);
  unit_->setFont(font());
  QFont large = font();
  large.setPointSizeF(font().pointSizeF() * 1.45);
  number_->setFont(large);
  measure();
  setMinimumWidth(widthFor(change_->isVisibleTo(this)));
  QPalette muted = palette();
  muted.setColor(QPalette::WindowText, palette().color(QPalette::PlaceholderText));
  title_->setPalette(muted);
  change_->setPalette(muted);
  styling_ = false;
}

MetricsBar::MetricsBar(QWidget* parent)
    : QWidget(parent), strip_(new QWidget(this)), note_(new QLabel), state_(new QLabel) {
  setObjectName(QStringLiteral("metricsBar"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  auto* layout = new QHBoxLayout(strip_);
  layout->setContentsMargins(12, 4, 12, 4);
  layout->setSpacing(wide_spacing);
  for (const MetricSpec* metric : registeredMetrics()) {
    if (metric->prominence < Prominence::Figure) continue;
    MetricTile* const tile = tiles_[metric] = new MetricTile(*metric);
    (metric->priced ? priced_ : in_order_).push_back(tile);
    layout->addWidget(tile, 0);
    if (metric->priced) tile->hide();
  }
  note_->setObjectName(QStringLiteral("resultsNote"));
  note_->setWordWrap(true);
  note_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  note_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Ignored);  // two lines make the bar no higher
  note_->setMinimumHeight(1);
  note_->setMinimumWidth(note_->fontMetrics().horizontalAdvance(QStringLiteral("symbolic and")));
  layout->addWidget(note_, 1);
  state_->setObjectName(QStringLiteral("pointState"));
  QFont bold = state_->font();
  bold.setBold(true);
  state_->setFont(bold);
  layout->addWidget(state_);
}

/// Of all figures, also of those that had no room: they come back when the window gets wider.
QSize MetricsBar::sizeHint() const {
  return {widthFor(in_order_.size(), wide_spacing, true), strip_->sizeHint().height()};
}

QSize MetricsBar::minimumSizeHint() const {
  return {widthFor(std::min<std::size_t>(least_tiles, in_order_.size()), tight_spacing, false),
          strip_->minimumSizeHint().height()};
}

int MetricsBar::widthFor(std::size_t tiles, int spacing, bool with_changes) const {
  const QMargins margins = strip_->layout()->contentsMargins();
  int width = margins.left() + margins.right() + note_->minimumWidth() + spacing;
  if (!state_->text().isEmpty()) width += state_->sizeHint().width() + spacing;
  for (std::size_t i = 0; i < tiles; ++i) width += in_order_[i]->widthFor(with_changes) + spacing;
  return width;
}

void MetricsBar::fit() {
  std::size_t tiles = in_order_.size();
  int spacing = wide_spacing;
  if (widthFor(tiles, spacing, true) > width()) spacing = tight_spacing;
  const bool changes = widthFor(tiles, spacing, true) <= width();
  while (!changes && tiles > least_tiles && widthFor(tiles, spacing, false) > width()) --tiles;
  if (strip_->layout()->spacing() != spacing)
    strip_->layout()->setSpacing(spacing);  // it asks for a layout even if it is the same
  for (std::size_t i = 0; i < in_order_.size(); ++i) {
    in_order_[i]->setChangeShown(changes);
    in_order_[i]->setVisible(i < tiles);
  }
}

/// The strip lays itself out; what it says is no matter of the window, whose docks all would be measured
/// again.
bool MetricsBar::event(QEvent* event) {
  if (event->type() == QEvent::LayoutRequest) fit();
  if (event->type() == QEvent::FontChange) updateGeometry();
  return QWidget::event(event);
}

void MetricsBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  strip_->setGeometry(rect());
  fit();
}

MetricTile* MetricsBar::tile(const QString& metric_name) const {
  const auto found = tiles_.find(findMetric(metric_name.toStdString()));
  return found == tiles_.end() ? nullptr : found->second;
}

void MetricsBar::showPriced(bool priced) {
  if (priced_.empty() || priced == (in_order_.back() == priced_.back())) return;
  if (priced) {
    in_order_.insert(in_order_.end(), priced_.begin(), priced_.end());
  } else {
    in_order_.resize(in_order_.size() - priced_.size());
    for (MetricTile* tile : priced_) tile->hide();
  }
  fit();
}

void MetricsBar::setSymbolic(const CostValues& values) {
  for (const auto& [metric, tile] : tiles_) {
    const std::optional<double> value = metric->formula.value(values);
    if (value) tile->setValue(*value, MetricTile::Origin::Symbolic);
    tile->setStale(!value);
  }
  setOrigin(tr("symbolic"), tr("From the formulas alone; the simulation is under way"));
}

void MetricsBar::setPoint(const DesignPoint& point) {
  if (isMeasured(point.state)) showPriced(isPriced(point.metrics));
  for (const auto& [metric, tile] : tiles_) {
    if (isMeasured(point.state)) {
      tile->setValue(metric->number(point.metrics), MetricTile::Origin::Measured);
    } else if (!metric->formula.term) {
      tile->setUnknown();
    }
    tile->setStale(false);
  }
  if (isMeasured(point.state))
    setOrigin(tr("simulated"), tr("Every figure is of a run of the simulator"));
  else
    setOrigin(tr("symbolic"), tr("The run did not end: what is known is from the formulas"));
  if (point.state == PointState::Done) return setState({}, {});
  QString state = QString::fromStdString(sluice::text(point.state));
  if (!state.isEmpty()) state[0] = state[0].toUpper();
  setState(QStringLiteral("\u26a0 ") + state, QString::fromStdString(point.cause));
}

void MetricsBar::clear() {
  showPriced(false);
  for (const auto& [metric, tile] : tiles_) {
    tile->setUnknown();
    tile->setStale(false);
  }
  setState({}, {});
  setOrigin({}, {});
  setAge({});
  setTrust({});
  setBefore({});
}

void MetricsBar::setBefore(const std::optional<DesignPoint>& before) {
  const bool known = before && isMeasured(before->state);
  for (const auto& [metric, tile] : tiles_)
    tile->setBefore(known ? std::optional(metric->number(before->metrics)) : std::nullopt);
}

void MetricsBar::setOrigin(const QString& origin, const QString& tooltip) {
  origin_ = origin;
  origin_tip_ = tooltip;
  showNote();
}

void MetricsBar::setAge(const QString& age) {
  age_ = age;
  showNote();
}

void MetricsBar::setTrust(const TrustLabel& trust) {
  const QString word = qt(shortText(trust));
  trust_word_ = word.isEmpty() ? word : tr("cycles: %1").arg(word);
  trust_ = qt(sluice::text(trust));
  for (const auto& [metric, tile] : tiles_) tile->setTrust(qt(sluice::text(ofMetric(trust, metric->name))));
  showNote();
}

void MetricsBar::showNote() {
  QString note = age_.isEmpty() ? origin_ : age_;
  if (!note.isEmpty() && !trust_word_.isEmpty()) note += QStringLiteral(" \u00b7 ") + trust_word_;
  note_->setText(note);
  const QString tip = age_.isEmpty() ? origin_tip_ : age_;
  note_->setToolTip(tip.isEmpty() || trust_.isEmpty() ? tip : tip + tr("\nTrust in cycles: %1").arg(trust_));
}

void MetricsBar::setStale() {
  for (const auto& [metric, tile] : tiles_) tile->setStale(true);
}

void MetricsBar::setState(const QString& state, const QString& tooltip) {
  if (state_->text() != state) updateGeometry();  // it needs other room
  state_->setText(state);
  state_->setToolTip(tooltip);
}

}  // namespace sluice::ui
