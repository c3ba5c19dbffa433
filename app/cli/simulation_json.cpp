#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/deadlock_report.h"
#include "app/cli/diagnostics.h"
#include "app/cli/energy_report.h"
#include "app/cli/point_json.h"
#include "app/cli/simulation_report.h"
#include "app/cli/stalls_report.h"
#include "app/cli/trust_report.h"
#include "engine/explorer/constraint_report.h"
#include "engine/explorer/tables.h"
#include "engine/operators/fault_diagnostic.h"
#include "engine/simulator/explanation.h"

namespace sluice::cli {
namespace {

Json streamsJson(const PointResult& result) {
  Json streams = Json::array();
  const bool recorded = !result.simulation.occupancy.empty();
  for (std::size_t s = 0; s < result.symbolic.graph.streams.size(); ++s) {
    const FlatStream& stream = result.symbolic.graph.streams[s];
    const StreamStats& stats = result.simulation.streams.at(s);
    streams.push_back({{"name", stream.name},
                       {"shape", text(result.symbolic.inference.streams[s].shape)},
                       {"depth", stream.depth},
                       {"tokens", stats.tokens},
                       {"max_occupancy", recorded ? Json(stats.max_occupancy) : Json(nullptr)},
                       {"groups", stats.groups}});
  }
  return streams;
}

Json operatorsJson(const PointResult& result) {
  Json operators = Json::array();
  for (std::size_t o = 0; o < result.symbolic.graph.operators.size(); ++o) {
    const FlatOperator& op = result.symbolic.graph.operators[o];
    const OperatorStats& stats = result.simulation.operators.at(o);
    operators.push_back({{"name", op.name},
                         {"kind", op.spec->kind},
                         {"busy_cycles", stats.busy},
                         {"blocked_on_input_cycles", stats.blocked_on_input},
                         {"blocked_on_output_cycles", stats.blocked_on_output},
                         {"finished_cycle", stats.finished},
                         {"flops", stats.flops},
                         {"off_chip_bytes", stats.off_chip_bytes}});
  }
  return operators;
}

Json printedJson(const PointResult& result) {
  Json printers = Json::array();
  for (const PrintedStream& printed : result.simulation.printed) {
    const ElementType& type = printedType(result, printed);
    Json tokens = Json::array();
    for (const CapturedToken& token : printed.tokens) {
      Json entry = {{"cycle", token.arrival}, {"stop", token.stop}};
      if (isNumber(type)) {
        entry["value"] = token.scalar;
      } else if (type.tile()) {
        entry["rows"] = token.rows, entry["cols"] = token.cols, entry["valid"] = token.valid;
      } else if (type.selector()) {
        entry["selected"] = token.selected;
      }
      tokens.push_back(std::move(entry));
    }
    printers.push_back({{"operator", result.symbolic.graph.operators.at(printed.op).name},
                        {"element", text(type)},
                        {"tokens", std::move(tokens)}});
  }
  return printers;
}

Json tensorsJson(const TensorSet& tensors) {
  Json list = Json::array();
  for (const auto& [name, tensor] : tensors) {
    double sum = 0;
    for (const float value : tensor.data) sum += value;
    list.push_back({{"name", name}, {"shape", tensor.shape}, {"sum", sum}});
  }
  return list;
}

Json nearMissesJson(const NearMisses& misses) {
  Json list = Json::array();
  for (const NearMiss& miss : misses.list)
    list.push_back({{"stream", miss.stream},
                    {"origin", miss.origin},
                    {"instances", miss.instances},
                    {"depth", miss.depth},
                    {"slots_fewer", miss.fewer},
                    {"members", miss.members},
                    {"stall_cycles", miss.stall},
                    {"full_cycles", miss.full}});
  return {{"streams", std::move(list)}, {"runs", misses.runs}, {"gave_up", misses.gave_up}};
}

/// What the simulator counts is known of an unfinished run, too.
Json metricJson(const MetricSpec& metric, const PointResult& result) {
  if (metric.run) return result.simulation.*metric.run;
  if (!measured(result.point)) return nullptr;
  const std::optional<MetricValue> value = exactMetric(result.point, metric);
  return value ? std::visit([](auto number) { return Json(number); }, *value) : Json(nullptr);
}

}  // namespace

const ElementType& printedType(const PointResult& result, const PrintedStream& printed) {
  const StreamId stream = result.symbolic.graph.operators.at(printed.op).inputs.at(0);
  return result.symbolic.inference.streams.at(stream).element;
}

bool isNumber(const ElementType& type) {
  const TileType* tile = type.tile();
  return tile && (tile->scalar == Scalar::U64 || tile->scalar == Scalar::Bool) &&
         tile->rows.extent == Expr(1) && tile->cols.extent == Expr(1);
}

Diagnostics diagnosticsOf(const std::string& file, const PointResult& result) {
  if (const auto& fault = result.simulation.fault) return {faultDiagnostic(result.symbolic.graph, *fault)};
  if (const auto failed = withoutNumbers(result)) return {*failed};
  if (const auto over = overCapacity(result.point)) return {*over};
  if (!result.simulation.deadlock) return {};
  return {error("deadlock", Location(Where::File, file),
                text(*result.simulation.deadlock, Naming{result.symbolic.graph, true}),
                "'sluice-cli unlock' finds the depths that free it, where depths do")};
}

Json simulationJson(const std::string& file, const Workload& workload, const PricedPoint& priced,
                    const RunFindings& findings, const ComputedTensors& computed) {
  const auto& [result, energy] = priced;
  Json symbols = Json::object();
  for (const auto& [name, value] : result.symbolic.bound) {
    if (!result.point.knobs.contains(name)) symbols[name] = std::llround(value);
  }
  Json object = {{"file", file},
                 {"state", text(result.point.state)},
                 {"cause", result.point.cause},
                 {"knobs", knobsJson(workload.document, result.point.knobs)}};
  for (const MetricSpec* metric : metricsWith(result.symbolic.technology != nullptr))
    object[metric->name] = metricJson(*metric, result);
  object["moved_off_chip_bytes"] = result.simulation.off_chip_bytes;
  object["trust"] = trustJson(trustAt(workload, result.point.knobs));
  object["symbols"] = std::move(symbols);
  object["wall_seconds"] = result.simulation.wall_seconds;
  object["cancelled"] = result.simulation.cancelled;
  const auto& deadlock = result.simulation.deadlock;
  object["deadlock"] =
      deadlock ? deadlockJson(result.symbolic.graph, *deadlock, *findings.unlocked) : Json(nullptr);
  Diagnostics told = findings.inputs;
  for (Diagnostic& each : diagnosticsOf(file, result)) told.push_back(std::move(each));
  object["diagnostics"] = diagnosticsJson(told);
  if (findings.near_misses) object["near_misses"] = nearMissesJson(*findings.near_misses);
  object["streams"] = streamsJson(result);
  object["operators"] = operatorsJson(result);
  object["printed"] = printedJson(result);
  if (energy) object["energy_breakdown"] = energyJson(result, *energy);
  if (findings.stalls) object["stalls"] = stallsJson(result.symbolic.graph, *findings.stalls);
  if (!computed.tensors.empty()) object["tensors"] = tensorsJson(computed.tensors);
  if (!computed.tensors.empty()) object["made_up"] = computed.made_up;
  return object;
}

}  // namespace sluice::cli
