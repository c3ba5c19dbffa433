#include "engine/measurements/signals.h"

#include <algorithm>
#include <array>

namespace sluice::inline measurements {
namespace {

struct Handshake {
  std::string_view end;  ///< of the signal's name
  bool valid;
};

constexpr std::array handshakes{Handshake{"tvalid", true}, Handshake{"tready", false},
                                Handshake{"valid", true},  Handshake{"ready", false},
                                Handshake{"vld", true},    Handshake{"rdy", false}};

constexpr std::array<std::string_view, 5> levels{"tokens", "level", "occupancy", "fill", "count"};

/// "x" of "x_valid" with the end "valid"; empty of "valid"; nothing of "invalid".
std::optional<std::string> baseOf(const std::string& name, std::string_view end) {
  if (!name.ends_with(end)) return std::nullopt;
  std::string base = name.substr(0, name.size() - end.size());
  if (base.empty()) return base;
  if (base.back() != '_') return std::nullopt;
  base.pop_back();
  return base;
}

std::string inScope(const std::string& scope, const std::string& name) {
  return scope.empty() || name.empty() ? scope + name : scope + "." + name;
}

/// Ports of Vitis HLS that say what a function waits for; they are 0 while it does.
std::optional<Activity> stallOfVitis(std::string_view name) {
  if (name == "ap_ext_blocking_n") return Activity::Memory;
  if (name == "ap_int_blocking_n" || name == "ap_str_blocking_n") return Activity::Stream;
  return std::nullopt;
}

/// What an operator of our RTL waits for: "waits_token_in1" at its port in1.
std::optional<Activity> waitOfRtl(std::string_view name) {
  constexpr std::array waits{std::pair{std::string_view("waits_token_"), Activity::Token},
                             std::pair{std::string_view("waits_room_"), Activity::Slot},
                             std::pair{std::string_view("waits_memory_"), Activity::Memory}};
  for (const auto& [beginning, activity] : waits)
    if (name.starts_with(beginning)) return activity;
  return std::nullopt;
}

}  // namespace

std::size_t SignalTally::operatorAt(const std::string& scope) {
  const auto [at, fresh] = operator_at_.emplace(scope, operators_.size());
  if (fresh) operators_.emplace_back().measured.names = {scope};
  return at->second;
}

std::size_t SignalTally::streamAt(const std::string& name) {
  const auto [at, fresh] = stream_at_.emplace(name, streams_.size());
  if (fresh) streams_.emplace_back().measured.names = {name};
  return at->second;
}

std::optional<std::uint32_t> SignalTally::add(const std::string& scope, const std::string& name,
                                              std::uint32_t width) {
  using enum Signal::Role;
  if (scope.empty()) return std::nullopt;
  const std::string plain = plainName(name);
  Signal signal;
  if (width > 1) {
    const bool level = std::ranges::find(levels, std::string_view(plain)) != levels.end();
    if (!level && plain != "sent") return std::nullopt;
    signal.role = level ? Level : Sent, signal.of = streamAt(scope);
    Stream& stream = streams_[signal.of];
    (level ? stream.has_level : stream.has_sent) = true;
    stream.sure = stream.sure || plain == "tokens" || plain == "occupancy";
  } else if (plain == "ap_idle") {
    signal.low = true, signal.of = operatorAt(scope);
    operators_[signal.of].whole = true;
  } else if (const auto stall = stallOfVitis(plain)) {
    signal.activity = *stall, signal.low = true, signal.of = operatorAt(scope);
  } else if (const auto wait = waitOfRtl(plain)) {
    signal.activity = *wait, signal.of = operatorAt(scope);
  } else if (const auto activity = activityNamed(plain)) {
    signal.activity = *activity, signal.of = operatorAt(scope);
  } else {
    const auto found = std::ranges::find_if(
        handshakes, [&](const Handshake& each) { return baseOf(plain, each.end).has_value(); });
    if (found == handshakes.end()) return std::nullopt;
    signal.role = found->valid ? Valid : Ready;
    signal.of = streamAt(inScope(scope, *baseOf(plain, found->end)));
    (found->valid ? streams_[signal.of].has_valid : streams_[signal.of].has_ready) = true;
  }
  signals_.push_back(signal);
  return static_cast<std::uint32_t>(signals_.size() - 1);
}

void SignalTally::begin(bool clocked) {
  clocked_ = clocked;
  for (Signal& signal : signals_)
    if (signal.role == Signal::Role::Activity)
      operators_[signal.of].measured.cycles.add(signal.activity, 0),
          operators_[signal.of].measured.finished = 0;
  for (Stream& stream : streams_) {
    MeasuredStream& measured = stream.measured;
    if (stream.has_level) measured.most = 0;
    if (stream.has_sent) measured.tokens = 0;
    if (!stream.has_valid || !stream.has_ready) continue;
    measured.no_token = measured.no_slot = 0;
    if (clocked && !stream.has_sent) measured.tokens = 0;
  }
}

void SignalTally::settle(Operator& each, Activity activity, double now) {
  Doing& doing = each.doing[static_cast<std::size_t>(activity)];
  if (doing.signals > 0 && now > doing.since) {
    MeasuredOperator& measured = each.measured;
    measured.cycles.add(activity, now - doing.since);
    measured.finished = std::max(*measured.finished, now);
    if (moments_.keep()) measured.spans.push_back({doing.since, now, activity});
  }
  doing.since = now;
}

void SignalTally::settle(Stream& stream, double now) {
  const double cycles = now - stream.since;
  stream.since = now;
  if (!stream.has_valid || !stream.has_ready || cycles <= 0) return;
  MeasuredStream& measured = stream.measured;
  if (stream.valid && stream.ready && clocked_ && !stream.has_sent) *measured.tokens += cycles;
  if (stream.valid && !stream.ready) *measured.no_slot += cycles;
  if (!stream.valid && stream.ready) *measured.no_token += cycles;
}

void SignalTally::change(std::uint32_t number, std::optional<double> value, double now) {
  Signal& signal = signals_[number];
  const bool one = value && *value != 0;
  if (signal.role == Signal::Role::Activity) {
    Operator& of = operators_[signal.of];
    settle(of, signal.activity, now);
    const bool holds = value && one != signal.low;
    std::uint32_t& telling = of.doing[static_cast<std::size_t>(signal.activity)].signals;
    telling += holds ? 1U : 0U;
    telling -= signal.holds ? 1U : 0U;
    signal.holds = holds;
    return;
  }
  Stream& stream = streams_[signal.of];
  if (signal.role == Signal::Role::Level) {
    if (value) stream.measured.most = std::max(*stream.measured.most, *value);
    if (value && moments_.keep()) stream.measured.levels.push_back({now, *value});
    return;
  }
  if (signal.role == Signal::Role::Sent) {
    if (value) stream.measured.tokens = std::max(*stream.measured.tokens, *value);
    return;
  }
  settle(stream, now);
  (signal.role == Signal::Role::Valid ? stream.valid : stream.ready) = one;
}

MeasuredRun SignalTally::finish(double now, bool edges) {
  MeasuredRun run;
  run.cycles = now;
  for (const Signal& signal : signals_)
    if (signal.role == Signal::Role::Activity) settle(operators_[signal.of], signal.activity, now);
  for (Operator& each : operators_) {
    if (each.whole) {
      auto& compute = each.measured.cycles[Activity::Compute];
      compute = std::max(0.0, *compute - (each.measured.cycles.sum() - *compute));
    }
    run.operators.push_back(std::move(each.measured));
  }
  for (Stream& each : streams_) {
    settle(each, now);
    if (!edges && !each.has_sent) each.measured.tokens.reset();
    const bool fifo = each.sure || each.has_sent || each.has_valid || each.has_ready;
    const bool handshake = each.has_valid && each.has_ready;
    if ((each.has_level && fifo) || each.has_sent || handshake)
      run.streams.push_back(std::move(each.measured));
  }
  return run;
}

}  // namespace sluice::inline measurements
