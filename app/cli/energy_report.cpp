#include "app/cli/energy_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "app/cli/metric_text.h"
#include "app/cli/report.h"
#include "app/cli/table.h"
#include "engine/energy/control_logic.h"

namespace sluice::cli {
namespace {

Json energyPartsJson(const EnergyParts& parts) {
  Json object = Json::object();
  for (const EnergyPart& part : energy_parts) object[part.key] = parts.*part.member;
  object["total"] = parts.total();
  return object;
}

const char* unitOf(Action action) {
  return action == Action::Leakage ? "W/mm2" : action == Action::StaticPower ? "W" : "J";
}

Json pricesJson(const Technology& technology) {
  Json prices = Json::array();
  for (const Price& price : technology.prices)
    prices.push_back({{"action", text(price.action)},
                      {"scalar", price.scalar ? Json(streamText(*price.scalar)) : Json(nullptr)},
                      {"technology", price.file},
                      {"price", orNull(price.energy->constant())},
                      {"unit", unitOf(price.action)},
                      {"per_bytes", price.per_bytes},
                      {"source", price.source},
                      {"uncertainty", price.uncertainty}});
  return prices;
}

Json actionsJson(const FlatGraph& graph, const EnergyReport& report) {
  Json operators = Json::array();
  for (std::size_t o = 0; o < graph.operators.size(); ++o) {
    const OperatorActions& actions = report.counts.operators[o];
    Json row = {{"name", graph.operators[o].name},
                {"joules", energyPartsJson(report.operators[o])},
                {"row_hits", actions.row_hits},
                {"row_activations", actions.row_activations},
                {"switches", actions.switches}};
    for (const OperatorAction& action : operator_actions) row[action.key] = actions.*action.count;
    operators.push_back(std::move(row));
  }
  return operators;
}

Json fifoActionsJson(const FlatGraph& graph, const EnergyReport& report) {
  Json streams = Json::array();
  for (std::size_t s = 0; s < graph.streams.size(); ++s)
    streams.push_back({{"name", graph.streams[s].name},
                       {"tokens", report.counts.streams[s].tokens},
                       {"bytes", report.counts.streams[s].bytes}});
  return streams;
}

std::vector<std::string> energyCells(const std::string& name, const EnergyParts& parts, double whole) {
  std::vector<std::string> row{name, siText(parts.total(), "J"),
                               percent(whole > 0 ? parts.total() / whole : 0)};
  for (const EnergyPart& part : energy_parts) row.push_back(siText(parts.*part.member, "J"));
  return row;
}

/// A row for each that costs anything; the others are counted, unless `all`.
class EnergyRows {
 public:
  EnergyRows(const std::string& what, double whole, bool all)
      : table_(header(what)), whole_(whole), all_(all) {}

  void add(const std::string& name, const EnergyParts& parts) {
    if (parts.total() == 0 && !all_) {
      ++free_;
      return;
    }
    ++rows_;
    table_.row(energyCells(name, parts, whole_));
  }
  void print(std::ostream& out, const std::string& title, const std::string& what) const {
    constexpr std::size_t most_rows = 20;
    out << "\n" << title << "\n";
    if (rows_ > 0) table_.print(out, all_ ? 0 : most_rows);
    if (free_ > 0)
      out << "  " << (rows_ > 0 ? "the other " : "") << counted(free_, what)
          << (free_ == 1 ? " costs" : " cost") << " nothing in this technology\n";
  }

 private:
  static std::vector<std::string> header(const std::string& what) {
    std::vector<std::string> header{what, "energy", "of dynamic"};
    for (const EnergyPart& part : energy_parts) header.emplace_back(part.title);
    return header;
  }

