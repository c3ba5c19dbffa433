// sluice-cli serve --stdio: JSON-RPC 2.0, one message a line, for notebooks and scripts. resources/python/
// has an example. Requests are worked on one after the other by one thread; `cancel` is heard at once by
// another.
//
//   open      {"file"} or {"text"}, {"inputs": {name: FILE}}    knobs and size of the design space
//   set       {"knobs": {name: value}}                          the knobs from now on
//   simulate  {"knobs"?: {...}, "record"?: bool}                what `simulate --json` prints
//   explore   {"strategy"?, "level"?, "budget"?, "seed"?, "objectives"?, "constraints"?, "store"?, "resume"?}
//             notifications "progress" {"id", "evaluated", "total", "seconds_left", "points"}
//   cancel    {"id"}                                            that request answers with error -32800
//   shutdown                                                    no more after this

#include "app/cli/serve.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <iostream>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "app/cli/point_json.h"
#include "app/cli/search_options.h"
#include "app/cli/simulation_report.h"
#include "engine/explorer/store/store_journal.h"
#include "engine/explorer/tables.h"
#include "engine/program/file_format.h"
#include "engine/program/spelling.h"

namespace sluice::cli {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr std::size_t longest_line = std::size_t{64} << 20;

enum RpcCode : int {
  parseError = -32700,
  invalidRequest = -32600,
  methodNotFound = -32601,
  invalidParams = -32602,
  refused = -32000,   ///< by the engine; data: the diagnostics
  cancelled = -32800  ///< by `cancel`
};

struct RpcError {
  int code;
  std::string message;
  Json data = nullptr;
};

RpcError wrongParams(std::string message) {
  return {invalidParams, std::move(message)};
}

RpcError refusedBy(const Diagnostics& diagnostics) {
  Json list = Json::array();
  for (const Diagnostic& d : diagnostics)
    list.push_back({{"place", d.place}, {"cause", d.cause}, {"mend", d.mend}});
  return {refused, diagnostics.front().place + ": " + diagnostics.front().cause, std::move(list)};
}

/// Where messages go, one at a time.
class Output {
 public:
  explicit Output(std::ostream& out) : out_(out) {}

