// Trace events (the JSON of Chrome's about:tracing, which Perfetto opens): ours (`simulate --trace`) and
// those of other tools. Events X, and B with E, are activities; C are counters; M names tracks. All others
// are passed over. A microsecond of the file is a cycle unless a clock is given.

#include <nlohmann/json.hpp>
#include <tuple>

#include "engine/core/cancelled.h"
#include "engine/measurements/format.h"
#include "engine/measurements/moments.h"

namespace sluice::inline measurements {
namespace {

constexpr std::size_t most_tracks = 1'000'000, most_nested = 10'000, most_text = std::size_t{1} << 16;

/// Where texts and numbers longer than `most_text` end the file, so that no text is held that is longer.
class Bounded {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  struct State {
    std::istream& in;
    const std::stop_token& stop;
    std::size_t since_break = 0, bytes = 0;
    bool too_long = false, stopped = false;
    char byte = 0;
  };

  Bounded() = default;
  explicit Bounded(State& state) : state_(&state) { ++*this; }
  reference operator*() const { return state_->byte; }
  Bounded& operator++() {
    std::streambuf& source = *state_->in.rdbuf();
    const int next = source.sbumpc();
    if (next == std::char_traits<char>::eof()) return end();
    const char byte = static_cast<char>(next);
    const bool breaks = byte == '"' || byte == ',' || byte == '\n' || byte == '}' || byte == ']';
    state_->since_break = breaks ? 0 : state_->since_break + 1;
    state_->too_long = state_->since_break > most_text;
    if (++state_->bytes % 1'048'576 == 0) state_->stopped = state_->stop.stop_requested();
    if (state_->too_long || state_->stopped) return end();
    state_->byte = byte;
    return *this;
  }
  Bounded operator++(int) {
    Bounded before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const Bounded& a, const Bounded& b) { return a.state_ == b.state_; }
  friend bool operator!=(const Bounded& a, const Bounded& b) { return !(a == b); }

 private:
  Bounded& end() {
    state_ = nullptr;
    return *this;
  }
  State* state_ = nullptr;
};

/// What is kept of one event while it is read.
struct Event {
  std::string phase, name, argument_name;
  std::string process, thread;
  std::optional<double> begin, duration, counter;
};

using Track = std::pair<std::string, std::string>;  ///< process and thread, as the file numbers them

/// Adds up what events say.
class EventTally {
 public:
  explicit EventTally(Moments& moments) : moments_(moments) {}

  std::optional<Diagnostic> take(const Event& event, const Location& place) {
    if (operators_.size() + counters_.size() + names_.size() + open_.size() > most_tracks)
      return error("file-too-large", place, "there are more than a million tracks, names and counters",
                   "record the operators and streams of the program only");
    const Track track{event.process, event.thread};
    if (!fits_)
      return error("file-too-large", place, "its names have more than 256 MiB",
                   "record the operators and streams of the program only");
    if (event.phase == "M") {
      const bool thread = event.name == "thread_name";
      if (!thread && event.name != "process_name") return std::nullopt;
      keep(event.process.size() + event.thread.size() + event.argument_name.size());
      (thread ? names_[track] : processes_[event.process]) = event.argument_name;
      return std::nullopt;
    }
    if (event.phase != "X" && event.phase != "B" && event.phase != "E" && event.phase != "C")
      return std::nullopt;
    if (!event.begin)
      return error("text-syntax", place, "an event has no time (ts)", "it is damaged: record it again");
    if (event.phase == "X") lasted(track, event.name, *event.begin, event.duration.value_or(0));
    if (event.phase == "C") counted(event);
    if (event.phase == "B") return begins(track, event, place);
    if (event.phase == "E") return ends(track, event, place);
    return std::nullopt;
  }

  std::optional<double> cycles_said;  ///< by the file itself: ours do
  bool of_model = false;

  /// `cycle`: how many units of the file it is.
  MeasuredRun finish(double cycle) {
    MeasuredRun run;
    if (first_ > last_) first_ = last_ = 0;
    if (cycles_said) first_ = 0;
    run.of_model = of_model;
    run.cycles = cycles_said ? *cycles_said : (last_ - first_) / cycle;
    for (auto& [key, sum] : operators_) {
      MeasuredOperator& measured = run.operators.emplace_back();
      measured.names = namesOf(key);
      for (std::size_t i = 0; i < activities; ++i)
        if (sum.cycles.of[i]) measured.cycles.of[i] = *sum.cycles.of[i] / cycle;
      measured.finished = (sum.last - first_) / cycle;
      measured.spans = std::move(sum.spans);
      for (MeasuredSpan& span : measured.spans)
        span.begin = (span.begin - first_) / cycle, span.end = (span.end - first_) / cycle;
    }
    for (auto& [key, counter] : counters_) {
      MeasuredStream& stream = run.streams.emplace_back();
      stream.names = {key.second};
      stream.most = counter.most;
      stream.levels = std::move(counter.levels);
      for (MeasuredLevel& level : stream.levels) level.at = std::max(0.0, (level.at - first_) / cycle);
    }
    return run;
  }

