#include "engine/program/rewrite_words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "engine/program/spelling.h"

namespace sluice::inline program {
namespace {

/// The rewrites that could be written in words; new ones are steps only.
struct Words {
  std::string_view name, place, argument;
};
constexpr std::array<Words, 19> known{{{"fuse groups", "group", "capacity"},
                                       {"split group", "task", ""},
                                       {"pack", "tensor", "tile"},
                                       {"unpack", "tensor", ""},
                                       {"widen", "tensor", "word"},
                                       {"unwiden", "tensor", ""},
                                       {"materialise converter", "stream", ""},
                                       {"share converter", "task", ""},
                                       {"drop reshape", "task", ""},
                                       {"materialise load", "input", ""},
                                       {"materialise store", "output", ""},
                                       {"interleave load", "task", "ways"},
                                       {"merge loads", "task", ""},
                                       {"insert fork", "output", ""},
                                       {"remove fork", "task", ""},
                                       {"fold", "stream", ""},
                                       {"unfold", "stream", ""},
                                       {"vectorise", "stream", "vector"},
                                       {"unvectorise", "stream", ""}}};

constexpr std::string_view everywhere = "everywhere", by = " by ";

const Words* rewriteOf(std::string_view words) {
  const auto begins = [&](const Words& each) {
    return words.starts_with(each.name) && words.substr(each.name.size()).starts_with(' ');
  };
  const auto found = std::ranges::find_if(known, begins);
  return found == known.end() ? nullptr : &*found;
}

/// "insert_fork" of "insert fork": what a file takes as a name.
std::string nameOf(std::string_view words) {
  std::string name(words);
  for (char& each : name)
    if (!isIdentifier({&each, 1}) && !(each >= '0' && each <= '9')) each = '_';
  return isIdentifier(name) ? name : "_" + name;
}

/// "2x4" as [2, 4]; what is no shape stays a text, which reading the argument refuses.
Value shapeOf(std::string_view written) {
  std::vector<Value> extents;
  for (std::string_view rest = written; !rest.empty();) {
    const std::string_view extent = rest.substr(0, rest.find('x'));
    std::int64_t number = 0;
    const auto [end, wrong] = std::from_chars(extent.data(), extent.data() + extent.size(), number);
    const bool last = extent.size() == rest.size();
    rest.remove_prefix(last ? rest.size() : extent.size() + 1);
    if (wrong != std::errc() || end != extent.data() + extent.size() || (!last && rest.empty()))
      return Value(std::string(written));
    extents.emplace_back(number);
  }
  return Value(std::move(extents));
}

/// The arguments behind the name: "everywhere", "group 0 by 4096", "stream 'a -> b' by 2x4".
void readPlace(const Words& rewrite, std::string_view rest, Values& arguments) {
  const std::string place(rewrite.place);
  if (rest == everywhere) {
    arguments[place] = Value(std::string(everywhere));
    return;
  }
  // Behind the last quote, so that names may have anything in them.
  const std::size_t quote = rest.rfind('\''), at = rest.find(by, quote == rest.npos ? 0 : quote);
  if (at != rest.npos) {
    const std::string argument(rewrite.argument.empty() ? "by" : rewrite.argument);
    arguments[argument] = shapeOf(rest.substr(at + by.size()));
    rest = rest.substr(0, at);
  }
  if (rest.starts_with(place + " ")) rest.remove_prefix(place.size() + 1);
  if (rest.size() >= 2 && rest.front() == '\'' && rest.back() == '\'') rest = rest.substr(1, rest.size() - 2);
  arguments[place] = Value(std::string(rest));
}

/// Steps for an entry of a list of rewrites, which may be a knob.
void addSteps(const Document& document, const ScheduleStep& compiling, const std::string& entry,
              std::vector<ScheduleStep>& steps) {
  const auto given = compiling.arguments.find("program");
  const Value program = given == compiling.arguments.end() ? Value("") : given->second;
  const auto knob = std::ranges::find_if(
      document.knobs, [&](const Knob& each) { return !each.choices.empty() && entry == "=" + each.name; });
  const std::vector<std::string> words =
      knob == document.knobs.end() ? std::vector<std::string>{entry} : knob->choices;
  for (const std::string& each : words) {
    std::optional<ScheduleStep> step = rewriteStep(program, each);
    if (!step) continue;
    if (knob != document.knobs.end())
      step->arguments["when"] = Value(std::vector<Value>{Value(entry), Value(each)});
    step->enabled = compiling.enabled;
    steps.push_back(*std::move(step));
  }
}

}  // namespace

std::optional<ScheduleStep> rewriteStep(const Value& program, const std::string& words) {
  if (words == "none") return std::nullopt;
  const Words* rewrite = rewriteOf(words);
  ScheduleStep step{nameOf(rewrite ? rewrite->name : words), {{"program", program}}, true};
  if (rewrite) readPlace(*rewrite, std::string_view(words).substr(rewrite->name.size() + 1), step.arguments);
  return step;
}

void separateRewrites(Document& document) {
  std::vector<ScheduleStep> separated;
  for (ScheduleStep& step : document.schedule) {
    const auto found =
        step.transformation == "compile_tensors" ? step.arguments.find("rewrites") : step.arguments.end();
    if (found == step.arguments.end()) {
      separated.push_back(std::move(step));
      continue;
    }
    const Value written = std::move(found->second);
    step.arguments.erase(found);
    const std::vector<Value> entries = written.list() ? *written.list() : std::vector<Value>{written};
    separated.push_back(step);
    for (const Value& entry : entries) addSteps(document, step, text(entry), separated);
  }
  document.schedule = std::move(separated);
}

}  // namespace sluice::inline program
