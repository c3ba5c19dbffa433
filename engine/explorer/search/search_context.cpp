#include "engine/explorer/search/search_context.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "engine/core/csv.h"
#include "engine/core/stopwatch.h"

namespace sluice::inline explorer {

SearchContext::SearchContext(const DesignSpace& space, PointEvaluator& evaluator,
                             const ExploreOptions& options, KnobExchange* exchange)
    : options_(options),
      evaluator_(evaluator),
      numbering_(space.knobs),
      exchange_(exchange),
      size_(space.size()),
      different_(exchange ? exchange->size() : size_),
      strategy_(options.strategy) {
  progress_.total = std::min(different_, options.budget);
  if (options.shard)
    progress_.total = (size_ - options.shard->number + options.shard->count - 1) / options.shard->count;
  // A short run tells a time, and lower bounds of bytes.
  std::copy_if(
      options.constraints.begin(), options.constraints.end(), std::back_inserter(estimable_),
      [&](const Constraint& c) { return c.at_most && findMetric(c.metric)->knownAt(Fidelity::Symbolic); });
}

std::uint64_t SearchContext::left() const {
  const auto used = given_ + static_cast<std::uint64_t>(std::ceil(spent_ - 1e-6));
  return used < options_.budget ? options_.budget - used : 0;
}

bool SearchContext::over() const {
  return options_.stop.stop_requested() || !trouble_.empty() || left() == 0 || visits_.size() >= different_;
}

std::vector<std::uint64_t> SearchContext::representatives(std::span<const std::uint64_t> indices) const {
  std::vector<std::uint64_t> found;
  for (const std::uint64_t index : indices) found.push_back(representative(index));
  return found;
}

std::uint64_t SearchContext::addVisit(std::uint64_t index) {
  const std::uint64_t visit = visits_.size();
  at_.emplace(index, visit);
  visits_.push_back(index);
  points_.emplace_back();
  rows_.insert(rows_.end(), objectives(), infinite_cost);
  return visit;
}

void SearchContext::rate(const DesignPoint& point, const std::vector<Constraint>& constraints,
                         std::span<double> row) const {
  if (point.state != PointState::Done || !fulfils(point, constraints)) return;
  std::vector<double> values;
  for (const std::string& name : options_.objectives) {
    const double value = metric(point, name);
    if (std::isnan(value)) return;
    values.push_back(minimised(name, value));
  }
  std::copy(values.begin(), values.end(), row.begin());
}

std::string SearchContext::whyNot(const DesignPoint& point) const {
  for (const Constraint& constraint : options_.constraints) {
    const double bound = metric(point, constraint.metric);
    if (constraint.at_most && bound > constraint.value)
      return constraint.metric + " is at least " + csvNumber(bound) + ", more than " +
             csvNumber(constraint.value);
  }
  return {};
}

void SearchContext::rateBounds(const DesignPoint& point, std::span<double> row) const {
  if (point.state != PointState::Done) return;
  for (const Constraint& constraint : options_.constraints) {
    if (constraint.at_most && metric(point, constraint.metric) > constraint.value) return;
  }
  for (std::size_t k = 0; k < row.size(); ++k) {
    const double bound = metric(point, options_.objectives[k]);
    row[k] = std::isnan(bound) ? -std::numeric_limits<double>::infinity() : bound;
  }
}

void SearchContext::run(std::span<const std::uint64_t> indices, Fidelity fidelity, double share,
                        const Seen& seen) {
  constexpr std::size_t batch = 1 << 18;  // what is known of a task takes memory, too
  for (std::size_t from = 0; from < indices.size() && trouble_.empty() && !options_.stop.stop_requested();
       from += batch) {
    runBatch(indices.subspan(from, std::min(batch, indices.size() - from)), fidelity, share,
             [&](std::size_t i, PointOutcome outcome, bool stored) {
               seen(from + i, std::move(outcome), stored);
             });
  }
}

void SearchContext::runBatch(std::span<const std::uint64_t> indices, Fidelity fidelity, double share,
                             const Seen& seen) {
  std::vector<KnobValues> knobs;
  for (const std::uint64_t index : indices) knobs.push_back(numbering_.point(index));
  std::vector<bool> there(indices.size());
  // What is known would make a short run another one; a search that goes on must decide as it did.
  if (options_.store && share == 1) {
    const Result<Done> asked = options_.store->known(knobs, fidelity, [&](std::size_t i, DesignPoint found) {
      there[i] = true;
      seen(i, {std::move(found), {}, false}, true);
    });
    if (!asked) return void(trouble_ = asked.diagnostics());
  }
  std::vector<PointTask> tasks;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (there[i]) continue;
    tasks.push_back({std::move(knobs[i]), fidelity, share});
    places.push_back(i);
  }
  evaluator_.evaluate(
      tasks, [&](std::size_t task, PointOutcome outcome) { seen(places[task], std::move(outcome), false); },
      options_.stop);
}

