#include "tests/engine/support/flat_builder.h"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "engine/itensor/itensor_text.h"
#include "engine/operators/registry.h"

namespace sluice {
namespace {

[[noreturn]] void misuse(const std::string& what) {
  throw std::logic_error("FlatBuilder: " + what);
}

const OperatorSpec& specOf(const std::string& kind) {
  for (const OperatorSpec* spec : registeredSpecs())
    if (spec->kind == kind) return *spec;
  misuse("no operator " + kind);
}

BoundInteger bound(std::int64_t value) {
  return {value, Expr(value)};
}

BoundValue bound(const Setting& setting) {
  if (const auto* number = std::get_if<std::int64_t>(&setting)) return bound(*number);
  if (const auto* flag = std::get_if<bool>(&setting)) return *flag;
  if (const auto* word = std::get_if<std::string>(&setting)) return *word;
  if (const auto* orders = std::get_if<std::vector<StreamOrder>>(&setting)) return *orders;
  std::vector<BoundInteger> list;
  for (std::int64_t value : std::get<std::vector<std::int64_t>>(setting)) list.push_back(bound(value));
  return list;
}

BoundValue bound(const ParameterSpec& spec) {
  if (spec.kind == ParameterKind::Orders) return std::vector<StreamOrder>{};
  const Value& initial = *spec.initial;
  if (const auto* number = initial.integer()) return bound(*number);
  if (const auto* flag = initial.boolean()) return *flag;
  if (const auto* word = initial.string()) return *word;
  std::vector<BoundInteger> list;
  for (const Value& value : *initial.list()) list.push_back(bound(*value.integer()));
  return list;
}

std::string text(const BoundValue& value) {
  if (const auto* number = std::get_if<BoundInteger>(&value)) return std::to_string(number->value);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  if (const auto* orders = std::get_if<std::vector<StreamOrder>>(&value)) {
    std::string types = "[";
    for (const StreamOrder& order : *orders) types += (order ? text(*order) : "none") + ",";
    return types + "]";
  }
  std::string list = "[";
  for (const BoundInteger& element : std::get<std::vector<BoundInteger>>(value))
    list += (list.size() > 1 ? "," : "") + std::to_string(element.value);
  return list + "]";
}

}  // namespace

std::size_t FlatBuilder::portCount(const FlatOperator& op, const std::vector<PortSpec>& ports) const {
  std::size_t count = 0;
  for (const PortSpec& port : ports)
    count += port.width.empty() ? 1 : static_cast<std::size_t>(op.parameters.integer(port.width));
  return count;
}

OperatorId FlatBuilder::add(const std::string& kind, const Settings& settings,
                            const std::vector<Output>& inputs) {
  FlatOperator op;
  op.spec = &specOf(kind);
  const auto id = static_cast<OperatorId>(graph_.operators.size());
  op.name = op.origin = kind + "_" + std::to_string(id);
  for (const ParameterSpec& parameter : op.spec->parameters) {
    const auto given = settings.find(parameter.name);
    if (given == settings.end() && !parameter.initial) misuse(kind + " needs " + parameter.name);
    op.parameters.set(parameter.name, given != settings.end() ? bound(given->second) : bound(parameter));
  }
  for (const auto& [name, setting] : settings)
    if (!op.parameters.values().contains(name)) misuse(kind + " has no " + name);
  if (inputs.size() != portCount(op, op.spec->inputs)) misuse(kind + " has another number of inputs");
  op.outputs.assign(portCount(op, op.spec->outputs), nobody);
  graph_.operators.push_back(std::move(op));
  for (std::size_t port = 0; port < inputs.size(); ++port) connect(inputs[port], id, port);
  return id;
}

void FlatBuilder::connect(Output from, OperatorId to, std::size_t port) {
  StreamId& slot = graph_.operators.at(from.op).outputs.at(from.port);
  if (slot != nobody) misuse(graph_.operators[from.op].name + " already has a consumer");
  slot = static_cast<StreamId>(graph_.streams.size());
  graph_.operators[to].inputs.push_back(slot);
  FlatStream stream;
  stream.name = graph_.operators[from.op].name + "." + std::to_string(from.port) + " -> " +
                graph_.operators[to].name + "." + std::to_string(port);
  stream.origin = "#" + std::to_string(slot);
  stream.producer = from.op;
  stream.producer_port = from.port;
  stream.consumer = to;
  stream.consumer_port = static_cast<std::uint32_t>(port);
  stream.depth = depth;
  graph_.streams.push_back(std::move(stream));
}

std::vector<Output> FlatBuilder::outputs(OperatorId op) const {
  std::vector<Output> result;
  for (std::uint32_t port = 0; port < graph_.operators.at(op).outputs.size(); ++port)
    result.push_back({op, port});
  return result;
}

std::vector<Output> FlatBuilder::broadcast(Output from, std::size_t ways) {
  return outputs(add("Broadcast", {{"ways", static_cast<std::int64_t>(ways)}}, {from}));
}

void FlatBuilder::consumeTheRest() {
  for (OperatorId op = 0, end = static_cast<OperatorId>(graph_.operators.size()); op < end; ++op)
    for (const Output& output : outputs(op))
      if (graph_.operators[op].outputs[output.port] == nobody) add("Consumer", {}, {output});
}

StreamId FlatBuilder::stream(Output output) const {
  const StreamId id = graph_.operators.at(output.op).outputs.at(output.port);
  if (id == nobody) misuse("no stream leaves " + graph_.operators[output.op].name);
  return id;
}

FlatGraph FlatBuilder::build() const {
  for (const FlatOperator& op : graph_.operators)
    if (std::find(op.outputs.begin(), op.outputs.end(), nobody) != op.outputs.end())
      misuse(op.name + " has an unread output");
  FlatGraph graph = graph_;
  graph.machine = machine;
  return graph;
}

FlatGraph reordered(const FlatGraph& graph, std::span<const OperatorId> position) {
  FlatGraph result = graph;
  for (OperatorId op = 0; op < graph.operators.size(); ++op)
    result.operators[position[op]] = graph.operators[op];
  for (FlatStream& stream : result.streams) {
    stream.producer = position[stream.producer];
    stream.consumer = position[stream.consumer];
  }
  return result;
}

namespace {

/// The operators that hang on the outputs of `op`, and itself.
std::vector<bool> downstream(const FlatGraph& graph, OperatorId op) {
  std::vector<bool> reached(graph.operators.size(), false);
  std::vector<OperatorId> todo = {op};
  while (!todo.empty()) {
    const OperatorId next = todo.back();
    todo.pop_back();
    if (reached[next]) continue;
    reached[next] = true;
    for (StreamId stream : graph.operators[next].outputs) todo.push_back(graph.streams[stream].consumer);
  }
  return reached;
}

}  // namespace

FlatGraph without(const FlatGraph& graph, OperatorId op) {
  const std::vector<bool> gone = downstream(graph, op);
  FlatGraph result;
  result.machine = graph.machine;
  std::vector<OperatorId> new_id(graph.operators.size());
  for (OperatorId id = 0; id < graph.operators.size(); ++id) {
    if (gone[id]) continue;
    new_id[id] = static_cast<OperatorId>(result.operators.size());
    result.operators.push_back(graph.operators[id]);
  }
  std::vector<StreamId> new_stream(graph.streams.size());
  for (StreamId id = 0; id < graph.streams.size(); ++id) {
    FlatStream stream = graph.streams[id];
    if (gone[stream.producer]) continue;
    stream.producer = new_id[stream.producer];
    new_stream[id] = static_cast<StreamId>(result.streams.size());
    if (gone[stream.consumer]) {
      stream.consumer = static_cast<OperatorId>(result.operators.size());
      stream.consumer_port = 0;
      FlatOperator consumer;
      consumer.name = consumer.origin = "Consumer_cut_" + std::to_string(id);
      consumer.spec = &specOf("Consumer");
      consumer.inputs = {id};
      result.operators.push_back(std::move(consumer));
    } else {
      stream.consumer = new_id[stream.consumer];
    }
    result.streams.push_back(std::move(stream));
  }
  for (FlatOperator& kept : result.operators) {
    for (StreamId& stream : kept.inputs) stream = new_stream[stream];
    for (StreamId& stream : kept.outputs) stream = new_stream[stream];
  }
  return result;
}

std::string text(const FlatGraph& graph) {
  std::ostringstream out;
  const BoundMachine& m = graph.machine;
  out << "machine: on-chip " << m.on_chip_bandwidth << " B/cycle, bf16 " << m.mock_bf16 << ", HBM request "
      << m.hbm_request_bytes << " channels " << m.hbm_channels << " latency " << m.hbm_latency << " interval "
      << m.hbm_initiation_interval << " start-up " << m.hbm_start_up << "\n";
  for (OperatorId id = 0; id < graph.operators.size(); ++id) {
    const FlatOperator& op = graph.operators[id];
    out << id << " " << op.spec->kind;
    for (const auto& [name, value] : op.parameters.values()) out << " " << name << "=" << text(value);
    for (StreamId stream : op.inputs)
      out << " <- stream " << stream << " (operator " << graph.streams[stream].producer << " port "
          << graph.streams[stream].producer_port << ", depth " << graph.streams[stream].depth << ")";
    out << "\n";
  }
  return out.str();
}

}  // namespace sluice
