#pragma once
// SearchThreads: a search on all threads of an executor, without barriers. One thread at a time decides what
// to run next, in steps; the others run what was decided. What is decided may hang on runs only by whether a
// certain one has ended, so that it is the same whatever the number of threads. A thread that has nothing to
// run works ahead: what may be wanted next.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <list>
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
  enum class Urgency {
    Decided,
    Ahead  ///< only on threads that nothing decided waits for
  };
  using Step = std::function<Next()>;
  using Work = std::function<void()>;

  /// `alone`: on the calling thread; only forAll() uses the executor.
  SearchThreads(Executor& executor, bool alone, std::stop_token stop);

  /// Takes steps until one is the last. `ahead`: asked like a step, by a thread that has nothing else to do
  /// while a step waits; what it gives is done beside further steps, and must end soon after the last. An
  /// exception of a step, a run or what is done ahead is thrown here.
  void work(const Step& step, const std::function<Work()>& ahead = {});

  // For steps:
  /// Begun in the order in which they were added, on any thread.
  void add(Work run);
  // For any thread:
  /// A run has ended that was not added: it was under way ahead.
  void noteEnd();
  /// Calls body(i) once for every i < count and returns when all are done; threads between two runs help.
  /// After a stop request no further i is started.
  void forAll(std::size_t count, const std::function<void(std::size_t)>& body, Urgency urgency,
              const std::stop_token& stop);

  /// Seconds of processor time that work() has taken on all threads so far; not of forAll() where it is
  /// alone.
  double processorSeconds() const { return seconds_; }

 private:
  /// Of one forAll().
  struct Pieces {
    const std::function<void(std::size_t)>& body;
    const std::size_t count;
    const Urgency urgency;
    const std::stop_token& stop;
    std::size_t next = 0, unfinished = count;
    std::exception_ptr failure = nullptr;
  };

  void loop(const Step& step, const std::function<Work()>& ahead);
  Pieces* piecesLeft(Urgency urgency);
  void doPiece(std::unique_lock<std::mutex>& lock, Pieces& pieces);
  void decide(std::unique_lock<std::mutex>& lock, const Step& step);
  void run(std::unique_lock<std::mutex>& lock);
  void countEnd();  // with the lock
  void workAhead(std::unique_lock<std::mutex>& lock, const std::function<Work()>& ahead);
  /// Without the lock.
  template <class Task>
  void unlocked(std::unique_lock<std::mutex>& lock, const Task& task);

  Executor& executor_;
  const bool alone_;
  const std::stop_token stop_;
  std::mutex mutex_;  ///< of what follows
  std::condition_variable changed_;
  std::deque<Work> runs_;
  std::list<Pieces*> pieces_;
  bool deciding_ = false;  ///< or asking what to do ahead
  bool waiting_ = false, over_ = false;
  bool may_look_ahead_ = false;  ///< since a step waits
  std::uint64_t ended_ = 0;      ///< runs
  double seconds_ = 0;
};

}  // namespace sluice::inline designer
