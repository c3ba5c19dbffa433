#pragma once
// What a run costs in a technology: joules by kind of action, operator and region; power and area.

#include <optional>
#include <string>
#include <vector>

#include "engine/energy/actions.h"
#include "engine/energy/technology.h"

namespace sluice::inline energy {

/// Joules.
struct EnergyParts {
  double off_chip = 0, on_chip = 0, compute = 0, fifos = 0, links = 0;
  double total() const { return off_chip + on_chip + compute + fifos + links; }
  EnergyParts& operator+=(const EnergyParts& other);
};

struct EnergyPart {
  const char* key;    ///< in JSON and CSV: "off_chip"
  const char* title;  ///< on screen
  double EnergyParts::*member;
};
inline constexpr EnergyPart energy_parts[] = {{"off_chip", "off chip", &EnergyParts::off_chip},
                                              {"on_chip", "on chip", &EnergyParts::on_chip},
                                              {"compute", "compute", &EnergyParts::compute},
                                              {"fifos", "FIFOs", &EnergyParts::fifos},
                                              {"links", "links", &EnergyParts::links}};

struct RegionEnergy {
  std::string region;  ///< its path in the document; empty: the program itself
  EnergyParts parts;
};

/// A part of the area, and where it is from: its source, with the factor by which it was scaled.
struct AreaPart {
  const char* key;    ///< in JSON: "compute", "memory", "fifos", "control"
  const char* title;  ///< on screen
  double mm2 = 0;
  std::string source;
};

struct EnergyReport {
  std::string technology;               ///< its name
  double clock_hertz = 0, seconds = 0;  ///< of the run
  EnergyParts dynamic;                  ///< of all operators
  /// Joules, with what the chip or board takes all the time; absent where the technology says none. That of
  /// an area is left out where there is no area.
  std::optional<double> leakage;
  /// Parallel to FlatGraph::operators. A push is its producer's, a pop its consumer's.
  std::vector<EnergyParts> operators;
  std::vector<RegionEnergy> regions;      ///< by path; all instances of a region together
  std::optional<double> area;             ///< mm2; absent where something has no area in the technology
  std::vector<std::string> without_area;  ///< "sram_read", "add of f32": what is used and has none
  /// mm2 of it: FIFOs and what steers operators (control_logic.h). Absent where the technology says no node.
  std::optional<double> control_area;
  std::vector<AreaPart> areas;  ///< add up to `area`; those that are 0 are left out
  /// Numbers that leave by stores to off-chip memory; 0: nothing is stored.
  std::uint64_t outputs = 0;
  std::vector<std::string> stand_ins;  ///< "multiply of f16 for bf16": what the technology has no price for
  ActionCounts counts;

  double total() const { return dynamic.total() + leakage.value_or(0); }  ///< joules
  double power() const { return seconds > 0 ? total() / seconds : 0; }    ///< watts
};

/// `symbols`: with those that the run measured. Nothing where the actions cannot be counted, or an expression
/// of the technology gives no number.
std::optional<EnergyReport> energyOf(const Technology& technology, const FlatGraph& graph,
                                     const Inference& inference, const BoundSymbols& symbols,
                                     const SimulationResult& run);
/// The same for counts by formulas, which tell no rows: where a run would count those, bytes cost what an
/// access to an open row does.
std::optional<EnergyReport> energyOf(const Technology& technology, const FlatGraph& graph,
                                     const Inference& inference, const BoundSymbols& symbols,
                                     ActionCounts counts, Cycles cycles);

/// What a breakdown has a row for.
enum class EnergyGroups { Regions, Operators };

struct EnergyRow {
  std::string name;   ///< of the region ("" is the program itself), or of the operator
  std::string place;  ///< the node in the document, with all of its instances (FlatOperator::origin)
  EnergyParts parts;
};

/// All instances together; what costs most comes first.
std::vector<EnergyRow> energyRows(const FlatGraph& graph, const EnergyReport& report, EnergyGroups groups);

/// "kind,name,off_chip_joules,...": the program, its regions and operators, a line each.
std::string energyCsv(const FlatGraph& graph, const EnergyReport& report);

}  // namespace sluice::inline energy
