// The methods of `serve` that work on a program: what each takes and gives (app/cli/json_rpc.md 2).

#include "app/cli/rpc_service.h"
#include "engine/explorer/metrics/registry.h"
#include "engine/fifo/strategies/strategies.h"

namespace sluice::cli {
namespace {

using F = FieldKind;
using Fields = std::vector<RpcField>;

Fields operator+(Fields a, const Fields& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Fields kept(const char* what) {
  return {{"store", F::Text, "file of a result store"},
          {"resume", F::Flag, std::string("take ") + what + " that the store has from there"}};
}

const Fields goals{{"objectives", F::Texts, "one to three metrics; default cycles and on_chip_bytes"},
                   {"constraints", F::Texts, "METRIC<=NUMBER or METRIC>=NUMBER"}};
const RpcField seed{"seed", F::Count, "default 1"};

RpcMethod openMethod() {
  return {.name = "open",
          .summary = "Opens a program: a .sluice file or its text. All knobs have their defaults afterwards.",
          .parameters = {{"file", F::Text, "a .sluice file"},
                         {"text", F::Text, "the content of one, instead"},
                         {"inputs", F::Files, ".npy or .npz files by the input's name"},
                         {"technology", F::Text, "what actions cost, a name or a file; else the machine's"}},
          .results = {{"title", F::Text, "", true},
                      {"knobs", F::Objects, "name, default, size and values of each", true},
                      {"points", F::Count, "of the design space", true},
                      {"diagnostics", F::Objects, "warnings of values that do not fit the program", true}}};
}

RpcMethod setMethod() {
  return {.name = "set",
          .summary = "Sets knobs of the open program for the requests that follow.",
          .parameters = {{"knobs", F::Knobs}},
          .results = {{"knobs", F::Knobs, "all of them, as they are from now on", true}}};
}

Fields simulated() {
  Fields fields{{"file", F::Text, "", true},
                {"state", F::Text, "done, deadlocked, infeasible, failed or cancelled", true},
                {"cause", F::Text, "why it is not done", true},
                {"knobs", F::Knobs, "", true}};
  for (const MetricSpec* metric : registeredMetrics())
    fields.push_back({metric->name, F::Number,
                      metric->title + (metric->unit.empty() ? "" : ", " + metric->unit) +
                          (metric->priced ? "; of a machine with a technology" : ""),
                      !metric->priced});
  return fields + Fields{{"moved_off_chip_bytes", F::Number, "", true},
                         {"trust", F::Object, "what the program's cycles were held against", true},
                         {"symbols", F::Object, "dimensions that the run decided", true},
                         {"wall_seconds", F::Number, "", true},
                         {"cancelled", F::Flag, "", true},
                         {"deadlock", F::Object, "who waits for whom, and the repair", true},
                         {"diagnostics", F::Objects, "", true},
                         {"streams", F::Objects, "", true},
                         {"operators", F::Objects, "", true},
                         {"printed", F::Any, "what Printer operators printed", true},
                         {"energy_breakdown", F::Object, "of a machine with a technology"}};
}

RpcMethod simulateMethod() {
  return {.name = "simulate",
          .summary = "Simulates one design point of the open program.",
          .parameters = {{"knobs", F::Knobs, "for this run only, on top of those that are set"},
                         {"record", F::Flag, "occupancy of the FIFOs, too"}},
          .results = simulated()};
}

RpcMethod exploreMethod() {
  return {.name = "explore",
          .summary = "Searches the design space of the open program and gives the frontier.",
          .parameters = Fields{{"strategy", F::Text, "default exhaustive"},
                               {"level", F::Text, "symbolic, count or record"},
                               {"budget", F::Count, "most points; default 100000"},
                               {"fixed", F::Knobs, "that keep a value; the others vary"},
                               seed} +
                        goals + kept("points"),
          .results = {{"frontier", F::Objects, "points, by the first objective", true},
                      {"hypervolume", F::Number, "", true},
                      {"reference", F::Numbers, "", true},
                      {"evaluated", F::Count, "", true},
                      {"pruned", F::Count, "", true},
                      {"reused", F::Count, "", true},
                      {"picked", F::Text, "the strategy that chose the points", true},
                      {"wall_seconds", F::Number, "", true},
                      {"ruled_out", F::Object, "the first point, where bounds left none"}}};
}

RpcMethod designMethod() {
  return {.name = "design",
          .summary = "Finds schedules for the open program that nobody wrote down.",
          .parameters =
              goals +
              Fields{{"budget", F::Count, "most designs that are simulated; default 300"},
                     {"seconds", F::Count, "more than 0, after which the search ends; left out: no limit"},
                     {"steps", F::Count, "most steps behind those of the program"},
                     seed,
                     {"allow", F::Texts, "only these transformations"},
                     {"forbid", F::Texts, "none of these transformations"},
                     {"lock", F::Texts, "regions and operators that no step may change"},
                     {"plain", F::Flag, "begin without the steps of the program"}} +
              kept("designs") + Fields{{"quick", F::Flag, "neither prove nor explain designs"}},
          .results = {{"file", F::Text, "", true},
                      {"objectives", F::Texts, "", true},
                      {"seed", F::Count, "", true},
                      {"bounds", F::Any, "what no schedule can beat", true},
                      {"points", F::Objects, "designs with their schedules", true},
                      {"frontier", F::Numbers, "numbers of points", true},
                      {"evaluated", F::Count, "", true},
                      {"rejected", F::Objects, "the first 1000 schedules that were not legal", true},
                      {"rejected_count", F::Count, "of all these", true},
                      {"rejected_by_code", F::Object, "", true},
                      {"reused", F::Count, "", true},
                      {"duplicates", F::Count, "", true},
                      {"cut", F::Count, "runs that got to where they are on no frontier", true},
                      {"too_long", F::Count, "runs given up for their work", true},
                      {"pruned", F::Count, "", true},
                      {"complete", F::Flag, "nothing is left to be tried", true},
                      {"cancelled", F::Flag, "", true},
                      {"reference", F::Numbers, "", true},
                      {"hypervolume", F::Number, "", true},
                      {"progress", F::Any, "", true},
                      {"trust", F::Object, "what the program's cycles were held against", true},
                      {"diagnostics", F::Objects, "", true},
                      {"processor_seconds", F::Object, "of simulation, evaluation and search", true},
                      {"overhead", F::Number, "the search over its designs", true},
                      {"wall_seconds", F::Number, "", true}}};
}

RpcMethod compileMethod() {
  return {.name = "compile",
          .summary = "Compiles the tensor programs of the open program, as its schedule says.",
          .parameters = {{"knobs", F::Knobs, "for this time only, on top of those that are set"},
                         {"text", F::Flag, "each design as MLIR-style text, too"}},
          .results = {{"programs", F::Objects,
                       "of each: program, sizing, predicted_cycles of its groups, fifo_bytes, on_chip_bytes, "
                       "largest_group_bytes, external_bytes, kernels, fifos, and text where asked for",
                       true}}};
}

RpcMethod sizeFifosMethod() {
  std::string names;
  for (const DepthStrategy& strategy : depthStrategies())
    names += (names.empty() ? "" : ", ") + std::string(strategy.name);
  return {.name = "size_fifos",
          .summary = "Chooses depths for the FIFOs of the open program, checked by simulation.",
          .parameters = {{"strategy", F::Text, "one of " + names + "; default simulated"},
                         {"region", F::Text, "only the FIFOs in it"},
                         {"tolerance_percent", F::Count,
                          "simulated, bram: cycles above those with endless FIFOs; default 0"},
                         {"front", F::Flag, "simulated, bram: the frontier of less room at more cycles, too"},
                         {"pick", F::Count, "the depths of this point of the frontier, from 1"},
                         {"grouped", F::Flag, "simulated, bram: FIFOs that are alike have one depth"},
                         {"most_simulations", F::Count, "give up improving then; default 20000"},
                         {"seconds", F::Count,
                          "simulated, bram: how long to search; the depths found by then are taken"},
                         {"knobs", F::Knobs, "for this time only, on top of those that are set"}},
          .results = {{"changes", F::Objects, "FIFOs whose depths differ, with both depths", true},
                      {"cycles_before", F::Number, "null where it deadlocks now", true},
                      {"cycles_after", F::Number, "", true},
                      {"bytes_before", F::Number, "of all FIFOs of the program, as fifo_bytes", true},
                      {"bytes_after", F::Number, "", true},
                      {"bram_blocks_before", F::Number, "of 18 Kbit, all FIFOs of the program", true},
                      {"bram_blocks_after", F::Number, "", true},
                      {"front", F::Objects, "bytes, bram_blocks, cycles and depths by FIFO of each point"},
                      {"text", F::Text, "the program with these depths, which 'open' takes", true}}};
}

RpcMethod unlockMethod() {
  return {
      .name = "unlock",
      .summary = "Says why the open program deadlocks, and finds the smallest depths that free it.",
      .parameters = {{"knobs", F::Knobs, "for this time only, on top of those that are set"},
                     {"seconds", F::Count, "how long to search, at most 3600; default 4"}},
      .results = {{"cycles", F::Number, "at which it ends or deadlocks", true},
                  {"deadlock", F::Object, "who waits for whom, and the repair; null: there is none", true},
                  {"text", F::Text, "the repaired program, which 'open' takes, where there is one"}}};
}

RpcMethod compareMethod() {
  return {
      .name = "compare",
      .summary = "Two runs side by side: of the open program at two points, or of it and another one.",
      .parameters = {{"knobs_a", F::Knobs, "of run A, on top of those that are set"},
                     {"knobs_b", F::Knobs, "of run B, likewise, or on top of the other program's defaults"},
                     {"file", F::Text, "run B is of this .sluice file"},
                     {"text", F::Text, "or of this content of one"},
                     {"top", F::Count, "rows of each list, those that differ most; default all"}},
      .results = {{"a", F::Object, "state and knobs", true},
                  {"b", F::Object, "state and knobs", true},
                  {"metrics", F::Object, "a, b and change of each", true},
                  {"operators", F::Objects, "", true},
                  {"streams", F::Objects, "", true},
                  {"causes", F::Objects, "of lost cycles", true},
                  {"left_out", F::Object, "rows beyond 'top'", true}}};
}

}  // namespace

const std::vector<RpcService::Method>& RpcService::methods() {
  static const std::vector<Method> all = {
      {openMethod(), &RpcService::open},           {setMethod(), &RpcService::set},
      {simulateMethod(), &RpcService::simulate},   {exploreMethod(), &RpcService::explore},
      {designMethod(), &RpcService::design},       {compileMethod(), &RpcService::compile},
      {sizeFifosMethod(), &RpcService::sizeFifos}, {unlockMethod(), &RpcService::unlock},
      {compareMethod(), &RpcService::compare}};
  return all;
}

}  // namespace sluice::cli