 private:
  struct Sum {
    ActivityCycles cycles;
    double last = 0;
    std::vector<MeasuredSpan> spans;
  };
  struct Counter {
    double most = 0;
    std::vector<MeasuredLevel> levels;
  };
  using Key = std::pair<Track, std::string>;  ///< the event's name, unless it is an activity

  void keep(std::size_t bytes) { fits_ = kept_.keep(bytes) && fits_; }

  void lasted(const Track& track, const std::string& name, double begin, double duration) {
    const std::optional<Activity> activity = activityNamed(name);
    const auto [at, fresh] = operators_.try_emplace({track, activity ? "" : name});
    if (fresh) keep(track.first.size() + track.second.size() + name.size());
    Sum& sum = at->second;
    sum.cycles.add(activity.value_or(Activity::Compute), std::max(0.0, duration));
    if (duration > 0 && moments_.keep())
      sum.spans.push_back({begin, begin + duration, activity.value_or(Activity::Compute)});
    sum.last = std::max(sum.last, begin + duration);
    first_ = std::min(first_, begin), last_ = std::max(last_, begin + duration);
  }

  void counted(const Event& event) {
    const auto [at, fresh] = counters_.try_emplace({event.process, event.name});
    if (fresh) keep(event.process.size() + event.name.size());
    Counter& counter = at->second;
    counter.most = std::max(counter.most, event.counter.value_or(0));
    if (moments_.keep()) counter.levels.push_back({*event.begin, event.counter.value_or(0)});
  }

  std::optional<Diagnostic> begins(const Track& track, const Event& event, const Location& place) {
    auto& open = open_[track];
    if (open.size() == most_nested)
      return error("file-too-large", place, "more than 10000 events are open in each other",
                   "record it again");
    keep(event.name.size());
    open.emplace_back(event.name, *event.begin);
    if (++opened_ > most_tracks)
      return error("file-too-large", place, "more than a million events are open", "record it again");
    return std::nullopt;
  }

  std::optional<Diagnostic> ends(const Track& track, const Event& event, const Location& place) {
    auto& open = open_[track];
    if (open.empty())
      return error("text-syntax", place, "an event ends that did not begin",
                   "the recording lost its beginning: record a shorter run");
    const auto [name, begin] = open.back();
    open.pop_back();
    --opened_;
    kept_.drop(name.size());
    if (*event.begin < begin)
      return error("text-syntax", place, "an event ends before it begins", "it is damaged: record it again");
    lasted(track, name, begin, *event.begin - begin);
    return std::nullopt;
  }

  std::vector<std::string> namesOf(const Key& key) const {
    const auto& [track, event] = key;
    const auto thread = names_.find(track);
    const std::string thread_name = thread == names_.end() ? "thread " + track.second : thread->second;
    std::vector<std::string> names;
    if (!event.empty()) names = {event, thread_name + "." + event};
    names.push_back(thread_name);
    if (const auto process = processes_.find(track.first); process != processes_.end())
      names.push_back(process->second + "." + thread_name);
    return names;
  }

  Moments& moments_;
  NameBudget kept_;
  bool fits_ = true;
  std::size_t opened_ = 0;  ///< events that have not ended
  std::map<Key, Sum> operators_;
  std::map<std::pair<std::string, std::string>, Counter> counters_;
  std::map<Track, std::string> names_;
  std::map<std::string, std::string> processes_;
  std::map<Track, std::vector<std::pair<std::string, double>>> open_;
  double first_ = std::numeric_limits<double>::infinity(), last_ = 0;
};

/// Events as the parser comes by them: objects in the list of the root, or in its member "traceEvents".
class EventHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
  EventHandler(EventTally& tally, const std::string& file) : tally_(tally), file_(file) {}