  void send(Json message) {
    const std::lock_guard lock(mutex_);
    out_ << message.dump(-1, ' ', false, Json::error_handler_t::replace) << "\n" << std::flush;
  }
  void answer(const Json& id, Json result) {
    send({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
  }
  void fail(const Json& id, const RpcError& error) {
    Json body = {{"code", error.code}, {"message", error.message}};
    if (!error.data.is_null()) body["data"] = error.data;
    send({{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(body)}});
  }

 private:
  std::ostream& out_;
  std::mutex mutex_;
};

/// A member of the parameters; throws RpcError where its type is another.
template <class T>
T member(const Json& params, const char* name, T otherwise) {
  if (!params.is_object() || !params.contains(name)) return otherwise;
  try {
    return params.at(name).get<T>();
  } catch (const Json::exception&) {
    throw wrongParams("'" + std::string(name) + "' has another type than it should");
  }
}

/// What the requests work on.
class Desk {
 public:
  explicit Desk(Output& output) : output_(output), executor_(makeExecutor()) {}

  Json work(const std::string& method, const Json& id, const Json& params, const std::stop_source& stop) {
    if (method == "open") return open(params);
    if (method == "set") return set(params);
    if (method == "simulate") return simulate(params, stop.get_token());
    if (method == "explore") return explore(id, params, stop);
    throw RpcError{methodNotFound, "there is no method '" + method +
                                       "'; there are open, set, simulate, explore, "
                                       "cancel and shutdown"};
  }

 private:
  Json open(const Json& params) {
    FileOptions options;
    options.file = member<std::string>(params, "file", "");
    const auto text = member<std::string>(params, "text", "");
    if (options.file.empty() == text.empty()) throw wrongParams("give either 'file' or 'text'");
    for (const auto& [name, file] : member<std::map<std::string, std::string>>(params, "inputs", {}))
      options.inputs.push_back(name + "=" + file);
    Result<Document> document = text.empty() ? loadDocument(options.file) : parseDocument(text, "text");
    if (!document) throw refusedBy(document.diagnostics());
    Result<std::shared_ptr<const Workload>> workload = cli::workloadOf(*std::move(document), options);
    if (!workload) throw refusedBy(workload.diagnostics());
    workload_ = *std::move(workload);
    file_ = options.file;
    knobs_ = defaultKnobs(workload_->document);
    Json knobs = Json::array();
    for (const Knob& knob : workload_->document.knobs) {
      Json values = Json::array();
      for (const std::int64_t value : knob.values()) values.push_back(valueOf(knob, value));
      knobs.push_back(
          {{"name", knob.name}, {"default", valueOf(knob, knob.initial)}, {"values", std::move(values)}});
    }
    return {{"title", workload_->document.title},
            {"knobs", std::move(knobs)},
            {"points", designSpace(workload_->document).size()}};
  }

  static Json valueOf(const Knob& knob, std::int64_t value) {
    return knob.kind == KnobKind::Choice ? Json(knobText(knob, value)) : Json(value);
  }

  const Workload& workload() const {
    if (!workload_) throw RpcError{refused, "no program is open; call 'open' first"};
    return *workload_;
  }

  /// `from` with what the parameters change.
  KnobValues changed(KnobValues from, const Json& params) const {
    FileOptions options;
    for (const auto& [name, value] : member<std::map<std::string, Json>>(params, "knobs", {})) {
      if (!value.is_string() && !value.is_number_integer())
        throw wrongParams("knob '" + name + "' takes a number or a text");
      options.sets.push_back(name + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
    }
    const Result<KnobValues> knobs = knobsOf(workload().document, options);
    if (!knobs) throw refusedBy(knobs.diagnostics());
    for (const auto& [name, value] : member<std::map<std::string, Json>>(params, "knobs", {}))
      from[name] = knobs->at(name);
    return from;
  }

  Json set(const Json& params) {
    knobs_ = changed(knobs_, params);
    Json knobs = Json::object();
    for (const Knob& knob : workload().document.knobs) knobs[knob.name] = valueOf(knob, knobs_.at(knob.name));
    return {{"knobs", std::move(knobs)}};
  }

  Json simulate(const Json& params, const std::stop_token& stop) {
    const KnobValues knobs = changed(knobs_, params);
    const RecordMode mode = member<bool>(params, "record", false) ? RecordMode::Record : RecordMode::Count;
    const Result<PointResult> result = evaluate(workload(), knobs, mode, stop);
    if (!result) throw refusedBy(result.diagnostics());
    if (stop.stop_requested()) return nullptr;
    RunFindings findings;
    if (result->simulation.deadlock) {
      SearchBudget budget;
      budget.stop = stop;
      findings.unlocked = unlock(workload(), *result, budget);
    }
    return Json::parse(simulationJson(file_, workload().document, *result, findings));
  }

  ExploreOptions optionsFrom(const Json& params) const {
    SearchOptions options;
    options.objectives = member(params, "objectives", options.objectives);
    options.budget = member(params, "budget", options.budget);
    options.seed = member(params, "seed", options.seed);
    options.constraints = member(params, "constraints", options.constraints);
    Result<ExploreOptions> request = exploreOptions(options);
    if (!request) throw refusedBy(request.diagnostics());
    request->strategy = member(params, "strategy", request->strategy);
    const auto level = levelOf(member<std::string>(params, "level", text(request->level)));
    if (!level) throw wrongParams("'level' is one of symbolic, count and record");
    request->level = *level;
    return *std::move(request);
  }

  Json explore(const Json& id, const Json& params, const std::stop_source& stop) {
    const Document& document = workload().document;
    ExploreOptions request = optionsFrom(params);
    request.stop = stop.get_token();
    std::unique_ptr<StoreJournal> journal;
    if (const auto store = member<std::string>(params, "store", ""); !store.empty()) {
      auto made = StoreJournal::open(store, recordOf(workload(), request, file_),
                                     member<bool>(params, "resume", false), stop);
      if (!made) throw refusedBy(made.diagnostics());
      journal = *std::move(made);
      request.journal = journal.get();
    }
    Json points = Json::array();
    auto last = Clock::now();
    request.on_point = [&](std::uint64_t, const DesignPoint& point, const ExploreProgress& progress) {
      points.push_back(Json::parse(pointJson(document, point)));
      if (Clock::now() - last < std::chrono::milliseconds(100) && progress.evaluated < progress.total) return;
      last = Clock::now();
      output_.send({{"jsonrpc", "2.0"},
                    {"method", "progress"},
                    {"params",
                     {{"id", id},
                      {"evaluated", progress.evaluated},
                      {"total", progress.total},
                      {"seconds_left", progress.seconds_left},
                      {"points", std::exchange(points, Json::array())}}}});
    };
    const Result<Exploration> result = sluice::explore(workload(), *executor_, request);
    const Result<Done> stored = journal ? journal->finish() : Result<Done>(Done{});
    if (!stored) throw refusedBy(stored.diagnostics());
    if (!result) throw refusedBy(result.diagnostics());
    Json frontier = Json::array();
    for (const std::size_t i : result->frontier)
      frontier.push_back(Json::parse(pointJson(document, result->points[i])));
    return {{"frontier", std::move(frontier)},
            {"hypervolume", result->hypervolume},
            {"reference", result->reference},
            {"evaluated", result->points.size()},
            {"pruned", result->pruned},
            {"reused", result->reused},
            {"wall_seconds", result->wall_seconds}};
  }

  Output& output_;
  std::unique_ptr<Executor> executor_;
  std::shared_ptr<const Workload> workload_;
  KnobValues knobs_;
  std::string file_;
};

/// Requests in the order in which they came, and the thread that works on them.
class Line {
 public:
  explicit Line(Output& output)
      : output_(output), desk_(output), thread_([this](const std::stop_token& s) { loop(s); }) {}

  /// Drops what waits, stops what runs.
  void cancelAll() {
    const std::lock_guard lock(mutex_);
    for (Request& request : waiting_) request.stop.request_stop();
    running_.request_stop();
  }
  /// Waits until nothing is left.
  void finish() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [&] { return waiting_.empty() && running_id_.is_null() && !busy_; });
  }
  void add(Json id, bool wants_answer, std::string method, Json params) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(id), wants_answer, std::move(method), std::move(params), {}});
    wake_.notify_one();
  }
  /// False: there is no such request any more.
  bool cancel(const Json& id) {
    const std::lock_guard lock(mutex_);
    if (busy_ && running_id_ == id) return running_.request_stop();
    for (Request& request : waiting_) {
      if (request.id == id) return request.stop.request_stop();
    }
    return false;
  }

 private:
  struct Request {
    Json id;
    bool wants_answer;
    std::string method;
    Json params;
    std::stop_source stop;
  };

  void loop(const std::stop_token& quit) {
    std::unique_lock lock(mutex_);
    while (wake_.wait(lock, quit, [&] { return !waiting_.empty(); })) {
      const Request request = std::move(waiting_.front());
      waiting_.pop_front();
      running_ = request.stop;
      running_id_ = request.id;
      busy_ = true;
      lock.unlock();
      answer(request);
      lock.lock();
      busy_ = false;
      running_id_ = nullptr;
      idle_.notify_all();
    }
  }

  void answer(const Request& request) {
    try {
      Json result = request.stop.stop_requested()
                        ? Json()
                        : desk_.work(request.method, request.id, request.params, request.stop);
      if (request.stop.stop_requested()) throw RpcError{cancelled, "cancelled"};
      if (request.wants_answer) output_.answer(request.id, std::move(result));
    } catch (const RpcError& error) {
      if (request.wants_answer) output_.fail(request.id, error);
    } catch (const std::exception& error) {
      if (request.wants_answer)
        output_.fail(request.id, {refused, std::string("the work was given up: ") + error.what()});
    }
  }

  Output& output_;
  Desk desk_;
  std::mutex mutex_;
  std::condition_variable_any wake_, idle_;
  std::deque<Request> waiting_;
  std::stop_source running_;
  Json running_id_;
  bool busy_ = false;
  std::jthread thread_;  ///< last: it uses all of the above
};

