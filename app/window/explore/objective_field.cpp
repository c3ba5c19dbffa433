#include "app/window/explore/objective_field.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <algorithm>
#include <string>

#include "app/window/shell/named.h"
#include "engine/explorer/metrics/registry.h"
#include "engine/explorer/metrics/statistic.h"
#include "engine/program/trace_source.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {

bool isOverTraces(const Document& document) {
  return std::ranges::any_of(document.inputs, [](const Input& input) { return isTraceSet(input.file); });
}

void addStatistics(QComboBox& combo, const QString& none) {
  combo.addItem(none, QString());
  combo.addItem(QObject::tr("p95"), QStringLiteral("p95"));
  combo.addItem(QObject::tr("p99"), QStringLiteral("p99"));
  combo.addItem(QObject::tr("median"), QStringLiteral("median"));
  combo.addItem(QObject::tr("worst"), QStringLiteral("worst"));
  combo.addItem(QObject::tr("deviation/mean"), QStringLiteral("cv"));
}

QString statisticName(const QComboBox& statistic, const QString& metric) {
  const QString name = statistic.currentData().toString();
  return name.isEmpty() || metric.isEmpty() ? metric : QStringLiteral("%1(%2)").arg(name, metric);
}

ObjectiveField::ObjectiveField(const char* name, const QString& place, bool optional, bool over_traces)
    : over_traces_(over_traces),
      metric_(named(new QComboBox, name, place)),
      statistic_(named(new QComboBox, (std::string(name) + "Statistic").c_str(),
                       tr("%1: statistic over the traces").arg(place))) {
  if (optional) metric_->addItem(tr("none"), QString());
  for (const MetricSpec* metric : registeredMetrics())
    metric_->addItem((metric->smaller_is_better ? tr("%1 \u2013 smallest") : tr("%1 \u2013 largest"))
                         .arg(metricAxisLabel(qt(metric->name))),
                     qt(metric->name));
  addStatistics(*statistic_, tr("mean"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(8);
  row->addWidget(metric_, 1);
  row->addWidget(statistic_);
  if (!over_traces) statistic_->hide();
  for (QComboBox* each : {metric_, statistic_})
    connect(each, &QComboBox::currentIndexChanged, this, &ObjectiveField::changed);
}

QString ObjectiveField::objective() const {
  const QString metric = metric_->currentData().toString();
  return over_traces_ ? statisticName(*statistic_, metric) : metric;
}

bool ObjectiveField::setObjective(const QString& name) {
  QString metric = name, statistic;
  if (const auto known = parseStatistic(name.toStdString()); known && known->of) {
    metric = qt(known->of->name);
    statistic = name.section(QLatin1Char('('), 0, 0);
  }
  const int at = metric_->findData(metric), which = statistic_->findData(statistic);
  if (at < 0) return false;
  metric_->setCurrentIndex(at);
  statistic_->setCurrentIndex(std::max(0, which));
  return true;
}

}  // namespace sluice::ui
