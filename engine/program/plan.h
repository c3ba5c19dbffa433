#pragma once
// The plan of an elaboration: the document's graphs with every name looked up once - operators, parameters,
// ports, integers - so that a region of 128 instances costs no 128 look-ups. Private to elaboration.

#include <memory>
#include <set>
#include <variant>

#include "engine/program/binding.h"
#include "engine/program/document.h"
#include "engine/program/operator_spec.h"

namespace sluice::inline program {

struct ParameterPlan {
  std::string name;
  Range range;
  std::variant<OpenInteger, bool, std::string, std::vector<OpenInteger>, std::vector<StreamOrder>> value;
};

struct GraphPlan;

struct NodePlan {
  std::string path;                    ///< "expert.gate"
  const OperatorSpec* spec = nullptr;  ///< null: a region
  std::vector<ParameterPlan> parameters;
  // Of a region:
  const Region* region = nullptr;
  bool numbered = false;  ///< its instances carry numbers: "expert[3].gate"
  OpenInteger count;
  std::vector<std::optional<OpenInteger>> widths;  ///< of its ports, inputs first; absent: 1
  std::unique_ptr<GraphPlan> body;
};

struct EndPlan {
  static constexpr std::size_t boundary = static_cast<std::size_t>(-1);
  std::size_t node = boundary;  ///< position in GraphPlan::nodes, or the boundary of the region around
  std::size_t port = 0;  ///< of an operator: in its inputs/outputs; of a region: inputs first, then outputs
  std::optional<OpenInteger> index;
};

struct StreamPlan {
  const Stream* written = nullptr;
  std::string origin;  ///< "expert#gate.in", its id (stream_id.h)
  EndPlan from, to;
  std::optional<OpenInteger> depth;
};

struct GraphPlan {
  std::string path;                  ///< "" or "expert"
  std::vector<std::string> indices;  ///< names of the enclosing regions' instance numbers
  const Region* region = nullptr;    ///< the region whose body this is
  std::vector<NodePlan> nodes;
  std::map<std::string, std::size_t> positions;  ///< name -> position in nodes
  std::vector<StreamPlan> streams;
};

/// How diagnostics name a node, a port and a stream.
Location placeOf(const NodePlan& node);
Location placeOf(const NodePlan& node, bool output, std::size_t port);
Location placeOf(const StreamPlan& stream);

/// Complains about everything that does not depend on an instance.
class Planner {
 public:
  Planner(const Document& document, const Catalog& catalog, Binding& binding, DiagnosticSink& sink)
      : document_(document), catalog_(catalog), binding_(binding), sink_(sink) {}

  GraphPlan plan();
  /// An operator that is in no document: an inferred Broadcast.
  NodePlan planOperator(const Node& node, const std::string& path, std::span<const std::string> indices);

 private:
  void planGraph(const Graph& graph, int depth, GraphPlan& plan);
  void planNode(const Node& node, int depth, const GraphPlan& graph, NodePlan& plan);
  void planRegion(const Node& node, int depth, const GraphPlan& graph, NodePlan& plan);
  void planWidths(const std::set<std::string>& ports, NodePlan& plan);
  void planParameters(const Node& node, std::span<const std::string> indices, NodePlan& plan);
  void planParameter(const ParameterSpec& spec, const Value& value, std::span<const std::string> indices,
                     NodePlan& plan);
  void planOrders(const ParameterSpec& spec, const Value& value, Place place, NodePlan& plan);
  void planText(const ParameterSpec& spec, const Value& value, Place place, NodePlan& plan);
  void planStream(const Stream& stream, const std::string& id, GraphPlan& plan);
  bool planEnd(const GraphPlan& plan, const Endpoint& end, bool source, Place place, EndPlan& result);
  bool planBoundary(const GraphPlan& plan, const Endpoint& end, bool source, Place place, EndPlan& result);
  void refusePort(const NodePlan& node, const Endpoint& end, bool source, Place place);

  const Document& document_;
  const Catalog& catalog_;
  Binding& binding_;
  DiagnosticSink& sink_;
  std::set<std::string> inputs_;  ///< names of the document's
};

}  // namespace sluice::inline program
