#include "engine/explorer/token_demands.h"

#include <algorithm>
#include <utility>

namespace sluice::inline explorer {
namespace {

constexpr std::uint64_t most_tokens = std::uint64_t{1} << 39;  // that keyOf() tells apart

std::uint64_t keyOf(const TokenEvent& event) {
  return std::uint64_t{event.stream} << 40 | event.token << 1 | (event.take ? 1 : 0);
}

}  // namespace

TokenDemands::TokenDemands(const FlatGraph& graph, const TokenCounts& counts)
    : graph_(graph), counts_(counts) {
  for (OperatorId id = 0; id < graph.operators.size(); ++id) {
    const TokenRule& rule = counts.operators[id];
    const FlatOperator& op = graph.operators[id];
    if (rule.kind == TokenRule::Kind::Merge) {
      Inputs& inputs = merges_[id];
      for (const StreamId in : op.inputs) {
        const auto& tokens = counts.streams[in].tokens;
        (tokens ? inputs.known : inputs.unknown).push_back(in);
        inputs.sum += std::min(tokens.value_or(0), most_tokens);
      }
      std::stable_sort(inputs.known.begin(), inputs.known.end(), [&](StreamId a, StreamId b) {
        return *counts.streams[a].tokens > *counts.streams[b].tokens;
      });
    }
    if (rule.kind != TokenRule::Kind::Deal && rule.kind != TokenRule::Kind::Gather) continue;
    Rows& rows = rows_[id];
    rows.of.resize(rule.kind == TokenRule::Kind::Deal ? op.outputs.size() : op.inputs.size() - 1);
    rows.named.push_back(0);
    rows.before.push_back(none);
    for (std::size_t row = 0; row < rule.rows.size(); ++row) {
      for (const std::uint32_t target : rule.rows[row]) rows.of.at(target).push_back(row);
      rows.named.push_back(rows.named.back() + rule.rows[row].size());
      rows.before.push_back(rule.rows[row].empty() ? rows.before.back() : row);
    }
  }
}

std::uint64_t TokenDemands::depthOf(const FlatStream& stream) const {
  return deep_ && stream.origin == *deep_ ? deep_depth_ : stream.depth;
}

/// In how many of the first `row` rows a target is named.
std::uint64_t TokenDemands::chosen(OperatorId op, std::uint32_t target, std::size_t row) const {
  const std::vector<std::size_t>& rows = rows_.at(op).of[target];
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

/// A Partition has given everything of the rows before `row`: it has when the last of them has been dealt.
void TokenDemands::allDealt(OperatorId id, std::size_t row, std::vector<TokenEvent>& before) const {
  const TokenRule& rule = counts_.operators[id];
  const std::size_t last = rows_.at(id).before[row];
  if (last == none) return;
  for (const std::uint32_t target : rule.rows[last])
    before.push_back(
        {graph_.operators[id].outputs[target], false, (chosen(id, target, last) + 1) * rule.group});
}

/// A Partition before token `inside` (from 1) of the group of selector `row`.
void TokenDemands::toDeal(const FlatOperator& op, const TokenRule& rule, std::size_t row,
                          std::uint64_t inside, std::vector<TokenEvent>& before) const {
  const OperatorId id = graph_.streams[op.inputs[0]].consumer;
  before.push_back({op.inputs[1], false, row + 1});
  if (inside <= 1) return allDealt(id, row, before);
  for (const std::uint32_t target : rule.rows[row])
    before.push_back({op.outputs[target], false, chosen(id, target, row) * rule.group + inside - 1});
}

/// A stream closes when its producer has ended, which has then given everything to all its outputs.
void TokenDemands::toEnd(OperatorId id, std::vector<TokenEvent>& before) const {
  const FlatOperator& op = graph_.operators[id];
  const TokenRule& rule = counts_.operators[id];
  if (rule.kind == TokenRule::Kind::Deal && !rule.rows.empty()) return allDealt(id, rule.rows.size(), before);
  for (const StreamId out : op.outputs) {
    if (const auto& tokens = counts_.streams[out].tokens) before.push_back({out, false, *tokens});
    if (rule.kind == TokenRule::Kind::Fork) return;  // to all at once
  }
}

/// What the other inputs of an EagerMerge cannot bring in all must come from this one.
void TokenDemands::toMerge(OperatorId id, std::uint64_t token, std::vector<TokenEvent>& before) const {
  const Inputs& inputs = merges_.at(id);
  if (inputs.unknown.size() > 1) return;
  for (const StreamId in : inputs.unknown)
    if (token > inputs.sum) before.push_back({in, false, token - inputs.sum});
  if (!inputs.unknown.empty()) return;
  for (const StreamId in : inputs.known) {
    const std::uint64_t others = inputs.sum - std::min(*counts_.streams[in].tokens, most_tokens);
    if (token <= others) return;  // those behind it bring less
    before.push_back({in, false, token - others});
  }
}

void TokenDemands::toPush(const TokenEvent& event, std::vector<TokenEvent>& before) const {
  const FlatStream& stream = graph_.streams[event.stream];
  const FlatOperator& op = graph_.operators[stream.producer];
  const TokenRule& rule = counts_.operators[stream.producer];
  const std::uint64_t n = event.token;
  before.push_back({event.stream, false, n - 1});
  if (n > depthOf(stream)) before.push_back({event.stream, true, n - depthOf(stream)});
  if (rule.kind == TokenRule::Kind::Step) {
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
  } else if (rule.kind == TokenRule::Kind::Fork && stream.producer_port > 0) {
    before.push_back({op.outputs[0], false, n});  // to all at once
  } else if (rule.kind == TokenRule::Kind::Fork) {
    before.push_back({op.inputs[0], false, n});
    before.push_back({op.inputs[0], true, n - 1});
    for (const StreamId out : op.outputs) {
      const std::uint64_t depth = depthOf(graph_.streams[out]);
      if (n > depth) before.push_back({out, true, n - depth});
    }
  } else if (rule.kind == TokenRule::Kind::Deal) {
    const auto& rows = rows_.at(stream.producer).of[stream.producer_port];
    const std::uint64_t group = (n - 1) / rule.group, inside = n - group * rule.group;
    if (group >= rows.size()) return;
    toDeal(op, rule, rows[group], inside, before);
    before.push_back({op.inputs[0], false, rows[group] * rule.group + inside});
  } else if (rule.kind == TokenRule::Kind::Gather) {
    const auto& named = rows_.at(stream.producer).named;
    const std::uint64_t group = (n - 1) / rule.group;
    const auto at = std::upper_bound(named.begin(), named.end(), group);
    if (at == named.end()) return;
    const auto row = static_cast<std::size_t>(at - named.begin()) - 1;
    before.push_back({op.inputs.back(), false, row + 1});
    for (const std::uint32_t way : rule.rows[row])
      before.push_back({op.inputs[way], false, chosen(stream.producer, way, row) * rule.group + 1});
  } else if (rule.kind == TokenRule::Kind::Merge) {
    before.push_back({op.outputs[1], false, stream.producer_port == 0 ? n : n - 1});
    before.push_back({op.outputs[0], false, n - 1});
    toMerge(stream.producer, n, before);
  }
}

void TokenDemands::toTake(const TokenEvent& event, std::vector<TokenEvent>& before) const {
  const FlatStream& stream = graph_.streams[event.stream];
  const FlatOperator& op = graph_.operators[stream.consumer];
  const TokenRule& rule = counts_.operators[stream.consumer];
  const std::uint64_t m = event.token;
  before.push_back({event.stream, false, m});
  before.push_back({event.stream, true, m - 1});
  if (rule.kind == TokenRule::Kind::Step) {
    const TokenRule::Port& port = rule.ports[stream.consumer_port];
    for (std::size_t i = 0; i < op.inputs.size(); ++i)
      if (rule.ports[i] == port) before.push_back({op.inputs[i], false, m});  // read together
    const std::uint64_t given = (port.late ? m / port.take : (m - 1) / port.take) * port.give;
    for (const StreamId out : op.outputs) before.push_back({out, false, given});
  } else if (rule.kind == TokenRule::Kind::Fork || rule.kind == TokenRule::Kind::Merge) {
    before.push_back({op.outputs[0], false, m - 1});
  } else if (rule.kind == TokenRule::Kind::Deal) {
    const std::uint64_t row = stream.consumer_port == 0 ? (m - 1) / rule.group : m - 1;
    if (row >= rule.rows.size()) return;
    toDeal(op, rule, row, stream.consumer_port == 0 ? m - row * rule.group : 1, before);
    if (stream.consumer_port == 1) before.push_back({op.inputs[0], true, row * rule.group});
  } else if (rule.kind == TokenRule::Kind::Gather) {
    const bool control = stream.consumer_port + 1 == op.inputs.size();
    const auto& named = rows_.at(stream.consumer).named;
    std::size_t row = m - 1;
    if (!control) {
      const auto& rows = rows_.at(stream.consumer).of[stream.consumer_port];
      const std::uint64_t group = (m - 1) / rule.group;
      if (group >= rows.size()) return;
      row = rows[group];
      for (const std::uint32_t way : rule.rows[row])
        before.push_back({op.inputs[way], false, chosen(stream.consumer, way, row) * rule.group + 1});
      before.push_back({op.inputs.back(), false, row + 1});
    }
    if (row < rule.rows.size()) before.push_back({op.outputs[0], false, named[row] * rule.group});
  }
}

std::vector<TokenEvent> TokenDemands::cycleFrom(const TokenEvent& root, std::size_t most) {
  struct Step {
    TokenEvent event;
    std::vector<TokenEvent> before;
    std::size_t next = 0;
  };
  std::vector<Step> path;
  const auto enter = [&](const TokenEvent& event) {
    state_[keyOf(event)] = State::Open;
    path.push_back({event, of(event)});
    demands_ += path.back().before.size();
  };
  const auto give_up = [&] {  // all on the path demand what cannot be
    for (const Step& step : path) state_[keyOf(step.event)] = State::Stuck;
  };
  if (root.token == 0 || spent(most) || state_.contains(keyOf(root))) return {};
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
      if (spent(most)) {  // what is on the path has not been judged
        for (const Step& open : path) state_[keyOf(open.event)] = State::Done;
        return {};
      }
      enter(demanded);
    } else if (seen->second == State::Open) {
      const auto first =
          std::find_if(path.begin(), path.end(), [&](const Step& each) { return each.event == demanded; });
      std::vector<TokenEvent> cycle;
      for (auto at = first; at != path.end(); ++at) cycle.push_back(at->event);
      give_up();
      return cycle;
    } else if (seen->second == State::Stuck) {
      give_up();
      return {};
    }
  }
  return {};
}

