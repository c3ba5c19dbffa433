#include "engine/designer/search_threads.h"

#include <algorithm>
#include <utility>

#include "engine/core/thread_clock.h"

namespace sluice::inline designer {

SearchThreads::SearchThreads(Executor& executor, bool alone, std::stop_token stop)
    : executor_(executor), alone_(alone), stop_(std::move(stop)) {}

void SearchThreads::work(const Step& step, const std::function<Work()>& ahead) {
  if (alone_) return loop(step, {});
  executor_.parallelFor(executor_.concurrency(), [&](std::size_t) { loop(step, ahead); });
}

void SearchThreads::add(Work run) {
  const std::lock_guard lock(mutex_);
  runs_.push_back(std::move(run));
  changed_.notify_one();
}

void SearchThreads::noteEnd() {
  const std::lock_guard lock(mutex_);
  countEnd();
}

void SearchThreads::countEnd() {
  ++ended_;
  waiting_ = false;
  changed_.notify_all();
}

void SearchThreads::forAll(std::size_t count, const std::function<void(std::size_t)>& body, Urgency urgency,
                           const std::stop_token& stop) {
  if (alone_) return executor_.parallelFor(count, body, stop);
  std::unique_lock lock(mutex_);
  Pieces pieces{body, count, urgency, stop};
  const auto place = pieces_.insert(pieces_.end(), &pieces);
  if (count > 1) changed_.notify_all();
  while (pieces.next < count) doPiece(lock, pieces);
  changed_.wait(lock, [&] { return pieces.unfinished == 0; });
  pieces_.erase(place);
  if (pieces.failure) std::rethrow_exception(pieces.failure);
}

void SearchThreads::loop(const Step& step, const std::function<Work()>& ahead) {
  const ThreadClock clock;
  std::unique_lock lock(mutex_);
  while (!over_) {
    if (Pieces* decided = piecesLeft(Urgency::Decided))
      doPiece(lock, *decided);
    else if (!deciding_ && !waiting_)
      decide(lock, step);
    else if (!runs_.empty())
      run(lock);
    else if (Pieces* later = piecesLeft(Urgency::Ahead))
      doPiece(lock, *later);
    else if (!deciding_ && may_look_ahead_ && ahead)
      workAhead(lock, ahead);
    else
      changed_.wait(lock);
  }
  seconds_ += clock.seconds();
}

/// Where the task throws, the search is over on all threads.
template <class Task>
void SearchThreads::unlocked(std::unique_lock<std::mutex>& lock, const Task& task) {
  lock.unlock();
  try {
    task();
  } catch (...) {
    lock.lock();
    over_ = true;
    changed_.notify_all();
    throw;
  }
  lock.lock();
}

SearchThreads::Pieces* SearchThreads::piecesLeft(Urgency urgency) {
  const auto found = std::ranges::find_if(pieces_, [&](const Pieces* pieces) {
    return pieces->urgency == urgency && pieces->next < pieces->count;
  });
  return found == pieces_.end() ? nullptr : *found;
}

void SearchThreads::doPiece(std::unique_lock<std::mutex>& lock, Pieces& pieces) {
  const std::size_t piece = pieces.next++;
  lock.unlock();
  std::exception_ptr failure;
  try {
    if (!pieces.stop.stop_requested()) pieces.body(piece);
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  if (failure && !pieces.failure) pieces.failure = failure;  // thrown on by who asked for all
  if (--pieces.unfinished == 0) changed_.notify_all();
}

void SearchThreads::decide(std::unique_lock<std::mutex>& lock, const Step& step) {
  const std::uint64_t ended = ended_;
  deciding_ = true;
  Next next = Next::Over;
  unlocked(lock, [&] { next = step(); });
  deciding_ = false;
  waiting_ = next == Next::Wait && ended == ended_;  // else one has ended meanwhile
  may_look_ahead_ = waiting_;
  over_ = over_ || next == Next::Over;
  changed_.notify_all();
}

void SearchThreads::run(std::unique_lock<std::mutex>& lock) {
  const Work run = std::move(runs_.front());
  runs_.pop_front();
  unlocked(lock, run);
  countEnd();
}

void SearchThreads::workAhead(std::unique_lock<std::mutex>& lock, const std::function<Work()>& ahead) {
  Work work;
  deciding_ = true;
  may_look_ahead_ = false;
  unlocked(lock, [&] { work = ahead(); });
  deciding_ = false;
  changed_.notify_all();
  if (work) unlocked(lock, work);
}

}  // namespace sluice::inline designer
