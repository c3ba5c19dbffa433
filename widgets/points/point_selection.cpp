#include "widgets/points/point_selection.h"

#include <QUndoCommand>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace sluice::ui {
namespace {

constexpr int merge_id = 1;

bool contains(const std::vector<int>& sorted, int value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

bool isOfPoints(const PointFilter& filter) {
  return filter.kind == PointFilter::Kind::Keep || filter.kind == PointFilter::Kind::Hide;
}

}  // namespace

class PointSelection::Change : public QUndoCommand {
 public:
  Change(PointSelection* view, const QString& label, State after, int drag)
      : QUndoCommand(label), view_(view), before_(view->state_), after_(std::move(after)), drag_(drag) {}

  void undo() override { view_->become(before_); }
  void redo() override { view_->become(after_); }
  int id() const override { return drag_ == 0 ? -1 : merge_id; }
  bool mergeWith(const QUndoCommand* next) override {
    const auto* later = static_cast<const Change*>(next);
    if (later->drag_ != drag_) return false;
    after_ = later->after_;
    setObsolete(after_ == before_);
    return true;
  }

 private:
  PointSelection* view_;
  State before_, after_;
  int drag_;
};

PointSelection::PointSelection(PointColumns* columns, QObject* parent) : QObject(parent), columns_(columns) {
  connect(columns_->model(), &QAbstractItemModel::modelAboutToBeReset, this, &PointSelection::rememberKnobs);
  connect(columns_, &PointColumns::reset, this, &PointSelection::followKnobs);
  connect(columns_, &PointColumns::added, this, [this](int first) {
    applyFrom(static_cast<std::size_t>(first));
    emit added(first);
  });
  applyFrom(0);
}

const PointFilter* PointSelection::rangeOf(const QString& column) const {
  for (const PointFilter& filter : state_.filters)
    if (filter.kind == PointFilter::Kind::Range && filter.column == column) return &filter;
  return nullptr;
}

void PointSelection::setRange(const QString& column, double low, double high, int drag) {
  State after = state_;
  PointFilter filter;
  filter.column = column;
  filter.low = std::min(low, high);
  filter.high = std::max(low, high);
  const auto same = std::find_if(after.filters.begin(), after.filters.end(), [&](const PointFilter& each) {
    return each.kind == PointFilter::Kind::Range && each.column == column;
  });
  if (same == after.filters.end()) {
    after.filters.push_back(filter);
  } else {
    *same = filter;
  }
  push(tr("Filter %1").arg(column), std::move(after), drag);
}

void PointSelection::clearRange(const QString& column) {
  State after = state_;
  std::erase_if(after.filters, [&](const PointFilter& each) {
    return each.kind == PointFilter::Kind::Range && each.column == column;
  });
  push(tr("Clear the filter of %1").arg(column), std::move(after));
}

void PointSelection::showOnly(PointState state) {
  State after = state_;
  std::erase_if(after.filters, [](const PointFilter& each) { return each.kind == PointFilter::Kind::State; });
  PointFilter filter;
  filter.kind = PointFilter::Kind::State;
  filter.state = state;
  after.filters.push_back(filter);
  push(tr("Filter by state"), std::move(after));
}

void PointSelection::keepSelected() {
  if (selected_.empty()) return;
  State after = state_;
  PointFilter filter;
  filter.kind = PointFilter::Kind::Keep;
  filter.points = selected_;
  after.filters.push_back(filter);
  push(tr("Keep selected points"), std::move(after));
}

void PointSelection::hideSelected() {
  if (selected_.empty()) return;
  State after = state_;
  PointFilter filter;
  filter.kind = PointFilter::Kind::Hide;
  filter.points = selected_;
  after.filters.push_back(filter);
  push(tr("Hide selected points"), std::move(after));
}

void PointSelection::removeFilter(std::size_t filter) {
  if (filter >= state_.filters.size()) return;
  State after = state_;
  after.filters.erase(after.filters.begin() + static_cast<std::ptrdiff_t>(filter));
  push(tr("Remove a filter"), std::move(after));
}

void PointSelection::clearFilters() {
  State after = state_;
  after.filters.clear();
  push(tr("Remove all filters"), std::move(after));
}

void PointSelection::makeSelectedBaseline() {
  State after = state_;
  after.baseline = selected_;
  push(tr("Compare with the selected points"), std::move(after));
}

void PointSelection::clearBaseline() {
  State after = state_;
  after.baseline.clear();
  push(tr("Compare with nothing"), std::move(after));
}

void PointSelection::push(const QString& label, State after, int drag) {
  if (after == state_) return;
  if (!after.baseline.empty() || std::any_of(after.filters.begin(), after.filters.end(), isOfPoints))
    undo_names_points_ = true;
  undo_.push(new Change(this, label, std::move(after), drag));
}

void PointSelection::become(const State& state) {
  const bool filters = !(state.filters == state_.filters), baseline = state.baseline != state_.baseline;
  state_ = state;
  if (filters) {
    applyFrom(0);
    emit filtersChanged();
  }
  if (baseline) emit baselineChanged();
}

void PointSelection::applyFrom(std::size_t first) {
  const std::size_t count = columns_->size();
  shown_.resize(count);
  std::fill(shown_.begin() + static_cast<std::ptrdiff_t>(std::min(first, count)), shown_.end(), 1);
  for (const PointFilter& filter : state_.filters) {
    if (filter.kind == PointFilter::Kind::Range) {
      const auto column = columns_->find(filter.column);
      if (!column) continue;  // a knob of another program
      const std::vector<double>& values = columns_->columns()[*column].values;
      for (std::size_t i = first; i < count; ++i)
        if (!(values[i] >= filter.low && values[i] <= filter.high)) shown_[i] = 0;
    } else if (filter.kind == PointFilter::Kind::State) {
      for (std::size_t i = first; i < count; ++i)
        if (points()[i].state != filter.state) shown_[i] = 0;
    } else {
      const bool keep = filter.kind == PointFilter::Kind::Keep;
      for (std::size_t i = first; i < count; ++i)
        if (contains(filter.points, static_cast<int>(i)) != keep) shown_[i] = 0;
    }
  }
  shown_count_ = static_cast<std::size_t>(std::count(shown_.begin(), shown_.end(), 1));
}

bool PointSelection::isSelected(int point) const {
  return contains(selected_, point);
}

void PointSelection::select(std::vector<int> chosen) {
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  if (chosen == selected_) return;
  selected_ = std::move(chosen);
  emit selectionChanged();
}

void PointSelection::toggle(int point) {
  std::vector<int> chosen = selected_;
  const auto at = std::lower_bound(chosen.begin(), chosen.end(), point);
  if (at != chosen.end() && *at == point) {
    chosen.erase(at);
  } else {
    chosen.insert(at, point);
  }
  select(std::move(chosen));
}

/// An exploration that is done gives its points in another order: a point is known by its knobs.
void PointSelection::rememberKnobs() {
  const auto knobs_of = [this](const std::vector<int>& indices) {
    std::vector<KnobValues> knobs;
    for (const int index : indices) knobs.push_back(points()[static_cast<std::size_t>(index)].knobs);
    return knobs;
  };
  kept_selected_ = knobs_of(selected_);
  kept_baseline_ = knobs_of(state_.baseline);
}

void PointSelection::followKnobs() {
  const std::vector<int> before = selected_;
  const auto find = [this](const std::vector<KnobValues>& wanted) {
    std::vector<int> found;
    if (wanted.empty()) return found;
    std::map<KnobValues, int> places;
    for (std::size_t i = 0; i < points().size(); ++i) places.emplace(points()[i].knobs, static_cast<int>(i));
    for (const KnobValues& knobs : wanted)
      if (const auto place = places.find(knobs); place != places.end()) found.push_back(place->second);
    std::sort(found.begin(), found.end());
    return found;
  };
  selected_ = find(kept_selected_);
  state_.baseline = find(kept_baseline_);
  std::erase_if(state_.filters, isOfPoints);  // they name points that are no more
  if (std::exchange(undo_names_points_, false)) undo_.clear();
  applyFrom(0);
  emit reset();
  if (selected_ != before) emit selectionChanged();
}

}  // namespace sluice::ui
