#include "app/window/designs/designs_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTableWidget>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/window/edit/step_text.h"
#include "app/window/shell/named.h"
#include "engine/designer/request.h"
#include "engine/explorer/pareto.h"
#include "widgets/common/plain_table.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/plots/pareto_chart.h"
#include "widgets/points/points_model.h"

namespace sluice::ui {
namespace {

constexpr QColor bound_colour(128, 128, 128);  // to be seen on light and dark ground

/// A run has told its metrics.
bool isEvaluated(const Design& design) {
  return design.point.level != Level::Symbolic && measured(design.point);
}

/// "1.08"; a dash where nothing is proved.
QString gapText(const Design& design, const MetricSpec& metric) {
  for (const BoundGap& gap : design.gaps)
    if (gap.metric == &metric && gap.bound > 0) return QString::number(gap.ratio, 'f', 2);
  return QStringLiteral("\u2013");
}

/// "2.8 M cycles", with its change over `before` in brackets.
QString changedText(const Design& design, const Design* before, const MetricSpec& metric) {
  const QString now = metricText(design.point, metric);
  if (!before) return now;
  const double was = sluice::metric(before->point, metric), is = sluice::metric(design.point, metric);
  if (std::isnan(was) || std::isnan(is) || was == 0) return now;
  return is == was ? QObject::tr("%1 (the same)").arg(now)
                   : QStringLiteral("%1 (%2)").arg(now, percentChange((is - was) / std::abs(was)));
}

}  // namespace

DesignsPanel::DesignsPanel(QWidget* parent)
    : QWidget(parent),
      content_(new QWidget),
      hint_(new QLabel(tr("No designs yet. Run > Find Designs\u2026 looks for schedules of the program."))),
      outdated_note_(
          new QLabel(tr("\u26a0 The program has changed since: these designs are of an older one."))),
      points_(new PointsModel(this)),
      chart_(new ParetoChart(points_)),
      table_(new QTableWidget),
      lineage_(new QTreeWidget),
      take_(new QPushButton(tr("&Take"))) {
  setObjectName(QStringLiteral("designsPanel"));
  setFocusProxy(table_);
  build();
  connect(table_, &QTableWidget::currentCellChanged, this, [this](int row) {
    if (!filling_ && row >= 0) select(static_cast<int>(frontier_[static_cast<std::size_t>(row)]));
  });
  connect(table_, &QTableWidget::cellActivated, this, [this] { take_->click(); });
  connect(chart_->selection(), &PointSelection::selectionChanged, this, &DesignsPanel::showSelected);
  connect(chart_, &ParetoChart::pointActivated, this, [this](int design) {
    select(design);
    take_->click();
  });
  connect(take_, &QPushButton::clicked, this, [this] { emit taken(selected()); });
  begin({}, {}, {});
}

void DesignsPanel::build() {
  named(hint_, "designsHint", tr("What the panel shows"))->setWordWrap(true);
  named(outdated_note_, "designsOutdated", tr("Whether the designs are of an older program"));
  hint_->setContentsMargins(12, 10, 12, 4);
  hint_->setEnabled(false);
  outdated_note_->setWordWrap(true);
  named(chart_, "designsChart", tr("Designs by the two objectives"));
  named(table_, "designsFrontier", tr("Designs on the frontier"));
  makePlain(*table_);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setTabKeyNavigation(false);
  named(lineage_, "designsLineage", tr("Steps that lead to the design"));
  lineage_->setRootIsDecorated(false);
  lineage_->setFrameShape(QFrame::NoFrame);
  lineage_->setAlternatingRowColors(true);
  named(take_, "designsTake", tr("Take the design"));
  take_->setToolTip(tr("Make the design's steps the schedule of the program (Return)"));
  auto* below = new QHBoxLayout;
  below->setContentsMargins(6, 3, 6, 3);
  below->addWidget(outdated_note_, 1);
  below->addStretch();
  below->addWidget(take_);
  auto* lists = new QSplitter(Qt::Vertical);
  lists->addWidget(table_);
  lists->addWidget(lineage_);
  auto* right = new QWidget;
  auto* column = new QVBoxLayout(right);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(lists, 1);
  column->addLayout(below);
  auto* sides = new QSplitter;
  sides->addWidget(chart_);
  sides->addWidget(right);
  sides->setSizes({1000, 1000});  // shares of what there is
  auto* inside = new QVBoxLayout(content_);
  inside->setContentsMargins(0, 0, 0, 0);
  inside->addWidget(sides);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(hint_, 0, Qt::AlignTop);
  layout->addWidget(content_, 1);
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
  points_->clear();
  showBounds({});
  points_->setKnobNames(searched_ ? knobNames(searched_->document.knobs) : KnobNames());
  chart_->selection()->select({});
  if (request_.objectives.size() >= 2)
    chart_->setMetrics(qt(request_.objectives[0]), qt(request_.objectives[1]));
  hint_->setVisible(!searched_);
  content_->setVisible(searched_ != nullptr);
  setOutdated(false);
  showFrontier();
  showLineage();
}

void DesignsPanel::append(std::vector<Design> designs) {
  std::vector<DesignPoint> points;
  for (Design& design : designs) {
    points.push_back(design.point);
    // Bounds beside what was measured would look like designs that are better.
    if (design.point.level == Level::Symbolic && measured(design.point))
      points.back().state = PointState::Cancelled;
    designs_.push_back(std::move(design));
  }
  points_->append(points);
  updateFrontier();
  showFrontier();
  showLineage();
}

/// Dashed lines that no schedule gets beyond, as far as something is proved.
void DesignsPanel::showBounds(const ProgramBounds& bounds) {
  for (QCPItemStraightLine* line : bounds_) chart_->removeItem(line);
  bounds_.clear();
  for (std::size_t k = 0; k < std::min<std::size_t>(2, objectives_.size()); ++k) {
    const auto at = static_cast<double>(boundOf(bounds, objectives_[k]->name).value_or(0));
    if (at <= 0) continue;
    auto* line = new QCPItemStraightLine(chart_);
    line->setPen(QPen(bound_colour, 1, Qt::DashLine));
    line->setSelectable(false);
    line->point1->setCoords(k == 0 ? at : 0, k == 0 ? 0 : at);
    line->point2->setCoords(k == 0 ? at : 1, k == 0 ? 1 : at);
    bounds_.push_back(line);
  }
  chart_->replotLater();
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

void DesignsPanel::showFrontier() {
  filling_ = true;
  QStringList titles;
  for (const MetricSpec* each : objectives_) titles << metricTitle(qt(each->name)) << tr("\u00D7 Bound");
  titles << tr("Steps");
  table_->setColumnCount(static_cast<int>(titles.size()));
  table_->setHorizontalHeaderLabels(titles);
  table_->setRowCount(static_cast<int>(frontier_.size()));
  for (int row = 0; row < table_->rowCount(); ++row) {
    const Design& design = designs_[frontier_[static_cast<std::size_t>(row)]];
    QStringList cells;
    for (const MetricSpec* each : objectives_)
      cells << metricText(design.point, *each) << gapText(design, *each);
    cells << QString::number(design.schedule.size());
    for (int column = 0; column < table_->columnCount(); ++column) {
      auto* item = new QTableWidgetItem(cells[column]);
      item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      table_->setItem(row, column, item);
    }
  }
  table_->resizeColumnsToContents();
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
}

/// The design that has the first steps of another as its whole schedule, if a run has told its metrics.
const Design* DesignsPanel::evaluated(std::size_t steps, const Design& of) const {
  const auto is_prefix = [&](const Design& design) {
    return design.schedule.size() == steps && isEvaluated(design) &&
           std::equal(design.schedule.begin(), design.schedule.end(), of.schedule.begin());
  };
  const auto found = std::ranges::find_if(designs_, is_prefix);
  return found == designs_.end() ? nullptr : &*found;
}

void DesignsPanel::addStage(const QString& text, const Design* design, const Design* before) {
  QStringList cells = {text};
  for (const MetricSpec* each : objectives_)
    cells << (design ? changedText(*design, before, *each) : QStringLiteral("\u2013"));
  auto* item = new QTreeWidgetItem(lineage_, cells);
  item->setToolTip(0, text);
}

void DesignsPanel::showLineage() {
  lineage_->clear();
  QStringList titles = {tr("Step")};
  for (const MetricSpec* each : objectives_) titles << metricTitle(qt(each->name));
  lineage_->setColumnCount(static_cast<int>(titles.size()));
  lineage_->setHeaderLabels(titles);
  updateButton();
  if (selected() < 0 || !searched_) return;
  const Design& chosen = designs_[static_cast<std::size_t>(selected())];
  const std::size_t kept = std::min(searched_->document.schedule.size(), chosen.schedule.size());
  const Design* last = evaluated(kept, chosen);
  addStage(kept == 0 ? tr("The program as it is")
                     : tr("The program as it is, with its %n step(s)", "", static_cast<int>(kept)),
           last, nullptr);
  for (std::size_t step = kept; step < chosen.schedule.size(); ++step) {
    const bool whole = step + 1 == chosen.schedule.size();
    const Design* made = whole && isEvaluated(chosen) ? &chosen : evaluated(step + 1, chosen);
    const ScheduleStep& told = chosen.schedule[step];
    const QString arguments = stepArguments(told, searched_->document, knobs_);
    const QString title = QStringLiteral("%1. %2").arg(step + 1).arg(stepTitle(told));
    addStage(arguments.isEmpty() ? title : QStringLiteral("%1 (%2)").arg(title, arguments), made, last);
    if (made) last = made;
  }
  for (int column = 0; column < lineage_->columnCount(); ++column) lineage_->resizeColumnToContents(column);
}

void DesignsPanel::setOutdated(bool outdated) {
  outdated_ = outdated;
  outdated_note_->setVisible(outdated);
  updateButton();
}

void DesignsPanel::updateButton() {
  take_->setEnabled(selected() >= 0 && !outdated_);
}

}  // namespace sluice::ui
