#include "engine/emitters/step_depths.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "engine/operators/registry.h"

namespace sluice::inline emitters {
namespace {

using nlohmann::json;

/// What decides the depth of a channel.
enum class DepthRule : std::uint8_t {
  Producer,  ///< the entry of its producer
  Default,   ///< channel_depth
  Sink,      ///< the simulator: 1024
};

using Kinds = std::set<std::string>;

/// So late among the operators that as many channels as can be have a depth of their producer's own:
/// Broadcasts behind whom they feed, sinks behind whom they read.
int lateness(const FlatOperator& op, const std::string& kind) {
  static const std::map<std::string, int> of_kind{{"FlatPartition", 1}, {"Broadcast", 5}};
  if (const auto found = of_kind.find(kind); found != of_kind.end()) return found->second;
  const MemoryRole memory = definitionOf(op).memory;
  if (memory != MemoryRole::None) return memory == MemoryRole::Reader ? 2 : 3;
  return op.outputs.empty() ? 4 : 0;
}

class Depths {
 public:
  Depths(const FlatGraph& graph, const std::vector<json>& operators)
      : graph_(graph), place_(operators.size()) {
    for (const json& op : operators) kinds_.push_back(op.at("T").get<std::string>());
    depths_.order.resize(operators.size());
    std::iota(depths_.order.begin(), depths_.order.end(), 0);
    std::ranges::stable_sort(depths_.order, {},
                             [&](OperatorId id) { return lateness(graph.operators[id], kinds_[id]); });
    setPlaces();
    depths_.channel_depth = usualDepth();
    reorder(constraints());
  }

  Result<StepDepths> run() {
    Diagnostics problems;
    for (const FlatStream& stream : graph_.streams)
      if (auto problem = settle(stream)) problems.push_back(*std::move(problem));
    if (!problems.empty()) return problems;
    std::erase_if(depths_.depths, [&](const auto& entry) { return entry.second == depths_.channel_depth; });
    return std::move(depths_);
  }

 private:
  static bool outputsByDefault(const std::string& kind) {
    static const Kinds kinds{"Broadcast", "DynOffChipLoad"};
    return kinds.contains(kind);
  }
  bool isSink(const FlatStream& stream) const {
    static const Kinds sinks{"ConsumerContext", "PrinterContext"};
    return sinks.contains(kinds_[stream.consumer]);
  }
  bool inputByDefault(const FlatStream& stream) const {
    static const Kinds steered{"FlatPartition"};
    const std::string& kind = kinds_[stream.consumer];
    return outputsByDefault(kind) || (steered.contains(kind) && stream.consumer_port == 1);
  }
  /// Built first, the consumer does not ask for its producer's entry.
  bool decidesAlone(const FlatStream& stream) const { return isSink(stream) || inputByDefault(stream); }

  DepthRule ruleOf(const FlatStream& stream) const {
    if (place_[stream.producer] < place_[stream.consumer])
      return outputsByDefault(kinds_[stream.producer]) ? DepthRule::Default : DepthRule::Producer;
    if (isSink(stream)) return DepthRule::Sink;
    return inputByDefault(stream) ? DepthRule::Default : DepthRule::Producer;
  }

  void setPlaces() {
    for (std::size_t i = 0; i < depths_.order.size(); ++i) place_[depths_.order[i]] = i;
  }

  using Pair = std::pair<OperatorId, OperatorId>;  ///< the first before the second

  bool isUsual(const FlatStream& stream) const {
    return stream.depth == static_cast<std::uint64_t>(depths_.channel_depth);
  }

  /// A Broadcast whose channels differ in depth stands before those of whom a channel has the depth that all
  /// have, and behind the others. Who reads memory is asked in the order of the graph, and so is who writes
  /// it.
  std::vector<Pair> constraints() const {
    std::vector<Pair> pairs;
    for (OperatorId id = 0; id < graph_.operators.size(); ++id) {
      const auto& outputs = graph_.operators[id].outputs;
      const auto usual = [&](StreamId output) { return isUsual(graph_.streams[output]); };
      const bool mixed = !std::ranges::all_of(outputs, usual);
      for (const StreamId output : outputs) {
        const FlatStream& stream = graph_.streams[output];
        if (!outputsByDefault(kinds_[id])) {
          if (decidesAlone(stream)) pairs.emplace_back(id, stream.consumer);
        } else if (mixed) {
          pairs.push_back(usual(output) ? Pair{id, stream.consumer} : Pair{stream.consumer, id});
        }
      }
    }
    addMemoryOrder(pairs);
    return pairs;
  }

