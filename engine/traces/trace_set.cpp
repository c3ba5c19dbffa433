// Reads or generates a set of traces, and keeps those that fit.

#include "engine/traces/trace_set.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include "engine/program/fields.h"
#include "engine/program/spelling.h"
#include "engine/traces/check_trace.h"
#include "engine/traces/registry.h"
#include "engine/traces/trace_text.h"

namespace sluice::inline traces {
namespace {

constexpr double most_whole = 9007199254740992.0;  // 2^53

constexpr TraceOption common[] = {
    {"pick", "the number of the trace that stands for all where only one can, from 0", OptionKind::Whole, 0,
     most_traces},
    {"first", "take at most so many", OptionKind::Whole, 1, most_traces},
    {"tokens", "of a trace of a routing, instead of the input's", OptionKind::Whole, 1, 1 << 26},
    {"experts", "the same", OptionKind::Whole, 1, 1 << 20},
    {"top_k", "experts a token, the same", OptionKind::Whole, 1, 4096},
};

std::optional<double> numberOf(const std::string& text) {
  double value = 0;
  const auto [stop, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is = wrong == std::errc() && stop == text.data() + text.size() && std::isfinite(value);
  return is ? std::optional(value) : std::nullopt;
}

std::string rangeText(const TraceOption& option) {
  const auto written = [](double value) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value);
    return std::string(digits, end.ptr);
  };
  return (option.kind == OptionKind::Whole ? "a whole number, " : "a number, ") + written(option.minimum) +
         (option.maximum >= most_whole ? " or more" : " to " + written(option.maximum));
}

std::optional<Diagnostic> wrongValue(const TraceOption& option, const std::string& value,
                                     const Location& place) {
  if (option.kind == OptionKind::Text) {
    const bool known =
        option.choices.empty() || std::ranges::find(option.choices, value) != option.choices.end();
    if (known && !value.empty()) return std::nullopt;
    if (option.choices.empty())
      return error("missing-value", place, "it has no value", "give one, or leave it out");
    const std::vector<std::string> choices(option.choices.begin(), option.choices.end());
    return error("unknown-choice", place, "'" + value + "' is none of its choices",
                 spellingFix(value, choices, ""));
  }
  const std::optional<double> number = numberOf(value);
  if (!number || (option.kind == OptionKind::Whole && *number != std::floor(*number))) {
    return error(
        "not-a-number", place,
        "'" + value + "' is not " + (option.kind == OptionKind::Whole ? "a whole number" : "a finite number"),
        "give " + rangeText(option));
  }
  if (*number >= option.minimum && (*number <= option.maximum || option.maximum >= most_whole))
    return std::nullopt;
  return error("out-of-range", place, value + " is out of its range", "give " + rangeText(option));
}

Diagnostics checkOptions(const TraceSource& source, const TraceOptions& options, const Location& place) {
  std::vector<TraceOption> known(std::begin(common), std::end(common));
  known.insert(known.end(), source.options.begin(), source.options.end());
  Diagnostics wrong;
  for (auto given = options.given().begin(); given != options.given().end(); ++given) {
    const auto option = std::ranges::find(known, given->name, &TraceOption::name);
    const Location at = place / Location(Where::Argument, given->name);
    if (option == known.end()) {
      std::vector<std::string> names;
      for (const TraceOption& each : known) names.emplace_back(each.name);
      wrong.push_back(error("unknown-argument", at, "'" + std::string(source.name) + "' has no such option",
                            spellingFix(given->name, names, "leave it out")));
    } else if (auto unfit = wrongValue(*option, given->value, at)) {
      wrong.push_back(*std::move(unfit));
    }
    const auto same = [&](const TraceOptions::Given& before) { return before.name == given->name; };
    if (std::any_of(options.given().begin(), given, same))
      wrong.push_back(error("duplicate-name", at, "it is given twice", "give it once"));
  }
  return wrong;
}

Result<const TraceSource*> sourceOf(const std::string& head, TraceRequest& request) {
  if (const TraceSource* generator = findTraceGenerator(head)) return generator;
  request.file = request.folder / head;
  std::vector<std::string> generators;
  std::string all;
  for (const TraceSource* source : traceSources())
    if (!source->reads) generators.emplace_back(source->name);
  for (const std::string& name : generators) all += (all.empty() ? "" : ", ") + name;
  std::error_code ignored;
  if (head.empty() || !std::filesystem::exists(request.file, ignored)) {
    const auto meant = closestSpellings(head, generators, 1);
    return error(
        "file-not-found", request.place,
        head.empty() ? "it names nothing" : "no file or folder, and no generator, is called '" + head + "'",
        meant.empty() ? "name a file, a folder, or a generator: " + all
                      : "did you mean '" + meant.front() + "'?");
  }
  // From here on the place is the file; a slip is reported as it was written, above.
  request.place = Location(Where::Input, request.input.name, request.file.string());
  if (const TraceSource* reader = findTraceReader(lookAt(request.file))) return reader;
  return error("wrong-format", request.place, "its content is none that traces are read from",
               "give .npy or .npz, a CSV with the columns layer and expert or with ContextTokens, a list of "
               "files (.txt), or a folder of these");
}

/// With the sizes that the options give.
Input sized(Input input, const TraceOptions& options) {
  if (input.kind != InputKind::Routing) return input;
  if (input.experts == 0) input.experts = static_cast<std::int64_t>(input.counts.size());
  input.tokens = options.whole("tokens", input.tokens);
  input.experts = options.whole("experts", input.experts);
  input.top_k = options.whole("top_k", input.top_k);
  return input;
}

Result<Done> checkAmount(const TraceSet& set, const Location& place) {
  std::size_t values = 0;
  for (const Trace& trace : set.traces) values += trace.values.data.size();
  if (set.traces.size() <= most_traces && values <= most_trace_values) return Done{};
  return error("too-many", place,
               "there are " + std::to_string(set.traces.size()) + " traces with " + std::to_string(values) +
                   " values; at most " + std::to_string(most_traces) + " with " +
                   std::to_string(most_trace_values) + " are taken",
               "take fewer with first=1000");
}

/// Leaves out what does not fit.
void keepFitting(TraceSet& set, const TraceRequest& request) {
  std::vector<Trace> fitting;
  for (Trace& trace : set.traces) {
    Diagnostics wrong =
        checkTrace(request.input, trace.values, request.place / Location("'" + trace.name + "'"));
    if (wrong.empty()) {
      fitting.push_back(std::move(trace));
    } else {
      wrong.front().severity = Severity::Warning;
      set.left_out.push_back(std::move(wrong.front()));
    }
  }
  set.traces = std::move(fitting);
}

Diagnostic nothingFits(const TraceSet& set, const TraceRequest& request) {
  if (set.left_out.empty())
    return error("missing-data", request.place, "the set holds no trace", "give at least one");
  // A cell that is no number leaves out a row, what does not fit a trace.
  const auto misfit = std::ranges::find(set.left_out, "trace-mismatch", &Diagnostic::code);
  const Diagnostic& first = misfit == set.left_out.end() ? set.left_out.front() : *misfit;
  Diagnostic none = error("missing-data", request.place,
                          "no trace of the set fits: " + std::to_string(set.left_out.size()) +
                              " were left out; for example: " + first.cause,
                          first.fix);
  none.related = {first.place};
  return none;
}

/// The one that the option `pick` names.
Result<Done> choose(TraceSet& set, const TraceRequest& request) {
  if (!request.options.has("pick")) return Done{};
  const auto wanted = static_cast<std::size_t>(request.options.whole("pick", 0));
  const auto at = std::ranges::find(set.traces, wanted, &Trace::number);
  if (at == set.traces.end()) {
    return error("out-of-range", request.place / Location(Where::Argument, "pick"),
                 "the set has no trace " + std::to_string(wanted) + ", or it was left out",
                 "give a number from " + std::to_string(set.traces.front().number) + " to " +
                     std::to_string(set.traces.back().number));
  }
  set.chosen = static_cast<std::size_t>(at - set.traces.begin());
  return Done{};
}

/// `change` is asked for each relative path.
std::string withPaths(const std::string& source,
                      const std::function<std::string(const std::string&)>& change) {
  TraceText parsed = parseTraceText(source);
  const auto moved = [&](const std::string& path) {
    return path.empty() || std::filesystem::path(path).is_absolute() ? path : change(path);
  };
  if (!findTraceGenerator(parsed.head)) parsed.head = moved(parsed.head);
  for (auto& [name, value] : parsed.options)
    if (name == "like") value = moved(value);
  return text(parsed);
}

}  // namespace

