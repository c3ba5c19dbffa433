// Value change dumps (IEEE 1364-2005, 18): ours (`simulate --vcd`), those of Verilator, Icarus and others.
// The cycles of a hardware design are what its counter `now` or `cycle` says, else the rising edges of its
// clock outside of reset, at which every signal is sampled before it changes.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "engine/core/cancelled.h"
#include "engine/measurements/format.h"
#include "engine/measurements/signals.h"
#include "engine/measurements/words.h"

namespace sluice::inline measurements {
namespace {

constexpr std::size_t most_scopes = 256;
constexpr std::size_t point_bits = 128;  ///< of a ContentHash

/// A signal that decides about time: of several of its name the one of the outermost scope.
struct TimeSignal {
  std::string code;
  std::size_t depth = most_scopes + 1;
  bool low = false;  ///< active at 0
  bool known = false, active = false;

  bool found() const { return depth <= most_scopes; }
  void offer(const std::string& offered, std::size_t at, bool active_low) {
    if (at < depth) code = offered, depth = at, low = active_low;
  }
};

bool isOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

class ValueChangeReader {
 public:
  ValueChangeReader(std::istream& in, const std::string& file, const ReadOptions& options)
      : words_(in), file_(file), options_(options), moments_(options.over_time), tally_(moments_) {}

  Result<Measurement> read() {
    SLUICE_CHECK(readDeclarations());
    counted_ = counter_.found() && options_.clock_mhz == 0;
    clocked_ = clock_.found() && options_.clock_mhz == 0 && !counted_;
    if (done_.depth > clock_.depth) done_ = {};  // a part's own
    tally_.begin(clocked_ || (counted_ && clock_.found()));
    SLUICE_CHECK(readChanges());
    if (words_.cutOff())
      return wrong("the file ends within a line: it is cut off",
                   "copy it whole, or end the simulation in order");
    if (!timed_) return wrong("it has no time", "record a run");
    Measurement measurement;
    measurement.runs.push_back(tally_.finish(now(), clocked_ || countsEdges()));
    measurement.runs.front().place = Location(Where::File, file_);
    measurement.runs.front().recorded = true;
    measurement.runs.front().of_model = of_model_;
    measurement.runs.front().point = std::move(point_);
    measurement.runs.front().recording = words_.hash();
    moments_.settle(measurement);
    return measurement;
  }

 private:
  Diagnostic wrong(std::string cause, std::string fix) const {
    return error("text-syntax", Location(Where::File, file_) / Location(Where::Line, words_.line()),
                 std::move(cause), std::move(fix));
  }
  Diagnostic tooMuch(const std::string& what) const {
    return error("file-too-large", Location(Where::File, file_) / Location(Where::Line, words_.line()),
                 "there are " + what, "dump fewer signals: the operators and streams of the program");
  }

  /// The next word of a declaration.
  Result<std::string> word() {
    std::string next;
    if (words_.next(next)) return next;
    if (words_.tooLong()) return tooMuch("words of more than 65536 characters");
    return wrong("the declarations have no end", "it is no value change dump, or it is cut off");
  }

  Result<Done> skipToEnd() {
    for (;;) {
      SLUICE_TRY(const std::string next, word());
      if (next == "$end") return Done{};
    }
  }

  Result<Done> readDeclarations() {
    for (;;) {
      SLUICE_TRY(const std::string keyword, word());
      if (keyword == "$enddefinitions") return skipToEnd();
      if (keyword == "$scope") {
        SLUICE_TRY(const std::string kind, word());
        SLUICE_TRY(const std::string name, word());
        if (scopes_.size() == most_scopes) return tooMuch("more than 256 scopes in each other");
        scopes_.push_back(scopes_.empty() ? name : scopes_.back() + "." + name);
        if (scopes_.back().size() > Words::longest)
          return tooMuch("scopes whose path has more than 65536 characters");
      } else if (keyword == "$upscope") {
        if (scopes_.empty()) return wrong("a scope ends that did not begin", "it is no value change dump");
        scopes_.pop_back();
      } else if (keyword == "$timescale") {
        SLUICE_CHECK(readTimescale());
        continue;
      } else if (keyword == "$version") {
        SLUICE_TRY(const std::string tool, word());
        of_model_ = isOfModel(tool);
        if (tool == "$end") continue;
      } else if (keyword == "$var") {
        SLUICE_CHECK(readVariable());
      } else if (!keyword.starts_with('$')) {
        return wrong("'" + keyword.substr(0, 40) + "' stands where a declaration should",
                     "it is no value change dump");
      }
      SLUICE_CHECK(skipToEnd());
    }
  }

