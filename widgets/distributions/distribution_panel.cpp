#include "widgets/distributions/distribution_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

#include "engine/explorer/metrics/registry.h"
#include "engine/program/trust.h"
#include "widgets/common/plain_table.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/common/trust_line.h"
#include "widgets/distributions/box_plot.h"
#include "widgets/distributions/distribution_plot.h"
#include "widgets/distributions/experts_plot.h"
#include "widgets/distributions/trace_model.h"
#include "widgets/plots/occupancy_traces.h"

namespace sluice::ui {

DistributionPanel::DistributionPanel(QWidget* parent)
    : QWidget(parent),
      metric_(new QComboBox),
      order_(new QComboBox),
      progress_(new QLabel),
      tabs_(new QTabWidget),
      distribution_(new DistributionPlot),
      boxes_(new BoxPlot),
      fifos_(new OccupancyPlot),
      experts_(new ExpertsPlot),
      model_(new TraceModel(this)),
      sorted_(new QSortFilterProxyModel(this)),
      table_(new QTableView) {
  setObjectName(QStringLiteral("distributionPanel"));
  fifos_->setObjectName(QStringLiteral("bandPlot"));
  fifos_->setAccessibleName(tr("FIFO occupancy over time, with bands over the traces"));
  sorted_->setSourceModel(model_);
  sorted_->setSortRole(TraceModel::sort_role);
  table_->setObjectName(QStringLiteral("traceTable"));
  table_->setAccessibleName(tr("Traces of the set"));
  table_->setModel(sorted_);
  table_->setSortingEnabled(true);
  table_->sortByColumn(0, Qt::AscendingOrder);
  makePlain(*table_);
  tabs_->setObjectName(QStringLiteral("distributionTabs"));
  tabs_->setDocumentMode(true);
  tabs_->addTab(distribution_, tr("Distribution"));
  tabs_->addTab(boxes_, tr("Designs"));
  tabs_->addTab(fifos_, tr("FIFOs"));
  tabs_->addTab(experts_, tr("Experts"));
  tabs_->addTab(table_, tr("Traces"));
  makeBar();
  connect(tabs_, &QTabWidget::currentChanged, this, &DistributionPanel::pageChanged);
  connect(metric_, &QComboBox::currentIndexChanged, this, &DistributionPanel::show);
  connect(order_, &QComboBox::currentIndexChanged, this, &DistributionPanel::showExperts);
  connect(table_, &QTableView::activated, this,
          [this](const QModelIndex& index) { choose(model_->traceAt(sorted_->mapToSource(index).row())); });
  show();
}

void DistributionPanel::makeBar() {
  metric_->setObjectName(QStringLiteral("distributionMetric"));
  metric_->setAccessibleName(tr("Metric whose distribution is shown"));
  for (const MetricSpec* metric : registeredMetrics())
    metric_->addItem(metricTitle(qt(metric->name)), qt(metric->name));
  metric_->setCurrentIndex(std::max(0, metric_->findData(QStringLiteral("cycles"))));
  order_->setObjectName(QStringLiteral("expertOrder"));
  order_->setAccessibleName(tr("Order of the experts"));
  order_->addItems({tr("Busiest expert first"), tr("Experts by number")});
  progress_->setObjectName(QStringLiteral("distributionProgress"));
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(6, 2, 6, 2);
  bar->addWidget(metric_);
  bar->addWidget(order_);
  bar->addWidget(progress_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(bar);
  layout->addWidget(tabs_, 1);
}

const MetricSpec& DistributionPanel::metric() const {
  return *findMetric(metric_->currentData().toString().toStdString());
}

QString DistributionPanel::sentence() const {
  return distribution_->sentence();
}

QWidget* DistributionPanel::page(Page page) const {
  return tabs_->widget(static_cast<int>(page));
}

void DistributionPanel::setData(const DistributionData& shown) {
  if (shown.set != data_.set) chosen_ = shown.set ? shown.set->chosen : 0;
  data_ = shown;
  const QString trust = data_.set ? qt(text(trustOf(data_.set->workload->document))) : QString();
  for (QWidget* view : {static_cast<QWidget*>(distribution_), static_cast<QWidget*>(boxes_),
                        static_cast<QWidget*>(fifos_), static_cast<QWidget*>(table_)}) {
    setTrust(*view, trust);
    view->setToolTip(trustLine(*view));
  }
  show();
  showExperts();
}

void DistributionPanel::setStale(bool stale) {
  for (QWidget* each : {static_cast<QWidget*>(distribution_), static_cast<QWidget*>(table_)})
    each->setEnabled(!stale);
}

void DistributionPanel::setProgress(const QString& progress) {
  progress_->setText(progress);
}

void DistributionPanel::choose(std::size_t trace) {
  chosen_ = trace;
  tabs_->setCurrentWidget(distribution_);
  show();
}

void DistributionPanel::show() {
  const MetricSpec& shown = metric();
  model_->setData(data_, shown);
  table_->resizeColumnsToContents();
  if (!data_.set) {
    const QString notice = tr("No input is a set of traces:\ngive one in the Design view.");
    distribution_->clear(notice);
    boxes_->clear(notice);
    fifos_->clear(notice);
    return;
  }
  if (data_.samples)
    distribution_->setSamples(*data_.set, *data_.samples, shown, chosen_);
  else
    distribution_->clear(tr("The design is being run under every trace."));
  if (!data_.explored.empty())
    boxes_->setDesigns(data_.explored, shown);
  else if (data_.samples)
    boxes_->setDesigns({{data_.knobs, data_.samples}}, shown);
  else
    boxes_->clear(tr("F5 runs every design under every trace."));
}

void DistributionPanel::showExperts() {
  const std::optional<ExpertLoads> loads = data_.set ? expertLoads(*data_.set) : std::nullopt;
  if (loads)
    experts_->setLoads(*loads, order_->currentIndex() == 0);
  else
    experts_->clear(tr("No input is a set of routings."));
}

void DistributionPanel::setFifos(const PointResult& run, const std::vector<OccupancyBand>& bands) {
  fifos_->setTraces(fullestTraces(run), run.simulation.cycles, tr("The chosen trace, and all of them"));
  fifos_->setBands(bands);
}

}  // namespace sluice::ui
