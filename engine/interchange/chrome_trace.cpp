#include "engine/interchange/chrome_trace.h"

#include <nlohmann/json.hpp>

namespace sluice::inline interchange {

namespace {

constexpr int operators = 1, streams = 2;  // "processes" of the format; ours are its threads

std::string jsonString(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

class TraceWriter {
 public:
  explicit TraceWriter(const FlatGraph& graph, const Timeline& timeline)
      : graph_(graph), timeline_(timeline) {
    text_ = "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"tool\":\"Sluice " SLUICE_VERSION
            "\",\"unit\":\"1 us is 1 cycle\",\"cycles\":" +
            std::to_string(timeline.end()) + ",\"exact\":" + (timeline.exact() ? "true" : "false") +
            "},\"traceEvents\":[\n";
  }

  std::string write() {
    name("process_name", operators, 0, "Operators");
    name("process_name", streams, 0, "Streams");
    for (OperatorId id = 0; id < timeline_.processes().size(); ++id) writeOperator(id);
    for (StreamId id = 0; id < timeline_.streams().size(); ++id) writeStream(id);
    return std::move(text_) + "\n]}\n";
  }

 private:
  void event(const std::string& fields) {
    if (!std::exchange(first_, false)) text_ += ",\n";
    text_ += '{' + fields + '}';
  }
  void name(const char* what, int process, std::size_t thread, const std::string& given) {
    event("\"ph\":\"M\",\"name\":\"" + std::string(what) + "\",\"pid\":" + std::to_string(process) +
          ",\"tid\":" + std::to_string(thread) + ",\"args\":{\"name\":" + jsonString(given) + "}");
  }

  void writeOperator(OperatorId id) {
    name("thread_name", operators, id, graph_.operators[id].name);
    const std::string track = ",\"pid\":" + std::to_string(operators) + ",\"tid\":" + std::to_string(id);
    for (const StateAt& state : timeline_.statesOf(id)) {
      if (state.state == ProcessState::Done) continue;
      std::string fields = "\"ph\":\"X\",\"name\":\"" + std::string(text(state.state)) +
                           "\",\"ts\":" + std::to_string(state.since) +
                           ",\"dur\":" + std::to_string(state.until - state.since) + track;
      if (state.stream)
        fields += ",\"args\":{\"stream\":" + jsonString(graph_.streams[*state.stream].name) + "}";
      event(fields);
    }
  }

  void writeStream(StreamId id) {
    const std::string counter = "\"ph\":\"C\",\"name\":" + jsonString(graph_.streams[id].name) +
                                ",\"pid\":" + std::to_string(streams) + ",\"ts\":";
    for (const OccupancySeries::Sample& sample : timeline_.streams()[id].series().samples)
      event(counter + std::to_string(sample.time) + ",\"args\":{\"tokens\":" + std::to_string(sample.last) +
            "}");
  }

  const FlatGraph& graph_;
  const Timeline& timeline_;
  std::string text_;
  bool first_ = true;
};

}  // namespace

std::string chromeTrace(const FlatGraph& graph, const Timeline& timeline) {
  return TraceWriter(graph, timeline).write();
}

}  // namespace sluice::inline interchange
