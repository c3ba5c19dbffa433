#include "widgets/compare/compare_panel.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/common/document_paths.h"
#include "widgets/common/empty_hint.h"
#include "widgets/common/flow_layout.h"
#include "widgets/common/trust_line.h"
#include "widgets/plots/occupancy_plot.h"
#include "widgets/timeline/time_cursor.h"

namespace sluice::ui {

namespace {

constexpr std::size_t most_samples_drawn = 4096;
constexpr int least_tabs_height = 120;  // px

/// The instance of a stream that was fullest, as a trace.
std::optional<OccupancyTrace> traceOf(const ComparedRun& run, const std::string& origin,
                                      const QString& name) {
  if (!run.point || origin.empty()) return {};
  const FlatGraph& graph = run.point->symbolic.graph;
  const SimulationResult& result = run.point->simulation;
  const TimelineRun shown = timelineOf(run);
  if (run.measured && !shown) return {};
  const auto most = [&](StreamId id) -> std::uint64_t {
    if (!run.measured) return result.streams[id].max_occupancy;
    return shown.timeline->streams()[id].within(0, std::max<Cycles>(shown.timeline->end(), 1)).high;
  };
  std::optional<StreamId> best;
  for (StreamId id = 0; id < std::min(graph.streams.size(), result.occupancy.size()); ++id)
    if (graph.streams[id].origin == origin && (!best || most(id) > most(*best))) best = id;
  if (!best) return {};
  OccupancyTrace trace{name, graph.streams[*best].depth, result.occupancy[*best]};
  if (run.measured) {
    trace.series = shown.timeline->streams()[*best].series();
    if (trace.series.samples.size() < 2) return {};  // it was not measured
    trace.series.decimate(most_samples_drawn);
  }
  if (shown)
    trace.level = [timeline = shown.timeline, id = *best](Cycles cycle) {
      return timeline->occupancyAt(id, cycle);
    };
  return trace;
}

}  // namespace

TimelineRun timelineOf(const ComparedRun& run) {
  if (!run.point) return {};
  const auto& timeline = run.measured ? run.over_time : run.point->simulation.timeline;
  if (!timeline) return {};
  return {std::shared_ptr<const FlatGraph>(run.point, &run.point->symbolic.graph), timeline};
}

ComparePanel::ComparePanel(const QList<QAction*>& commands, QWidget* parent)
    : QWidget(parent),
      cursor_(new TimeCursor(this)),
      overlay_(new OccupancyPlot),
      stream_(new QComboBox),
      bar_(new QHBoxLayout),
      titles_(new QHBoxLayout),
      title_a_(new QLabel),
      title_b_(new QLabel),
      tabs_(new QTabWidget) {
  setObjectName(QStringLiteral("comparePanel"));
  auto* buttons = new FlowLayout;
  for (QAction* command : commands) {
    addAction(command);
    auto* button = new QToolButton;
    button->setDefaultAction(command);
    button->setAutoRaise(true);
    buttons->addWidget(button);
  }
  bar_->setContentsMargins(6, 2, 6, 2);
  bar_->addLayout(buttons);
  bar_->addLayout(titles_, 1);
  for (QLabel* title : {title_a_, title_b_}) {
    title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    title->setWordWrap(true);  // the knob that differs may be the last
    titles_->addWidget(title, 1);
  }
  title_a_->setObjectName(QStringLiteral("titleA"));
  title_b_->setObjectName(QStringLiteral("titleB"));
  tabs_->setObjectName(QStringLiteral("compareTabs"));
  tabs_->setDocumentMode(true);
  tabs_->setMinimumHeight(least_tabs_height);  // what its plots ask for would take the titles' lines
  addTable(CompareModel::Table::Metrics, tr("Figures"));
  addTable(CompareModel::Table::Operators, tr("Operators"));
  addTable(CompareModel::Table::Streams, tr("Streams"));
  addTable(CompareModel::Table::Causes, tr("Lost cycles"));
  addTimelines();
  auto* plot = new QWidget;
  auto* plot_layout = new QVBoxLayout(plot);
  plot_layout->setContentsMargins(0, 0, 0, 0);
  stream_->setObjectName(QStringLiteral("comparedStream"));
  stream_->setAccessibleName(tr("Stream whose FIFO is drawn"));
  plot_layout->addWidget(stream_);
  plot_layout->addWidget(overlay_, 1);
  overlay_->setObjectName(QStringLiteral("compareOverlay"));
  tabs_->addTab(plot, tr("FIFO overlay"));
  addTable(CompareModel::Table::Matches, tr("Matches"));
  connect(stream_, &QComboBox::currentIndexChanged, this,
          [this] { showStream(stream_->currentData().toString()); });
  connect(overlay_, &OccupancyPlot::cycleChosen, cursor_, &TimeCursor::setCycle);
  connect(cursor_, &TimeCursor::cycleChanged, this, [this](qint64 cycle) {
    overlay_->setTime(cycle < 0 ? std::nullopt : std::optional(static_cast<Cycles>(cycle)));
  });
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(bar_);
  layout->addWidget(tabs_, 1);
  setRuns({}, {});
}

void ComparePanel::arrange() {
  constexpr int room_beside = 1000, room_for_two = 600;  // px
  bar_->setDirection(width() < room_beside ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  // The metrics' names go without a unit before the change goes out of sight.
  QTableView* metrics = tables_[static_cast<std::size_t>(CompareModel::Table::Metrics)];
  if (const bool narrow = width() < room_for_two; metrics->isColumnHidden(CompareModel::What) != narrow) {
    metrics->setColumnHidden(CompareModel::What, narrow);
    fitColumns();  // a column that was hidden when the numbers came has not been measured
  }
  for (std::size_t table = 0; table < tables_.size(); ++table) fitName(table);
  titles_->setDirection(width() < room_for_two ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void ComparePanel::fitColumns() {
  for (std::size_t table = 0; table < tables_.size(); ++table) {
    tables_[table]->resizeColumnsToContents();
    name_widths_[table] = tables_[table]->columnWidth(CompareModel::Name);
    fitName(table);
  }
}

/// Numbers stand close to the names that they belong to, and long names push none of them out of sight.
void ComparePanel::fitName(std::size_t table) {
  constexpr int widest_name = 360, narrowest_name = 90;
  QTableView& view = *tables_[table];
  int others = view.verticalScrollBar()->sizeHint().width();
  for (int column = CompareModel::Name + 1; column < view.model()->columnCount(); ++column)
    others += view.columnWidth(column);  // 0 of one that is hidden
  const int most = std::clamp(width() - others, narrowest_name, widest_name);
  view.setColumnWidth(CompareModel::Name, std::min(name_widths_[table], most));
}

void ComparePanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

void ComparePanel::addTable(CompareModel::Table table, const QString& title) {
  auto* model = models_[static_cast<std::size_t>(table)] = new CompareModel(table, this);
  auto* sorted = new QSortFilterProxyModel(this);
  sorted->setSourceModel(model);
  sorted->setSortRole(Qt::UserRole);
  auto* view = tables_[static_cast<std::size_t>(table)] = new QTableView;
  view->setObjectName(QStringLiteral("compareTable%1").arg(static_cast<int>(table)));
  view->setAccessibleName(title);
  view->setModel(sorted);
  view->setSortingEnabled(true);
  sorted->sort(-1);
  view->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  view->verticalHeader()->hide();
  view->verticalHeader()->setDefaultSectionSize(view->fontMetrics().height() + 8);
  view->setShowGrid(false);
  view->setTextElideMode(Qt::ElideMiddle);  // names of a region's parts differ at the end
  view->setAlternatingRowColors(true);
  view->setSelectionBehavior(QAbstractItemView::SelectRows);
  view->setFrameShape(QFrame::NoFrame);
  new EmptyHint(view,
                tr("Pin a run as A, turn a knob or change the program, and pin that run as B: what differs "
                   "stands here."));
  connect(view, &QTableView::activated, this, [this, model, sorted, table](const QModelIndex& index) {
    const QString place = model->placeAt(sorted->mapToSource(index).row());
    if (table == CompareModel::Table::Streams) showStream(place);
    if (!place.isEmpty() && table != CompareModel::Table::Causes) emit placeActivated(place);
  });
  tabs_->addTab(view, title);
}

void ComparePanel::addTimelines() {
  // Beside each other, so that both have many rows; a row is at one height in both.
  auto* both = new QSplitter(Qt::Horizontal);
  both->setHandleWidth(3);
  for (int run = 0; run < 2; ++run) {
    TimelineView* view = views_[static_cast<std::size_t>(run)] = new TimelineView(cursor_);
    view->setObjectName(run == 0 ? QStringLiteral("timelineA") : QStringLiteral("timelineB"));
    QLabel* name = names_[static_cast<std::size_t>(run)] = new QLabel;
    name->setObjectName(run == 0 ? QStringLiteral("timelineNameA") : QStringLiteral("timelineNameB"));
    name->setContentsMargins(6, 4, 2, 0);
    name->setAlignment(Qt::AlignTop);
    auto* row = new QWidget;
    auto* row_layout = new QHBoxLayout(row);
    row_layout->setContentsMargins(0, 0, 0, 0);
    row_layout->addWidget(name);
    row_layout->addWidget(view, 1);
    both->addWidget(row);
  }
  linkRanges();
  tabs_->addTab(both, tr("Side by side"));
}

void ComparePanel::linkRanges() {
  for (std::size_t run = 0; run < 2; ++run) {
    TimelineView* one = views_[run];
    TimelineView* other = views_[1 - run];
    connect(one, &TimelineView::rangeChanged, other, [one, other] {
      const QSignalBlocker quiet(other);
      other->setRange(one->range());
    });
    connect(one->verticalScrollBar(), &QScrollBar::valueChanged, this, [this, other](int value) {
      if (scrolling_) return;  // a shorter list may not follow to the end
      scrolling_ = true;
      other->verticalScrollBar()->setValue(value);
      scrolling_ = false;
    });
    connect(one, &TimelineView::folded, other, &TimelineView::fold);
  }
}

QString ComparePanel::nameOf(int run) const {
  if (runs_[1].measured) return run == 0 ? tr("Model") : tr("Measured");
  return run == 0 ? QStringLiteral("A") : QStringLiteral("B");
}

void ComparePanel::setRuns(const ComparedRun& a, const ComparedRun& b) {
  runs_ = {a, b};
  const std::array<QLabel*, 2> titles{title_a_, title_b_};
  for (int number = 0; number < 2; ++number) {
    const auto at = static_cast<std::size_t>(number);
    const QString name = QStringLiteral("<b>%1</b>").arg(nameOf(number));
    titles[at]->setText(name + QStringLiteral("  ") +
                        (runs_[at].point ? runs_[at].title.toHtmlEscaped()
                                         : tr("not chosen: turn a knob, then pin that run")));
    setTrust(*views_[at], runs_[at].trust);
    const QString trust = trustLine(*views_[at]);
    titles[at]->setToolTip(trust.isEmpty() ? runs_[at].title
                                           : runs_[at].title + QStringLiteral("\n") + trust);
    names_[at]->setText(name);
    views_[at]->setAccessibleName(tr("Timeline of run %1").arg(nameOf(number)));
  }
  // One order of rows for both: by what the operators do in the two together.
  BusyCycles busy = busyCycles(timelineOf(a));
  const BusyCycles of_b = busyCycles(timelineOf(b));
  for (auto each = of_b.begin(); each != of_b.end(); ++each) busy[each.key()] += each.value();
  qint64 end = 0;
  for (std::size_t run = 0; run < 2; ++run) {
    const QString notice = runs_[run].measured ? tr("The measured run was not recorded over time.")
                           : run == 0          ? tr("Pin run A first.")
                                               : tr("Pin run B first.");
    views_[run]->setRun(timelineOf(runs_[run]), notice, busy);
    if (const TimelineRun& shown = views_[run]->run())
      end = std::max(end, static_cast<qint64>(shown.timeline->end()));
  }
  for (TimelineView* view : views_) view->setExtent(static_cast<Cycles>(end));
  cursor_->setEnd(end);
  setComparison(nullptr);
}

void ComparePanel::setComparison(std::shared_ptr<const Comparison> comparison) {
  comparison_ = std::move(comparison);
  for (CompareModel* model : models_) model->setComparison(comparison_ ? *comparison_ : Comparison());
  fitColumns();
  tabs_->setTabVisible(tabs_->count() - 1, comparison_ && comparison_->measured);
  const QSignalBlocker quiet(stream_);
  const QString before = stream_->currentText();
  stream_->clear();
  if (comparison_) {
    for (const ComparedStream& stream : comparison_->streams)
      stream_->addItem(QString::fromStdString(shortStreamName(stream.name)),
                       QString::fromStdString(stream.origin_b.empty() ? stream.origin_a : stream.origin_b));
  }
  stream_->setCurrentIndex(std::max(0, stream_->findText(before)));
  showStream(stream_->currentData().toString());
}

void ComparePanel::showStream(const QString& origin) {
  std::vector<OccupancyTrace> traces;
  QString title;
  if (comparison_) {
    for (const ComparedStream& stream : comparison_->streams) {
      const std::string wanted = stream.origin_b.empty() ? stream.origin_a : stream.origin_b;
      if (QString::fromStdString(wanted) != origin) continue;
      title = QString::fromStdString(shortStreamName(stream.name));
      if (auto trace = traceOf(runs_[0], stream.origin_a, nameOf(0))) traces.push_back(*trace);
      if (auto trace = traceOf(runs_[1], stream.origin_b, nameOf(1))) traces.push_back(*trace);
      break;
    }
  }
  if (traces.empty()) return overlay_->clear(tr("Pin two runs, and choose a stream."));
  overlay_->setTraces(std::move(traces), static_cast<Cycles>(cursor_->end()), title);
}

void ComparePanel::flip(int run) {
  flipped_ = run;
  for (int each = 0; each < 2; ++each) {
    TimelineView* view = views_[static_cast<std::size_t>(each)];
    for (QWidget* part : {static_cast<QWidget*>(view), view->parentWidget()})
      part->setVisible(run < 0 || run == each);
  }
  QFont plain = font(), bold = font();
  bold.setUnderline(true);
  title_a_->setFont(run == 0 ? bold : plain);
  title_b_->setFont(run == 1 ? bold : plain);
}

}  // namespace sluice::ui
