#include "engine/core/task_lane.h"

#include <exception>
#include <iterator>
#include <utility>

#include "engine/core/internal_error.h"

namespace sluice {

TaskLane::~TaskLane() {
  forget();
}

void TaskLane::add(Work work, Failed failed, std::stop_source stop) {
  const std::lock_guard lock(mutex_);
  push({std::move(work), std::move(failed), std::move(stop)});
}

void TaskLane::ask(Work work, Failed failed) {
  drop([&] { push({std::move(work), std::move(failed), {}}); });
}

void TaskLane::stop() {
  std::stop_source first(std::nostopstate);
  {
    const std::lock_guard lock(mutex_);
    if (!pieces_.empty()) first = pieces_.front().stop;
  }
  first.request_stop();
}

void TaskLane::forget() {
  drop([] {});
}

void TaskLane::push(Piece piece) {
  if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& quit) { loop(quit); });
  pieces_.push_back(std::move(piece));
  wake_.notify_one();
}

/// Without the lock what waited is let go of, which may be large, and what runs is stopped, which may hear of
/// that by a function that calls the lane.
void TaskLane::drop(const std::function<void()>& then) {
  std::list<Piece> dropped;
  std::stop_source running(std::nostopstate);
  {
    const std::lock_guard lock(mutex_);
    if (running_) running = pieces_.front().stop;
    forgotten_ = running_;
    dropped.splice(dropped.end(), pieces_, std::next(pieces_.begin(), running_ ? 1 : 0), pieces_.end());
    then();
  }
  running.request_stop();
}

void TaskLane::finish() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [&] { return pieces_.empty(); });
}

std::size_t TaskLane::pending() const {
  const std::lock_guard lock(mutex_);
  return pieces_.size();
}

bool TaskLane::wanted() const {
  const std::lock_guard lock(mutex_);
  return pieces_.size() > (forgotten_ ? 1u : 0u);
}

void TaskLane::loop(const std::stop_token& quit) {
  std::unique_lock lock(mutex_);
  while (wake_.wait(lock, quit, [&] { return !pieces_.empty(); }) && !quit.stop_requested()) {
    running_ = true;
    Piece& piece = pieces_.front();
    lock.unlock();
    try {
      piece.work(piece.stop.get_token());
    } catch (...) {  // must not take the program down with it
      piece.failed(internalError(std::current_exception()));
    }
    piece.work = nullptr, piece.failed = nullptr;  // before anybody hears that it is done
    lock.lock();
    running_ = forgotten_ = false;
    pieces_.pop_front();
    if (pieces_.empty()) idle_.notify_all();
  }
}

}  // namespace sluice