  void addMemoryOrder(std::vector<Pair>& pairs) const {
    for (const MemoryRole role : {MemoryRole::Reader, MemoryRole::Writer}) {
      std::optional<OperatorId> last;
      for (OperatorId id = 0; id < graph_.operators.size(); ++id) {
        if (definitionOf(graph_.operators[id]).memory != role) continue;
        if (last) pairs.emplace_back(*last, id);
        last = id;
      }
    }
  }

  /// By these pairs, and else as they stand. Where they contradict each other some do not hold, and the
  /// channels are refused.
  void reorder(const std::vector<Pair>& pairs) {
    std::vector<std::size_t> waits_for(place_.size());
    std::vector<std::vector<OperatorId>> behind(place_.size());
    for (const auto& [first, second] : pairs) ++waits_for[second], behind[first].push_back(second);
    std::set<std::size_t> ready, left;  // places
    for (OperatorId id = 0; id < place_.size(); ++id) {
      left.insert(place_[id]);
      if (waits_for[id] == 0) ready.insert(place_[id]);
    }
    std::vector<OperatorId> order;
    while (!left.empty()) {
      const std::size_t next = ready.empty() ? *left.begin() : *ready.begin();
      ready.erase(next), left.erase(next);
      order.push_back(depths_.order[next]);
      for (const OperatorId id : behind[order.back()])
        if (--waits_for[id] == 0 && left.contains(place_[id])) ready.insert(place_[id]);
    }
    depths_.order = std::move(order);
    setPlaces();
  }

  /// That of most channels for which nothing else decides.
  std::int64_t usualDepth() const {
    std::map<std::uint64_t, std::size_t> channels;
    for (const FlatStream& stream : graph_.streams)
      if (ruleOf(stream) == DepthRule::Default) ++channels[stream.depth];
    const auto most = std::ranges::max_element(channels, {}, [](const auto& each) { return each.second; });
    return static_cast<std::int64_t>(most == channels.end() ? graph_.machine.fifo_depth : most->first);
  }

  std::optional<Diagnostic> settle(const FlatStream& stream) {
    const auto depth = static_cast<std::int64_t>(stream.depth);
    switch (ruleOf(stream)) {
      case DepthRule::Producer: {
        const std::int64_t own = depths_.depths.emplace(stream.producer, depth).first->second;
        if (own == depth) return {};
        return refused(stream,
                       "all outputs of an operator have one depth in STeP's simulator, and another one of '" +
                           graph_.operators[stream.producer].name + "' has " + std::to_string(own));
      }
      case DepthRule::Default:
        if (isUsual(stream)) return {};
        return refused(stream, "such a channel has the depth of all others in STeP's simulator, " +
                                   std::to_string(depths_.channel_depth));
      case DepthRule::Sink:
        if (depth == SimConfig::default_depth) return {};
        return refused(stream, "a channel to a sink has " + std::to_string(SimConfig::default_depth) +
                                   " slots in STeP's simulator");
    }
    return {};
  }

  static Diagnostic refused(const FlatStream& stream, const std::string& why) {
    return error("unsupported-operator",
                 Location(Where::Stream, stream.name) / Location(Where::Field, "depth"),
                 "the depth is " + std::to_string(stream.depth) + "; " + why, "give both the same depth");
  }

  const FlatGraph& graph_;
  std::vector<std::string> kinds_;  ///< of each operator
  std::vector<std::size_t> place_;  ///< in the order
  StepDepths depths_;
};

}  // namespace

Result<StepDepths> stepDepths(const FlatGraph& graph, const std::vector<json>& operators) {
  return Depths(graph, operators).run();
}

}  // namespace sluice::inline emitters
