#include "native/attend.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <memory>

#include "engine/core/task_lane.h"

namespace sluice::python {
namespace {

constexpr std::chrono::milliseconds between_looks{50};

/// The thread that works for a calling one. A process that was forked has its own copy of this, but not the
/// thread: there it is left alone, and another one begun.
class Helper {
 public:
  ~Helper() { leaveOthers(); }
  TaskLane& lane() {
    leaveOthers();
    if (!lane_) {
      lane_ = std::make_unique<TaskLane>();
      process_ = getpid();
    }
    return *lane_;
  }

 private:
  void leaveOthers() {
    if (lane_ && process_ != getpid()) (void)lane_.release();
  }
  std::unique_ptr<TaskLane> lane_;
  pid_t process_ = 0;
};

TaskLane& laneOfThisThread() {
  static thread_local Helper helper;
  return helper.lane();
}

/// One piece of work, seen by both threads.
struct Piece {
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  std::exception_ptr thrown;
  Told told;

  bool endsWithin(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex);
    return ended.wait_for(lock, patience, [this] { return done; });
  }
};

void perform(Piece& piece, const Work& work, const std::stop_token& stop) {
  std::exception_ptr thrown;
  try {
    work(stop, piece.told);
  } catch (...) {
    thrown = std::current_exception();
  }
  const std::lock_guard lock(piece.mutex);
  piece.thrown = thrown;
  piece.done = true;
  piece.ended.notify_all();
}

/// The exception that Python has set, which is taken from it.
py::object takeException() {
  py::error_already_set raised;
  py::object value = raised.value();
  if (raised.trace()) PyException_SetTraceback(value.ptr(), raised.trace().ptr());
  return value;
}

/// None, or what interrupts the work.
py::object listen(const py::object& heard, Told& told) {
  if (PyErr_CheckSignals() != 0) return takeException();
  const std::optional<Progress> news = told.news();
  if (!news || heard.is_none()) return py::none();
  try {
    heard(news->fraction, news->done, news->total, news->seconds_left);
  } catch (py::error_already_set& raised) {
    raised.restore();
    return takeException();
  }
  return py::none();
}

}  // namespace

py::object attend(const py::object& heard, const Work& work) {
  std::stop_source stop;
  const auto piece = std::make_shared<Piece>();
  laneOfThisThread().add(
      [piece, &work, token = stop.get_token()](const std::stop_token&) { perform(*piece, work, token); },
      [](const Diagnostic&) {});
  py::object interruption = py::none();
  for (bool done = false; !done;) {
    {
      const py::gil_scoped_release release;
      done = piece->endsWithin(between_looks);
    }
    if (!interruption.is_none()) continue;
    interruption = listen(heard, piece->told);
    if (!interruption.is_none()) stop.request_stop();
  }
  if (piece->thrown) std::rethrow_exception(piece->thrown);
  return interruption;
}

}  // namespace sluice::python
