#include "app/window/designs/designs_panel.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTabBar>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>

#include "app/window/designs/lineage_tree.h"
#include "app/window/shell/named.h"
#include "engine/designer/design_report.h"
#include "engine/designer/request.h"
#include "engine/explorer/pareto.h"
#include "widgets/common/plain_table.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/export/found_designs.h"
#include "widgets/plots/pareto_chart.h"
#include "widgets/points/points_model.h"

namespace sluice::ui {
namespace {

constexpr int room_for_all = 720;  // px: a chart beside tables whose numbers are whole

/// "1.08"; a dash where nothing is proved.
QString gapText(const Design& design, const MetricSpec& metric) {
  for (const BoundGap& gap : design.gaps)
    if (gap.metric == &metric && gap.bound > 0) return QString::number(gap.ratio, 'f', 2);
  return QStringLiteral("\u2013");
}

}  // namespace

DesignsPanel::DesignsPanel(QWidget* parent)
    : QWidget(parent),
      content_(new QWidget),
      parts_(new QTabBar),
      lists_(nullptr),
      hint_(new QLabel(tr("No designs yet. Run > Find Designs\u2026 looks for schedules of the program."))),
      outdated_note_(
          new QLabel(tr("\u26a0 The program has changed since: these designs are of an older one."))),
      points_(new PointsModel(this)),
      chart_(new ParetoChart(points_)),
      log_{new QCheckBox(tr("log x")), new QCheckBox(tr("log y"))},
      plot_(new QWidget),
      table_(new QTableWidget),
      lineage_(new LineageTree),
      proof_(new QLabel),
      check_(new QPushButton),
      take_(new QPushButton(tr("Ta&ke"))),
      pins_{new QPushButton(tr("Pin as A")), new QPushButton(tr("Pin as B"))} {
  setObjectName(QStringLiteral("designsPanel"));
  build();
  connect(table_, &QTableWidget::currentCellChanged, this, [this](int row) {
    if (!filling_ && row >= 0) select(static_cast<int>(frontier_[static_cast<std::size_t>(row)]));
  });
  connect(table_, &QTableWidget::cellActivated, this, [this] { take_->click(); });
  connect(chart_->selection(), &PointSelection::selectionChanged, this, &DesignsPanel::showSelected);
  connect(chart_, &ParetoChart::pointActivated, take_, &QPushButton::click);
  connect(take_, &QPushButton::clicked, this, [this] { emit taken(selected()); });
  for (int run = 0; run < 2; ++run)
    connect(pins_[static_cast<std::size_t>(run)], &QPushButton::clicked, this,
            [this, run] { emit pinned(selected(), run); });
  connect(check_, &QPushButton::clicked, this, &DesignsPanel::checkClicked);
  connect(lineage_, &QTreeWidget::itemActivated, this, [this](const QTreeWidgetItem* item) {
    const QVariant rival = item->data(0, Qt::UserRole);
    if (rival.isValid()) select(rival.toInt());
  });
  begin({}, {}, {});
}

void DesignsPanel::build() {
  named(hint_, "designsHint", tr("What the panel shows"))->setWordWrap(true);
  named(outdated_note_, "designsOutdated", tr("Whether the designs are of an older program"));
  hint_->setContentsMargins(12, 10, 12, 4);
  hint_->setEnabled(false);
  outdated_note_->setWordWrap(true);
  named(chart_, "designsChart", tr("Designs by the two objectives"));
  named(log_[0], "designsLogX", tr("Logarithmic horizontal axis"));
  named(log_[1], "designsLogY", tr("Logarithmic vertical axis"));
  named(table_, "designsFrontier", tr("Designs on the frontier"));
  makePlain(*table_);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setTabKeyNavigation(false);
  table_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  named(lineage_, "designsLineage", tr("Steps that lead to the design"));
  named(proof_, "designsProof", tr("Whether the design gives the same tensors as the plain program"));
  proof_->setWordWrap(true);
  proof_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  named(check_, "designsCheck", tr("Check the design, or stop checking it"));
  named(take_, "designsTake", tr("Take the design"));
  take_->setToolTip(
      tr("Make the design's steps the schedule of the program, and the knobs' values at which it was found "
         "their defaults (Return)"));
  const char* const names[] = {"designsPinA", "designsPinB"};
  const QString told[] = {tr("Keep the design's run as A, to compare"),
                          tr("Keep the design's run as B, and compare")};
  for (std::size_t run = 0; run < pins_.size(); ++run)
    named(pins_[run], names[run], told[run])->setToolTip(told[run]);
  auto* inside = new QVBoxLayout(content_);
  inside->setContentsMargins(0, 0, 0, 0);
  inside->setSpacing(0);
  buildParts(*inside);
  inside->addLayout(foot());
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(hint_, 0, Qt::AlignTop);
  layout->addWidget(content_, 1);
}

void DesignsPanel::buildParts(QVBoxLayout& inside) {
  named(parts_, "designsParts", tr("What of the designs is shown"));
  for (const QString& part : {tr("Chart"), tr("Frontier"), tr("Steps")}) parts_->addTab(part);
  parts_->setDrawBase(false);
  connect(parts_, &QTabBar::currentChanged, this, [this] {
    arrange();
    if (!parts_->hasFocus()) setFocus();  // it was clicked
  });
  auto* lists = new QSplitter(Qt::Vertical);
  lists->addWidget(table_);
  lists->addWidget(lineage_);
  lists_ = lists;
  auto* sides = new QSplitter;
  sides->addWidget(chartPart());
  sides->addWidget(lists);
  sides->setSizes({1000, 1000});  // shares of what there is
  inside.addWidget(parts_);
  inside.addWidget(sides, 1);
}

QWidget* DesignsPanel::chartPart() {
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 3, 8, 0);
  row->addStretch(1);
  for (QCheckBox* box : log_) {
    row->addWidget(box);
    connect(box, &QCheckBox::toggled, this,
            [this] { chart_->setLogarithmic(log_[0]->isChecked(), log_[1]->isChecked()); });
  }
  auto* column = new QVBoxLayout(plot_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(row);
  column->addWidget(chart_, 1);
  return plot_;
}

/// Side by side, or one at a time.
void DesignsPanel::arrange() {
  const bool all = width() >= room_for_all;
  const int part = parts_->currentIndex();
  parts_->setVisible(!all);
  plot_->setVisible(all || part == 0);
  lists_->setVisible(all || part != 0);
  table_->setVisible(all || part == 1);
  lineage_->setVisible(all || part == 2);
  const std::array<QWidget*, 3> parts{chart_, table_, lineage_};
  setFocusProxy(all ? table_ : parts.at(static_cast<std::size_t>(part)));
}

void DesignsPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

/// What there is to say, beside what can be done.
QVBoxLayout* DesignsPanel::foot() {
  auto* row = new QHBoxLayout;
  row->addWidget(proof_, 1);
  for (QPushButton* button : {check_, pins_[0], pins_[1], take_}) row->addWidget(button);
  auto* column = new QVBoxLayout;
  column->setContentsMargins(6, 3, 6, 3);
  column->setSpacing(3);
  column->addWidget(outdated_note_);
  column->addLayout(row);
  return column;
}

void DesignsPanel::begin(std::shared_ptr<const Workload> searched, const KnobValues& knobs,
                         const DesignRequest& request) {
  searched_ = std::move(searched);
  knobs_ = knobs;
  request_ = request;
  objectives_.clear();
  for (const std::string& name : request_.objectives)
    if (const MetricSpec* metric = findMetric(name)) objectives_.push_back(metric);
  designs_.clear();
  frontier_.clear();
  bounds_ = {};
  points_->clear();
  chart_->setBounds({}, {});
  points_->setTrust([this](std::size_t row) { return designTrust(*searched_, request_, designs_[row]); });
  points_->setKnobNames(searched_ ? knobNames(searched_->document.knobs) : KnobNames());
  chart_->selection()->select({});
  if (request_.objectives.size() >= 2)
    chart_->setMetrics(qt(request_.objectives[0]), qt(request_.objectives[1]));
  hint_->setVisible(!searched_);
  content_->setVisible(searched_ != nullptr);
  setOutdated(false);
  showFrontier();
  showProof(Proof::None, nullptr);
}

void DesignsPanel::append(std::vector<Design> designs) {
  std::vector<DesignPoint> points;
  for (Design& design : designs) {
    points.push_back(design.point);
    hideBounds(points.back());
    designs_.push_back(std::move(design));
  }
  points_->append(points);
  updateFrontier();
  showFrontier();
  showLineage();
}

/// As far as something is proved.
void DesignsPanel::showBounds(const ProgramBounds& bounds) {
  bounds_ = provedBounds(bounds, request_.objectives);
  chart_->setBounds(bounds_[0], bounds_[1]);
}

void DesignsPanel::finish(const DesignResult& result) {
  showBounds(result.bounds);
  frontier_ = result.frontier;
  showFrontier();
  if (selected() < 0 && !frontier_.empty()) select(static_cast<int>(frontier_.front()));
  showLineage();
}

/// As the search has it, of what has come so far.
void DesignsPanel::updateFrontier() {
  std::vector<double> values;
  for (const Design& design : designs_) {
    const bool counts = isEvaluated(design) && fulfils(design.point, request_.constraints);
    for (const MetricSpec* each : objectives_)
      values.push_back(counts ? each->minimised(sluice::metric(design.point, *each)) : std::nan(""));
  }
  frontier_ = paretoFrontier(values, objectives_.size());
}

/// All columns have room at once: what is too long for its column is elided.
void DesignsPanel::setTableTitles() {
  QStringList titles, tips;
  for (const MetricSpec* each : objectives_) {
    const QString whole = metricTitle(qt(each->name));
    titles << metricShortTitle(qt(each->name)) << tr("\u00D7 bound");
    tips << whole << tr("How many times what no schedule of the program can beat in: %1").arg(whole);
  }
  titles << tr("Steps");
  tips << tr("Steps of the schedule");
  table_->setColumnCount(static_cast<int>(titles.size()));
  table_->setHorizontalHeaderLabels(titles);
  for (int column = 0; column < table_->columnCount(); ++column) {
    const bool last = column + 1 == table_->columnCount();
    table_->horizontalHeaderItem(column)->setToolTip(tips[column]);
    table_->horizontalHeader()->setSectionResizeMode(
        column, last ? QHeaderView::Stretch : QHeaderView::ResizeToContents);
  }
}

void DesignsPanel::showFrontier() {
  filling_ = true;
  setTableTitles();
  table_->setRowCount(static_cast<int>(frontier_.size()));
  for (int row = 0; row < table_->rowCount(); ++row) {
    const Design& design = designs_[frontier_[static_cast<std::size_t>(row)]];
    QStringList cells;
    for (const MetricSpec* each : objectives_)
      cells << metricText(design.point, *each) << gapText(design, *each);
    cells << QString::number(design.schedule.size());
    const QString trust = tr("Trust in cycles: %1").arg(qt(text(designTrust(*searched_, request_, design))));
    for (int column = 0; column < table_->columnCount(); ++column) {
      auto* item = new QTableWidgetItem(cells[column]);
      item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      item->setToolTip(cells[column] + QStringLiteral("\n") + trust);
      table_->setItem(row, column, item);
    }
  }
  filling_ = false;
  showSelected();
}

void DesignsPanel::select(int design) {
  chart_->selection()->select(design < 0 ? std::vector<int>() : std::vector<int>{design});
}

int DesignsPanel::selected() const {
  const std::vector<int>& chosen = chart_->selection()->selected();
  const bool one = chosen.size() == 1 && static_cast<std::size_t>(chosen.front()) < designs_.size();
  return one ? chosen.front() : -1;
}

/// The row follows what is selected in the chart, where the frontier has it.
void DesignsPanel::showSelected() {
  const auto found = std::ranges::find(frontier_, static_cast<std::size_t>(std::max(selected(), 0)));
  const bool listed = selected() >= 0 && found != frontier_.end();
  filling_ = true;
  if (listed)
    table_->setCurrentCell(static_cast<int>(found - frontier_.begin()), std::max(0, table_->currentColumn()));
  else
    table_->setCurrentItem(nullptr);
  filling_ = false;
  showLineage();
  emit chosen();
}

void DesignsPanel::showLineage() {
  updateButtons();
  if (selected() < 0 || !searched_) return lineage_->showNothing(objectives_);
  const auto design = static_cast<std::size_t>(selected());
  const bool told = report_ && report_->design == design;
  lineage_->showDesign({&searched_->document, &knobs_, &objectives_, &designs_}, design,
                       told ? &*report_ : nullptr);
}

void DesignsPanel::showProof(Proof proof, const DesignReport* report) {
  report_ = report ? std::optional(*report) : std::nullopt;
  const bool other = report && report->sameness.verdict != Sameness::Verdict::Same;
  QString told;
  switch (proof) {
    case Proof::None:
      break;
    case Proof::NotSimulated:
      told = tr("Not simulated, and so not checked");
      break;
    case Proof::Running:
      told = tr("Checking that it gives the same tensors\u2026");
      break;
    case Proof::Stopped:
      told = tr("Not checked whether it gives the same tensors: stopped");
      break;
    case Proof::Known:
      told = report ? qt(samenessText(report->sameness)) : QString();
      if (!told.isEmpty()) told[0] = told[0].toUpper();
      if (other) told.prepend(QStringLiteral("\u26a0 "));
      break;
  }
  proof_->setText(told);
  proof_->setToolTip(told);
  check_->setVisible(proof == Proof::Running || proof == Proof::Stopped);
  check_->setText(proof == Proof::Running ? tr("St&op") : tr("&Check"));
  check_->setToolTip(proof == Proof::Running
                         ? tr("Stop checking the design")
                         : tr("Check that the design gives the tensors of the plain program"));
  showLineage();
}

void DesignsPanel::setOutdated(bool outdated) {
  outdated_ = outdated;
  outdated_note_->setVisible(outdated);
  updateButtons();
}

void DesignsPanel::updateButtons() {
  for (QPushButton* button : {take_, pins_[0], pins_[1]}) button->setEnabled(selected() >= 0 && !outdated_);
}

}  // namespace sluice::ui
