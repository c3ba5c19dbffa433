#pragma once
// Expansion: plan -> instances of every graph and the flat operators, operator-major. Private to elaboration.

#include <memory>
#include <string>
#include <vector>

#include "engine/program/flat_graph.h"
#include "engine/program/plan.h"

namespace sluice::inline program {

/// One instance of a graph: of the program, or of a region's body.
struct GraphInstance {
  std::string prefix;                 ///< "expert[3]."
  std::vector<std::int64_t> indices;  ///< of the regions around, outermost first
};

struct GraphInstances;

/// All instances of one node. Instance k belongs to instance k of the graph around.
struct NodeInstances {
  OperatorId first_operator = 0;  ///< of an operator: instance k is operator first_operator + k
  std::vector<std::size_t>
      first_child;  ///< of a region: its bodies first_child[k] ... first_child[k + 1] - 1
  std::unique_ptr<GraphInstances> bodies;  ///< of a region
};

struct GraphInstances {
  const GraphPlan* plan = nullptr;
  std::vector<GraphInstance> instances;
  std::vector<NodeInstances> nodes;  ///< parallel to plan->nodes
  std::vector<std::size_t> widths;   ///< of a region: streams of each port in an instance, inputs first
  /// Of a region: each port's first junction. The instances of a port follow each other, so that a stream to
  /// all of them finds its ends in a row.
  std::vector<std::size_t> first_junction;

  std::size_t ports() const { return widths.size(); }
  std::size_t junction(std::size_t port, std::size_t instance) const {
    return first_junction[port] + instance * widths[port];
  }
};

/// Operators first ... last - 1 of a region whose instances are laid out one after the other.
struct InstanceOrder {
  OperatorId first = 0, last = 0;
  std::vector<std::string> prefixes;  ///< of the instances, in order
};

/// How many streams port `port` bundles.
std::size_t widthOf(const FlatOperator& op, const PortSpec& port);

class Expander {
 public:
  static constexpr std::size_t max_operators = 2'000'000;
  static constexpr std::size_t max_ports = 8'000'000;
  /// The input or output of an operator that no stream is at yet.
  static constexpr StreamId unconnected = static_cast<StreamId>(-1);

  Expander(Binding& binding, DiagnosticSink& sink) : binding_(binding), sink_(sink) {}

  GraphInstances expand(const GraphPlan& plan);
  std::vector<FlatOperator> takeOperators() { return std::move(operators_); }
  std::size_t junctions() const { return junctions_; }
  /// Inner regions before those around them.
  const std::vector<InstanceOrder>& instanceOrders() const { return orders_; }

  /// An operator of `node`, with all ports unconnected; complains where a parameter cannot be bound.
  FlatOperator makeOperator(const NodePlan& node, const Parameters& shared,
                            std::span<const std::string> indices, const GraphInstance& instance);
  /// The parameters that are the same in every instance.
  Parameters sharedParameters(const NodePlan& node);

 private:
  void expandGraph(GraphInstances& graph);
  void expandOperator(const NodePlan& node, const GraphInstances& graph, NodeInstances& result);
  void expandRegion(const NodePlan& node, const GraphInstances& graph, NodeInstances& result);
  bool placePorts(const NodePlan& node, GraphInstances& bodies);
  bool tooMany(const NodePlan& node);

  Binding& binding_;
  DiagnosticSink& sink_;
  std::vector<FlatOperator> operators_;
  std::vector<InstanceOrder> orders_;
  std::size_t ports_ = 0, bodies_ = 0, junctions_ = 0;
  bool stopped_ = false;
};

}  // namespace sluice::inline program
