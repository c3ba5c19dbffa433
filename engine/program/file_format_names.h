#pragma once
// How the enumerations of a document are spelled in a file.

#include <array>
#include <string_view>

#include "engine/program/document.h"

namespace sluice::inline program {

/// By value.
template <class Enumeration>
inline constexpr std::array<std::string_view, 0> spellings;
template <>
inline constexpr std::array<std::string_view, 4> spellings<KnobKind>{"Range", "List", "PowerOfTwo", "Choice"};
template <>
inline constexpr std::array<std::string_view, 3> spellings<InputKind>{"Routing", "Lengths", "Tensor"};
template <>
inline constexpr std::array<std::string_view, 3> spellings<HbmModel>{"node", "hbm2", "hbm3"};
template <>
inline constexpr std::array<std::string_view, 11> spellings<PanelView>{
    "pareto",  "parallel", "sensitivity",  "fifo",  "timeline", "graph",
    "designs", "energy",   "distribution", "boxes", "experts"};
template <>
inline constexpr std::array<std::string_view, 6> spellings<UnitPrefix>{"fitting", "one",  "kilo",
                                                                       "mega",    "giga", "tera"};
template <>
inline constexpr std::array<std::string_view, 3> spellings<LegendPlace>{"above", "inside", "none"};
template <>
inline constexpr std::array<std::string_view, 4> spellings<Trust>{"model", "calibrated", "rtl", "published"};
template <>
inline constexpr std::array<std::string_view, 2> spellings<FigurePalette>{"colour", "grey"};

/// The name of the node kind that holds a graph, and of the boundary inside that graph.
inline constexpr std::string_view region_kind = "Region";
inline constexpr std::string_view boundary_name = "region";

/// Regions within regions; a file nested deeper is refused, so that no text can exhaust the stack.
inline constexpr int max_region_depth = 16;

}  // namespace sluice::inline program
