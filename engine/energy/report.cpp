#include "engine/energy/report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "engine/core/csv.h"
#include "engine/energy/control_logic.h"
#include "engine/energy/energy_floor.h"
#include "engine/operators/functions.h"
#include "engine/operators/off_chip.h"
#include "engine/operators/registry.h"

namespace sluice::inline energy {
namespace {

/// Which shares of an operator's FLOPs are additions and multiplications.
double additions(const FlatOperator& op) {
  const auto& values = op.parameters.values();
  if (!values.contains("function")) return 0.5;
  switch (functionNamed(op.parameters.string("function"))) {
    case Function::Matmul:
      return 0.5;
    case Function::Add:
    case Function::Maximum:
    case Function::RowSum:
      return 1;
    default:
      return 0;
  }
}

std::string regionOf(const FlatOperator& op) {
  const std::size_t dot = op.origin.rfind('.');
  return dot == std::string::npos ? "" : op.origin.substr(0, dot);
}

enum class CountedBy { Run, Formulas };

class Pricing {
 public:
  Pricing(const Technology& technology, const FlatGraph& graph, const Inference& inference,
          const BoundSymbols& symbols, CountedBy counted_by)
      : technology_(technology), graph_(graph), inference_(inference), counted_by_(counted_by) {
    for (const auto& [name, value] : symbols)
      symbols_.emplace_hint(symbols_.end(), name, std::llround(value));
    for (const Price& price : technology.prices) {
      const Price*& first = prices_[static_cast<std::size_t>(price.action)];
      if (!first) first = &price;
    }
    report_.technology = technology.name;
    report_.clock_hertz = clockHertz(technology, graph.machine);
  }

  std::optional<EnergyReport> price(ActionCounts counts, Cycles cycles) {
    report_.counts = std::move(counts);
    report_.operators.resize(graph_.operators.size());
    report_.seconds = static_cast<double>(cycles) / report_.clock_hertz;
    for (std::size_t s = 0; s < graph_.streams.size(); ++s) stream(s);
    for (std::size_t o = 0; o < graph_.operators.size(); ++o) priceOperator(o);
    if (without_area_.empty()) sumUpArea();
    report_.without_area.assign(without_area_.begin(), without_area_.end());
    sumUp();
    report_.stand_ins.assign(stand_ins_.begin(), stand_ins_.end());
    if (!std::isfinite(report_.total()) || report_.total() < 0) return std::nullopt;
    return std::move(report_);
  }

 private:
  double number(const Expr& formula) const {
    const std::optional<std::int64_t> value = formula.value(symbols_);
    return value ? static_cast<double>(*value) : 0;
  }

  /// Technology::find(), of which every operator and stream asks many times. Null: there is none.
  const Price* priceOf(Action action) const { return prices_[static_cast<std::size_t>(action)]; }

  AccessSizes sizes(double bytes, double width) const { return {bytes, width, 2, technology_.node_nm}; }

  static double spend(const Price& price, const AccessSizes& sizes, std::uint64_t bytes) {
    return bytes == 0 ? 0 : static_cast<double>(bytes) / price.per_bytes * price.energy->at(sizes);
  }

  void sumUpArea() {
    const auto add = [&](const char* key, const char* title, double mm2, std::string source) {
      if (mm2 > 0) report_.areas.push_back({key, title, mm2, std::move(source)});
    };
    const auto sourceOf = [](const Price& price) {
      return price.area_source.empty() ? price.source : price.area_source;
    };
    std::string units;  // of adders and multipliers, each source once
    for (const auto& [of, price] : of_scalars_) {
      if (!price->area || units.find(sourceOf(*price)) != std::string::npos) continue;
      units += (units.empty() ? "" : "; ") + sourceOf(*price);
    }
    const std::string memory = sourceOf(*priceOf(Action::SramRead));
    add("compute", "adders and multipliers", compute_area_, units);
    add("memory", "memory of operators", memory_area_, memory);
    add("fifos", "memory of FIFOs", fifo_area_, memory);
    report_.control_area = logicArea(sumOf(logicRows(graph_)), technology_.node_nm);
    if (report_.control_area)
      add("control", "control of FIFOs and operators", *report_.control_area,
          std::string(logicSource()) + "; " + logicAreaSource(technology_.node_nm));
    report_.area = compute_area_ + memory_area_ + fifo_area_ + report_.control_area.value_or(0);
  }

  void addMemory(double bytes, double& area) {
    const Price& memory = *priceOf(Action::SramRead);
    if (bytes <= 0) return;
    if (memory.area)
      area += bytes * memory.area->at(sizes(bytes, 0));
    else
      without_area_.insert(nameOf(memory));
  }

