#pragma once
// Token rates: how many tokens an operator takes of each input for how many of each output, as far as that is
// certain before a run. The pre-check and the deadlock search follow exact numbers by these rules from the
// sources on (engine/fifo/deadlock.md); what depends on the run stays unknown.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engine/operators/inference.h"
#include "engine/operators/selectors.h"

namespace sluice::inline operators {

using Extents = std::vector<std::uint64_t>;  ///< outermost first
std::uint64_t product(const Extents& extents, std::size_t from = 0);

struct StreamCount {
  std::optional<std::uint64_t> tokens;
  std::optional<Extents> dims;  ///< its stops
  std::optional<Extents> held;  ///< of a stream of buffers: what each holds
  bool unstopped = false;       ///< no token of it carries a stop: that it is over only its close tells
};
StreamCount shaped(Extents dims);
StreamCount counted(std::uint64_t tokens);

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

/// What a rule sees of one operator, and the rule that it makes. A rule says nothing (no outputs) while it
/// does not know enough; it is asked again when more inputs are known.
class Rates {
 public:
  using Outputs = std::vector<StreamCount>;

  /// `streams`: what is known so far, of all streams; `bound`: the symbols that have values before a run.
  Rates(const FlatGraph& graph, const FlatOperator& of, const Inference& inference, const InputSet& inputs,
        const std::vector<StreamCount>& streams, const std::map<std::string, Expr>& bound, TokenRule& made)
      : op(of),
        rule(made),
        graph_(graph),
        inference_(inference),
        inputs_(inputs),
        streams_(streams),
        bound_(bound) {}

  const FlatOperator& op;
  TokenRule& rule;

  const StreamCount& in(std::size_t port) const { return streams_[op.inputs[port]]; }
  std::size_t ins() const { return op.inputs.size(); }
  std::size_t outs() const { return op.outputs.size(); }
  /// A parameter.
  std::uint64_t count(const std::string& name) const {
    return static_cast<std::uint64_t>(op.parameters.integer(name));
  }
  /// The stops of the inputs of an operator that reads them together: theirs must be the same, so any tells.
  /// Null: unknown, or they do not match.
  const Extents* together() const;
  /// All inputs bring the same number of tokens, as far as they are known.
  bool allEqual() const;
  /// Tokens of a group of the innermost `rank` dimensions; absent: unknown.
  std::optional<std::uint64_t> group(std::size_t port, std::size_t rank) const;
  /// The extents of an output's inferred shape, where all are numbers before the run.
  std::optional<Extents> inferred(std::size_t output) const;
  /// What comes as selectors, where a trace tells.
  std::optional<SelectorRows> selectors(std::size_t port) const;
  /// Makes the rule: a step, the same for all inputs.
  void step(TokenRule::Port port);

 private:
  const FlatGraph& graph_;
  const Inference& inference_;
  const InputSet& inputs_;
  const std::vector<StreamCount>& streams_;
  const std::map<std::string, Expr>& bound_;
};

using RatesRule = Rates::Outputs (*)(Rates&);

// Rules that several operators share.
/// Only the run tells.
Rates::Outputs unknownRates(Rates& rates);
/// Without inputs: the inferred shape.
Rates::Outputs sourceRates(Rates& rates);
/// One for one, all inputs read together.
Rates::Outputs mappedRates(Rates& rates);
/// One for each group of the innermost `rank` dimensions.
Rates::Outputs foldedRates(Rates& rates);
/// Each token `factor` times; the stops are for the operator to tell.
Rates::Outputs repeatedRates(Rates& rates);
/// Buffers are read back: the extents of the parameter are given for each, in front of what it holds where
/// `with_held`.
Rates::Outputs streamedRates(Rates& rates, const std::string& extents, bool with_held);

}  // namespace sluice::inline operators