  Result<Done> readTimescale() {
    std::string text;
    for (;;) {
      SLUICE_TRY(const std::string next, word());
      if (next == "$end") break;
      text += next;
      if (text.size() > 40) break;
    }
    constexpr std::array<std::pair<std::string_view, double>, 6> units{
        {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"ps", 1e-12}, {"fs", 1e-15}}};
    double number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    for (const auto& [name, seconds] : units)
      if (failed == std::errc() && number > 0 && unit == name) {
        seconds_ = number * seconds;
        return Done{};
      }
    return wrong("'" + text.substr(0, 40) + "' is no unit of time", "write it as in 1 ns");
  }

  Result<Done> readVariable() {
    SLUICE_TRY(const std::string kind, word());
    SLUICE_TRY(const std::string width_text, word());
    SLUICE_TRY(const std::string code, word());
    SLUICE_TRY(const std::string name, word());
    std::uint32_t width = 0;
    const auto [end, failed] =
        std::from_chars(width_text.data(), width_text.data() + width_text.size(), width);
    if (failed != std::errc() || end != width_text.data() + width_text.size() || width == 0)
      return wrong("'" + width_text.substr(0, 40) + "' is no width", "it is no value change dump");
    const std::string plain = plainName(name);
    const std::size_t depth = scopes_.size();
    if (width == 1) {
      if (isOneOf(plain, {"clk", "clock", "ap_clk", "aclk", "clk_i"})) clock_.offer(code, depth, false);
      if (isOneOf(plain, {"rst", "reset", "ap_rst", "rst_i"})) reset_.offer(code, depth, false);
      if (isOneOf(plain, {"rst_n", "resetn", "reset_n", "ap_rst_n", "aresetn", "rst_ni"}))
        reset_.offer(code, depth, true);
      if (isOneOf(plain, {"done", "finished", "ap_done"})) done_.offer(code, depth, false);
    } else if (isOneOf(plain, {"now", "cycle"})) {
      counter_.offer(code, depth, false);
    } else if (width == point_bits && plain == "emitted_point") {
      point_code_ = code;
    }
    if (tally_.full()) return tooMuch("more than a million signals of operators and streams");
    if (const auto signal = tally_.add(scopes_.empty() ? "" : scopes_.back(), name, width)) {
      if (!names_.keep(code.size() + name.size() + scopes_.back().size()))
        return tooMuch("names of signals of more than 256 MiB");
      signals_[code].push_back(*signal);
      if (pending_.size() <= *signal) pending_.resize(*signal + 1);
    }
    return Done{};
  }

  Result<Done> readChanges() {
    std::string next;
    for (std::size_t count = 0; words_.next(next); ++count) {
      if (count % 65536 == 0 && options_.stop.stop_requested()) return cancelledDiagnostic();
      const char first = next.front();
      if (first == '#') {
        SLUICE_CHECK(readTime(next));
      } else if (first == '$') {
        if (next == "$comment") SLUICE_CHECK(skipToEnd());
      } else if (first == 'b' || first == 'B' || first == 'r' || first == 'R' || first == 's') {
        const std::string value = next;
        if (!words_.next(next)) return wrong("a value has no signal", "the file is cut off: copy it whole");
        const bool bits = first == 'b' || first == 'B';
        if (bits && next == point_code_) point_ = hexadecimal(std::string_view(value).substr(1));
        changed(next, bits ? number(value) : std::nullopt);
      } else if (std::string_view("01xXzZ").find(first) != std::string_view::npos && next.size() > 1) {
        const bool known = first == '0' || first == '1';
        changed(next.substr(1), known ? std::optional<double>(first == '1') : std::nullopt);
      } else {
        return wrong("'" + next.substr(0, 40) + "' is neither a time nor a value",
                     "it is damaged: record it again");
      }
    }
    if (words_.tooLong()) return tooMuch("words of more than 65536 characters");
    apply();
    return Done{};
  }

  Result<Done> readTime(const std::string& written) {
    std::uint64_t time = 0;
    const char* const end = written.data() + written.size();
    const auto [stop, failed] = std::from_chars(written.data() + 1, end, time);
    if (failed != std::errc() || stop != end || time > std::uint64_t{1} << 62)
      return wrong("'" + written.substr(0, 40) + "' is no time", "it is damaged: record it again");
    if (timed_ && time < time_) return wrong("time goes back", "it is damaged: record it again");
    apply();
    if (!timed_) began_ = time;
    time_ = time, timed_ = true;
    return Done{};
  }

