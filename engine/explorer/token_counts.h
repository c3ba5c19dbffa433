#pragma once
// Token counts: what is known of a graph before any run, by following exact numbers from the sources on - how
// many tokens each stream carries, in which groups, and by which fixed rule each operator turns what it takes
// into what it gives. What depends on the run, or on an operator not listed here, stays unknown.

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/operators/inference.h"
#include "engine/operators/selectors.h"

namespace sluice {

struct StreamCount {
  std::optional<std::uint64_t> tokens;
  std::optional<std::vector<std::uint64_t>> dims;  ///< its stops, outermost first
  std::optional<std::vector<std::uint64_t>> held;  ///< of a stream of buffers: what each holds
  bool unstopped = false;  ///< no token of it carries a stop: that it is over only its close tells
};

/// How an operator works, as far as tokens go.
struct TokenRule {
  enum class Kind {
    Opaque,  ///< nothing is known
    Source,  ///< gives without taking
    Step,    ///< so many tokens of each input for so many of each output, by `ports`
    Fork,    ///< every token to all outputs, when all have room
    Deal,    ///< Partition with known selectors
    Gather,  ///< Reassemble with known selectors
    Merge    ///< EagerMerge: as many as all inputs together, in an order that the run decides
  };
  /// Step: of one input. `late`: the last token stays in its FIFO until what it gives has been pushed.
  struct Port {
    std::uint64_t take = 1, give = 1;
    bool late = false;
    bool operator==(const Port&) const = default;
  };
  Kind kind = Kind::Opaque;
  std::vector<Port> ports = {};
  std::uint64_t group = 1;  ///< Deal and Gather: tokens of one group
  SelectorRows rows = {};   ///< Deal and Gather: targets of each selector
  bool pads_at_close =
      false;  ///< Step: what it gives beyond its input's tokens comes after the input's close
};

struct TokenCounts {
  std::vector<StreamCount> streams;  ///< parallel to FlatGraph::streams
  std::vector<TokenRule> operators;  ///< parallel to FlatGraph::operators
};

TokenCounts countTokens(const FlatGraph& graph, const Inference& inference, const InputSet& inputs);

}  // namespace sluice
