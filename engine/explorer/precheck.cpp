#include "engine/explorer/precheck.h"

#include <algorithm>
#include <set>

#include "engine/core/components.h"
#include "engine/explorer/token_demands.h"
#include "engine/operators/registry.h"
#include "engine/simulator/explanation.h"

namespace sluice::inline explorer {
namespace {

constexpr std::size_t most_events = 60'000;  // about 20 ms
constexpr std::size_t events_a_depth = most_events / 8;

bool watchesAll(const FlatOperator& op) {
  return definitionOf(op).arrival == Arrival::WatchesAll;
}

class Precheck {
 public:
  Precheck(const FlatGraph& graph, const Inference& inference, const InputSet& inputs,
           const std::stop_token& stop)
      : graph_(graph), counts_(countTokens(graph, inference, inputs)), stop_(stop) {}

  Diagnostics run() {
    for (OperatorId id = 0; id < graph_.operators.size(); ++id) {
      checkTogether(id);
      checkDeal(id);
      checkGather(id);
    }
    checkLoops();
    checkRoom();
    // A greater depth frees one wait cycle, but no depth frees the program.
    if (beyond_depth_)
      for (const std::size_t index : deepened_) {
        found_[index].fix =
            "correct first what no depth fixes: until then the program deadlocks at any depth";
        found_[index].fixes.clear();
      }
    return std::move(found_);
  }

 private:
  /// Once for all instances of a place of the document.
  void report(const std::string& origin, Location place, std::string cause, std::string fix,
              std::vector<Location> related = {}, std::vector<FixEdit> fixes = {}) {
    if (!said_.insert(origin + '\n' + fix).second) return;
    found_.push_back(warning("certain-deadlock", std::move(place), std::move(cause), std::move(fix)));
    found_.back().related = std::move(related);
    found_.back().fixes = std::move(fixes);
  }
  const std::optional<std::uint64_t>& tokens(StreamId id) const { return counts_.streams[id].tokens; }
  Naming names() const { return {graph_, true}; }
  std::string quoted(StreamId id) const { return names().stream(id); }
  Location placeOf(OperatorId id) const { return Location(Where::Operator, graph_.operators[id].name); }
  Location placeOfStream(StreamId id) const { return Location(Where::Stream, names().ends(id)); }
  static std::string some(std::uint64_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  }

  /// Operators that read their inputs token by token together.
  void checkTogether(OperatorId id) {
    const FlatOperator& op = graph_.operators[id];
    if (!definitionOf(op).reads_together) return;
    const auto &a = tokens(op.inputs[0]), &b = tokens(op.inputs[1]);
    if (!a || !b || *a == *b) return;
    beyond_depth_ = true;
    report(op.origin, placeOf(id),
           "rates do not match: " + quoted(op.inputs[0]) + " brings " + some(*a, "token") + ", " +
               quoted(op.inputs[1]) + " brings " + std::to_string(*b),
           "bring both streams to one number of tokens; no depth fixes that",
           {placeOfStream(op.inputs[0]), placeOfStream(op.inputs[1])});
  }

  void checkDeal(OperatorId id) {
    const FlatOperator& op = graph_.operators[id];
    const TokenRule& rule = counts_.operators[id];
    if (rule.kind != TokenRule::Kind::Deal || !tokens(op.inputs[0])) return;
    const std::uint64_t come = *tokens(op.inputs[0]), asked = rule.rows.size() * rule.group;
    const std::uint64_t room = graph_.streams[op.inputs[0]].depth;
    if (come >= asked && come - asked <= room) return;
    beyond_depth_ |= come < asked;
    report(op.origin, placeOf(id),
           "its selectors deal out " + some(rule.rows.size(), "group") + ", but " + quoted(op.inputs[0]) +
               " brings " + std::to_string(come / rule.group),
           "give as many groups as there are selectors", {placeOfStream(op.inputs[0])});
  }

