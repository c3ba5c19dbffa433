#pragma once
// TaskLane: a thread that works on one piece after the other, beside the threads that ask for them. What is
// asked for replaces what was asked for before, what is added comes behind it. The thread starts with the
// first piece.

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <stop_token>
#include <thread>

#include "engine/core/diagnostic.h"

namespace sluice {

/// All functions but finish() and the destructor may be called by any thread, also from within a piece.
class TaskLane {
 public:
  using Work = std::function<void(const std::stop_token& stop)>;
  /// Hears what a piece has thrown, in the lane's thread.
  using Failed = std::function<void(const Diagnostic& why)>;

  TaskLane() = default;
  ~TaskLane();  ///< drops what waits, asks what is under way to stop, and waits for it
  TaskLane(const TaskLane&) = delete;
  TaskLane& operator=(const TaskLane&) = delete;

  /// Behind what was asked for before. `stop`: another way to stop this piece, which is worked on even if it
  /// is asked to stop before it begins.
  void add(Work work, Failed failed, std::stop_source stop = {});
  /// Instead of all that was asked for before.
  void ask(Work work, Failed failed);
  /// Asks the piece whose turn it is to stop.
  void stop();
  /// The same, and drops what waits.
  void forget();
  /// Waits until nothing is left.
  void finish();

  std::size_t pending() const;  ///< pieces under way or waiting
  bool wanted() const;          ///< there are some that were not forgotten

 private:
  struct Piece {
    Work work;
    Failed failed;
    std::stop_source stop;
  };
  void push(Piece piece);
  void drop(const std::function<void()>& then);
  void loop(const std::stop_token& quit);

  mutable std::mutex mutex_;
  std::condition_variable_any wake_, idle_;
  std::list<Piece> pieces_;  ///< the first is under way, if one is
  bool running_ = false, forgotten_ = false;
  std::jthread thread_;  ///< last: it uses all of the above
};

}  // namespace sluice