const std::string* TraceOptions::find(std::string_view name) const {
  const auto at = std::ranges::find(given_, name, &Given::name);
  return at == given_.end() ? nullptr : &at->value;
}

std::int64_t TraceOptions::whole(std::string_view name, std::int64_t otherwise) const {
  const std::string* const value = find(name);
  return value ? static_cast<std::int64_t>(*numberOf(*value)) : otherwise;
}

double TraceOptions::real(std::string_view name, double otherwise) const {
  const std::string* const value = find(name);
  return value ? *numberOf(*value) : otherwise;
}

std::string TraceOptions::text(std::string_view name, const std::string& otherwise) const {
  const std::string* const value = find(name);
  return value ? *value : otherwise;
}

std::span<const TraceOption> commonTraceOptions() {
  return common;
}

Result<TraceSet> loadTraceSet(const Input& input, const std::string& source,
                              const std::filesystem::path& folder) {
  const TraceText parsed = parseTraceText(source);
  TraceRequest request{
      input, TraceOptions(parsed.options), {}, folder, Location(Where::Input, input.name, source)};
  SLUICE_TRY(const TraceSource* const kind, sourceOf(parsed.head, request));
  if (Diagnostics wrong = checkOptions(*kind, request.options, request.place); !wrong.empty()) return wrong;
  if (std::ranges::find(kind->kinds, input.kind) == kind->kinds.end()) {
    return error("wrong-type", request.place,
                 "'" + std::string(kind->name) + "' does not make what this input takes",
                 "routings: zipf, dirichlet, layers; lengths: lognormal; or read a file");
  }
  request.input = sized(input, request.options);
  if (auto wrong = outOfRange(request.input)) return *std::move(wrong);
  SLUICE_TRY(TraceSet set, kind->make(request));
  SLUICE_CHECK(checkAmount(set, request.place));
  const auto first =
      static_cast<std::size_t>(request.options.whole("first", static_cast<std::int64_t>(most_traces)));
  if (set.traces.size() > first) set.traces.resize(first);
  keepFitting(set, request);
  if (set.traces.empty()) return nothingFits(set, request);
  for (const Trace& trace : set.traces)
    set.experts = std::max(set.experts, expertsOf(request.input, trace.values));
  SLUICE_CHECK(choose(set, request));
  return set;
}

