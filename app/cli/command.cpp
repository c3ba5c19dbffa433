#include "app/cli/command.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <system_error>
#include <tuple>

#include "app/cli/energy_report.h"
#include "app/cli/table.h"
#include "engine/core/atomic_file.h"
#include "engine/core/printable.h"
#include "engine/energy/technology.h"
#include "engine/explorer/given_inputs.h"
#include "engine/explorer/tables.h"
#include "engine/importers/registry.h"
#include "engine/program/file_format.h"
#include "engine/program/spelling.h"
#include "engine/traces/trace_set.h"

namespace sluice::cli {
namespace {

std::string isAssignment(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) return "'" + text + "' is not of the form NAME=VALUE";
  return equals + 1 == text.size() ? "'" + text + "' gives no value" : "";
}

/// An option, or the objectives: only the command line has those.
bool isOfCommandLine(const Location& place) {
  return place.beginsWith(Where::Option) || place == Location("objectives");
}

/// Wrong whatever the files hold.
bool isWrongUse(const Diagnostic& each) {
  // Of nothing else.
  constexpr std::array always = {"invalid-option",    "missing-option", "conflicting-options",
                                 "constraint-syntax", "unknown-metric", "unknown-objective",
                                 "unknown-strategy"};
  // In a file as well, where it is no wrong use.
  constexpr std::array there = {"duplicate-name", "missing-value", "too-many", "unknown-transformation"};
  const auto has = [&](const auto& codes) {
    return std::ranges::any_of(codes, [&](const char* code) { return each.code == code; });
  };
  const bool name = each.code == "unknown-transformation" && each.place.beginsWith(Where::Text);
  return each.severity == Severity::Error &&
         (has(always) || name || (has(there) && isOfCommandLine(each.place)));
}

/// A run that was needed waits for ever.
bool isDeadlock(const Diagnostic& each) {
  return each.severity == Severity::Error && each.code == "deadlock";
}

/// The knob's value that `text` means: one of its choices by name, or an integer.
std::optional<std::int64_t> parseKnob(const Knob& knob, const std::string& text) {
  if (knob.kind == KnobKind::Choice) {
    for (std::size_t i = 0; i < knob.choices.size(); ++i) {
      if (knob.choices[i] == text) return static_cast<std::int64_t>(i);
    }
  }
  const std::optional<std::int64_t> value = wholeNumber(text);
  return value && knob.allows(*value) ? value : std::nullopt;
}

std::string allowedValues(const Knob& knob) {
  constexpr std::size_t most = 12;
  const std::vector<std::int64_t> values = knob.values();
  std::string text;
  for (std::size_t i = 0; i < values.size() && i < most; ++i)
    text += (i ? ", " : "") + knobText(knob, values[i]);
  return values.size() > most ? text + ", ... " + knobText(knob, values.back()) : text;
}

/// What the options say of it goes before what the document says.
Result<Done> setTechnology(Machine& machine, const FileOptions& options) {
  if (!options.technology.empty()) {
    // A file is in the user's folder, not in the document's.
    const bool named = std::ranges::count(builtinTechnologies(), options.technology) > 0;
    std::error_code ignored;
    const bool file =
        options.technology.ends_with(".json") || std::filesystem::exists(options.technology, ignored);
    machine.technology =
        named || !file ? options.technology : std::filesystem::absolute(options.technology).string();
  } else if (machine.technology.empty()) {
    machine.technology = options.usual_technology;
  }
  if (options.clock_mhz == 0) return Done{};
  if (machine.technology.empty())
    return error("missing-technology", Location(Where::Option, "--clock"),
                 "a clock gives power and energy only where actions have a price",
                 "name a technology: --technology 7nm");
  machine.clock_mhz = options.clock_mhz;
  return Done{};
}

}  // namespace

Option fileArgument(FileOptions& options) {
  return {"FILE", &options.file, "the .sluice file", {.required = true}};
}

Option jsonFlag(bool& json, std::string help) {
  return {"--json", &json, std::move(help)};
}

Option assignments(std::string name, std::vector<std::string>& into, std::string help, std::string type) {
  return {std::move(name),
          &into,
          std::move(help),
          {.type = std::move(type), .form = "NAME=VALUE", .wrong = isAssignment, .one_each = true}};
}

std::vector<Option> fileOptions(FileOptions& options) {
  return {fileArgument(options), jsonFlag(options.json),
          assignments("--input", options.inputs,
                      "take an input from a .npy or .npz file instead: NAME=FILE; or from a set of traces: "
                      "NAME=set:FOLDER, NAME=set:zipf,count=100,skew=0.5",
                      "NAME=FILE")};
}

std::vector<Option> pointOptions(FileOptions& options) {
  return with(fileOptions(options),
              {assignments("--set", options.sets, "set a knob: KNOB=VALUE", "KNOB=VALUE")});
}

