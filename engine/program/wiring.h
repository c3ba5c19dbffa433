#pragma once
// Wiring: the streams of every graph instance -> flat streams. Chains of region boundaries become one stream,
// fan-out becomes Broadcasts. Private to elaboration.
//
// A *point* is where tokens come from: an output of an operator, or a region's port seen from the side that
// reads it (a *junction*). A *target* is where they go: an input of an operator, or a junction seen from the
// side that feeds it. Both number the operators' ends first, then the junctions. Every target is fed by
// exactly one stream; a point with several streams is broadcast.

#include "engine/program/expand.h"

namespace sluice::inline program {

enum class Ports { Closed, Open };  ///< whether ports may be left open

class Wiring {
 public:
  Wiring(FlatGraph& graph, const GraphInstances& root, std::size_t junctions, Binding& binding,
         DiagnosticSink& sink);

  /// Connects every stream of the document; complains about widths, indices, doubly fed and open ends.
  void connect(Ports ports);
  /// After a connect() without sink: makes the flat streams and the inferred broadcasts.
  void materialiseStreams(Planner& planner, Expander& expander);

 private:
  /// A stream of the document in one instance.
  struct Link {
    std::size_t point = 0, target = 0;
    const StreamPlan* stream = nullptr;
    std::uint64_t depth = 0;  ///< 0: not given
  };
  /// The ends that a stream has at one side: first, first + 1 ... (width of them).
  struct Bundle {
    std::size_t first = 0, width = 1;
    bool region = false;  ///< of a region's instances
  };
  struct Junction {
    const GraphInstances* bodies = nullptr;
    std::size_t instance = 0, port = 0, element = 0;
  };
  /// Where a flat stream starts: an output of an operator, with what it ran through since.
  struct Source {
    OperatorId producer = 0;
    std::uint32_t port = 0;
    std::vector<const Link*> chain;
  };

  void numberEnds();
  void numberJunctions(const GraphInstances& graph);
  void connectGraph(const GraphInstances& graph);
  void connectStream(const GraphInstances& graph, const StreamPlan& stream, std::size_t instance);
  std::optional<Bundle> bundle(const GraphInstances& graph, const EndPlan& end, std::size_t instance,
                               bool source, Place place);
  void complainWidths(const GraphInstances& graph, const StreamPlan& stream, const Bundle& from,
                      const Bundle& to);
  void sortLinks();
  void findOpenEnds(const GraphInstances& graph);
  void findOpenPorts(const NodePlan& node, const FlatOperator& op, std::size_t id, bool output);
  void findOpenJunctions(const NodePlan& node, const GraphInstances& bodies);
  void findLoops();
  std::span<const Link> linksFrom(std::size_t point) const;
  bool isFed(std::size_t target) const { return fed_by_[target] != nullptr; }

  void pourFrom(std::size_t point, Source source);
  void pourInto(const Link& link, Source source);
  OperatorId addBroadcast(std::size_t point, std::size_t ways);
  void addStream(const Source& source, OperatorId consumer, std::uint32_t port, const Link* named);
  void appendEnd(std::string& text, const FlatOperator& op, bool output, std::size_t index) const;
  std::string pointName(std::size_t point) const;
  std::string pointOrigin(std::size_t point) const;

  FlatGraph& graph_;
  const GraphInstances& root_;
  Ports ports_ = Ports::Closed;
  Binding& binding_;
  DiagnosticSink& sink_;
  std::vector<std::size_t> first_point_, first_target_;  ///< of every operator; one more at the end
  std::vector<Junction> junctions_;
  std::vector<const StreamPlan*> fed_by_;  ///< by target
  std::vector<Link> links_;                ///< sorted by point, in the order of the streams
  std::vector<std::size_t> first_link_;    ///< by point; one more at the end
  std::vector<OperatorId> owner_of_point_, owner_of_target_;
  std::vector<bool> reached_;  ///< by junction

  Planner* planner_ = nullptr;
  Expander* expander_ = nullptr;
  std::map<std::size_t, Parameters> broadcast_parameters_;  ///< by ways
};

}  // namespace sluice::inline program
