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
    for (std::size_t i = 0; i < depths_.order.size(); ++i) place_[depths_.order[i]] = i;
  }

  Result<StepDepths> run() {
    depths_.channel_depth = usualDepth();
    Diagnostics problems;
    for (const FlatStream& stream : graph_.streams)
      if (auto problem = settle(stream)) problems.push_back(*std::move(problem));
    if (!problems.empty()) return problems;
    std::erase_if(depths_.depths, [&](const auto& entry) { return entry.second == depths_.channel_depth; });
    return std::move(depths_);
  }

 private:
  DepthRule ruleOf(const FlatStream& stream) const {
    if (place_[stream.producer] < place_[stream.consumer]) {
      static const Kinds by_default{"Broadcast", "DynOffChipLoad"};
      return by_default.contains(kinds_[stream.producer]) ? DepthRule::Default : DepthRule::Producer;
    }
    const std::string& kind = kinds_[stream.consumer];
    static const Kinds by_default{"Broadcast", "DynOffChipLoad"}, steered{"FlatPartition"},
        sinks{"ConsumerContext", "PrinterContext"};
    if (sinks.contains(kind)) return DepthRule::Sink;
    const bool control = steered.contains(kind) && stream.consumer_port == 1;
    return control || by_default.contains(kind) ? DepthRule::Default : DepthRule::Producer;
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
        if (depth == depths_.channel_depth) return {};
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
