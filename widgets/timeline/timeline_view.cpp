#include "widgets/timeline/timeline_view.h"

#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "engine/core/csv.h"
#include "engine/program/stream_id.h"
#include "widgets/plots/plot_theme.h"
#include "widgets/timeline/state_look.h"
#include "widgets/timeline/time_cursor.h"

namespace sluice::ui {

BusyCycles busyCycles(const TimelineRun& run) {
  BusyCycles busy;
  for (OperatorId id = 0; run && id < run.graph->operators.size(); ++id) {
    const StateCycles spent = run.timeline->statesWithin(id, 0, run.timeline->end());
    Cycles at_work = 0;
    for (const ProcessState state : {ProcessState::Running, ProcessState::Memory, ProcessState::Unit})
      at_work += spent[static_cast<std::size_t>(state)];
    busy[QString::fromStdString(run.graph->operators[id].name)] = static_cast<double>(at_work);
  }
  return busy;
}

TimelineView::TimelineView(TimeCursor* cursor, QWidget* parent)
    : QAbstractScrollArea(parent), cursor_(cursor) {
  setObjectName(QStringLiteral("timelineView"));
  setAccessibleName(tr("Timeline of operators and streams"));
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(240, 120);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
  viewport()->setMouseTracking(true);
  connect(cursor_, &TimeCursor::cycleChanged, this, [this](qint64 cycle) {
    // While it plays, what it plays must show.
    const auto at = static_cast<double>(cycle);
    if (cursor_->isPlaying() && (at < range_.from || at > range_.to)) setRange({at, at + range_.length()});
    viewport()->update();
  });
  connect(horizontalScrollBar(), &QScrollBar::valueChanged, this, [this](int value) {
    if (!run_) return;
    const double from = whole() * value / 100000.0;
    if (std::abs(from - range_.from) > whole() / 100000.0) setRange({from, from + range_.length()});
  });
  rowsChanged();
}

bool TimelineView::dark() const {
  return isDark(palette());
}

int TimelineView::tracksWidth() const {
  return std::max(1, viewport()->width() - name_width_);
}

void TimelineView::setRun(TimelineRun run, const QString& notice, const BusyCycles& busy) {
  const bool same = run && run_ && run.timeline->end() == run_.timeline->end();
  run_ = std::move(run);
  notice_ = notice;
  intervals_.clear();
  if (run_) {
    rows_.setGraph(*run_.graph, busy.isEmpty() ? busyCycles(run_) : busy);
    if (!same || fitted_) range_ = {0, whole()};
    if (!same) fitted_ = true;
  } else {
    rows_.clear();
  }
  rowsChanged();
}

double TimelineView::whole() const {
  return static_cast<double>(std::max<Cycles>({1, extent_, run_ ? run_.timeline->end() : 0}));
}

void TimelineView::setExtent(Cycles cycles) {
  extent_ = cycles;
  setRange(fitted_ ? TimeRange{0, whole()} : range_);
  updateScrollBars();
}

void TimelineView::setStale(bool stale) {
  stale_ = stale;
  viewport()->update();
}

void TimelineView::rowsChanged() {
  tops_.assign(1, 0);
  for (const TimelineRow& row : rows_.shown())
    tops_.push_back(tops_.back() + (row.kind == TimelineRow::Kind::Stream ? stream_height : process_height));
  current_row_ = node_.isEmpty() && stream_.isEmpty() ? -1 : rows_.rowOf(stream_.isEmpty() ? node_ : stream_);
  strips_.clear();
  updateScrollBars();
  viewport()->update();
}

void TimelineView::updateScrollBars() {
  const int page = std::max(1, viewport()->height() - ruler_height);
  verticalScrollBar()->setPageStep(page);
  verticalScrollBar()->setSingleStep(process_height);
  verticalScrollBar()->setRange(0, std::max(0, tops_.back() - page));
  const QSignalBlocker quiet(horizontalScrollBar());
  const int length = static_cast<int>(std::min(1.0, range_.length() / whole()) * 100000);
  horizontalScrollBar()->setPageStep(std::max(1, length));
  horizontalScrollBar()->setSingleStep(std::max(1, length / 20));
  horizontalScrollBar()->setRange(0, 100000 - length);
  horizontalScrollBar()->setValue(static_cast<int>(range_.from / whole() * 100000));
}

void TimelineView::setRange(TimeRange range) {
  if (!run_) return;
  const double length = std::clamp(range.length(), std::min(whole(), 4.0), whole());
  range.from = std::clamp(range.from, 0.0, whole() - length);
  range.to = range.from + length;
  fitted_ = length >= whole();
  if (range == range_) return;
  range_ = range;
  strips_.clear();
  updateScrollBars();
  viewport()->update();
  emit rangeChanged();
}

void TimelineView::fit() {
  if (run_) setRange({0, whole()});
}

void TimelineView::zoomAbout(double factor, double pixel) {
  const double at = cycleAt(pixel), length = range_.length() / factor;
  const double share = (at - range_.from) / range_.length();
  setRange({at - share * length, at - share * length + length});
}

void TimelineView::zoom(double factor) {
  const double cursor = cursor_->cycle() ? pixelOf(static_cast<double>(*cursor_->cycle())) : -1;
  const bool shows = cursor >= name_width_ && cursor <= viewport()->width();
  zoomAbout(factor, shows ? cursor : name_width_ + tracksWidth() / 2.0);
}

double TimelineView::pixelOf(double cycle) const {
  return name_width_ + (cycle - range_.from) / range_.length() * tracksWidth();
}
double TimelineView::cycleAt(double pixel) const {
  return range_.from + (pixel - name_width_) / tracksWidth() * range_.length();
}

QRect TimelineView::rowRect(int row) const {
  const auto i = static_cast<std::size_t>(row);
  const int top = ruler_height + tops_[i] - verticalScrollBar()->value();
  return {0, top, viewport()->width(), tops_[i + 1] - tops_[i]};
}

int TimelineView::rowAt(int y) const {
  const int at = y - ruler_height + verticalScrollBar()->value();
  if (y < ruler_height || at >= tops_.back()) return -1;
  return static_cast<int>(std::upper_bound(tops_.begin(), tops_.end(), at) - tops_.begin()) - 1;
}

void TimelineView::setFilter(const QString& text) {
  rows_.setFilter(text);
  rowsChanged();
}
void TimelineView::setFilters(const QStringList& texts) {
  rows_.setFilter(texts);
  rowsChanged();
}
void TimelineView::setAllCollapsed(bool collapsed) {
  rows_.setAllCollapsed(collapsed);
  rowsChanged();
}
void TimelineView::fold(const QString& path, bool collapsed) {
  const bool changes = std::any_of(rows_.all().begin(), rows_.all().end(), [&](const TimelineRow& row) {
    return row.kind == TimelineRow::Kind::Region && row.path == path && row.collapsed != collapsed;
  });
  if (!changes) return;
  rows_.setCollapsed(path, collapsed);
  rowsChanged();
  emit folded(path, collapsed);
}
void TimelineView::setStreamsShown(bool shown) {
  rows_.setStreamsShown(shown);
  rowsChanged();
}

void TimelineView::select(const QString& node, const QString& stream) {
  node_ = node, stream_ = stream;
  const QString wanted = stream.isEmpty() ? node : stream;
  const bool is_there = std::any_of(rows_.all().begin(), rows_.all().end(), [&](const TimelineRow& row) {
    return !wanted.isEmpty() && row.origin == wanted;
  });
  if (is_there && rows_.rowOf(wanted) < 0) fold(TimelineRows::idlePath(), false);
  current_row_ = node_.isEmpty() && stream_.isEmpty() ? -1 : rows_.rowOf(stream_.isEmpty() ? node_ : stream_);
  if (current_row_ >= 0) {
    const QRect rect = rowRect(current_row_);
    if (rect.top() < ruler_height || rect.bottom() > viewport()->height())
      verticalScrollBar()->setValue(tops_[static_cast<std::size_t>(current_row_)] - 2 * process_height);
  }
  viewport()->update();
}

TimelineSelection TimelineView::selection() const {
  TimelineSelection chosen;
  if (!run_) return chosen;
  const std::string node = node_.toStdString(), stream = stream_.toStdString();
  const bool all = node_.isEmpty() && stream_.isEmpty();
  for (OperatorId id = 0; id < run_.graph->operators.size(); ++id)
    if (all || (!node.empty() && isWithin(run_.graph->operators[id].origin, node)))
      chosen.processes.push_back(id);
  for (StreamId id = 0; id < run_.graph->streams.size(); ++id)
    if (all || run_.graph->streams[id].origin == stream) chosen.streams.push_back(id);
  return chosen;
}

void TimelineView::goToNextEvent() {
  if (!run_) return;
  const auto from = static_cast<Cycles>(cursor_->cycle().value_or(0));
  if (const auto next = run_.timeline->nextEvent(selection(), from)) goTo(*next);
}

void TimelineView::goToPreviousEvent() {
  if (!run_) return;
  const auto from = static_cast<Cycles>(cursor_->cycle().value_or(cursor_->end()));
  if (const auto last = run_.timeline->previousEvent(selection(), from)) goTo(*last);
}

void TimelineView::goTo(Cycles cycle) {
  cursor_->setCycle(static_cast<qint64>(cycle));
  const auto at = static_cast<double>(cycle);
  if (at < range_.from || at > range_.to) setRange({at - range_.length() / 2, at + range_.length() / 2});
}

void TimelineView::setIntervals(OperatorId process, std::vector<StallInterval> intervals,
                                std::size_t current) {
  marked_ = process;
  intervals_ = std::move(intervals);
  interval_ = current;
  if (current >= intervals_.size()) return viewport()->update();
  const StallInterval& shown = intervals_[current];
  const double length = static_cast<double>(shown.end - shown.begin);
  const double middle = (static_cast<double>(shown.begin) + static_cast<double>(shown.end)) / 2;
  const double around = std::max({length * 3, 40.0, std::min(range_.length(), length * 40)});
  setRange({middle - around / 2, middle + around / 2});
  cursor_->setCycle(static_cast<qint64>(shown.begin));
  const int row = rows_.rowOf(process);
  if (row >= 0) verticalScrollBar()->setValue(tops_[static_cast<std::size_t>(row)] - 3 * process_height);
  viewport()->update();
}

QString TimelineView::csv() const {
  CsvTable table({"row", "what", "from", "to", "state", "tokens", "stream"});
  if (!run_) return QString::fromStdString(table.text());
  const auto from = static_cast<Cycles>(range_.from), to = static_cast<Cycles>(std::ceil(range_.to));
  for (const TimelineRow& row : rows_.shown()) {
    const std::string path = row.path.toStdString();
    if (row.kind == TimelineRow::Kind::Process) {
      for (Cycles cycle = from; cycle < to;) {
        const StateAt state = run_.timeline->stateAt(row.processes.front(), cycle);
        table.row({path, "operator", std::to_string(std::max(from, state.since)),
                   std::to_string(std::min(to, state.until)), sluice::text(state.state), "",
                   state.stream ? run_.graph->streams[*state.stream].name : ""});
        cycle = state.until;
      }
    } else if (row.kind == TimelineRow::Kind::Stream) {
      const OccupancyTrack& track = run_.timeline->streams()[row.streams.front()];
      const auto& samples = track.series().samples;
      for (std::size_t i = track.firstAfter(from); i <= samples.size(); ++i) {
        const Cycles begin = i == 0 ? 0 : samples[i - 1].time;
        const Cycles end = i < samples.size() ? samples[i].time : to;
        if (begin >= to) break;
        table.row({path, "stream", std::to_string(std::max(begin, from)), std::to_string(std::min(end, to)),
                   "", std::to_string(i == 0 ? 0 : samples[i - 1].last), ""});
      }
    }
  }
  return QString::fromStdString(table.text());
}

}  // namespace sluice::ui
