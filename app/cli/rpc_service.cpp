#include "app/cli/rpc_service.h"

#include <algorithm>
#include <chrono>
#include <ranges>
#include <utility>

#include "app/cli/point_json.h"
#include "app/cli/search_options.h"
#include "app/cli/simulation_report.h"
#include "engine/explorer/given_inputs.h"
#include "engine/explorer/store/sqlite_point_store.h"
#include "engine/explorer/tables.h"
#include "engine/program/chosen_knobs.h"
#include "engine/program/file_format.h"
#include "engine/program/spelling.h"

namespace sluice::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_values_told = 1000;  ///< of one knob

Json describedKnob(const Knob& knob) {
  std::vector<std::int64_t> values = knob.values();
  if (values.size() > most_values_told) values.resize(most_values_told);
  Json told = Json::array();
  for (const std::int64_t value : values) told.push_back(knobJson(knob, value));
  return {{"name", knob.name},
          {"default", knobJson(knob, knob.initial)},
          {"size", knob.size()},
          {"values", std::move(told)}};
}

/// What does not fit at these knobs: a warning, as others may be set.
Diagnostics inputWarnings(const Workload& workload, const KnobValues& knobs) {
  Diagnostics found = checkInputs(workload, {}, knobs);
  for (Diagnostic& each : found) each.severity = Severity::Warning;
  return found;
}

/// NAME=VALUE, as the command line has it.
std::string assignment(const char* what, const std::string& name, const std::string& value) {
  if (name.find('=') == std::string::npos) return name + "=" + value;
  throw wrongParams("'" + std::string(what) + "' names " + found(name) + "; a name has no '='");
}

ExploreOptions optionsFrom(const Parameters& params) {
  SearchOptions options;
  options.objectives = params.texts("objectives", options.objectives);
  options.budget = params.count("budget", options.budget);
  options.seed = params.count("seed", options.seed);
  options.constraints = params.texts("constraints", options.constraints);
  Result<ExploreOptions> request = exploreOptions(options);
  if (!request) throw refusedBy(request.diagnostics());
  request->strategy = params.text("strategy", request->strategy);
  const std::string wanted = params.text("level", text(request->fidelity));
  const auto fidelity = fidelityOf(wanted);
  if (!fidelity) throw wrongParams("'level' must be one of symbolic, count and record, not " + found(wanted));
  request->fidelity = *fidelity;
  return *std::move(request);
}

/// Points on their way to who waits for them: ten times a second, each once, the rest when the search is over
/// in whatever way.
class Progress {
 public:
  Progress(Output& output, const Json& id, const Document& document)
      : output_(output), id_(id), document_(document) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() {
    try {
      tell();
    } catch (const std::exception&) {  // no memory, not even for that
    }
  }

  void add(const DesignPoint& point, const ExploreProgress& so_far) {
    points_.push_back(pointJson(document_, point));
    so_far_ = so_far;
    if (Clock::now() - last_ >= std::chrono::milliseconds(100)) tell();
  }

 private:
  void tell() {
    if (points_.empty()) return;
    last_ = Clock::now();
    output_.notify("progress", {{"id", id_},
                                {"evaluated", so_far_.evaluated},
                                {"total", so_far_.total},
                                {"seconds_left", so_far_.seconds_left},
                                {"points", std::exchange(points_, Json::array())}});
  }

