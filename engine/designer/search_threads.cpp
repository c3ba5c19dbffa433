#include "engine/designer/search_threads.h"

#include <utility>

#include "engine/core/thread_clock.h"

namespace sluice::inline designer {

SearchThreads::SearchThreads(Executor& executor, bool alone, std::stop_token stop)
    : executor_(executor), alone_(alone), stop_(std::move(stop)) {}

void SearchThreads::work(const std::function<Next()>& step) {
  if (alone_) return loop(step);
  executor_.parallelFor(executor_.concurrency(), [&](std::size_t) { loop(step); });
}

void SearchThreads::add(std::function<void()> run) {
  const std::lock_guard lock(mutex_);
  runs_.push_back(std::move(run));
  changed_.notify_one();
}

void SearchThreads::forAll(std::size_t count, const std::function<void(std::size_t)>& body) {
  if (alone_) return executor_.parallelFor(count, body, stop_);
  std::unique_lock lock(mutex_);
  body_ = &body;
  piece_ = 0;
  pieces_ = unfinished_ = count;
  failure_ = nullptr;
  if (count > 1) changed_.notify_all();
  while (isPieceLeft()) doPiece(lock);
  changed_.wait(lock, [&] { return unfinished_ == 0; });
  if (failure_) std::rethrow_exception(failure_);
}

void SearchThreads::loop(const std::function<Next()>& step) {
  const ThreadClock clock;
  std::unique_lock lock(mutex_);
  while (!over_) {
    if (isPieceLeft())
      doPiece(lock);
    else if (!deciding_ && !waiting_)
      decide(lock, step);
    else if (!runs_.empty())
      run(lock);
    else
      changed_.wait(lock);
  }
  seconds_ += clock.seconds();
}

/// Where the work throws, the search is over on all threads.
template <class Work>
void SearchThreads::unlocked(std::unique_lock<std::mutex>& lock, const Work& work) {
  lock.unlock();
  try {
    work();
  } catch (...) {
    lock.lock();
    over_ = true;
    changed_.notify_all();
    throw;
  }
  lock.lock();
}

void SearchThreads::doPiece(std::unique_lock<std::mutex>& lock) {
  const std::size_t piece = piece_++;
  const std::function<void(std::size_t)>& body = *body_;
  lock.unlock();
  std::exception_ptr failure;
  try {
    if (!stop_.stop_requested()) body(piece);
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  if (failure && !failure_) failure_ = failure;  // thrown on by who decides
  if (--unfinished_ == 0) changed_.notify_all();
}

void SearchThreads::decide(std::unique_lock<std::mutex>& lock, const std::function<Next()>& step) {
  const std::uint64_t ended = ended_;
  deciding_ = true;
  Next next = Next::Over;
  unlocked(lock, [&] { next = step(); });
  deciding_ = false;
  waiting_ = next == Next::Wait && ended == ended_;  // else one has ended meanwhile
  over_ = over_ || next == Next::Over;
  changed_.notify_all();
}

void SearchThreads::run(std::unique_lock<std::mutex>& lock) {
  const std::function<void()> run = std::move(runs_.front());
  runs_.pop_front();
  unlocked(lock, run);
  ++ended_;
  waiting_ = false;
  changed_.notify_all();
}

}  // namespace sluice::inline designer