  /// As 32 digits; leading zeros may be missing. Empty: it is not known.
  static std::string hexadecimal(std::string_view bits) {
    if (bits.size() > point_bits || bits.find_first_not_of("01") != std::string_view::npos) return {};
    const std::string all = std::string(point_bits - bits.size(), '0') + std::string(bits);
    std::string digits;
    for (std::size_t i = 0; i < all.size(); i += 4)
      digits += "0123456789abcdef"[std::stoul(all.substr(i, 4), nullptr, 2)];
    return digits;
  }

  static std::optional<double> number(std::string_view written) {
    double value = 0;
    if (written.size() > 65) return std::nullopt;
    for (const char bit : written.substr(1)) {
      if (bit != '0' && bit != '1') return std::nullopt;
      value = 2 * value + (bit == '1' ? 1 : 0);
    }
    return value;
  }

  /// The last value that a signal takes at one time counts.
  void changed(const std::string& code, std::optional<double> value) {
    if (counted_ && counter_.code == code) next_count_ = std::max(next_count_, value.value_or(0));
    for (TimeSignal* each : {&clock_, &reset_, &done_})
      if (each->found() && each->code == code) noted(*each, value);
    const auto found = signals_.find(code);
    if (found == signals_.end()) return;
    for (const std::uint32_t signal : found->second) {
      if (!pending_[signal].waits) waiting_.push_back(signal);
      pending_[signal] = {true, value};
    }
  }

  /// A first value is no edge.
  void noted(TimeSignal& signal, std::optional<double> value) {
    const bool active = value && (*value != 0) != signal.low;
    if (&signal == &reset_) {
      next_reset_ = active;
      return;
    }
    const bool rises = active && signal.known && !signal.active;
    if (rises && &signal == &clock_) rises_ = true;
    if (rises && &signal == &done_) ends_ = true;
    signal.active = active;
    signal.known = value.has_value();
  }

  /// Everything that happened at one time: the clock's edge comes first.
  void apply() {
    if (std::exchange(rises_, false) && !ended_ && !reset_.active) ++edges_;
    reset_.active = next_reset_;
    count_ = next_count_;
    for (const std::uint32_t signal : waiting_) {
      tally_.change(signal, pending_[signal].value, now());
      pending_[signal].waits = false;
    }
    waiting_.clear();
    if (std::exchange(ends_, false) && clocked_) ended_ = true;
  }

  /// The counter counts the edges of the clock, but for those before it begins or after it ends.
  bool countsEdges() const {
    constexpr double most = 2;
    return counted_ && clock_.found() && std::abs(count_ - static_cast<double>(edges_)) <= most;
  }

  double now() const {
    if (counted_) return count_;
    if (clocked_) return static_cast<double>(edges_);
    const auto passed = static_cast<double>(time_ - began_);
    return options_.clock_mhz > 0 ? passed * seconds_ * options_.clock_mhz * 1e6 : passed;
  }

  struct Pending {
    bool waits = false;
    std::optional<double> value;
  };

  Words words_;
  const std::string& file_;
  const ReadOptions& options_;
  std::vector<std::string> scopes_;  ///< those that are open, with all around them
  double seconds_ = 1e-9;            ///< of a unit of time
  NameBudget names_;
  Moments moments_;
  SignalTally tally_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> signals_;  ///< by code
  TimeSignal clock_, counter_, reset_, done_;
  std::string point_code_, point_;
  std::vector<Pending> pending_;
  std::vector<std::uint32_t> waiting_;
  std::uint64_t time_ = 0, began_ = 0, edges_ = 0;
  double count_ = 0, next_count_ = 0;
  bool timed_ = false, counted_ = false, clocked_ = false, rises_ = false, next_reset_ = false, ends_ = false,
       ended_ = false, of_model_ = false;
};

bool beginsAsDump(std::string_view beginning) {
  const std::size_t first = beginning.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || beginning[first] != '$') return false;
  for (const std::string_view keyword : {"$date", "$version", "$timescale", "$comment", "$scope", "$var"})
    if (beginning.substr(first).starts_with(keyword)) return true;
  return false;
}

Result<Measurement> readValueChanges(std::istream& in, const std::string& file, const ReadOptions& options) {
  return ValueChangeReader(in, file, options).read();
}

}  // namespace

const MeasurementFormat& valueChanges() {
  static const MeasurementFormat format{.name = "VCD",
                                        .title = "a value change dump",
                                        .suffixes = {"vcd"},
                                        .limit = std::uintmax_t{1} << 36,
                                        .sniff = beginsAsDump,
                                        .content = "$date, $version, $timescale, $comment, $scope or $var",
                                        .read = readValueChanges};
  return format;
}

}  // namespace sluice::inline measurements
