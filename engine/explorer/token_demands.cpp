#include "engine/explorer/token_demands.h"

#include <algorithm>

namespace sluice {
namespace {

using Kind = TokenRule::Kind;

std::uint64_t keyOf(const TokenEvent& event) {
  return std::uint64_t{event.stream} << 40 | event.token << 1 | (event.take ? 1 : 0);
}

}  // namespace

TokenDemands::TokenDemands(const FlatGraph& graph, const TokenCounts& counts)
    : graph_(graph), counts_(counts), rows_of_(graph.operators.size()), named_(graph.operators.size()) {
  for (OperatorId id = 0; id < graph.operators.size(); ++id) {
    const TokenRule& rule = counts.operators[id];
    if (rule.rows.empty()) continue;
    const FlatOperator& op = graph.operators[id];
    rows_of_[id].resize(rule.kind == Kind::Deal ? op.outputs.size() : op.inputs.size() - 1);
    named_[id].push_back(0);
    for (std::size_t row = 0; row < rule.rows.size(); ++row) {
      for (const std::uint32_t target : rule.rows[row]) rows_of_[id].at(target).push_back(row);
      named_[id].push_back(named_[id].back() + rule.rows[row].size());
    }
  }
}

/// In how many of the first `row` rows a target is named.
std::uint64_t TokenDemands::chosen(OperatorId op, std::uint32_t target, std::size_t row) const {
  const std::vector<std::size_t>& rows = rows_of_[op][target];
  return static_cast<std::uint64_t>(std::lower_bound(rows.begin(), rows.end(), row) - rows.begin());
}

std::vector<TokenEvent> TokenDemands::of(const TokenEvent& event) const {
  std::vector<TokenEvent> before;
  if (event.take)
    toTake(event, before);
  else
    toPush(event, before);
  std::erase_if(before, [&](const TokenEvent& demanded) { return demanded.token == 0; });
  return before;
}

/// A Partition before token `inside` (from 1) of the group of selector `row`.
void TokenDemands::toDeal(const FlatOperator& op, const TokenRule& rule, std::size_t row,
                          std::uint64_t inside, std::vector<TokenEvent>& before) const {
  const OperatorId id = graph_.streams[op.inputs[0]].consumer;
  before.push_back({op.inputs[1], false, row + 1});
  for (std::uint32_t target = 0; target < op.outputs.size(); ++target) {
    const auto& named = rule.rows[row];
    const bool now = std::find(named.begin(), named.end(), target) != named.end();
    const std::uint64_t groups = chosen(id, target, row);
    before.push_back({op.outputs[target], false, groups * rule.group + (now ? inside - 1 : 0)});
  }
}

/// A stream closes when its producer has ended, which has then given everything to all its outputs.
void TokenDemands::toEnd(OperatorId id, std::vector<TokenEvent>& before) const {
  for (const StreamId out : graph_.operators[id].outputs)
    if (const auto& tokens = counts_.streams[out].tokens) before.push_back({out, false, *tokens});
}

void TokenDemands::toPush(const TokenEvent& event, std::vector<TokenEvent>& before) const {
  const FlatStream& stream = graph_.streams[event.stream];
  const FlatOperator& op = graph_.operators[stream.producer];
  const TokenRule& rule = counts_.operators[stream.producer];
  const std::uint64_t n = event.token;
  before.push_back({event.stream, false, n - 1});
  if (n > stream.depth) before.push_back({event.stream, true, n - stream.depth});
  if (rule.kind == Kind::Step) {
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const StreamId in = op.inputs[i];
      std::uint64_t taken = (n + rule.ports[i].give - 1) / rule.ports[i].give * rule.ports[i].take;
      if (const auto& tokens = counts_.streams[in].tokens; tokens && taken > *tokens) {  // padding
        taken = *tokens;
        if (rule.pads_at_close) toEnd(graph_.streams[in].producer, before);
      }
      before.push_back({in, false, taken});
      before.push_back({in, true, taken - std::min<std::uint64_t>(taken, 1)});
    }
  } else if (rule.kind == Kind::Fork) {
    before.push_back({op.inputs[0], false, n});
    before.push_back({op.inputs[0], true, n - 1});
    for (const StreamId out : op.outputs) {
      const std::uint64_t depth = graph_.streams[out].depth;
      before.push_back({out, false, n - 1});
      if (n > depth) before.push_back({out, true, n - depth});
    }
  } else if (rule.kind == Kind::Deal) {
    const auto& rows = rows_of_[stream.producer][stream.producer_port];
    const std::uint64_t group = (n - 1) / rule.group, inside = n - group * rule.group;
    if (group >= rows.size()) return;
    toDeal(op, rule, rows[group], inside, before);
    before.push_back({op.inputs[0], false, rows[group] * rule.group + inside});
  } else if (rule.kind == Kind::Gather) {
    const auto& named = named_[stream.producer];
    const std::uint64_t group = (n - 1) / rule.group;
    const auto at = std::upper_bound(named.begin(), named.end(), group);
    if (at == named.end()) return;
    const auto row = static_cast<std::size_t>(at - named.begin()) - 1;
    before.push_back({op.inputs.back(), false, row + 1});
    for (const std::uint32_t way : rule.rows[row])
      before.push_back({op.inputs[way], false, chosen(stream.producer, way, row) * rule.group + 1});
  } else if (rule.kind == Kind::Merge) {
    before.push_back({op.outputs[1], false, stream.producer_port == 0 ? n : n - 1});
    before.push_back({op.outputs[0], false, n - 1});
    // What the other inputs cannot bring in all must come from this one.
    for (const StreamId in : op.inputs) {
      std::uint64_t others = 0;
      for (const StreamId other : op.inputs) {
        const auto& tokens = counts_.streams[other].tokens;
        if (other != in) others = tokens && others < n ? others + *tokens : n;
      }
      if (n > others) before.push_back({in, false, n - others});
    }
  }
}

