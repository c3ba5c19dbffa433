#pragma once
// Control logic: what Yosys makes of the RTL of FIFOs and of what steers operators
// (resources/synthesis/counts.csv, written by ./dev rtl counts). The arithmetic on tiles and the memory of
// tiles are not in it; prices of a technology have those.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/program/flat_graph.h"

namespace sluice::inline energy {

struct LogicCounts {
  double luts = 0;  ///< look-up tables of 6 inputs
  double flip_flops = 0;
  double memory_bits = 0;  ///< of a FIFO: the sizes, kind, stop level and value of its tokens
  double gates = 0;        ///< NAND of two inputs and NOT: the logic of `luts`, in other cells
  LogicCounts& operator+=(const LogicCounts& other);
};

/// A line of the table.
struct CountedLogic {
  std::string kind;              ///< of the operator; "FIFO"
  std::uint64_t token_bits = 0;  ///< of streams
  std::uint64_t depth = 0;       ///< of a FIFO
  LogicCounts counts;
};

/// All lines, by kind, depth and width.
const std::vector<CountedLogic>& countedLogic();
/// "Yosys 0.23": what has counted them.
std::string_view logicSource();

/// Of an operator of this kind; nothing: it has no RTL, or was not counted.
std::optional<LogicCounts> operatorLogic(std::string_view kind);
/// Of a FIFO for `depth` tokens: logic as of the next depth that was counted, beyond the last one as far
/// again for each doubling as for the last.
LogicCounts fifoControl(std::uint64_t depth);

/// Of a program, for reports: equal FIFOs and equal operators are one row. FIFOs come first, by depth.
struct LogicRow {
  std::string_view kind;  ///< "FIFO" or the operator's
  std::uint64_t depth = 0, count = 0;
  std::optional<LogicCounts> each;  ///< nothing: it was not counted
};
std::vector<LogicRow> logicRows(const FlatGraph& graph);
/// Of all rows that have counts.
LogicCounts sumOf(const std::vector<LogicRow>& rows);

/// mm2 of the gates and flip-flops in a process of `node_nm`; nothing where it says no node.
std::optional<double> logicArea(const LogicCounts& counts, double node_nm);
/// How that area is had: "cells of 45 nm times 0.059, the table of areas of logic".
std::string logicAreaSource(double node_nm);

}  // namespace sluice::inline energy