  void stream(std::size_t at) {
    const StreamActions& actions = report_.counts.streams[at];
    const FlatStream& fifo = graph_.streams[at];
    const double width =
        actions.tokens > 0 ? static_cast<double>(actions.bytes) / static_cast<double>(actions.tokens) : 0;
    const double capacity = width * static_cast<double>(fifo.depth);
    const auto priced = [&](Action own, Action memory) {
      const Price* const price = priceOf(own);
      return spend(price ? *price : *priceOf(memory), sizes(capacity, width), actions.bytes);
    };
    report_.operators[fifo.producer].fifos += priced(Action::FifoPush, Action::SramWrite);
    report_.operators[fifo.consumer].fifos += priced(Action::FifoPop, Action::SramRead);
    if (const Price* const hop = priceOf(Action::NocHop))
      report_.operators[fifo.producer].links += spend(*hop, sizes(capacity, width), actions.bytes);
    addMemory(capacity, fifo_area_);
  }

  const Price& ofScalar(Action action, Scalar scalar) {
    const auto [at, fresh] = of_scalars_.try_emplace({action, scalar}, nullptr);
    if (!fresh) return *at->second;
    const Price& price = technology_.find(action, scalar);
    at->second = &price;
    if (*price.scalar != scalar) stand_ins_.insert(nameOf(price) + " for " + streamText(scalar));
    return price;
  }

  void compute(std::size_t at, EnergyParts& parts) {
    const Flops flops = report_.counts.operators[at].flops;
    const double units = number(inference_.operators[at].compute);
    if (flops == 0 && units <= 0) return;
    const FlatOperator& op = graph_.operators[at];
    const bool told = op.parameters.values().contains("results") && op.parameters.integer("results") >= 0;
    if (told) report_.outputs += static_cast<std::uint64_t>(op.parameters.integer("results"));
    if (told) return;
    const TileType* const tile = computedTile(op, inference_);
    Scalar scalar = tile ? tile->scalar : Scalar::F32;
    if (scalar == Scalar::F32 && graph_.machine.mock_bf16) scalar = Scalar::BF16;
    const double adds = additions(op);
    for (const auto& [action, share] : {std::pair(Action::Add, adds), {Action::Multiply, 1 - adds}}) {
      if (share <= 0) continue;
      const Price& price = ofScalar(action, scalar);
      parts.compute += share * static_cast<double>(flops) * price.energy->at(sizes(0, sizeOf(scalar)));
      if (price.area)
        compute_area_ += share * units * price.area->at(sizes(0, sizeOf(scalar)));
      else if (units > 0)
        without_area_.insert(nameOf(price));
    }
  }

  /// Rows for themselves where a run counts them and the technology has prices for that.
  void offChip(const OperatorActions& actions, const AccessSizes& sizes_here, EnergyParts& parts) {
    const Price* const row = priceOf(Action::RowActivation);
    const bool rows = row && (counted_by_ == CountedBy::Run ? actions.row_hits + actions.row_activations > 0
                                                            : graph_.machine.hbm_model != HbmModel::Node);
    for (const auto& [action, bytes] : {std::pair(Action::OffChipRead, actions.off_chip_read),
                                        {Action::OffChipWrite, actions.off_chip_written}}) {
      if (bytes == 0) continue;
      const Price& price = *priceOf(action);
      const Amount& energy = rows ? *price.column_energy : *price.energy;
      parts.off_chip += static_cast<double>(bytes) / price.per_bytes * energy.at(sizes_here);
    }
    if (rows)
      parts.off_chip += static_cast<double>(actions.row_activations) *
                        row->energy->at(sizes(static_cast<double>(graph_.machine.dram.row_bytes), 0));
  }

  void priceOperator(std::size_t at) {
    const OperatorActions& actions = report_.counts.operators[at];
    EnergyParts& parts = report_.operators[at];
    const double held = number(inference_.operators[at].on_chip_bytes);
    // Shared units hold what all operators hold, dealt out.
    const auto shared = static_cast<double>(graph_.machine.scratchpads);
    const double bytes = shared > 0 ? number(inference_.total.on_chip_bytes) / shared : held;
    const auto spend_on = [&](Action action, std::uint64_t moved) {
      return spend(*priceOf(action), sizes(bytes, 0), moved);
    };
    parts.on_chip = spend_on(Action::SramRead, actions.on_chip_read) +
                    spend_on(Action::SramWrite, actions.on_chip_written);
    offChip(actions, sizes(bytes, 0), parts);
    if (const Price* price = priceOf(Action::Reconfiguration))
      parts.compute += static_cast<double>(actions.switches) * price->energy->at(sizes(bytes, 0));
    if (const Price* price = priceOf(Action::DieCrossing))
      parts.links += spend(*price, sizes(bytes, 0), actions.crossed);
    addMemory(held, memory_area_);
    compute(at, parts);
    const FlatOperator& op = graph_.operators[at];
    if (actions.off_chip_written == 0 || definitionOf(op).memory != MemoryRole::Writer) return;
    const TileType* const tile = computedTile(op, inference_);
    const int size = tile ? storedBytes(tile->scalar, graph_.machine) : 1;
    report_.outputs += actions.off_chip_written / static_cast<std::uint64_t>(size);
  }