namespace {

/// In `to`, or below it, relative to it; elsewhere absolute.
std::string movedPath(const std::string& path, const std::filesystem::path& from,
                      const std::filesystem::path& to) {
  const std::filesystem::path file = (from / path).lexically_normal();
  const std::filesystem::path near = file.lexically_relative(to.lexically_normal());
  const bool inside = !near.empty() && *near.begin() != "..";
  return (inside ? near : file).string();
}

}  // namespace

std::string movedTraceSource(const std::string& source, const std::filesystem::path& from,
                             const std::filesystem::path& to) {
  return withPaths(source, [&](const std::string& path) { return movedPath(path, from, to); });
}

std::vector<Input> movedInputs(std::vector<Input> inputs, const std::filesystem::path& from,
                               const std::filesystem::path& to) {
  if (from == to) return inputs;
  for (Input& input : inputs) {
    if (input.file.empty() || std::filesystem::path(input.file).is_absolute()) continue;
    input.file =
        isTraceSet(input.file) ? movedTraceSource(input.file, from, to) : movedPath(input.file, from, to);
  }
  return inputs;
}

std::string absoluteTraceSource(const std::string& source, const std::filesystem::path& from) {
  return withPaths(source, [&](const std::string& path) {
    std::error_code ignored;
    const std::filesystem::path file = (from / path).lexically_normal();
    return std::filesystem::exists(file, ignored) ? file.string()
                                                  : path;  // a slip is reported as it was written
  });
}

}  // namespace sluice::inline traces