  void checkGather(OperatorId id) {
    const FlatOperator& op = graph_.operators[id];
    const TokenRule& rule = counts_.operators[id];
    if (rule.kind != TokenRule::Kind::Gather) return;
    std::vector<std::uint64_t> asked(op.inputs.size() - 1, 0);
    for (const auto& row : rule.rows)
      for (const std::uint32_t way : row) asked.at(way) += rule.group;
    for (std::size_t way = 0; way < asked.size(); ++way) {
      const StreamId in = op.inputs[way];
      if (!tokens(in)) continue;
      const std::uint64_t come = *tokens(in);
      if (come >= asked[way] && come - asked[way] <= graph_.streams[in].depth) continue;
      beyond_depth_ |= come < asked[way];
      report(op.origin, placeOf(id),
             "its selectors gather " + some(asked[way] / rule.group, "group") + " from " + quoted(in) +
                 ", but " + std::to_string(come / rule.group) + " come there",
             "steer Partition and Reassemble by the same selectors", {placeOfStream(in)});
    }
  }

  void checkLoops() {
    for (const std::vector<OperatorId>& loop : endlessLoops(graph_)) {
      const OperatorId merge = *std::find_if(loop.begin(), loop.end(),
                                             [&](OperatorId id) { return watchesAll(graph_.operators[id]); });
      beyond_depth_ = true;
      std::vector<Location> rest;
      for (const OperatorId id : loop)
        if (id != merge) rest.push_back(placeOf(id));
      report(graph_.operators[merge].origin, placeOf(merge),
             "nothing ends the loop through it: the merge waits for the end of its own output",
             "let a Partition with selectors lead tokens out of the loop", std::move(rest));
    }
  }

  /// From the first tokens on: most paths are too short at their first group already.
  void checkRoom() {
    TokenDemands demands(graph_, counts_);
    std::uint64_t most = 1;
    for (const StreamCount& stream : counts_.streams) most = std::max(most, stream.tokens.value_or(0));
    for (std::uint64_t limit = 16; !demands.spent(most_events); limit *= 16) {
      for (StreamId id = 0; id < graph_.streams.size(); ++id) {
        if (stop_.stop_requested()) return;
        if (!tokens(id)) continue;
        const TokenEvent root{id, false, std::min(limit, *tokens(id))};
        const std::vector<TokenEvent> cycle = demands.cycleFrom(root, most_events);
        if (!cycle.empty()) reportCycle(demands, cycle, root);
      }
      if (limit >= most) break;
    }
  }

  /// The FIFOs on the way around that must be taken from before they can be pushed into: those are full.
  std::vector<StreamId> fullOn(const std::vector<TokenEvent>& cycle) const {
    std::vector<StreamId> full;
    // A search through a fork meets its push again, which stands for those to all its outputs: that comes
    // last.
    const OperatorId first = graph_.streams[cycle.front().stream].producer;
    const std::size_t from =
        !cycle.front().take && counts_.operators[first].kind == TokenRule::Kind::Fork ? 1 : 0;
    for (std::size_t i = from; i < from + cycle.size(); ++i) {
      const TokenEvent &event = cycle[i % cycle.size()], &next = cycle[(i + 1) % cycle.size()];
      const FlatStream &pushed = graph_.streams[event.stream], &taken = graph_.streams[next.stream];
      const bool for_room = !event.take && next.take && pushed.producer == taken.producer &&
                            event.token == next.token + taken.depth;
      if (for_room && std::find(full.begin(), full.end(), next.stream) == full.end())
        full.push_back(next.stream);
    }
    return full;
  }