std::vector<Option> technologyOptions(FileOptions& options) {
  std::string names;
  for (const std::string& name : builtinTechnologies()) names += (names.empty() ? "" : ", ") + name;
  return {{std::string(technology_option),
           &options.technology,
           "what actions cost, for energy, power and area, instead of what the machine says: " + names +
               ", or a file ('help missing-technology' has an example)",
           {.type = "NAME|FILE"}},
          {"--clock",
           &options.clock_mhz,
           "MHz of the design, for power; else those of the machine, of its memory's model, or of the "
           "technology",
           {.type = "MHZ", .range = Range{1, 100'000}}}};
}

Result<KnobValues> knobsOf(const Document& document, const FileOptions& options) {
  KnobValues knobs = defaultKnobs(document);
  Diagnostics wrong;
  const auto take = [&](const std::string& option, const std::string& set) {
    const auto [name, text] = assignment(set);
    const auto knob = std::find_if(document.knobs.begin(), document.knobs.end(),
                                   [&, &wanted = name](const Knob& k) { return k.name == wanted; });
    if (knob == document.knobs.end()) {
      std::vector<std::string> names;
      for (const Knob& known : document.knobs) names.push_back(known.name);
      wrong.push_back(error("unknown-name", Location(Where::Option, option + " " + set),
                            "the file has no knob '" + name + "'",
                            spellingFix(name, names, "the file has no knobs")));
      return;
    }
    const std::optional<std::int64_t> value = parseKnob(*knob, text);
    if (value) {
      knobs[name] = *value;
    } else {
      wrong.push_back(error("out-of-range", Location(Where::Option, option + " " + set),
                            "'" + text + "' is not a value of knob '" + name + "'",
                            "use one of " + allowedValues(*knob)));
    }
  };
  for (const std::string& set : options.sets) take("--set", set);
  for (const std::string& set : options.own_sets) take(options.own_option, set);
  if (!wrong.empty()) return wrong;
  return knobs;
}

std::map<std::string, std::filesystem::path> inputFiles(const FileOptions& options) {
  std::map<std::string, std::filesystem::path> files;
  for (const std::string& input : options.inputs) {
    const auto [name, file] = assignment(input);
    files[name] = isTraceSet(file)
                      ? std::filesystem::path(absoluteTraceSource(file, std::filesystem::current_path()))
                      : std::filesystem::absolute(file);
  }
  return files;
}

namespace {

Result<WorkloadSet> setOf(Document document, const FileOptions& options) {
  SLUICE_CHECK(setTechnology(document.machine, options));
  return makeWorkloadSet(std::move(document), std::filesystem::path(options.file).parent_path(),
                         inputFiles(options));
}

}  // namespace

Result<std::shared_ptr<const Workload>> workloadOf(Document document, const FileOptions& options) {
  SLUICE_TRY(WorkloadSet set, setOf(std::move(document), options));
  if (!set.empty()) tellChosen(set);
  return std::move(set.workload);
}

namespace {

/// A file of another tool is not blamed for being no .sluice file, but sent to `import`.
Result<Document> programIn(const std::string& file) {
  Result<Document> document = loadDocument(file);
  if (document || !std::filesystem::is_regular_file(file) || !isForeign(file)) return document;
  return error("wrong-format", Location(Where::File, file),
               "this is a file of another tool, and no .sluice file",
               "make it one first: sluice-cli import " + printableName(file) + " -o NAME.sluice");
}

}  // namespace

namespace {

/// Tells warnings; gives errors unless the points or traces that are asked for may be others, whose
/// evaluation tells them then.
Result<Done> tellInputs(const FileOptions& options, const Workload& workload,
                        std::span<const TraceMember> traces, const KnobValues& knobs, Diagnostics& told) {
  Diagnostics found = checkInputs(workload, traces, knobs);
  if (hasErrors(found)) {
    if (!traces.empty() || options.knobs_vary) return Done{};
    return found;
  }
  std::cerr << shown(found);
  told = std::move(found);
  return Done{};
}

}  // namespace

Result<Opened> open(const FileOptions& options) {
  SLUICE_TRY(Document document, programIn(options.file));
  SLUICE_TRY(KnobValues knobs, knobsOf(document, options));
  SLUICE_TRY(auto workload, workloadOf(std::move(document), options));
  Diagnostics told;
  SLUICE_CHECK(tellInputs(options, *workload, {}, knobs, told));
  return Opened{std::move(workload), std::move(knobs), std::move(told)};
}

Result<OpenedSet> openSet(const FileOptions& options) {
  SLUICE_TRY(Document document, programIn(options.file));
  SLUICE_TRY(KnobValues knobs, knobsOf(document, options));
  SLUICE_TRY(WorkloadSet set, setOf(std::move(document), options));
  Diagnostics told;
  SLUICE_CHECK(tellInputs(options, *set.workload, set.traces, knobs, told));
  return OpenedSet{std::move(set), std::move(knobs), std::move(told)};
}

void tellChosen(const WorkloadSet& set) {
  tellLeftOut(set.left_out);
  const std::string& name = set.traces[set.chosen].name;
  if (set.traces.size() == 1) {
    std::cerr << "note: the set has one trace, '" << name << "'\n";
    return;
  }
  std::cerr << "note: of " << set.traces.size() << " traces this takes one, '" << name
            << "'; pick=NUMBER behind the set takes another\n";
}

void tellLeftOut(const Diagnostics& left_out) {
  constexpr std::size_t most_causes = 10, most_names = 5;
  std::vector<std::vector<const Diagnostic*>> causes;
  std::map<std::tuple<LocationPart, std::string, std::string>, std::size_t> known;
  for (const Diagnostic& each : left_out) {
    const LocationPart file = each.place.empty() ? LocationPart{} : each.place.parts().front();
    const auto [at, fresh] = known.try_emplace({file, each.code, each.fix}, causes.size());
    if (fresh) causes.emplace_back();
    causes[at->second].push_back(&each);
  }
  // Of a set of files each has its name; a line of one file has none.
  const auto nameOf = [](const Diagnostic& each) {
    return each.place.empty() ? std::string() : each.place.parts().back().name;
  };
  std::size_t untold = 0;
  for (std::size_t i = 0; i < causes.size(); ++i) {
    const std::vector<const Diagnostic*>& alike = causes[i];
    if (i >= most_causes) {
      untold += alike.size();
      continue;
    }
    Diagnostic told = *alike.front();
    std::string others;
    std::size_t named = 0;
    for (std::size_t other = 1; other < alike.size() && named < most_names; ++other) {
      const std::string name = nameOf(*alike[other]);
      if (name.empty()) continue;
      others += (named++ == 0 ? "; likewise " : ", ") + name;
    }
    if (const std::size_t more = alike.size() - 1 - named; more > 0)
      others += (named > 0 ? " and " : "; ") + grouped(more) + " more";
    told.cause += others;
    std::cerr << shown(told);
  }
  if (untold > 0) std::cerr << "... and " << grouped(untold) << " more were left out (--json lists them)\n";
}

std::string jsonText(const Json& object) {
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void printJson(const Json& object) {
  std::cout << jsonText(object);
}

int show(const Json& report, bool json, void (*print)(const Json&)) {
  json ? printJson(report) : print(report);
  return ExitDone;
}

void report(const Diagnostics& diagnostics, bool json, std::optional<bool> ok) {
  std::cerr << shown(diagnostics);
  if (!json) return;
  Json object = Json::object();
  if (ok) object["ok"] = *ok;
  object["diagnostics"] = diagnosticsJson(diagnostics);
  printJson(object);
}

int fail(const Diagnostics& diagnostics, bool json) {
  if (isCancelled(diagnostics)) return ExitCancelled;  // main() says by what, and how to go on
  report(diagnostics, json);
  if (std::ranges::any_of(diagnostics, isWrongUse)) return ExitUsage;
  return std::ranges::any_of(diagnostics, isDeadlock) ? ExitDeadlock : ExitDiagnostic;
}

Result<Done> refuseInput(const std::string& file, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code failed;  // what is not there is no input
    if (std::filesystem::equivalent(file, input, failed) && std::filesystem::is_regular_file(file, failed))
      return error("overwrites-input", Location(Where::File, file),
                   "the command reads this file and would write over it", "name another file to write");
  }
  return Done{};
}

void wrote(const std::string& file) {
  std::cerr << "wrote " << printableName(file) << "\n";
}

namespace {

Result<Done> writeFrom(std::span<const OutputFile> files) {
  if (files.empty()) return Done{};
  return writeFileAtomically(files.front().name, [&](const ByteSink& bytes) -> Result<Done> {
    SLUICE_CHECK(bytes(files.front().make()));
    return writeFrom(files.subspan(1));
  });
}

}  // namespace

Result<Done> writeOutputs(const std::vector<OutputFile>& files, const std::vector<std::string>& inputs) {
  for (const OutputFile& file : files) {
    SLUICE_CHECK(refuseInput(file.name, inputs));
  }
  SLUICE_CHECK(writeFrom(files));
  for (const OutputFile& file : files) wrote(file.name);
  return Done{};
}

Result<Done> writeOutput(const std::string& file, std::string_view bytes,
                         const std::vector<std::string>& inputs) {
  SLUICE_CHECK(refuseInput(file, inputs));
  SLUICE_CHECK(writeFileAtomically(file, bytes));
  wrote(file);
  return Done{};
}

Result<Done> writeInto(const std::string& folder, const std::string& name, const std::string& text) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    return error("file-unwritable", Location(Where::File, folder), "it cannot be made: " + failed.message(),
                 "name a folder that you may write to");
  const std::filesystem::path file = std::filesystem::path(folder) / name;
  Result<Done> written = writeFileAtomically(file, text);
  if (written) wrote(file.string());
  return written;
}

}  // namespace sluice::cli
