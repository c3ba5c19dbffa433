#pragma once
// Colour refinement: every operator begins with a colour of its kind and parameters and takes up those of its
// neighbours, by port, until no round tells more operators apart. Inputs and tensors are vertices of their
// own, so that their names can go while who shares one stays.

#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/program/flat_graph.h"

namespace sluice::inline schedule {

/// What tells two operators apart.
enum class Likeness {
  Equal,        ///< all that a run could show
  Exchangeable  ///< but for where in a tensor they read or write, what inputs hold, and which stream of a
                ///< bundle they are at: as instances of one region are
};

class ColourRefinement {
 public:
  using Colour = std::uint64_t;

  ColourRefinement(const FlatGraph& graph, const InputSet& inputs, Likeness likeness);

  /// Of the graph as a whole.
  std::string hex() const;
  /// Of a stream: its ends, the ports there, its depth.
  Colour streamColour(const FlatStream& stream) const;

 private:
  struct Edge {
    std::size_t other = 0;
    Colour label = 0;  ///< direction, ports, depth
  };
  struct Joint {
    std::size_t from = 0, to = 0;
    Colour forwards = 0, backwards = 0;  ///< labels
  };
  struct Use {
    std::size_t op = 0, vertex = 0;
    std::int64_t port = 0;  ///< position of the parameter
  };

  /// What an operator's colour begins with, and which of its parameters name an input or a tensor.
  struct Kind {
    Colour colour = 0;
    std::vector<std::size_t> named;
  };

  const Kind& kindOf(const OperatorSpec& spec);
  Colour startOf(const FlatOperator& op);
  Colour parametersOf(const FlatOperator& op, const Kind& kind) const;
  std::size_t vertex(const std::string& name);
  std::int64_t portOf(const FlatOperator& op, std::size_t position, bool output) const;
  enum class Edges { Stream, Use };
  static Colour label(Edges edges, bool forwards, std::int64_t out, std::int64_t in, std::int64_t depth);
  Colour labelOf(const FlatStream& stream, bool forwards) const;
  std::vector<Joint> joints() const;
  void join(const std::vector<Joint>& joints);
  std::span<const Edge> edgesOf(std::size_t vertex) const {
    return std::span(edges_).subspan(first_edge_[vertex], first_edge_[vertex + 1] - first_edge_[vertex]);
  }
  std::size_t classes() const;
  void refine();
  std::vector<std::uint64_t> parts() const;

  const FlatGraph& graph_;
  const InputSet& inputs_;
  const Likeness likeness_;
  std::vector<Colour> colours_,
      shared_;               ///< of operators, then of inputs and tensors; the latter's first ones
  std::vector<Edge> edges_;  ///< of one vertex after the other
  std::vector<std::size_t> first_edge_;
  std::map<std::string, std::size_t> vertices_;
  std::vector<Use> uses_;
  std::unordered_map<const OperatorSpec*, Kind> kinds_;
  std::map<std::pair<const OperatorSpec*, const Parameters::Values*>, Colour>
      starts_;  ///< instances of a node share their parameters
};

}  // namespace sluice::inline schedule
