#pragma once
// SearchThreads: a search on all threads of an executor, without barriers. One thread at a time decides what
// to run next, in steps; the others run what was decided. What is decided may hang on runs only by whether a
// certain one has ended, so that it is the same whatever the number of threads.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>

#include "engine/core/executor.h"

namespace sluice::inline designer {

class SearchThreads {
 public:
  enum class Next {
    Again,  ///< there is more to decide
    Wait,   ///< until another run has ended
    Over
  };

  /// `alone`: on the calling thread; only forAll() uses the executor.
  SearchThreads(Executor& executor, bool alone, std::stop_token stop);

  /// Takes steps until one is the last. An exception of a step or a run is thrown here.
  void work(const std::function<Next()>& step);

  // For steps:
  /// Begun in the order in which they were added, on any thread.
  void add(std::function<void()> run);
  /// Calls body(i) once for every i < count and returns when all are done; threads between two runs help.
  /// After a stop request no further i is started.
  void forAll(std::size_t count, const std::function<void(std::size_t)>& body);

  /// Seconds of processor time that work() has taken on all threads so far; not of forAll() where it is
  /// alone.
  double processorSeconds() const { return seconds_; }

 private:
  void loop(const std::function<Next()>& step);
  bool isPieceLeft() const { return piece_ < pieces_; }
  void doPiece(std::unique_lock<std::mutex>& lock);
  void decide(std::unique_lock<std::mutex>& lock, const std::function<Next()>& step);
  void run(std::unique_lock<std::mutex>& lock);
  /// Without the lock.
  template <class Work>
  void unlocked(std::unique_lock<std::mutex>& lock, const Work& work);

  Executor& executor_;
  const bool alone_;
  const std::stop_token stop_;
  std::mutex mutex_;  ///< of what follows
  std::condition_variable changed_;
  std::deque<std::function<void()>> runs_;
  bool deciding_ = false, waiting_ = false, over_ = false;
  std::uint64_t ended_ = 0;                                 ///< runs
  const std::function<void(std::size_t)>* body_ = nullptr;  ///< of forAll()
  std::size_t piece_ = 0, pieces_ = 0, unfinished_ = 0;     ///< the next one, all, those that are not done
  std::exception_ptr failure_;                              ///< of a piece
  double seconds_ = 0;
};

}  // namespace sluice::inline designer
