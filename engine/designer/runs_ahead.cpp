#include "engine/designer/runs_ahead.h"

#include <algorithm>
#include <limits>

namespace sluice::inline designer {

std::optional<OwnRun> RunsAhead::make(const std::string& key, Cycles horizon, const std::stop_token& ahead,
                                      const std::function<OwnRun(std::stop_source&)>& simulate) {
  std::unique_lock lock(mutex_);
  if (ahead.stop_requested()) return {};
  if (const auto known = find(key); known != runs_.end()) return known->second->made;
  const std::shared_ptr<Run> run = runs_.emplace_back(key, std::make_shared<Run>(horizon)).second;
  if (runs_.size() > most_kept) runs_.pop_front();
  lock.unlock();
  OwnRun made = simulate(run->stop);
  lock.lock();
  run->made = made;
  run->ended = true;
  const std::function<void()> then = std::move(run->then);
  lock.unlock();
  if (then) then();
  return made;
}

void RunsAhead::stop(std::stop_source& ahead) {
  const std::lock_guard lock(mutex_);
  ahead.request_stop();
}

std::shared_ptr<RunsAhead::Run> RunsAhead::take(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto known = find(key);
  if (known == runs_.end()) return nullptr;
  const std::shared_ptr<Run> run = std::move(known->second);
  runs_.erase(known);
  return run;
}

void RunsAhead::whenEnded(Run& run, std::function<void()> then) {
  {
    const std::lock_guard lock(mutex_);
    if (!run.ended) {
      run.then = std::move(then);
      return;
    }
  }
  then();
}

void RunsAhead::stopOthers() {
  const std::lock_guard lock(mutex_);
  std::erase_if(runs_, [](const auto& each) {
    if (each.second->ended) return false;
    each.second->stop.request_stop();
    return true;
  });
}

bool tells(const OwnRun& run, Cycles horizon, Cycles wanted) {
  constexpr Cycles never = std::numeric_limits<Cycles>::max();
  if (run.end == DesignRun::End::Stopped || run.end == DesignRun::End::None) return false;
  if (horizon == wanted) return true;
  if (run.end == DesignRun::End::Late) return wanted < horizon;
  const bool alike = (horizon == never) == (wanted == never);
  return run.end == DesignRun::End::Done && alike && measured(run.point) && run.point.metrics.cycles < wanted;
}

}  // namespace sluice::inline designer