  void sumUp() {
    std::map<std::string, EnergyParts> regions;
    for (std::size_t o = 0; o < graph_.operators.size(); ++o) {
      report_.dynamic += report_.operators[o];
      regions[regionOf(graph_.operators[o])] += report_.operators[o];
    }
    for (const auto& [region, parts] : regions) report_.regions.push_back({region, parts});
    const auto always = [&](const Price& power, double units) {
      report_.leakage = report_.leakage.value_or(0) + power.energy->at(sizes(0, 0)) * units * report_.seconds;
    };
    if (const Price* leakage = priceOf(Action::Leakage); leakage && report_.area)
      always(*leakage, *report_.area);
    if (const Price* power = priceOf(Action::StaticPower)) always(*power, 1);
  }

  const Technology& technology_;
  const FlatGraph& graph_;
  const Inference& inference_;
  CountedBy counted_by_;
  std::map<std::string, std::int64_t> symbols_;
  EnergyReport report_;
  std::array<const Price*, action_count> prices_{};  ///< the first of each action
  std::map<std::pair<Action, Scalar>, const Price*> of_scalars_;
  double compute_area_ = 0, memory_area_ = 0, fifo_area_ = 0;  ///< mm2
  std::set<std::string> stand_ins_, without_area_;
};

}  // namespace

EnergyParts& EnergyParts::operator+=(const EnergyParts& other) {
  for (const EnergyPart& part : energy_parts) this->*part.member += other.*part.member;
  return *this;
}

std::optional<EnergyReport> energyOf(const Technology& technology, const FlatGraph& graph,
                                     const Inference& inference, const BoundSymbols& symbols,
                                     ActionCounts counts, Cycles cycles) {
  return Pricing(technology, graph, inference, symbols, CountedBy::Formulas).price(std::move(counts), cycles);
}

std::optional<EnergyReport> energyOf(const Technology& technology, const FlatGraph& graph,
                                     const Inference& inference, const BoundSymbols& symbols,
                                     const SimulationResult& run) {
  std::optional<ActionCounts> counts = countedActions(graph, inference, symbols, run);
  if (!counts) return std::nullopt;
  return Pricing(technology, graph, inference, symbols, CountedBy::Run).price(*std::move(counts), run.cycles);
}

std::vector<EnergyRow> energyRows(const FlatGraph& graph, const EnergyReport& report, EnergyGroups groups) {
  std::vector<EnergyRow> rows;
  if (groups == EnergyGroups::Regions) {
    for (const RegionEnergy& region : report.regions)
      rows.push_back({region.region, region.region, region.parts});
  } else {
    std::map<std::string, EnergyParts> parts;
    for (std::size_t o = 0; o < graph.operators.size(); ++o)
      parts[graph.operators[o].origin] += report.operators[o];
    for (const auto& [origin, of_all] : parts) rows.push_back({origin, origin, of_all});
  }
  std::ranges::stable_sort(rows, std::greater(), [](const EnergyRow& row) { return row.parts.total(); });
  return rows;
}

std::string energyCsv(const FlatGraph& graph, const EnergyReport& report) {
  std::vector<std::string> header{"kind", "name"};
  for (const EnergyPart& part : energy_parts) header.push_back(part.key + std::string("_joules"));
  header.insert(header.end(), {"dynamic_joules", "share_of_dynamic", "leakage_joules", "total_joules",
                               "seconds", "area_mm2"});
  CsvTable table(header);
  const auto row = [&](const std::string& kind, const std::string& name, const EnergyParts& parts,
                       std::optional<double> leakage) {
    std::vector<std::string> cells{kind, name};
    for (const EnergyPart& part : energy_parts) cells.push_back(csvNumber(parts.*part.member));
    const double whole = report.dynamic.total();
    cells.push_back(csvNumber(parts.total()));
    cells.push_back(csvNumber(whole > 0 ? parts.total() / whole : 0));
    // Leakage is of the chip, and no part's: a part has no total with it.
    cells.push_back(leakage ? csvNumber(*leakage) : "");
    const bool whole_program = kind == "program";
    cells.push_back(whole_program ? csvNumber(parts.total() + leakage.value_or(0)) : "");
    cells.push_back(whole_program ? csvNumber(report.seconds) : "");
    cells.push_back(whole_program && report.area ? csvNumber(*report.area) : "");
    table.row(cells);
  };
  row("program", "", report.dynamic, report.leakage);
  for (const RegionEnergy& region : report.regions) row("region", region.region, region.parts, std::nullopt);
  for (std::size_t o = 0; o < graph.operators.size(); ++o)
    row("operator", graph.operators[o].name, report.operators[o], std::nullopt);
  return table.text();
}

}  // namespace sluice::inline energy
