#pragma once
// How the enumerations of a document are spelled in a file.

#include <array>
#include <string_view>
#include <utility>

#include "engine/program/document.h"

namespace sluice {

inline constexpr std::array<std::pair<KnobKind, std::string_view>, 4> knobKindNames{{
    {KnobKind::Range, "Range"},
    {KnobKind::List, "List"},
    {KnobKind::PowerOfTwo, "PowerOfTwo"},
    {KnobKind::Choice, "Choice"},
}};

inline constexpr std::array<std::pair<InputKind, std::string_view>, 3> inputKindNames{{
    {InputKind::Routing, "Routing"},
    {InputKind::Lengths, "Lengths"},
    {InputKind::Tensor, "Tensor"},
}};

inline constexpr std::array<std::pair<HbmModel, std::string_view>, 3> hbmModelNames{{
    {HbmModel::Node, "node"},
    {HbmModel::Hbm2, "hbm2"},
    {HbmModel::Hbm3, "hbm3"},
}};

/// The name of the node kind that holds a graph, and of the boundary inside that graph.
inline constexpr std::string_view regionKind = "Region";
inline constexpr std::string_view boundaryName = "region";

/// Regions within regions; a file nested deeper is refused, so that no text can exhaust the stack.
inline constexpr int maxRegionDepth = 16;

}  // namespace sluice
