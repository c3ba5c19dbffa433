#include "engine/energy/node_scaling.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace sluice::inline energy {
namespace {

struct Node {
  double nm;
  double square, linear, constant;  ///< energy factor: square V^2 + linear V + constant
  double area;                      ///< of 45 nm one: the row of the paper's table of areas
  double cell;                      ///< um2 of a published SRAM cell
};

// Cells: P. Bai et al., IEDM 2004 (65 nm); K. Mistry et al., IEDM 2007 (45 nm); P. Packan et al., IEDM 2009
// (32 nm); J. Chang et al., ISSCC 2013 (20 nm); Y.-H. Chen et al., ISSCC 2014 (16 nm); S. Natarajan et al.,
// IEDM 2014 (14 nm); T. Song et al., ISSCC 2016 (10 nm); J. Chang et al., ISSCC 2017 (7 nm).

constexpr std::array<Node, 8> nodes{{{65, 3.755, -4.398, 1.975, 1.5, 0.57},
                                     {45, 1.018, -0.3107, 0.1539, 1, 0.346},
                                     {32, 0.8367, -0.4341, 0.1701, 0.46, 0.171},
                                     {20, 0.373, -0.1582, 0.04104, 0.21, 0.081},
                                     {16, 0.2958, -0.1241, 0.03024, 0.19, 0.07},
                                     {14, 0.2363, -0.09675, 0.02239, 0.17, 0.0588},
                                     {10, 0.2068, -0.09311, 0.02375, 0.1, 0.04},
                                     {7, 0.1776, -0.09097, 0.02447, 0.059, 0.027}}};
constexpr double least_volts = 0.5, most_volts = 1.3;

const Node* nodeOf(double nm) {
  const auto found = std::ranges::find(nodes, nm, &Node::nm);
  return found == nodes.end() ? nullptr : &*found;
}

std::optional<double> factorOf(const Process& process) {
  const Node* const node = nodeOf(process.node_nm);
  const double volts = process.volts;
  if (!node || volts < least_volts || volts > most_volts) return std::nullopt;
  return node->square * volts * volts + node->linear * volts + node->constant;
}

}  // namespace

std::optional<double> energyFactor(const Process& from, const Process& to) {
  const std::optional<double> before = factorOf(from), after = factorOf(to);
  return before && after ? std::optional(*after / *before) : std::nullopt;
}

std::optional<double> areaFactor(double from_nm, double to_nm) {
  const Node* const before = nodeOf(from_nm);
  const Node* const after = nodeOf(to_nm);
  return before && after ? std::optional(after->area / before->area) : std::nullopt;
}

std::string factorText(double factor) {
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%.3g", factor);
  return digits.data();
}

std::optional<double> memoryAreaFactor(double from_nm, double to_nm) {
  const Node* const before = nodeOf(from_nm);
  const Node* const after = nodeOf(to_nm);
  return before && after ? std::optional(after->cell / before->cell) : std::nullopt;
}

}  // namespace sluice::inline energy
