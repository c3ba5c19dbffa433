#pragma once
// Long work of the engine, called from Python: the interpreter is free meanwhile, Ctrl-C and exceptions of a
// progress callback stop the work, and what it has got to by then is kept.

#include <pybind11/pybind11.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>

namespace sluice::python {

namespace py = pybind11;

/// How far the work is; what is negative or 0 is not known.
struct Progress {
  double fraction = -1;
  std::uint64_t done = 0, total = 0;
  double seconds_left = -1;
};

/// The last word of the work on its progress; any thread may tell.
class Told {
 public:
  void tell(const Progress& progress) {
    const std::lock_guard lock(mutex_);
    last_ = progress;
  }
  /// What was reported since the last call.
  std::optional<Progress> news() {
    const std::lock_guard lock(mutex_);
    return std::exchange(last_, {});
  }

 private:
  std::mutex mutex_;
  std::optional<Progress> last_;
};

using Work = std::function<void(const std::stop_token& stop, Told& told)>;

/// Does the work on a thread that belongs to the calling one (it keeps what it remembers between calls) and
/// returns when it is done. `heard`: None, or called in the calling thread with (fraction, done, total,
/// seconds_left), some times a second. What interrupted the work, a KeyboardInterrupt or the callback's
/// exception, is returned and not thrown; None if nothing did.
py::object attend(const py::object& heard, const Work& work);

}  // namespace sluice::python
