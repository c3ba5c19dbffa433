// Colour refinement: every operator begins with a colour of its kind and parameters and takes up those of its
// neighbours, by port, until no round tells more operators apart. Inputs and tensors are vertices of their
// own, so that their names can go while who shares one stays.

#include "engine/schedule/graph_hash.h"

#include <algorithm>
#include <map>
#include <vector>

#include "engine/core/content_hash.h"
#include "engine/itensor/itensor_text.h"
#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"

namespace sluice::inline schedule {
namespace {

using Colour = std::uint64_t;

void addColour(ContentHash& hash, Colour colour) {
  hash.add(static_cast<std::int64_t>(colour));
}

Colour colourOf(const InputData& input) {
  ContentHash hash;
  hash.add("input");
  hash.add(static_cast<std::int64_t>(input.kind));
  hash.add(input.experts);
  for (const std::size_t extent : input.tensor.shape) hash.add(static_cast<std::int64_t>(extent));
  for (const std::int64_t value : input.tensor.data) hash.add(value);
  return hash.number();
}

void addBound(ContentHash& hash, const BoundValue& bound) {
  hash.add(static_cast<std::int64_t>(bound.index()));
  if (const auto* integer = std::get_if<BoundInteger>(&bound)) {
    hash.add(integer->value);
  } else if (const auto* boolean = std::get_if<bool>(&bound)) {
    hash.add(static_cast<std::int64_t>(*boolean));
  } else if (const auto* string = std::get_if<std::string>(&bound)) {
    hash.add(*string);
  } else if (const auto* list = std::get_if<std::vector<BoundInteger>>(&bound)) {
    hash.add(static_cast<std::int64_t>(list->size()));
    for (const BoundInteger& entry : *list) hash.add(entry.value);
  } else {
    const auto& orders = std::get<std::vector<StreamOrder>>(bound);
    hash.add(static_cast<std::int64_t>(orders.size()));
    for (const StreamOrder& order : orders) hash.add(order ? text(*order) : "");
  }
}

class Refinement {
 public:
  Refinement(const FlatGraph& graph, const InputSet& inputs) : graph_(graph), inputs_(inputs) {
    for (const FlatOperator& op : graph.operators) colours_.push_back(startOf(op));
    colours_.insert(colours_.end(), shared_.begin(), shared_.end());
    edges_.resize(colours_.size());
    for (const FlatStream& stream : graph.streams) {
      // A Broadcast gives the same token to all outputs at one moment: which one is which does not matter.
      const bool copies = definitionOf(graph.operators[stream.producer]).copies;
      const auto out = copies ? 0 : static_cast<std::int64_t>(stream.producer_port);
      join(stream.producer, stream.consumer, "stream", out, static_cast<std::int64_t>(stream.consumer_port),
           static_cast<std::int64_t>(stream.depth));
    }
    for (const Use& use : uses_) join(use.op, use.vertex, "use", use.port, 0, 0);
  }

  std::string hex() {
    for (std::size_t known = 0, now = classes(); now != known; now = classes()) {
      known = now;
      refine();
    }
    ContentHash hash;
    for (const std::uint64_t part : parts()) addColour(hash, part);
    return hash.hex();
  }

 private:
  struct Edge {
    std::size_t other = 0;
    Colour label = 0;  ///< direction, ports, depth
  };
  struct Use {
    std::size_t op = 0, vertex = 0;
    std::int64_t port = 0;  ///< position of the parameter
  };

  /// Its kind and parameters, without names.
  Colour startOf(const FlatOperator& op) {
    ContentHash hash;
    hash.add(op.spec->kind);
    const std::size_t self = colours_.size();
    for (std::size_t i = 0; i < op.spec->parameters.size(); ++i) {
      const ParameterSpec& parameter = op.spec->parameters[i];
      const BoundValue& bound = op.parameters.values().at(parameter.name);
      hash.add(parameter.name);
      const auto* name = std::get_if<std::string>(&bound);
      if (parameter.kind == ParameterKind::Input && name) {
        uses_.push_back({self, vertex("input " + *name), static_cast<std::int64_t>(i)});
      } else if (parameter.name == "tensor" && name) {
        const std::string& tensor = name->empty() ? op.name : *name;
        uses_.push_back({self, vertex("tensor " + tensor), static_cast<std::int64_t>(i)});
      } else {
        addBound(hash, bound);
      }
    }
    return hash.number();
  }