  std::optional<Diagnostic> failure;
  std::size_t events() const { return events_; }
  bool openEnded() const { return open_ended_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t value) override { return number(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t&) override { return number(value); }
  bool binary(binary_t&) override { return true; }
  bool string(string_t& value) override {
    if (!inEvent() && depth_ == 2 && root_key_ == "otherData" && key_ == "tool")
      tally_.of_model = isOfModel(value);
    if (!inEvent() || depth_ > event_depth_ + 1) return true;
    if (depth_ == event_depth_ + 1) {
      if (key_ == "name") event_.argument_name = value;
    } else if (key_ == "ph") {
      event_.phase = value;
    } else if (key_ == "name") {
      event_.name = value;
    } else if (key_ == "pid") {
      event_.process = value;
    } else if (key_ == "tid") {
      event_.thread = value;
    }
    return true;
  }
  bool key(string_t& value) override {
    if (depth_ == 1) root_key_ = value;
    if (!inEvent() || depth_ <= event_depth_ + 1) key_ = value;
    return true;
  }
  bool start_object(std::size_t) override {
    ++depth_;
    if (event_depth_ == 0 && depth_ == list_depth_ + 1 && list_depth_ > 0) event_depth_ = depth_, event_ = {};
    return depth_ < 200 || refuse("file-too-large", "objects are in each other more than 200 deep");
  }
  bool end_object() override {
    const bool was_event = event_depth_ != 0 && depth_ == event_depth_;
    --depth_;
    if (!was_event) return true;
    event_depth_ = 0;
    ++events_;
    failure = tally_.take(event_, place());
    return !failure;
  }
  bool start_array(std::size_t) override {
    ++depth_;
    const bool ours = depth_ == 1 || (depth_ == 2 && root_key_ == "traceEvents");
    if (ours && list_depth_ == 0) list_depth_ = depth_;
    return depth_ < 200 || refuse("file-too-large", "lists are in each other more than 200 deep");
  }
  bool end_array() override {
    if (depth_ == list_depth_) list_depth_ = 0;
    --depth_;
    return true;
  }
  /// The list of events needs no end where it is the whole file, as its format has it (Chrome leaves it out).
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& problem) override {
    const bool at_end = std::string_view(problem.what()).find("end of input") != std::string_view::npos;
    open_ended_ = at_end && depth_ == 1 && list_depth_ == 1 && events_ > 0;
    return !open_ended_ && refuse("json-syntax", "it is no JSON behind byte " + std::to_string(position));
  }

 private:
  bool inEvent() const { return event_depth_ != 0; }
  Location place() const {
    return Location(Where::File, file_) / Location("event " + std::to_string(events_));
  }
  bool refuse(Code code, std::string cause) {
    failure = error(code, place(), std::move(cause), "it is damaged or cut off: record it again");
    return false;
  }
  bool number(double value) {
    if (!inEvent()) {
      if (depth_ == 2 && root_key_ == "otherData" && key_ == "cycles") tally_.cycles_said = value;
      return true;
    }
    if (depth_ == event_depth_ + 1) {
      if (!event_.counter) event_.counter = value;
      return true;
    }
    if (depth_ != event_depth_) return true;
    const auto written = [&] {
      return std::to_string(static_cast<long long>(std::clamp(value, -1e18, 1e18)));
    };
    if (key_ == "ts") event_.begin = value;
    if (key_ == "dur") event_.duration = value;
    if (key_ == "pid") event_.process = written();
    if (key_ == "tid") event_.thread = written();
    return true;
  }

  EventTally& tally_;
  const std::string& file_;
  Event event_;
  std::string key_, root_key_;
  std::size_t depth_ = 0, list_depth_ = 0, event_depth_ = 0, events_ = 0;
  bool open_ended_ = false;
};

bool beginsAsTrace(std::string_view beginning) {
  const std::size_t first = beginning.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == std::string_view::npos) return false;
  if (beginning[first] == '{') return beginning.find("\"traceEvents\"") != std::string_view::npos;
  return beginning[first] == '[' && beginning.find("\"ph\"") != std::string_view::npos;
}

Result<Measurement> readTraceEvents(std::istream& in, const std::string& file, const ReadOptions& options) {
  Moments moments(options.over_time);
  EventTally tally(moments);
  EventHandler handler(tally, file);
  Bounded::State state{in, options.stop};
  const bool whole = nlohmann::json::sax_parse(Bounded(state), Bounded(), &handler);
  if (state.stopped) return cancelledDiagnostic();
  const Location place(Where::File, file);
  if (state.too_long)
    return error("file-too-large", place, "a text in it has more than 65536 characters",
                 "shorten what is recorded");
  if (handler.failure) return *handler.failure;
  if ((!whole && !handler.openEnded()) || handler.events() == 0)
    return error("missing-data", place, "it holds no events", "record a run");
  Measurement measurement;
  measurement.runs.push_back(tally.finish(options.clock_mhz > 0 ? 1 / options.clock_mhz : 1));
  measurement.runs.front().place = place;
  moments.settle(measurement);
  return measurement;
}

}  // namespace

const MeasurementFormat& traceEvents() {
  static const MeasurementFormat format{.name = "trace events",
                                        .title = "trace events of Chrome or Perfetto in JSON",
                                        .suffixes = {"json"},
                                        .limit = std::uintmax_t{1} << 34,
                                        .sniff = beginsAsTrace,
                                        .content = "an object with traceEvents, or a list of objects with ph",
                                        .read = readTraceEvents};
  return format;
}

}  // namespace sluice::inline measurements