  Table table_;
  double whole_;
  bool all_;
  std::size_t rows_ = 0, free_ = 0;
};

void printTables(std::ostream& out, const PointResult& result, const EnergyReport& report, bool all) {
  const double whole = report.dynamic.total();
  EnergyRows regions("region", whole, all);
  for (const RegionEnergy& region : report.regions)
    regions.add(region.region.empty() ? "(the program)" : region.region, region.parts);
  regions.print(out, "Regions, all instances together", "region");
  std::vector<std::size_t> order(report.operators.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t o) { return report.operators[o].total(); });
  if (report.leakage)
    out << "  leakage, " << siText(*report.leakage, "J")
        << ", is of the whole chip and no region's: it is in no "
        << "row and no share\n";
  EnergyRows operators("operator", whole, all);
  for (const std::size_t o : order)
    operators.add(result.symbolic.graph.operators[o].name, report.operators[o]);
  operators.print(out, "Operators, those that cost most first", "operator");
}

Json logicJson(const LogicCounts& counts) {
  return {{"luts", counts.luts},
          {"flip_flops", counts.flip_flops},
          {"memory_bits", counts.memory_bits},
          {"gates", counts.gates}};
}

Json controlJson(const FlatGraph& graph, const EnergyReport& report) {
  const std::vector<LogicRow> rows = logicRows(graph);
  Json parts = Json::array();
  for (const LogicRow& row : rows) {
    parts.push_back({{"kind", row.kind}, {"count", row.count}});
    if (row.depth > 0) parts.back()["depth"] = row.depth;
    parts.back()["each"] = row.each ? logicJson(*row.each) : Json(nullptr);
  }
  return {{"source", logicSource()},
          {"area", report.control_area ? Json(*report.control_area) : Json(nullptr)},
          {"sum", logicJson(sumOf(rows))},
          {"parts", std::move(parts)}};
}

/// Each part of the area with its source and the factor that brought it to this node.
void printAreas(std::ostream& out, const EnergyReport& report) {
  if (report.areas.empty()) return;
  out << "\nArea\n";
  Table table({"part", "mm2", "of area"});
  for (const AreaPart& part : report.areas)
    table.row({part.title, decimal(part.mm2, 4), percent(part.mm2 / report.area.value_or(1))});
  table.print(out);
  for (std::size_t at = 0; at < report.areas.size(); ++at) {
    const AreaPart& part = report.areas[at];
    const bool said_next = at + 1 < report.areas.size() && report.areas[at + 1].source == part.source;
    out << (at > 0 && report.areas[at - 1].source == part.source ? "" : "  ") << part.title
        << (said_next ? ", " : ": " + part.source + "\n");
  }
}

void printControl(std::ostream& out, const FlatGraph& graph, bool all) {
  constexpr std::size_t most_rows = 20;
  Table table({"control", "number", "LUTs each", "FFs each", "memory bits each", "LUTs", "FFs"});
  const auto whole = [](double number) { return grouped(static_cast<std::uint64_t>(number)); };
  const auto add = [&](const std::string& name, double number, const LogicCounts& each) {
    table.row({name, whole(number), whole(each.luts), whole(each.flip_flops), whole(each.memory_bits),
               whole(number * each.luts), whole(number * each.flip_flops)});
  };
  std::string without;
  const std::vector<LogicRow> rows = logicRows(graph);
  for (const LogicRow& row : rows) {
    const std::string name = row.depth > 0 ? "FIFO of " + counted(row.depth, "token") : std::string(row.kind);
    if (row.each)
      add(name, static_cast<double>(row.count), *row.each);
    else
      without += (without.empty() ? "" : ", ") + name;
  }
  const LogicCounts sum = sumOf(rows);
  out << "\nControl of FIFOs and operators: each kind as our RTL has it by default (two ways), counted by "
      << logicSource() << "\n";
  table.print(out, all ? 0 : most_rows);
  out << "  in all " << whole(sum.luts) << " LUTs, " << whole(sum.flip_flops) << " flip-flops and "
      << whole(sum.memory_bits) << " bits of memory, without products and quotients of sizes\n";
  if (!without.empty()) out << "  not counted: " << without << "\n";
}

/// "a, b and 3 more" would hide what a number rests on: all of them, a line each.
void printEach(std::ostream& out, const std::string& before, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) out << before << line << "\n";
}

}  // namespace

