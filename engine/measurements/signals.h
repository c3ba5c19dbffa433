#pragma once
// SignalTally: what wires and counters of a hardware design tell of its operators and streams, told change by
// change. README.md has the names that it knows.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/measurements/measurement.h"
#include "engine/measurements/moments.h"

namespace sluice::inline measurements {

class SignalTally {
 public:
  static constexpr std::size_t most_signals = 1'000'000;

  /// Stretches of time and levels are kept while there is room for them.
  explicit SignalTally(Moments& moments) : moments_(moments) {}

  /// A signal of that name and width in bits, in the scope; its number if it tells something, else nothing.
  std::optional<std::uint32_t> add(const std::string& scope, const std::string& name, std::uint32_t width);
  bool full() const { return signals_.size() >= most_signals; }
  /// Before the first change. Without a clock the number of tokens that valid and ready tell is unknown.
  void begin(bool clocked);
  /// From `now` on it has the value; nothing: unknown.
  void change(std::uint32_t signal, std::optional<double> value, double now);
  /// Everything that was seen; the tally is used up. `edges`: cycles are edges of the clock; else tokens that
  /// valid and ready tell are unknown after all.
  MeasuredRun finish(double now, bool edges);

 private:
  struct Signal {
    enum class Role : std::uint8_t { Activity, Valid, Ready, Level, Sent } role = Role::Activity;
    Activity activity = Activity::Compute;
    bool low = false;    ///< it tells something when it is 0
    std::size_t of = 0;  ///< position in operators_ or streams_
    bool holds = false;
  };
  /// Several signals may tell the same of an operator: a wait at each of its ports.
  struct Doing {
    std::uint32_t signals = 0;  ///< that tell it now
    double since = 0;
  };
  struct Operator {
    MeasuredOperator measured;
    std::array<Doing, activities> doing{};
    bool whole = false;  ///< its compute cycles are those in which it was not idle, waits included
  };
  struct Stream {
    MeasuredStream measured;
    bool has_valid = false, has_ready = false, has_level = false, has_sent = false;
    bool sure = false;  ///< its name says that it is the level of a FIFO, whatever stands beside it
    bool valid = false, ready = false;
    double since = 0;
  };

  std::size_t operatorAt(const std::string& scope);
  std::size_t streamAt(const std::string& name);
  void settle(Operator& each, Activity activity, double now);
  void settle(Stream& stream, double now);

  Moments& moments_;
  std::vector<Signal> signals_;
  std::vector<Operator> operators_;
  std::vector<Stream> streams_;
  std::map<std::string, std::size_t> operator_at_, stream_at_;
  bool clocked_ = false;
};

}  // namespace sluice::inline measurements