bool TokenDemands::freed(const TokenEvent& root, const std::string& origin, std::size_t most) {
  auto state = std::exchange(state_, {});
  const std::size_t demands = std::exchange(demands_, 0);
  deep_ = &origin;
  deep_depth_ = std::uint64_t{1} << 30;  // room for all
  const bool free = cycleFrom(root, most).empty();
  deep_ = nullptr;
  state_ = std::move(state);
  demands_ = demands;
  return free;
}

std::optional<std::uint64_t> TokenDemands::freeingDepth(const TokenEvent& root, StreamId stream,
                                                        std::size_t most) {
  auto state = std::exchange(state_, {});
  const std::size_t demands = std::exchange(demands_, 0);
  const FlatStream& fifo = graph_.streams[stream];
  deep_ = &fifo.origin;
  bool known = counts_.streams[stream].tokens.has_value();
  const auto frees = [&](std::uint64_t depth) {
    state_.clear();
    demands_ = 0;
    deep_depth_ = depth;
    const bool free = cycleFrom(root, most).empty();
    known = !spent(most);
    return free;
  };
  std::uint64_t locks = fifo.depth, free = known ? *counts_.streams[stream].tokens : 0;
  bool found = known && free > locks && frees(free) && known;
  while (found && locks + 1 < free) {
    const std::uint64_t middle = locks + (free - locks) / 2;
    (frees(middle) ? free : locks) = middle;
    found = known;
  }
  deep_ = nullptr;
  state_ = std::move(state);
  demands_ = demands;
  return found ? std::optional(free) : std::nullopt;
}

}  // namespace sluice::inline explorer
