#include "widgets/energy/energy_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include "widgets/common/diagnostic_text.h"
#include "widgets/common/plain_table.h"
#include "widgets/common/quantity.h"
#include "widgets/energy/energy_model.h"
#include "widgets/energy/energy_plot.h"

namespace sluice::ui {

EnergyPanel::EnergyPanel(QWidget* parent)
    : QWidget(parent),
      groups_(new QComboBox),
      heat_(new QCheckBox(tr("On the &canvas"))),
      total_(new QLabel),
      plot_(new EnergyPlot),
      model_(new EnergyModel(this)),
      sorted_(new QSortFilterProxyModel(this)),
      table_(new QTableView) {
  setObjectName(QStringLiteral("energyPanel"));
  groups_->setObjectName(QStringLiteral("energyGroups"));
  groups_->setAccessibleName(tr("What the energy is told"));
  groups_->addItem(tr("By operator"), static_cast<int>(EnergyGroups::Operators));
  groups_->addItem(tr("By region"), static_cast<int>(EnergyGroups::Regions));
  heat_->setObjectName(QStringLiteral("energyHeat"));
  heat_->setAccessibleName(tr("Show on the canvas what each operator costs"));
  heat_->setToolTip(tr("Show on the canvas what each operator costs, while this view shows"));
  heat_->setChecked(true);
  total_->setObjectName(QStringLiteral("energyTotal"));
  total_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  total_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  sorted_->setSourceModel(model_);
  sorted_->setSortRole(EnergyModel::sort_role);
  table_->setObjectName(QStringLiteral("energyTable"));
  table_->setAccessibleName(tr("Energy by operator or region"));
  table_->setModel(sorted_);
  table_->setSortingEnabled(true);
  table_->sortByColumn(-1, Qt::AscendingOrder);
  makePlain(*table_);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(6, 2, 6, 2);
  bar->addWidget(groups_);
  bar->addWidget(heat_);
  bar->addWidget(total_, 1);
  auto* both = new QSplitter;
  both->setChildrenCollapsible(false);
  both->addWidget(table_);
  both->addWidget(plot_);
  both->setStretchFactor(0, 1);
  both->setStretchFactor(1, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(bar);
  layout->addWidget(both, 1);
  connect(groups_, &QComboBox::currentIndexChanged, this, &EnergyPanel::changed);
  connect(heat_, &QCheckBox::toggled, this, &EnergyPanel::heatChanged);
  connect(plot_, &EnergyPlot::placeChosen, this, &EnergyPanel::placeActivated);
  connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
    const QString place = model_->rowAt(sorted_->mapToSource(index).row()).place;
    if (!place.isEmpty()) emit placeActivated(place);
  });
}

EnergyPlot* EnergyPanel::plot() {
  refresh();
  return plot_;
}

QTableView* EnergyPanel::table() {
  refresh();
  return table_;
}

EnergyGroups EnergyPanel::groups() const {
  return static_cast<EnergyGroups>(groups_->currentData().toInt());
}

bool EnergyPanel::heats() const {
  return heat_->isChecked();
}

void EnergyPanel::setRun(std::shared_ptr<const PointResult> run) {
  if (run_ == run) return;
  run_ = std::move(run);
  changed();
}

void EnergyPanel::changed() {
  outdated_ = true;
  if (isVisible()) refresh();
}

void EnergyPanel::showEvent(QShowEvent* event) {
  refresh();
  QWidget::showEvent(event);
}

void EnergyPanel::setStale(bool stale) {
  plot_->setEnabled(!stale);
  table_->setEnabled(!stale);
  total_->setEnabled(!stale);
}

void EnergyPanel::refresh() {
  if (!std::exchange(outdated_, false)) return;
  const EnergyBreakdown breakdown = run_ ? energyBreakdown(*run_, groups()) : EnergyBreakdown();
  model_->setBreakdown(breakdown);
  table_->resizeColumnsToContents();
  if (!breakdown.empty()) {
    plot_->setBreakdown(breakdown);
    total_->setText(tr("%1 in %2, %3, in %4")
                        .arg(text(quantity(breakdown.rows.front().total(), QStringLiteral("J"))),
                             text(quantity(breakdown.seconds, QStringLiteral("s"))),
                             text(quantity(breakdown.power, QStringLiteral("W"))), breakdown.technology));
  } else {
    const std::optional<Diagnostic> why = run_ ? energyMissing(*run_) : std::nullopt;
    plot_->clear(why ? tr("%1:\n%2").arg(QString::fromStdString(why->cause), QString::fromStdString(why->fix))
                     : tr("No simulation to show."));
    total_->clear();
  }
}

}  // namespace sluice::ui
