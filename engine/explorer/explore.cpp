#include "engine/explorer/explore.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>

#include "engine/program/spelling.h"

namespace sluice {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Diagnostics checkObjectives(const std::vector<std::string>& objectives) {
  const auto refusal = [](std::string cause, std::string mend) {
    return Diagnostics{{Severity::Error, "objectives", std::move(cause), std::move(mend)}};
  };
  if (objectives.empty() || objectives.size() > 3) {
    return refusal(std::to_string(objectives.size()) + " objectives were given",
                   "give one, two or three metrics");
  }
  for (auto name = objectives.begin(); name != objectives.end(); ++name) {
    const auto& known = metricNames();
    if (std::find(known.begin(), known.end(), *name) == known.end()) {
      return refusal("'" + *name + "' is not a metric", spellingMend(*name, known, "use a metric"));
    }
    if (std::find(objectives.begin(), name, *name) != name)
      return refusal("'" + *name + "' is given twice", "give it once");
  }
  return {};
}

Diagnostics checkSize(const DesignSpace& space, std::uint64_t budget) {
  for (const Knob& knob : space.knobs) {
    if (knob.size() > 0) continue;
    return {{Severity::Error, "knob '" + knob.name + "'", "it has no value to explore",
             "give its range, list or choices at least one value"}};
  }
  if (space.size() <= budget) return {};
  return {{Severity::Error, "design space",
           "it has " + std::to_string(space.size()) + " points; at most " + std::to_string(budget) +
               " are to be evaluated",
           "narrow the knobs, or raise the budget"}};
}

/// What the workers share: every finished point at its place in the space.
class Collector {
 public:
  Collector(std::uint64_t total, const ExploreOptions& options)
      : options_(options), points_(total), diagnostics_(total) {
    progress_.total = total;
  }

  void evaluatePoint(const Workload& workload, const KnobValues& knobs, std::uint64_t index) {
    const Clock::time_point start = Clock::now();
    const Result<PointResult> result = evaluate(workload, knobs, RecordMode::Count, options_.stop);
    DesignPoint point;
    Diagnostics refused;
    if (result) {
      point = result->point;
    } else {
      refused = result.diagnostics();
      point.knobs = knobs;
      point.state = PointState::Failed;
      point.cause = refused.front().place + ": " + refused.front().cause;
      point.wall_seconds = secondsSince(start);
    }
    if (point.state != PointState::Cancelled) add(index, std::move(point), std::move(refused));
  }

  /// The diagnostics of the first point, if elaboration or inference refused every one of them.
  Diagnostics refusal() const {
    const bool all = std::all_of(diagnostics_.begin(), diagnostics_.end(),
                                 [](const Diagnostics& d) { return !d.empty(); });
    return all ? diagnostics_.front() : Diagnostics{};
  }

  std::vector<DesignPoint> take() {
    std::vector<DesignPoint> points;
    for (std::optional<DesignPoint>& point : points_) {
      if (point) points.push_back(*std::move(point));
    }
    return points;
  }

 private:
  void add(std::uint64_t index, DesignPoint point, Diagnostics refused) {
    const std::lock_guard lock(mutex_);
    points_[index] = std::move(point);
    diagnostics_[index] = std::move(refused);
    ++progress_.evaluated;
    progress_.seconds_spent = secondsSince(start_);
    progress_.seconds_left = progress_.seconds_spent / static_cast<double>(progress_.evaluated) *
                             static_cast<double>(progress_.total - progress_.evaluated);
    if (options_.on_point) options_.on_point(index, *points_[index], progress_);
  }

  const ExploreOptions& options_;
  const Clock::time_point start_ = Clock::now();
  std::mutex mutex_;
  std::vector<std::optional<DesignPoint>> points_;
  std::vector<Diagnostics> diagnostics_;
  ExploreProgress progress_;
};

/// Frontier, reference and hypervolume over the points that are done. An objective that should grow is
/// negated for the while.
void judge(Exploration& exploration) {
  const std::size_t objectives = exploration.objectives.size();
  std::vector<double> values;
  std::vector<std::size_t> done;
  for (std::size_t i = 0; i < exploration.points.size(); ++i) {
    if (exploration.points[i].state != PointState::Done) continue;
    done.push_back(i);
    for (const std::string& name : exploration.objectives) {
      const double value = metric(exploration.points[i].metrics, name);
      values.push_back(smallerIsBetter(name) ? value : -value);
    }
  }
  if (done.empty()) return;
  for (std::size_t row : paretoFrontier(values, objectives)) exploration.frontier.push_back(done[row]);
  std::vector<double> reference(objectives, -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < values.size(); ++i)
    reference[i % objectives] = std::max(reference[i % objectives], values[i]);
  for (std::size_t k = 0; k < objectives; ++k) {
    const bool small = smallerIsBetter(exploration.objectives[k]);
    reference[k] =
        small ? reference[k] * 1.1 : reference[k] / 1.1;  // a tenth worse than the worst, either way
    exploration.reference.push_back(small ? reference[k] : -reference[k]);
  }
  exploration.hypervolume = hypervolume(values, objectives, reference);
}

}  // namespace

std::uint64_t DesignSpace::size() const {
  constexpr std::uint64_t most = std::uint64_t{1} << 63;
  std::uint64_t product = 1;
  for (const Knob& knob : knobs) {
    const std::uint64_t values = knob.size();
    if (values == 0) return 0;
    product = values > most / product ? most : product * values;
  }
  return product;
}

KnobValues DesignSpace::point(std::uint64_t index) const {
  KnobValues values;
  for (auto knob = knobs.rbegin(); knob != knobs.rend(); ++knob) {
    const std::vector<std::int64_t> choices = knob->values();
    values[knob->name] = choices[index % choices.size()];
    index /= choices.size();
  }
  return values;
}

DesignSpace designSpace(const Document& document) {
  return {document.knobs};
}

Result<Exploration> explore(const Workload& workload, Executor& executor, const ExploreOptions& options) {
  const Clock::time_point start = Clock::now();
  const DesignSpace space = designSpace(workload.document);
  if (Diagnostics wrong = checkObjectives(options.objectives); !wrong.empty()) return wrong;
  if (Diagnostics wrong = checkSize(space, options.budget); !wrong.empty()) return wrong;
  Collector collector(space.size(), options);
  executor.parallelFor(
      static_cast<std::size_t>(space.size()),
      [&](std::size_t index) { collector.evaluatePoint(workload, space.point(index), index); }, options.stop);
  if (Diagnostics wrong = collector.refusal(); !wrong.empty()) return wrong;
  Exploration exploration;
  exploration.objectives = options.objectives;
  exploration.points = collector.take();
  exploration.cancelled = exploration.points.size() < space.size();
  judge(exploration);
  exploration.wall_seconds = secondsSince(start);
  return exploration;
}

}  // namespace sluice