Json energyJson(const PointResult& result, const EnergyReport& report) {
  const Technology& technology = *result.symbolic.technology;
  Json object = {{"technology", report.technology},
                 {"node_nm", technology.node_nm},
                 {"clock_mhz", report.clock_hertz / 1e6},
                 {"seconds", report.seconds},
                 {"outputs", report.outputs}};
  for (const MetricSpec* metric : technologyMetrics()) {
    const double value = metric->priced(report);
    object[metric->name] = std::isfinite(value) ? Json(value) : Json(nullptr);
  }
  object["dynamic"] = energyPartsJson(report.dynamic);
  object["leakage"] = report.leakage ? Json(*report.leakage) : Json(nullptr);
  Json areas = Json::array();
  for (const AreaPart& part : report.areas)
    areas.push_back({{"part", part.key}, {"mm2", part.mm2}, {"source", part.source}});
  object["areas"] = std::move(areas);
  object["without_area"] = report.without_area;
  const double dynamic = report.dynamic.total();
  Json regions = Json::array();
  for (const RegionEnergy& region : report.regions)
    regions.push_back({{"region", region.region},
                       {"joules", energyPartsJson(region.parts)},
                       {"share_of_dynamic", dynamic > 0 ? region.parts.total() / dynamic : 0}});
  object["regions"] = std::move(regions);
  object["operators"] = actionsJson(result.symbolic.graph, report);
  object["streams"] = fifoActionsJson(result.symbolic.graph, report);
  object["control"] = controlJson(result.symbolic.graph, report);
  object["stand_ins"] = report.stand_ins;
  object["overridden"] = technology.overridden;
  object["prices"] = pricesJson(technology);
  return object;
}

std::string energyText(const PointResult& result, const EnergyReport& report, bool all) {
  const Technology& technology = *result.symbolic.technology;
  std::ostringstream out;
  out << "Energy in " << technology.title << ", at " << decimal(report.clock_hertz / 1e6, 0) << " MHz\n";
  Table metrics({"metric", "value"});
  metrics.row({"cycles", grouped(result.simulation.cycles)});
  metrics.row({"time", siText(report.seconds, "s")});
  for (const MetricSpec* metric : technologyMetrics())
    metrics.row({metricLabel(*metric), metricText(*metric, metric->priced(report))});
  for (const EnergyPart& part : energy_parts)
    metrics.row({std::string("  ") + part.title, siText(report.dynamic.*part.member, "J")});
  std::uint64_t activations = 0, hits = 0, switches = 0, crossed = 0;
  for (const OperatorActions& actions : report.counts.operators) {
    activations += actions.row_activations, hits += actions.row_hits;
    switches += actions.switches;
    crossed += actions.crossed;
  }
  if (activations + hits > 0)
    metrics.row({"  rows opened, bursts to open ones", grouped(activations) + ", " + grouped(hits)});
  if (switches > 0) metrics.row({"  turns of merges to another input", grouped(switches)});
  if (crossed > 0) metrics.row({"  bytes over borders between dies", grouped(crossed)});
  const bool needs_area = technology.find(Action::Leakage) && !report.area;
  metrics.row({"  leakage", report.leakage ? siText(*report.leakage, "J")
                            : needs_area   ? "needs an area"
                                           : "not in the technology"});
  metrics.print(out);
  if (needs_area)
    printEach(out, "  leakage needs an area, and the technology has none of ", report.without_area);
  printAreas(out, report);
  printTables(out, result, report, all);
  printControl(out, result.symbolic.graph, all);
  out << "\n";
  printEach(out, "no price of its own: ", report.stand_ins);
  printEach(out, "overridden: ", technology.overridden);
  if (!technology.note.empty()) out << technology.note << "\n";
  return out.str();
}

}  // namespace sluice::cli