  /// Position of the vertex of an input or tensor, behind the operators.
  std::size_t vertex(const std::string& name) {
    const auto [found, is_new] = vertices_.try_emplace(name, graph_.operators.size() + vertices_.size());
    if (is_new) {
      const auto input = name.starts_with("input ") ? inputs_.find(name.substr(6)) : inputs_.end();
      shared_.push_back(input == inputs_.end() ? Colour{1} : colourOf(input->second));
    }
    return found->second;
  }

  void join(std::size_t from, std::size_t to, const char* kind, std::int64_t out, std::int64_t in,
            std::int64_t depth) {
    for (const bool forwards : {true, false}) {
      label_.clear();
      label_.add(kind);
      for (const std::int64_t number : {std::int64_t{forwards}, out, in, depth}) label_.add(number);
      edges_[forwards ? from : to].push_back({forwards ? to : from, label_.number()});
    }
  }

  std::size_t classes() const {
    std::vector<Colour> all = colours_;
    std::sort(all.begin(), all.end());
    return static_cast<std::size_t>(std::unique(all.begin(), all.end()) - all.begin());
  }

  void refine() {
    std::vector<Colour> next(colours_.size());
    std::vector<std::pair<Colour, Colour>> seen;
    ContentHash hash;
    for (std::size_t v = 0; v < colours_.size(); ++v) {
      seen.clear();
      for (const Edge& edge : edges_[v]) seen.emplace_back(edge.label, colours_[edge.other]);
      std::sort(seen.begin(), seen.end());
      hash.clear();
      addColour(hash, colours_[v]);
      for (const auto& [label, colour] : seen) addColour(hash, label), addColour(hash, colour);
      next[v] = hash.number();
    }
    colours_ = std::move(next);
  }

  /// A number of each connected part, in order: two rings of three are not one of six, though each of their
  /// operators sees the same around it.
  std::vector<std::uint64_t> parts() const {
    std::vector<std::size_t> part(colours_.size(), colours_.size());
    std::vector<std::uint64_t> numbers;
    for (std::size_t v = 0; v < colours_.size(); ++v) {
      if (part[v] != colours_.size()) continue;
      std::vector<std::size_t> open{v};
      std::vector<Colour> members;
      part[v] = v;
      while (!open.empty()) {
        const std::size_t at = open.back();
        open.pop_back();
        members.push_back(colours_[at]);
        for (const Edge& edge : edges_[at]) {
          if (part[edge.other] != colours_.size()) continue;
          part[edge.other] = v;
          open.push_back(edge.other);
        }
      }
      std::sort(members.begin(), members.end());
      ContentHash hash;
      for (const Colour colour : members) addColour(hash, colour);
      numbers.push_back(hash.number());
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }

  const FlatGraph& graph_;
  const InputSet& inputs_;
  std::vector<Colour> colours_,
      shared_;  ///< of operators, then of inputs and tensors; the latter's first ones
  std::vector<std::vector<Edge>> edges_;
  std::map<std::string, std::size_t> vertices_;
  std::vector<Use> uses_;
  ContentHash label_;  ///< one for all edges: each state lies on the heap
};

}  // namespace

std::string graphHash(const FlatGraph& graph, const InputSet& inputs) {
  return Refinement(graph, inputs).hex();
}

Result<std::string> scheduledGraphHash(const ScheduledProgram& scheduled, const KnobValues& knobs,
                                       const std::stop_token& stop) {
  SLUICE_TRY(const FlatGraph graph, elaborate(scheduled.document, knobs, builtInCatalog(), stop));
  return graphHash(graph, scheduled.inputs);
}

}  // namespace sluice::inline schedule
