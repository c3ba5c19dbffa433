#pragma once
// Inferred extents against those that a run measures.

#include <sstream>
#include <string>

#include "engine/operators/inference.h"
#include "engine/simulator/result.h"

namespace sluice {

/// An expression with everything bound that the inputs or the run tell.
inline std::optional<std::int64_t> measured(const Expr& expression, const Inference& inference,
                                            const SimulationResult& run) {
  std::map<std::string, Expr> values;
  for (const auto& [name, where] : inference.run_time) {
    const auto& groups = run.streams.at(where.stream).groups;
    const std::uint64_t count = where.rank_index < groups.size() ? groups[where.rank_index] : 0;
    values.emplace(name, Expr(static_cast<std::int64_t>(count)));
  }
  for (const auto& [name, value] : inference.known) values[name] = Expr(value);
  return expression.substitute(values).constant();
}

/// What differs, as text. Total extents: a ragged dimension's extent is already a sum over the outer ones.
inline std::string shapeDifferences(const FlatGraph& graph, const Inference& inference,
                                    const SimulationResult& run) {
  std::ostringstream out;
  for (StreamId id = 0; id < graph.streams.size(); ++id) {
    const Shape& shape = inference.streams[id].shape;
    std::int64_t groups = 1;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const auto extent = measured(shape[d].extent, inference, run);
      if (!extent) break;
      groups = shape[d].kind == DimKind::Ragged ? *extent : groups * *extent;
      const std::size_t level = shape.size() - 1 - d;
      const auto& counted = run.streams[id].groups;
      const auto found = level < counted.size() ? static_cast<std::int64_t>(counted[level]) : 0;
      if (found != groups)
        out << graph.streams[id].name << " " << text(inference.streams[id]) << ", rank index " << level
            << ": inferred " << groups << ", measured " << found << "\n";
    }
  }
  return out.str();
}

}  // namespace sluice