  void reportCycle(TokenDemands& demands, const std::vector<TokenEvent>& cycle, const TokenEvent& root) {
    const std::vector<StreamId> full = fullOn(cycle);
    if (full.empty()) {
      const StreamId first = cycle.front().stream;
      beyond_depth_ = true;
      report(graph_.streams[first].origin, placeOfStream(first),
             "token " + std::to_string(cycle.front().token - 1) + " of it must come before itself",
             "give the loop more tokens to start with, or break it; no depth fixes that");
      return;
    }
    std::string origins;
    for (const StreamId id : full) origins += graph_.streams[id].origin + ' ';
    if (!cycles_.insert(origins).second) return;  // of another instance
    std::vector<StreamId> fixes;
    for (const StreamId id : full)  // a single one is reported either way
      if (full.size() > 1 && demands.freed(root, graph_.streams[id].origin, most_events)) fixes.push_back(id);
    const bool alone = !fixes.empty();
    std::string list;
    for (const StreamId id : alone ? fixes : full)
      list += (list.empty() ? "" : alone ? " or " : " and ") + quoted(id);
    const StreamId told = (alone ? fixes : full).front();
    const FlatStream& stream = graph_.streams[told];
    std::vector<Location> others;
    for (const StreamId id : full)
      if (id != told) others.push_back(placeOfStream(id));
    const std::size_t before = found_.size();
    report(origins, placeOfStream(told),
           "paths that meet again cannot hold what must wait in them: this FIFO (depth " +
               std::to_string(stream.depth) + ") is full before " + names().op(stream.consumer) +
               " can take from it, whatever the times",
           "give a greater depth to " + list, std::move(others),
           alone || full.size() == 1 ? deeper(demands, alone ? fixes : full, root) : std::vector<FixEdit>{});
    if (found_.size() > before) deepened_.push_back(before);
  }

  /// The depth of each FIFO that alone lets all tokens of `root` through.
  std::vector<FixEdit> deeper(TokenDemands& demands, const std::vector<StreamId>& fifos,
                              const TokenEvent& root) const {
    std::vector<FixEdit> edits;
    for (const StreamId id : fifos)
      if (const auto depth =
              demands.freeingDepth({root.stream, false, *tokens(root.stream)}, id, events_a_depth))
        edits.push_back(
            {FixEdit::Kind::RaiseDepth, graph_.streams[id].origin, {}, {}, std::to_string(*depth)});
    return edits;
  }

  const FlatGraph& graph_;
  const TokenCounts counts_;
  const std::stop_token& stop_;
  Diagnostics found_;
  std::set<std::string> said_, cycles_;
  bool beyond_depth_ = false;          ///< no depth frees the program
  std::vector<std::size_t> deepened_;  ///< of found_: a greater depth is the fix
};

}  // namespace

std::vector<std::vector<OperatorId>> endlessLoops(const FlatGraph& graph) {
  const auto is_merge = [&](std::size_t id) { return watchesAll(graph.operators[id]); };
  Edges edges(graph.operators.size());
  for (const FlatStream& stream : graph.streams) edges[stream.producer].push_back(stream.consumer);
  const Components components = stronglyConnected(edges);
  std::vector<std::vector<OperatorId>> loops;
  for (std::size_t i = 0; i < components.members.size(); ++i) {
    const std::vector<std::size_t>& members = components.members[i];
    const bool endless = components.circular[i] && std::any_of(members.begin(), members.end(), is_merge) &&
                         std::all_of(members.begin(), members.end(), [&](std::size_t id) {
                           return is_merge(id) || graph.operators[id].inputs.size() == 1;
                         });
    if (!endless) continue;
    std::vector<OperatorId>& loop = loops.emplace_back(members.begin(), members.end());
    std::sort(loop.begin(), loop.end());
  }
  std::sort(loops.begin(), loops.end());
  return loops;
}

Diagnostics precheck(const FlatGraph& graph, const Inference& inference, const InputSet& inputs,
                     const std::stop_token& stop) {
  return Precheck(graph, inference, inputs, stop).run();
}

Diagnostics precheck(const Workload& workload, const SymbolicResult& symbolic, const std::stop_token& stop) {
  return precheck(symbolic.graph, symbolic.inference,
                  symbolic.scheduled ? symbolic.scheduled->inputs : workload.inputs, stop);
}

}  // namespace sluice::inline explorer
