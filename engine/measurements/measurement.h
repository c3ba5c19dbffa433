#pragma once
// A run as something other than the model measured it: register-transfer simulation, a device, another
// simulator. Every format is read to this; matching.h says what of it belongs to which part of a program.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/diagnostic.h"
#include "engine/core/location.h"

namespace sluice::inline measurements {

/// What a cycle of an operator went to.
enum class Activity : std::uint8_t {
  Compute,
  Token,   ///< it waited for a token to arrive
  Slot,    ///< it waited for room in a FIFO that it sends to
  Memory,  ///< it waited for off-chip memory, or for an on-chip unit that others use
  Stream,  ///< for a token or for a slot: the file does not tell which
};
inline constexpr std::size_t activities = 5;
/// "compute", "waiting for a token" ...
const char* text(Activity activity);
/// What names of states, wires and columns mean, "starved" or "stall_out"; nothing for other words. Case and
/// what is no letter or digit do not matter.
std::optional<Activity> activityNamed(std::string_view word);

/// Cycles by Activity; absent: the file does not tell.
struct ActivityCycles {
  std::array<std::optional<double>, activities> of;

  std::optional<double>& operator[](Activity activity) { return of[static_cast<std::size_t>(activity)]; }
  const std::optional<double>& operator[](Activity activity) const {
    return of[static_cast<std::size_t>(activity)];
  }
  void add(Activity activity, double cycles) {
    auto& sum = (*this)[activity];
    sum = sum.value_or(0) + cycles;
  }
  double sum() const;
};

/// A stretch of time in which an operator did one thing; in cycles from the beginning of the run.
struct MeasuredSpan {
  double begin = 0, end = 0;
  Activity activity = Activity::Compute;
};

/// From `at` on there are so many tokens in a FIFO.
struct MeasuredLevel {
  double at = 0, tokens = 0;
};

struct MeasuredOperator {
  std::vector<std::string> names;  ///< what it may be in the program, the most exact first; never empty
  ActivityCycles cycles;
  std::optional<double> total;      ///< with all waits, where the file does not tell what they went to
  std::optional<double> finished;   ///< cycles from the beginning of the run to its last activity
  std::vector<MeasuredSpan> spans;  ///< only where ReadOptions::over_time asks and the file tells when
};

struct MeasuredStream {
  std::vector<std::string> names;
  std::optional<double> tokens;             ///< that went through
  std::optional<double> most;               ///< tokens in the FIFO at once
  std::optional<double> no_token, no_slot;  ///< cycles that the reader, or the writer, waited
  std::vector<MeasuredLevel> levels;        ///< as MeasuredOperator::spans; in the order of time
};

struct MeasuredRun {
  Location place;                          ///< the file, and of a table the line
  std::map<std::string, std::int64_t> at;  ///< knobs and constants, where the file names them
  std::optional<double> cycles;            ///< of the whole run
  std::vector<MeasuredOperator> operators;
  std::vector<MeasuredStream> streams;
  std::string file;       ///< of a row that names another file, which holds the rest
  bool recorded = false;  ///< a recording of signals: its operators and streams are all that it tells of
  bool of_model = false;  ///< by its own words a recording of Sluice's simulator, which is the model itself
  std::string point;      ///< coveredPoint() that the emitted RTL which was recorded carries; empty: none
  std::string recording;  ///< a hash of the recording's file; empty: it is no recording
};

struct Measurement {
  std::string format;  ///< MeasurementFormat::name
  std::vector<MeasuredRun> runs;
  Diagnostics notes;  ///< what was left out or taken for something
};

/// Whether a recording that names this tool was written by Sluice's simulator.
bool isOfModel(std::string_view tool);
/// "fig8.csv, 15 runs": the names of the files, and how many runs they hold.
std::string sourceText(std::span<const std::string> files, std::size_t runs);

/// Small letters and digits, single underscores between; "expert[3].Gate" is "expert_3_gate".
std::string plainName(std::string_view name);

}  // namespace sluice::inline measurements