void SearchContext::keep(std::uint64_t index, std::uint64_t visit, PointOutcome outcome, bool stored) {
  DesignPoint& point = points_[visit].emplace(std::move(outcome.point));
  rate(point, options_.constraints, std::span(rows_).subspan(visit * objectives(), objectives()));
  if (stored) ++reused_;
  if (outcome.retimed) ++retimed_;
  if (!outcome.why_simulated.empty()) ++not_retimed_[outcome.why_simulated];
  if (!outcome.refused.empty()) {
    ++refused_;
    if (visit < first_refused_) first_refused_ = visit, first_refusal_ = std::move(outcome.refused);
  }
  if (options_.store) options_.store->add(visit, point, stored);
  ++progress_.evaluated;
  progress_.total = std::max(progress_.total, progress_.evaluated);
  progress_.seconds_spent = secondsSince(began_);
  progress_.seconds_left = progress_.seconds_spent / static_cast<double>(progress_.evaluated) *
                           static_cast<double>(progress_.total - progress_.evaluated);
  if (options_.on_point) options_.on_point(index, point, progress_);
}

std::vector<double> SearchContext::evaluate(std::span<const std::uint64_t> asked) {
  const std::vector<std::uint64_t> indices = representatives(asked);
  std::vector<std::uint64_t> fresh, visits;
  for (const std::uint64_t index : indices) {
    if (at_.contains(index) || left() == 0) continue;
    ++given_;
    fresh.push_back(index);
    visits.push_back(addVisit(index));
  }
  if (!fresh.empty() && !options_.stop.stop_requested()) {
    run(fresh, options_.fidelity, 1, [&](std::size_t i, PointOutcome outcome, bool stored) {
      keep(fresh[i], visits[i], std::move(outcome), stored);
    });
  }
  std::vector<double> rows;
  for (const std::uint64_t index : indices) {
    const auto visit = at_.find(index);
    const auto row =
        visit == at_.end()
            ? std::vector<double>(objectives(), infinite_cost)
            : std::vector<double>(
                  rows_.begin() + static_cast<std::ptrdiff_t>(visit->second * objectives()),
                  rows_.begin() + static_cast<std::ptrdiff_t>((visit->second + 1) * objectives()));
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}

double SearchContext::violation(std::uint64_t index) const {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const auto visit = at_.find(representative(index));
  if (visit == at_.end() || !points_[visit->second]) return infinite;
  const DesignPoint& point = *points_[visit->second];
  if (point.state != PointState::Done) return infinite;
  double sum = 0;
  for (const Constraint& constraint : options_.constraints) {
    const double value = metric(point, constraint.metric);
    if (std::isnan(value)) return infinite;
    const double beyond = constraint.at_most ? value - constraint.value : constraint.value - value;
    if (beyond > 0) sum += beyond / std::max(1.0, std::abs(constraint.value));
  }
  return sum;
}

bool SearchContext::bounded() const {
  return options_.fidelity != Fidelity::Symbolic &&
         std::ranges::all_of(options_.objectives, [](const std::string& name) {
           return findMetric(name)->knownAt(Fidelity::Symbolic);
         });
}

std::vector<double> SearchContext::bounds(std::span<const std::uint64_t> indices) {
  std::vector<double> rows(indices.size() * objectives(), infinite_cost);
  std::size_t refused = 0, first_out = indices.size();
  run(indices, Fidelity::Symbolic, 1, [&](std::size_t i, PointOutcome outcome, bool stored) {
    rateBounds(outcome.point, std::span(rows).subspan(i * objectives(), objectives()));
    if (rows[i * objectives()] >= infinite_cost && i < first_out) {
      first_out = i;
      ruled_out_ = outcome.point;
      if (outcome.point.state == PointState::Done) ruled_out_->cause = whyNot(outcome.point);
    }
    if (!outcome.refused.empty()) {
      ++refused;
      if (i < first_refused_) first_refused_ = i, first_refusal_ = std::move(outcome.refused);
    }
    if (options_.store && !stored) options_.store->addAside(outcome.point);
  });
  if (refused > 0 && refused == indices.size()) trouble_ = first_refusal_;
  return rows;
}

std::vector<double> SearchContext::estimate(std::span<const std::uint64_t> asked, double share) {
  const std::vector<std::uint64_t> indices = representatives(asked);
  std::vector<double> rows(indices.size() * objectives(), infinite_cost);
  spent_ += share * static_cast<double>(indices.size());
  std::vector<std::optional<PointOutcome>> whole(indices.size());
  run(indices, options_.fidelity, share, [&](std::size_t i, PointOutcome outcome, bool) {
    rate(outcome.point, outcome.estimated ? estimable_ : options_.constraints,
         std::span(rows).subspan(i * objectives(), objectives()));
    if (!outcome.estimated) whole[i] = std::move(outcome);
  });
  for (std::size_t i = 0; i < indices.size(); ++i) {  // those that were over so soon are known now
    if (whole[i] && !at_.contains(indices[i]))
      keep(indices[i], addVisit(indices[i]), *std::move(whole[i]), false);
  }
  return rows;
}

void SearchContext::warmStart() {
  if (!options_.store) return;
  Result<std::vector<DesignPoint>> others = options_.store->others();
  if (!others) return void(trouble_ = others.diagnostics());
  // In the order of the space: they lie in the store in that in which threads were done with them.
  std::map<std::uint64_t, DesignPoint> by_index;
  for (DesignPoint& point : *others) {
    if (const auto index = numbering_.indexOf(point.knobs)) by_index.emplace(*index, std::move(point));
  }
  for (auto& [index, point] : by_index) {
    if (known(index)) continue;
    const std::uint64_t visit = addVisit(index);
    at_.emplace(representative(index), visit);
    keep(index, visit, {std::move(point), {}, false}, true);
  }
  std::vector<bool> listed(visits_.size());
  for (const std::size_t visit : paretoFrontier(rows_, objectives())) {
    if (rows_[visit * objectives()] >= infinite_cost) continue;
    start_.push_back(visits_[visit]);
    listed[visit] = true;
  }
  for (std::size_t visit = 0; visit < visits_.size(); ++visit) {
    if (!listed[visit]) start_.push_back(visits_[visit]);
  }
}

void SearchContext::take(Exploration& into) {
  std::vector<std::size_t> by_index;
  for (std::size_t visit = 0; visit < visits_.size(); ++visit) {
    if (points_[visit]) by_index.push_back(visit);
  }
  into.cancelled = by_index.size() < visits_.size() || options_.stop.stop_requested();
  if (refused_ > 0 && refused_ == by_index.size() && !into.cancelled) trouble_ = first_refusal_;
  std::sort(by_index.begin(), by_index.end(),
            [&](std::size_t a, std::size_t b) { return visits_[a] < visits_[b]; });
  for (const std::size_t visit : by_index) {
    into.points.push_back(*std::move(points_[visit]));
    into.indices.push_back(visits_[visit]);
  }
  into.order.resize(by_index.size());
  std::iota(into.order.begin(), into.order.end(), std::size_t{0});
  std::sort(into.order.begin(), into.order.end(),
            [&](std::size_t a, std::size_t b) { return by_index[a] < by_index[b]; });
  into.strategy = strategy_;
  into.pruned = pruned_;
  into.reused = reused_;
  into.retimed = retimed_;
  into.not_retimed = not_retimed_;
  if (into.points.empty() && pruned_ > 0) into.ruled_out = ruled_out_;
}

}  // namespace sluice::inline explorer
