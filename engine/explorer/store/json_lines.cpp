#include "engine/explorer/store/json_lines.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/core/json_extent.h"
#include "engine/explorer/deadlock_cause.h"
#include "engine/explorer/store/schema.h"
#include "engine/explorer/tables.h"

namespace sluice::inline explorer {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longest_line = 1 << 20, batch = 4096;

std::string lineOf(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string headerOf(const ExplorationRecord& record) {
  return lineOf({{"exploration", record.uuid},
                 {"workload", record.workload},
                 {"title", record.title},
                 {"file", record.file},
                 {"knobs", store::knobsJson(record.knobs)},
                 {"strategy", record.strategy},
                 {"seed", record.seed},
                 {"budget", record.budget},
                 {"level", text(record.fidelity)},
                 {"objectives", record.objectives},
                 {"engine", record.engine},
                 {"machine", record.machine},
                 {"started", record.started}});
}

std::string lineOf(const ExplorationRecord& record, const store::KnobCodec& codec, const Visit& visit) {
  const DesignPoint& point = visit.point;
  Json line = {{"exploration", record.uuid}, {"number", visit.number.value_or(0)}};
  for (const auto& [name, value] : point.knobs) {
    const std::string* const chosen = codec.choice(name, value);
    line["knob_" + name] = chosen ? Json(*chosen) : Json(value);
  }
  line["level"] = text(point.fidelity);
  line["state"] = text(point.state);
  for (const MetricSpec* metric : registeredMetrics()) {
    const std::optional<MetricValue> value = exactMetric(point, *metric);
    line[metric->name] = value ? std::visit([](auto number) { return Json(number); }, *value) : Json();
  }
  line["peak_fifo_tokens"] = point.peak_fifo_tokens ? Json(*point.peak_fifo_tokens) : Json();
  line["wall_seconds"] = point.wall_seconds;
  line["cause"] = point.cause;
  line["deadlock"] = point.deadlock ? Json(deadlockJson(*point.deadlock)) : Json();
  line["failed_at"] = point.failed_at.empty() ? Json() : Json(point.failed_at);
  return lineOf(line);
}

/// A member; throws Json::exception where it is missing or of another type.
template <class T>
T member(const Json& line, const char* name) {
  return line.at(name).get<T>();
}

/// Throws likewise; nothing where the level is none of Sluice's.
std::optional<ExplorationRecord> recordFrom(const Json& line) {
  ExplorationRecord record;
  record.uuid = member<std::string>(line, "exploration");
  record.workload = member<std::string>(line, "workload");
  record.title = member<std::string>(line, "title");
  record.file = member<std::string>(line, "file");
  record.knobs = store::knobsFromJson(line.at("knobs"));
  record.strategy = member<std::string>(line, "strategy");
  record.seed = member<std::uint64_t>(line, "seed");
  record.budget = member<std::uint64_t>(line, "budget");
  const auto fidelity = fidelityOf(member<std::string>(line, "level"));
  if (!fidelity) return {};
  record.fidelity = *fidelity;
  record.objectives = member<std::vector<std::string>>(line, "objectives");
  record.engine = member<std::string>(line, "engine");
  record.machine = member<std::string>(line, "machine");
  record.started = member<std::string>(line, "started");
  return record;
}

/// Throws likewise; nothing where the values are none of Sluice's.
std::optional<Visit> visitFrom(const Json& line, const store::KnobCodec& codec) {
  Visit visit;
  visit.number = member<std::uint64_t>(line, "number");
  if (*visit.number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return {};
  Json knobs = Json::object();
  for (const auto& [name, value] : line.items()) {
    if (name.starts_with("knob_")) knobs[name.substr(5)] = value;
  }
  const auto values = codec.decodeJson(knobs);
  const auto fidelity = fidelityOf(member<std::string>(line, "level"));
  const auto state = pointStateOf(member<std::string>(line, "state"));
  if (!values || !fidelity || !state) return {};
  DesignPoint& point = visit.point;
  point.knobs = *values, point.fidelity = *fidelity, point.state = *state;
  for (const MetricSpec* metric : registeredMetrics()) {
    const auto value = line.find(metric->name);
    if (value == line.end() || value->is_null()) continue;
    const double number = value->get<double>();
    if (!std::isfinite(number) || std::abs(number) > 9e18) return {};
    const bool exact = metric->isWhole() && value->is_number_unsigned();
    metric->set(point.metrics, exact ? MetricValue(value->get<std::uint64_t>()) : MetricValue(number));
  }
  if (const auto peak = line.find("peak_fifo_tokens"); peak != line.end() && !peak->is_null())
    point.peak_fifo_tokens = peak->get<std::uint64_t>();
  point.wall_seconds = member<double>(line, "wall_seconds");
  point.cause = member<std::string>(line, "cause");
  if (const auto deadlock = line.find("deadlock"); deadlock != line.end() && deadlock->is_string())
    point.deadlock = deadlockFrom(deadlock->get<std::string>());
  if (const auto place = line.find("failed_at"); place != line.end() && place->is_string())
    point.failed_at = place->get<std::string>();
  return visit;
}

/// Reads line after line into a store.
class Reader {
 public:
  Reader(ResultStore& store, std::string name) : store_(store), name_(std::move(name)) {}

  Result<Done> take(const std::string& text, std::size_t line) {
    line_ = line;
    if (text.find_first_not_of(" \t\r") == std::string::npos) return Done{};
    if (const auto why = tooMuchJson(text)) return refuse(*why);
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) return refuse("it is not a JSON object");
    try {
      return json.contains("number") ? point(json) : header(json);
    } catch (const Json::exception& problem) {
      return refuse(problem.what());
    }
  }
  Result<Done> finish() {
    for (auto& [uuid, exploration] : explorations_) {
      SLUICE_CHECK(write(exploration));
    }
    return Done{};
  }
  const MergeReport& report() const { return report_; }
  Diagnostic refuse(std::string cause) const {
    return error("wrong-format",
                 Location(Where::File, name_) / Location(Where::Line, static_cast<std::int64_t>(line_)),
                 std::move(cause), "give what `sluice-cli points STORE --format jsonl` writes");
  }

 private:
  struct Begun {
    ExplorationRecord record;
    store::KnobCodec codec;
    std::vector<Visit> waiting;
  };

  Result<Done> header(const Json& json) {
    std::optional<ExplorationRecord> read = recordFrom(json);
    if (!read) return refuse("its level is none of symbolic, count and record");
    if (read->uuid.empty() || read->knobs.size() > 1000) return refuse("it is no exploration");
    const std::string uuid = read->uuid;
    if (explorations_.contains(uuid)) return Done{};
    SLUICE_TRY(ExplorationRecord begun, store_.begin(*std::move(read)));
    if (begun.points == 0) ++report_.explorations;
    store::KnobCodec codec(begun.knobs);
    explorations_.emplace(uuid, Begun{std::move(begun), std::move(codec), {}});
    return Done{};
  }
  Result<Done> point(const Json& json) {
    const auto begun = explorations_.find(member<std::string>(json, "exploration"));
    if (begun == explorations_.end()) return refuse("no line before it describes its exploration");
    std::optional<Visit> visit = visitFrom(json, begun->second.codec);
    if (!visit) return refuse("its knobs, level, state or metrics are none of the exploration's");
    begun->second.waiting.push_back(*std::move(visit));
    return begun->second.waiting.size() < batch ? Result<Done>(Done{}) : write(begun->second);
  }
  /// What the store has stays as it is there.
  Result<Done> write(Begun& exploration) {
    std::vector<KnobValues> knobs;
    for (const Visit& visit : exploration.waiting) knobs.push_back(visit.point.knobs);
    ExplorationRecord of = exploration.record;
    const auto compare = [&](std::size_t i, const DesignPoint& here) {
      Visit& visit = exploration.waiting[i];
      if (here.fidelity != visit.point.fidelity) return;
      visit.known = true;
      const bool alike = std::ranges::all_of(registeredMetrics(), [&](const MetricSpec* metric) {
        return exactMetric(here, *metric) == exactMetric(visit.point, *metric);
      });
      if (!alike || here.state != visit.point.state) ++report_.different;
    };
    for (const Fidelity fidelity : {Fidelity::Symbolic, Fidelity::Count, Fidelity::Record}) {
      const auto at_fidelity = [&](const Visit& visit) { return visit.point.fidelity == fidelity; };
      if (std::none_of(exploration.waiting.begin(), exploration.waiting.end(), at_fidelity)) continue;
      of.fidelity = fidelity;
      SLUICE_CHECK(store_.find(of, knobs, false, compare));
    }
    for (const Visit& visit : exploration.waiting) ++(visit.known ? report_.known : report_.points);
    const Result<Done> written = store_.write(exploration.record, exploration.waiting);
    exploration.waiting.clear();
    return written;
  }

  ResultStore& store_;
  std::string name_;
  std::size_t line_ = 0;
  std::map<std::string, Begun> explorations_;  ///< by uuid
  MergeReport report_;
};

}  // namespace

Result<Done> writeJsonLines(ResultStore& store, std::optional<std::int64_t> exploration,
                            const std::function<Result<Done>(std::string_view)>& sink) {
  std::vector<ExplorationRecord> records;
  if (exploration) {
    SLUICE_TRY(ExplorationRecord one, store.exploration(*exploration));
    records.push_back(std::move(one));
  } else {
    SLUICE_TRY(records, store.explorations());
  }
  for (const ExplorationRecord& record : records) {
    SLUICE_CHECK(sink(headerOf(record)));
    const store::KnobCodec codec(record.knobs);
    const Result<Done> done =
        store.visits(record, [&](const Visit& visit) { return sink(lineOf(record, codec, visit)); });
    if (!done) return done;
  }
  return Done{};
}

Result<MergeReport> readJsonLines(ResultStore& store, std::istream& in, const std::string& name) {
  Reader reader(store, name);
  std::string text;
  std::size_t line = 0;
  for (int c = in.get();; c = in.get()) {
    if (c != EOF && c != '\n') {
      if (text.size() >= longest_line)
        return reader.refuse("line " + std::to_string(line + 1) + " is longer than 1 MiB");
      text += static_cast<char>(c);
      continue;
    }
    SLUICE_CHECK(reader.take(text, ++line));
    text.clear();
    if (c == EOF) break;
  }
  SLUICE_CHECK(reader.finish());
  return reader.report();
}

Result<MergeReport> mergeFile(ResultStore& store, const std::filesystem::path& file) {
  if (file.extension() != ".jsonl") return store.merge(file);
  std::ifstream in(file, std::ios::binary);
  if (in && !std::filesystem::is_directory(file)) return readJsonLines(store, in, file.string());
  return error("file-unreadable", Location(Where::File, file.string()), "it cannot be read",
               "check the name and its permissions");
}

}  // namespace sluice::inline explorer