enum class ReadLine { Text, TooLong, End };

ReadLine readLine(std::istream& in, std::string& line) {
  line.clear();
  bool too_long = false;
  for (int c = in.get(); c != EOF; c = in.get()) {
    if (c == '\n') return too_long ? ReadLine::TooLong : ReadLine::Text;
    if (line.size() >= longest_line) too_long = true;
    if (!too_long) line += static_cast<char>(c);
  }
  return line.empty() ? ReadLine::End : ReadLine::Text;
}

/// One message; false: that was `shutdown`.
bool hear(const std::string& text, Line& line, Output& output) {
  const Json message = Json::parse(text, nullptr, false);
  if (message.is_discarded()) return output.fail(nullptr, {parseError, "the line is not JSON"}), true;
  const Json id = message.is_object() ? message.value("id", Json()) : Json();
  const bool wants_answer = message.is_object() && message.contains("id");
  const bool right = message.is_object() && message.value("jsonrpc", Json()) == Json("2.0") &&
                     message.contains("method") && message["method"].is_string() &&
                     (id.is_null() || id.is_string() || id.is_number());
  if (!right) {
    output.fail(id, {invalidRequest,
                     "not a request of JSON-RPC 2.0: {\"jsonrpc\": \"2.0\", \"id\": ..., \"method\": ...}"});
    return true;
  }
  const auto method = message["method"].get<std::string>();
  const Json params = message.value("params", Json::object());
  if (method == "cancel") {
    const bool known = params.is_object() && line.cancel(params.value("id", Json()));
    if (wants_answer) output.answer(id, {{"cancelled", known}});
    return true;
  }
  if (method == "shutdown") {
    line.cancelAll();
    line.finish();
    if (wants_answer) output.answer(id, Json::object());
    return false;
  }
  line.add(id, wants_answer, method, params);
  return true;
}

int runServe() {
  std::ios::sync_with_stdio(false);
  std::cin.tie(nullptr);  // a read would flush std::cout beside the thread that writes it
  return serve(std::cin, std::cout);
}

}  // namespace

int serve(std::istream& in, std::ostream& out) {
  Output output(out);
  Line line(output);
  std::string text;
  for (ReadLine read = readLine(in, text); read != ReadLine::End; read = readLine(in, text)) {
    if (read == ReadLine::TooLong) {
      output.fail(nullptr, {parseError, "the line is longer than 64 MiB"});
    } else if (text.find_first_not_of(" \t\r") != std::string::npos && !hear(text, line, output)) {
      return exitDone;
    }
  }
  line.finish();  // a script that has piped its requests in wants the answers
  return exitDone;
}

void addServe(CLI::App& application, int& exit_code) {
  CLI::App* command =
      application.add_subcommand("serve", "answer JSON-RPC 2.0 requests, for notebooks and scripts");
  auto stdio = std::make_shared<bool>(false);
  command->add_flag("--stdio", *stdio, "one message a line on stdin and stdout")->required();
  command->callback([stdio, &exit_code] { exit_code = runServe(); });
}

}  // namespace sluice::cli
