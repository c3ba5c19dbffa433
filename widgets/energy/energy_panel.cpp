#include "widgets/energy/energy_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTabBar>
#include <QTableView>
#include <QVBoxLayout>

#include "engine/energy/technology.h"
#include "widgets/common/diagnostic_text.h"
#include "widgets/common/plain_table.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/energy/energy_model.h"
#include "widgets/energy/energy_plot.h"

namespace sluice::ui {
namespace {

constexpr int room_for_both = 620;  // px

}  // namespace

EnergyPanel::EnergyPanel(QWidget* parent)
    : QWidget(parent),
      groups_(new QComboBox),
      technology_(new QComboBox),
      heat_(new QCheckBox(tr("On the &canvas"))),
      total_(new QLabel),
      bar_(new QHBoxLayout),
      parts_(new QTabBar),
      plot_(new EnergyPlot),
      model_(new EnergyModel(this)),
      sorted_(new QSortFilterProxyModel(this)),
      table_(new QTableView) {
  setObjectName(QStringLiteral("energyPanel"));
  build();
  connect(groups_, &QComboBox::currentIndexChanged, this, &EnergyPanel::changed);
  connect(heat_, &QCheckBox::toggled, this, &EnergyPanel::heatChanged);
  connect(technology_, &QComboBox::activated, this,
          [this] { emit technologyChosen(technology_->currentData().toString()); });
  connect(parts_, &QTabBar::currentChanged, this, &EnergyPanel::arrange);
  connect(plot_, &EnergyPlot::placeChosen, this, &EnergyPanel::placeActivated);
  connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
    const QString place = model_->rowAt(sorted_->mapToSource(index).row()).place;
    if (!place.isEmpty()) emit placeActivated(place);
  });
}

void EnergyPanel::build() {
  groups_->setObjectName(QStringLiteral("energyGroups"));
  groups_->setAccessibleName(tr("What the energy is told"));
  groups_->addItem(tr("By operator"), static_cast<int>(EnergyGroups::Operators));
  groups_->addItem(tr("By region"), static_cast<int>(EnergyGroups::Regions));
  technology_->setObjectName(QStringLiteral("energyTechnology"));
  technology_->setAccessibleName(tr("Technology"));
  technology_->setToolTip(tr("What actions cost"));
  technology_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  technology_->setMinimumContentsLength(9);
  technology_->addItem(tr("No technology"), QString());
  for (const std::string& name : builtinTechnologies()) technology_->addItem(qt(name), qt(name));
  heat_->setObjectName(QStringLiteral("energyHeat"));
  heat_->setAccessibleName(tr("Show on the canvas what each operator costs"));
  heat_->setToolTip(tr("Show on the canvas what each operator costs, while this view shows"));
  heat_->setChecked(true);
  total_->setObjectName(QStringLiteral("energyTotal"));
  total_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  total_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  total_->setWordWrap(true);
  sorted_->setSourceModel(model_);
  sorted_->setSortRole(EnergyModel::sort_role);
  table_->setObjectName(QStringLiteral("energyTable"));
  table_->setAccessibleName(tr("Energy by operator or region"));
  table_->setModel(sorted_);
  table_->setSortingEnabled(true);
  table_->sortByColumn(-1, Qt::AscendingOrder);
  makePlain(*table_);
  parts_->setObjectName(QStringLiteral("energyParts"));
  parts_->setAccessibleName(tr("How the energy is shown"));
  parts_->setDrawBase(false);
  for (const QString& part : {tr("Bars"), tr("Table")}) parts_->addTab(part);
  auto* controls = new QHBoxLayout;
  controls->addWidget(groups_);
  controls->addWidget(heat_);
  controls->addWidget(parts_);
  controls->addStretch(1);
  bar_->setContentsMargins(6, 2, 6, 2);
  bar_->addLayout(controls);
  auto* priced = new QHBoxLayout;
  priced->addWidget(technology_);
  priced->addWidget(total_, 1);
  bar_->addLayout(priced, 1);
  auto* both = new QSplitter;
  both->setChildrenCollapsible(false);
  both->addWidget(table_);
  both->addWidget(plot_);
  both->setStretchFactor(0, 1);
  both->setStretchFactor(1, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(bar_);
  layout->addWidget(both, 1);
}

void EnergyPanel::arrange() {
  const bool both = width() >= room_for_both;
  bar_->setDirection(both ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  parts_->setVisible(!both);
  plot_->setVisible(both || parts_->currentIndex() == 0);
  table_->setVisible(both || parts_->currentIndex() == 1);
}

void EnergyPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

void EnergyPanel::setElsewhere(double energy) {
  if (std::exchange(elsewhere_, energy) != energy) changed();
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

void EnergyPanel::setTechnology(const QString& name) {
  if (technology_->findData(name) < 0) technology_->addItem(name, name);
  technology_->setCurrentIndex(technology_->findData(name));
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
    QString total = tr("%1 in %2, %3, in %4")
                        .arg(text(quantity(breakdown.rows.front().total(), QStringLiteral("J"))),
                             text(quantity(breakdown.seconds, QStringLiteral("s"))),
                             text(quantity(breakdown.power, QStringLiteral("W"))), breakdown.technology);
    if (elsewhere_ > 0)
      total += tr("; %1 of it is of operators that are not in the program on the canvas")
                   .arg(text(quantity(elsewhere_, QStringLiteral("J"))));
    total_->setText(total);
  } else {
    const std::optional<Diagnostic> why = run_ ? energyMissing(*run_) : std::nullopt;
    plot_->clear(
        why && why->code == "missing-technology" ? tr("Nothing has a price yet: choose a technology above.")
        : why ? tr("%1:\n%2").arg(QString::fromStdString(why->cause), QString::fromStdString(why->fix))
              : tr("No simulation to show."));
    total_->clear();
  }
}

}  // namespace sluice::ui