  Output& output_;
  const Json& id_;
  const Document& document_;
  Json points_ = Json::array();
  ExploreProgress so_far_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace

Json RpcService::work(const std::string& method, const Json& id, const Given& params,
                      const std::stop_source& stop) {
  std::vector<std::string> names;
  for (const Method& each : methods()) {
    if (each.told.name != method) continue;
    std::vector<std::string> known;
    for (const RpcField& parameter : each.told.parameters) known.push_back(parameter.name);
    return (this->*each.work)({id, Parameters(params, known), stop});
  }
  for (const RpcMethod& each : rpcMethods()) names.push_back(each.name);
  throw RpcError{MethodNotFound,
                 "there is no method " + found(method) + "; " + spellingFix(method, names, "")};
}

std::shared_ptr<const Workload> RpcService::opened(const std::string& file, const std::string& text,
                                                   const std::map<std::string, Given>& inputs,
                                                   const std::string& technology) {
  FileOptions options;
  options.file = file;
  options.technology = technology;
  if (file.empty() == text.empty()) throw wrongParams("give either 'file' or 'text'");
  for (const auto& [name, given] : inputs) {
    if (!given.is_string())
      throw wrongParams("input " + found(name) + " must be a file, not " + found(given));
    options.inputs.push_back(assignment("inputs", name, given.get<std::string>()));
  }
  Result<Document> document = text.empty() ? loadDocument(file) : parseDocument(text, "text");
  if (!document) throw refusedBy(document.diagnostics());
  Result<std::shared_ptr<const Workload>> workload = cli::workloadOf(*std::move(document), options);
  if (!workload) throw refusedBy(workload.diagnostics());
  return *std::move(workload);
}

Json RpcService::open(const Call& call) {
  const std::string file = call.params.text("file", "");
  workload_ = opened(file, call.params.text("text", ""), call.params.object("inputs"),
                     call.params.text("technology", ""));
  file_ = file;
  knobs_ = defaultKnobs(workload_->document);
  Json knobs = Json::array();
  for (const Knob& knob : workload_->document.knobs) knobs.push_back(describedKnob(knob));
  return {{"title", workload_->document.title},
          {"knobs", std::move(knobs)},
          {"points", designSpace(workload_->document).size()},
          {"diagnostics", diagnosticsJson(inputWarnings(*workload_, knobs_))}};
}

const Workload& RpcService::workload() const {
  if (!workload_) throw RpcError{Refused, "no program is open; call 'open' first"};
  return *workload_;
}

KnobValues RpcService::changedOf(const Document& document, KnobValues from, const Parameters& params,
                                 const char* parameter) {
  FileOptions options;
  const auto wanted = params.object(parameter);
  for (const auto& [name, value] : wanted) {
    if (!value.is_string() && !value.is_number_integer())
      throw wrongParams("knob " + found(name) + " must be a whole number or a text, not " + found(value));
    options.sets.push_back(
        assignment(parameter, name, value.is_string() ? value.get<std::string>() : value.dump()));
  }
  const Result<KnobValues> knobs = knobsOf(document, options);
  if (!knobs) throw refusedBy(knobs.diagnostics());
  KnobValues changed = chosenKnobs(*knobs, wanted | std::views::keys);
  changed.merge(from);  // which keeps what is there
  return changed;
}

Json RpcService::set(const Call& call) {
  knobs_ = changed(knobs_, call.params, "knobs");
  return {{"knobs", knobsJson(workload().document, knobs_)}};
}

Json RpcService::simulate(const Call& call) {
  const std::stop_token stop = call.stop.get_token();
  const KnobValues knobs = changed(knobs_, call.params, "knobs");
  const RecordMode mode = call.params.flag("record", false) ? RecordMode::Record : RecordMode::Count;
  const Result<PricedPoint> priced = evaluatePriced(workload(), knobs, mode, stop);
  if (!priced) throw refusedBy(priced.diagnostics());
  if (stop.stop_requested()) return nullptr;
  RunFindings findings;
  findings.inputs = inputWarnings(workload(), knobs);
  if (priced->result.simulation.deadlock) {
    SearchBudget budget;
    budget.stop = stop;
    findings.unlocked = sluice::unlock(workload(), priced->result, budget);
  }
  return simulationJson(file_, workload(), *priced, findings);
}

Result<Exploration> RpcService::search(ExploreOptions request, const Call& call) {
  request.stop = call.stop.get_token();
  Progress progress(output_, call.id, workload().document);
  request.on_point = [&, stop = call.stop](std::uint64_t, const DesignPoint& point,
                                           const ExploreProgress& so_far) mutable {
    progress.add(point, so_far);
    if (output_.deserted()) stop.request_stop();
  };
  return sluice::explore(workload(), *executor_, request);
}

Json RpcService::explore(const Call& call) {
  const Document& document = workload().document;
  ExploreOptions request = optionsFrom(call.params);
  request.fixed = changed({}, call.params, "fixed");
  if (const Diagnostics wrong = checkExploration(document, request); !wrong.empty()) throw refusedBy(wrong);
  std::unique_ptr<SqlitePointStore> points;
  const bool resume = call.params.flag("resume", false);
  const std::string store = call.params.text("store", "");
  if (resume && store.empty()) throw wrongParams("'resume' takes points from a 'store', and there is none");
  if (!store.empty()) {
    auto made = SqlitePointStore::open(store, recordOf(workload(), request, file_), resume, call.stop);
    if (!made) throw refusedBy(made.diagnostics());
    points = *std::move(made);
    request.store = points.get();
  }
  const Result<Exploration> result = search(std::move(request), call);
  const Result<Done> stored = points ? points->finish() : Result<Done>(Done{});
  if (!stored) throw refusedBy(stored.diagnostics());
  if (!result) throw refusedBy(result.diagnostics());
  Json frontier = Json::array();
  for (const std::size_t i : result->frontier) frontier.push_back(pointJson(document, result->points[i]));
  Json answer = {{"frontier", std::move(frontier)}, {"hypervolume", result->hypervolume},
                 {"reference", result->reference},  {"evaluated", result->points.size()},
                 {"pruned", result->pruned},        {"reused", result->reused},
                 {"picked", result->strategy},      {"wall_seconds", result->wall_seconds}};
  if (result->ruled_out) answer["ruled_out"] = pointJson(document, *result->ruled_out);
  return answer;
}

}  // namespace sluice::cli
