#include "engine/schedule/colour_refinement.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string_view>

#include "engine/core/content_hash.h"
#include "engine/itensor/itensor_text.h"
#include "engine/operators/registry.h"

namespace sluice::inline schedule {
namespace {

using Colour = ColourRefinement::Colour;

void addColour(ContentHash& hash, Colour colour) {
  hash.add(static_cast<std::int64_t>(colour));
}

/// A colour with a number taken up: both are spread over all bits (the finaliser of SplitMix64).
Colour mixed(Colour colour, Colour number) {
  Colour x = (colour ^ (colour >> 32)) * 0x9e3779b97f4a7c15 + number;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

Colour mixed(Colour colour, std::string_view text) {
  ContentHash hash;
  hash.add(text);
  return mixed(colour, hash.number());
}

Colour colourOf(const InputData& input, Likeness likeness) {
  ContentHash hash;
  hash.add("input");
  hash.add(static_cast<std::int64_t>(input.kind));
  hash.add(input.experts);
  for (const std::size_t extent : input.tensor.shape) hash.add(static_cast<std::int64_t>(extent));
  if (likeness == Likeness::Equal)
    for (const std::int64_t value : input.tensor.data) hash.add(value);
  return hash.number();
}

Colour mixed(Colour colour, const BoundValue& bound) {
  colour = mixed(colour, bound.index());
  if (const auto* integer = std::get_if<BoundInteger>(&bound))
    return mixed(colour, static_cast<Colour>(integer->value));
  if (const auto* boolean = std::get_if<bool>(&bound)) return mixed(colour, Colour{*boolean});
  if (const auto* string = std::get_if<std::string>(&bound)) return mixed(colour, std::string_view(*string));
  if (const auto* list = std::get_if<std::vector<BoundInteger>>(&bound)) {
    colour = mixed(colour, list->size());
    for (const BoundInteger& entry : *list) colour = mixed(colour, static_cast<Colour>(entry.value));
    return colour;
  }
  const auto& orders = std::get<std::vector<StreamOrder>>(bound);
  colour = mixed(colour, orders.size());
  for (const StreamOrder& order : orders)
    colour = mixed(colour, order ? std::string_view(text(*order)) : std::string_view());
  return colour;
}

}  // namespace

ColourRefinement::ColourRefinement(const FlatGraph& graph, const InputSet& inputs, Likeness likeness)
    : graph_(graph), inputs_(inputs), likeness_(likeness) {
  for (const FlatOperator& op : graph.operators) colours_.push_back(startOf(op));
  colours_.insert(colours_.end(), shared_.begin(), shared_.end());
  join(joints());
  for (std::size_t known = 0, now = classes(); now != known; now = classes()) {
    known = now;
    refine();
  }
}

std::string ColourRefinement::hex() const {
  ContentHash hash;
  for (const std::uint64_t part : parts()) addColour(hash, part);
  return hash.hex();
}

Colour ColourRefinement::streamColour(const FlatStream& stream) const {
  return mixed(mixed(colours_[stream.producer], labelOf(stream, true)), colours_[stream.consumer]);
}

const ColourRefinement::Kind& ColourRefinement::kindOf(const OperatorSpec& spec) {
  const auto [found, is_new] = kinds_.try_emplace(&spec);
  Kind& kind = found->second;
  if (!is_new) return kind;
  kind.colour = mixed(0, std::string_view(spec.kind));
  for (std::size_t i = 0; i < spec.parameters.size(); ++i) {
    const ParameterSpec& parameter = spec.parameters[i];
    kind.colour = mixed(kind.colour, std::string_view(parameter.name));
    if (parameter.kind == ParameterKind::Input || parameter.name == "tensor") kind.named.push_back(i);
  }
  return kind;
}

/// Its kind and parameters, without names.
Colour ColourRefinement::startOf(const FlatOperator& op) {
  const Kind& kind = kindOf(*op.spec);
  for (const std::size_t i : kind.named) {
    const ParameterSpec& parameter = op.spec->parameters[i];
    const auto* name = std::get_if<std::string>(&op.parameters.values().at(parameter.name));
    if (!name) continue;
    const bool input = parameter.kind == ParameterKind::Input;
    const std::string& named = input || !name->empty() ? *name : op.name;
    uses_.push_back(
        {colours_.size(), vertex((input ? "input " : "tensor ") + named), static_cast<std::int64_t>(i)});
  }
  const auto [start, is_new] = starts_.try_emplace({op.spec, &op.parameters.values()});
  if (is_new) start->second = parametersOf(op, kind);
  return start->second;
}

Colour ColourRefinement::parametersOf(const FlatOperator& op, const Kind& kind) const {
  Colour colour = kind.colour;
  for (std::size_t i = 0; i < op.spec->parameters.size(); ++i) {
    const ParameterSpec& parameter = op.spec->parameters[i];
    const BoundValue& bound = op.parameters.values().at(parameter.name);
    const bool names = std::ranges::find(kind.named, i) != kind.named.end();
    if (names && std::holds_alternative<std::string>(bound)) continue;
    if (likeness_ == Likeness::Equal || parameter.name != "tensor_origin")
      colour = mixed(mixed(colour, i), bound);
  }
  return colour;
}

/// Position of the vertex of an input or tensor, behind the operators.
std::size_t ColourRefinement::vertex(const std::string& name) {
  const auto [found, is_new] = vertices_.try_emplace(name, graph_.operators.size() + vertices_.size());
  if (is_new) {
    const auto input = name.starts_with("input ") ? inputs_.find(name.substr(6)) : inputs_.end();
    shared_.push_back(input == inputs_.end() ? Colour{1} : colourOf(input->second, likeness_));
  }
  return found->second;
}

/// Of a bundle that may be exchanged, the port counts and not the place in it.
std::int64_t ColourRefinement::portOf(const FlatOperator& op, std::size_t position, bool output) const {
  if (likeness_ == Likeness::Equal) return static_cast<std::int64_t>(position);
  std::size_t first = 0;
  const std::vector<PortSpec>& ports = output ? op.spec->outputs : op.spec->inputs;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    first += ports[i].width.empty() ? 1 : static_cast<std::size_t>(op.parameters.integer(ports[i].width));
    if (position < first) return static_cast<std::int64_t>(i);
  }
  return static_cast<std::int64_t>(position);
}

Colour ColourRefinement::label(Edges edges, bool forwards, std::int64_t out, std::int64_t in,
                               std::int64_t depth) {
  auto colour = static_cast<Colour>(edges);
  for (const std::int64_t number : {std::int64_t{forwards}, out, in, depth})
    colour = mixed(colour, static_cast<Colour>(number));
  return colour;
}

Colour ColourRefinement::labelOf(const FlatStream& stream, bool forwards) const {
  const FlatOperator& from = graph_.operators[stream.producer];
  // A Broadcast gives the same token to all outputs at one moment: which one is which does not matter.
  const std::int64_t out = definitionOf(from).copies ? 0 : portOf(from, stream.producer_port, true);
  const std::int64_t in = portOf(graph_.operators[stream.consumer], stream.consumer_port, false);
  return label(Edges::Stream, forwards, out, in, static_cast<std::int64_t>(stream.depth));
}

std::vector<ColourRefinement::Joint> ColourRefinement::joints() const {
  std::vector<Joint> joints;
  joints.reserve(graph_.streams.size() + uses_.size());
  for (const FlatStream& stream : graph_.streams)
    joints.push_back({stream.producer, stream.consumer, labelOf(stream, true), labelOf(stream, false)});
  for (const Use& use : uses_)
    joints.push_back({use.op, use.vertex, label(Edges::Use, true, use.port, 0, 0),
                      label(Edges::Use, false, use.port, 0, 0)});
  return joints;
}

void ColourRefinement::join(const std::vector<Joint>& joints) {
  first_edge_.assign(colours_.size() + 2, 0);  // one place on, as each is moved on while it is filled
  for (const Joint& joint : joints) {
    ++first_edge_[joint.from + 2];
    ++first_edge_[joint.to + 2];
  }
  std::partial_sum(first_edge_.begin(), first_edge_.end(), first_edge_.begin());
  edges_.resize(2 * joints.size());
  for (const Joint& joint : joints) {
    edges_[first_edge_[joint.from + 1]++] = {joint.to, joint.forwards};
    edges_[first_edge_[joint.to + 1]++] = {joint.from, joint.backwards};
  }
}

/// How many colours there are, by a table that is at most half full; colours are spread over all bits.
std::size_t ColourRefinement::classes() const {
  std::vector<Colour> table(std::bit_ceil(2 * colours_.size() + 1));
  std::size_t found = 0;
  bool zero = false;  // which stands for an empty place
  for (const Colour colour : colours_) {
    std::size_t at = colour & (table.size() - 1);
    while (table[at] != 0 && table[at] != colour) at = (at + 1) & (table.size() - 1);
    found += table[at] == 0 && colour != 0;
    zero = zero || colour == 0;
    table[at] = colour;
  }
  return found + zero;
}

void ColourRefinement::refine() {
  std::vector<Colour> next(colours_.size());
  for (std::size_t v = 0; v < colours_.size(); ++v) {
    Colour around = 0;  // a sum, in which the order of neighbours means nothing
    for (const Edge& edge : edgesOf(v)) around += mixed(edge.label, colours_[edge.other]);
    next[v] = mixed(colours_[v], around);
  }
  colours_ = std::move(next);
}

/// A number of each connected part, in order: two rings of three are not one of six, though each of their
/// operators sees the same around it.
std::vector<std::uint64_t> ColourRefinement::parts() const {
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
      for (const Edge& edge : edgesOf(at)) {
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

}  // namespace sluice::inline schedule