void TokenDemands::toTake(const TokenEvent& event, std::vector<TokenEvent>& before) const {
  const FlatStream& stream = graph_.streams[event.stream];
  const FlatOperator& op = graph_.operators[stream.consumer];
  const TokenRule& rule = counts_.operators[stream.consumer];
  const std::uint64_t m = event.token;
  before.push_back({event.stream, false, m});
  before.push_back({event.stream, true, m - 1});
  if (rule.kind == Kind::Step) {
    const TokenRule::Port& port = rule.ports[stream.consumer_port];
    for (std::size_t i = 0; i < op.inputs.size(); ++i)
      if (rule.ports[i] == port) before.push_back({op.inputs[i], false, m});  // read together
    const std::uint64_t given = (port.late ? m / port.take : (m - 1) / port.take) * port.give;
    for (const StreamId out : op.outputs) before.push_back({out, false, given});
  } else if (rule.kind == Kind::Fork) {
    for (const StreamId out : op.outputs) before.push_back({out, false, m - 1});
  } else if (rule.kind == Kind::Deal) {
    const std::uint64_t row = stream.consumer_port == 0 ? (m - 1) / rule.group : m - 1;
    if (row >= rule.rows.size()) return;
    toDeal(op, rule, row, stream.consumer_port == 0 ? m - row * rule.group : 1, before);
    if (stream.consumer_port == 1) before.push_back({op.inputs[0], true, row * rule.group});
  } else if (rule.kind == Kind::Gather) {
    const bool control = stream.consumer_port + 1 == op.inputs.size();
    const auto& named = named_[stream.consumer];
    std::size_t row = m - 1;
    if (!control) {
      const auto& rows = rows_of_[stream.consumer][stream.consumer_port];
      const std::uint64_t group = (m - 1) / rule.group;
      if (group >= rows.size()) return;
      row = rows[group];
      for (const std::uint32_t way : rule.rows[row])
        before.push_back({op.inputs[way], false, chosen(stream.consumer, way, row) * rule.group + 1});
      before.push_back({op.inputs.back(), false, row + 1});
    }
    if (row < rule.rows.size()) before.push_back({op.outputs[0], false, named[row] * rule.group});
  } else if (rule.kind == Kind::Merge) {
    before.push_back({op.outputs[0], false, m - 1});
  }
}

std::vector<TokenEvent> TokenDemands::circleFrom(const TokenEvent& root, std::size_t most) {
  struct Step {
    TokenEvent event;
    std::vector<TokenEvent> before;
    std::size_t next = 0;
  };
  std::vector<Step> path;
  const auto enter = [&](const TokenEvent& event) {
    state_[keyOf(event)] = State::Open;
    path.push_back({event, of(event)});
  };
  const auto giveUp = [&] {  // all on the path demand what cannot be
    for (const Step& step : path) state_[keyOf(step.event)] = State::Stuck;
  };
  if (root.token == 0 || state_.contains(keyOf(root))) return {};
  enter(root);
  while (!path.empty()) {
    Step& step = path.back();
    if (step.next == step.before.size()) {
      state_[keyOf(step.event)] = State::Done;
      path.pop_back();
      continue;
    }
    const TokenEvent demanded = step.before[step.next++];
    const auto seen = state_.find(keyOf(demanded));
    if (seen == state_.end()) {
      if (state_.size() >= most) {  // what is on the path has not been judged
        for (const Step& open : path) state_[keyOf(open.event)] = State::Done;
        return {};
      }
      enter(demanded);
    } else if (seen->second == State::Open) {
      const auto first =
          std::find_if(path.begin(), path.end(), [&](const Step& each) { return each.event == demanded; });
      std::vector<TokenEvent> circle;
      for (auto at = first; at != path.end(); ++at) circle.push_back(at->event);
      giveUp();
      return circle;
    } else if (seen->second == State::Stuck) {
      giveUp();
      return {};
    }
  }
  return {};
}

}  // namespace sluice
