// fifo_depth: sets the depth of one FIFO, of all that are like it, or of all of them.

#include <algorithm>
#include <map>
#include <set>

#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"
#include "engine/schedule/colour_refinement.h"
#include "engine/schedule/graph_edit.h"
#include "engine/schedule/proposals.h"
#include "engine/schedule/transformation.h"

namespace sluice::inline schedule::fifo_depth {
namespace {

void setAll(Graph& graph, const Value& depth) {
  for (Stream& stream : graph.streams) stream.depth = depth;
  for (Node& node : graph.nodes)
    if (node.body) setAll(node.body->body, depth);
}

/// "expert.region.y": the boundary of expert, fed in its body.
Result<Graph*> graphAround(Rewrite& rewrite, const std::string& path, const Endpoint& end) {
  const std::size_t dot = path.rfind('.');
  if (end.node != "region" || dot == std::string::npos) return rewrite.graphOf(path);
  SLUICE_TRY(Node * around, rewrite.region(path.substr(0, dot)));
  return &around->body->body;
}

/// The FIFOs that end at an input have the colours of all its streams.
using Likes = std::map<std::string, std::vector<ColourRefinement::Colour>>;

/// "expert#gate.in[2]" -> "expert.gate.in".
std::string inputOf(const std::string& stream) {
  std::string input = stream.substr(0, stream.find_first_of("[~"));
  const std::size_t graph = input.find('#');
  if (graph == 0) return input.substr(1);
  input[graph] = '.';
  return input;
}

/// Before the step has changed anything. Of every input whose streams lie in the elaborated program; none
/// where that cannot be elaborated.
Likes likesOf(const Rewrite& rewrite) {
  Likes likes;
  Result<FlatGraph> elaborated = FlatGraph();
  if (!rewrite.typed())
    elaborated = elaborate(rewrite.document, rewrite.knobs, builtInCatalog(), rewrite.stop);
  if (!elaborated) return likes;
  const FlatGraph* const graph = rewrite.typed() ? &rewrite.typed()->graph : &*elaborated;
  const ColourRefinement colours(*graph, rewrite.inputs, Likeness::Exchangeable);
  for (const FlatStream& stream : graph->streams)
    if (!graph->operators[stream.consumer].inferred)  // it goes by the name of its first reader's stream
      likes[inputOf(stream.origin)].push_back(colours.streamColour(stream));
  for (auto& [input, streams] : likes) std::ranges::sort(streams);
  return likes;
}

Result<Done> setDepth(Rewrite& rewrite, const std::string& to, const Value& depth) {
  const std::size_t dot = to.rfind('.');
  const auto end =
      dot == std::string::npos ? std::nullopt : parseEndpoint(to.substr(to.rfind('.', dot - 1) + 1));
  if (!end) {
    return rewrite.problem("'" + to + "' does not name the input of an operator",
                           "write it as up.in2 or expert.up.in2, or * for all FIFOs");
  }
  SLUICE_TRY(Graph * graph, graphAround(rewrite, to.substr(0, dot), *end));
  bool found = false;
  for (Stream& stream : graph->streams) {
    if (!sameEnd(stream.to, *end) || (end->index && stream.to.index != end->index)) continue;
    stream.depth = depth;
    found = true;
  }
  if (!found) return rewrite.problem("no stream goes into '" + to + "'", "name an input that is connected");
  return Done{};
}

Result<Done> apply(Rewrite& rewrite, const Arguments& args) {
  const std::string& to = args.text("to");
  const Value& depth = args.written("depth");
  if (to == "*") {
    setAll(rewrite.document.program, depth);
    return Done{};
  }
  if (args.text("which") == "one") return setDepth(rewrite, to, depth);
  const Likes likes = likesOf(rewrite);
  const auto wanted = likes.find(to);
  if (wanted == likes.end()) return setDepth(rewrite, to, depth);
  for (const auto& [input, streams] : likes)
    if (streams == wanted->second) SLUICE_CHECK(setDepth(rewrite, input, depth));
  return Done{};
}

constexpr std::int64_t deepest = 65536;

/// Tokens that pass a stream, of its first instance: more never wait in it. `deepest` if only the run knows.
std::int64_t tokensOf(const Rewrite& typed, const std::string& prefix, const Stream& stream) {
  const StreamType* type =
      stream.from.node == "region" ? nullptr : typed.typeOutOf(prefix + stream.from.node, stream.from.port);
  if (!type && stream.to.node != "region") type = typed.typeInto(prefix + stream.to.node, stream.to.port);
  if (!type && stream.to.node != "region")
    type = typed.typeAtBoundary(prefix + stream.to.node, stream.to.port);
  const auto number = type ? typed.number(elementCount(type->shape)) : std::nullopt;
  return std::clamp<std::int64_t>(number.value_or(deepest), 1, deepest);
}

/// Inputs with the most tokens that come to one of their streams. FIFOs that differ only in the instance of a
/// region, or in the element of a bundle, end at one input and are one group: one depth for all.
void collectGroups(const Rewrite& typed, const Graph& graph, const std::string& prefix,
                   std::vector<std::pair<std::string, std::int64_t>>& groups) {
  for (const Stream& stream : graph.streams) {
    const std::string input = prefix + stream.to.node + "." + stream.to.port;
    const std::int64_t tokens = tokensOf(typed, prefix, stream);
    const auto known = std::ranges::find(groups, input, &std::pair<std::string, std::int64_t>::first);
    if (known == groups.end()) {
      groups.emplace_back(input, tokens);
    } else {
      known->second = std::max(known->second, tokens);
    }
  }
  for (const Node& node : graph.nodes)
    if (node.body) collectGroups(typed, node.body->body, prefix + node.name + ".", groups);
}

/// Of inputs that are alike the first stays, for all of them, with the most tokens of any.
std::set<std::string> joinAlike(const Rewrite& typed,
                                std::vector<std::pair<std::string, std::int64_t>>& groups) {
  const Likes likes = likesOf(typed);
  std::map<std::vector<ColourRefinement::Colour>, std::size_t> first;
  std::set<std::string> joined;
  std::vector<std::pair<std::string, std::int64_t>> kept;
  for (const auto& [input, tokens] : groups) {
    const auto like = likes.find(input);
    const auto [known, is_new] =
        like == likes.end() ? std::pair(first.end(), true) : first.try_emplace(like->second, kept.size());
    if (is_new) {
      kept.emplace_back(input, tokens);
    } else {
      auto& [name, most] = kept[known->second];
      most = std::max(most, tokens);
      joined.insert(name);
    }
  }
  groups = std::move(kept);
  return joined;
}

/// Every depth is legal, so none is tried.
std::vector<Proposal> proposals(Sites& sites) {
  std::vector<std::pair<std::string, std::int64_t>> groups;
  collectGroups(sites.typed(), sites.document().program, "", groups);
  if (groups.empty()) return {};
  const std::set<std::string> joined = joinAlike(sites.typed(), groups);
  std::int64_t most = 1;
  for (const auto& [input, tokens] : groups) most = std::max(most, tokens);
  groups.insert(groups.begin(), {"*", most});
  std::vector<Proposal> found;
  for (const auto& [input, tokens] : groups) {
    const std::vector<std::int64_t> depths = powersOfTwo(1, std::min(2 * tokens, deepest));
    Values where{{"to", input}};
    if (joined.contains(input)) where["which"] = "alike";
    found.push_back(
        {sites.step(std::move(where)),
         {numbers("depth", depths)},
         {},
         {{"fifo_bytes", ExpectedChange::Direction::Up}, {"cycles", ExpectedChange::Direction::Down}}});
  }
  return found;
}

ArgumentSpec whichArgument() {
  ArgumentSpec which = choiceArgument(
      "which", {"one", "alike"},
      "that FIFO, or also those that differ from it by nothing but their place, as of experts written out");
  which.initial = "one";
  return which;
}

}  // namespace

const Transformation& definition() {
  static const Transformation definition{
      {"fifo_depth",
       "Sets the depth of one FIFO, of all that are like it, or of all.",
       "STeP 4.1",
       {portArgument("to", ArgumentKind::AnyInput,
                     "the input that the FIFO ends at, as expert.up.in2; * for all"),
        integerArgument("depth", "tokens"), whichArgument()},
       "Shapes stay. On-chip memory changes where FIFOs are counted; cycles change where the FIFO was full, "
       "or holds more than before."},
      apply,
      nullptr,
      proposals};
  return definition;
}

}  // namespace sluice::inline schedule::fifo_depth
