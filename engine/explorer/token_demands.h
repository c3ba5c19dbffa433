#pragma once
// Token demands: what must have happened before a token can be pushed or taken, by the rules that are known
// of a graph. Only what is certain in every run is demanded, whatever the times: where a token comes to
// demand itself, no run gets there.

#include <functional>
#include <unordered_map>

#include "engine/explorer/token_counts.h"

namespace sluice {

/// A push into a FIFO or a take out of it; tokens count from 1.
struct TokenEvent {
  StreamId stream = 0;
  bool take = false;
  std::uint64_t token = 0;
  bool operator==(const TokenEvent&) const = default;
};

class TokenDemands {
 public:
  TokenDemands(const FlatGraph& graph, const TokenCounts& counts);

  /// Everything that certainly precedes the event, directly.
  std::vector<TokenEvent> of(const TokenEvent& event) const;

  /// Follows the demands of `root`, unless that has been done. Where one comes back to itself, the way
  /// around; each such way is found once. Looks at no more than `most` events in all.
  std::vector<TokenEvent> circleFrom(const TokenEvent& root, std::size_t most);
  std::size_t looked() const { return state_.size(); }

 private:
  enum class State : char { Open, Done, Stuck };
  void toPush(const TokenEvent& event, std::vector<TokenEvent>& before) const;
  void toTake(const TokenEvent& event, std::vector<TokenEvent>& before) const;
  void toEnd(OperatorId id, std::vector<TokenEvent>& before) const;
  void toDeal(const FlatOperator& op, const TokenRule& rule, std::size_t row, std::uint64_t inside,
              std::vector<TokenEvent>& before) const;
  std::uint64_t chosen(OperatorId op, std::uint32_t target, std::size_t row) const;

  const FlatGraph& graph_;
  const TokenCounts& counts_;
  /// Of Deal and Gather, by target: the rows that name it, in order; and how many targets rows before name.
  std::vector<std::vector<std::vector<std::size_t>>> rows_of_;
  std::vector<std::vector<std::uint64_t>> named_;
  std::unordered_map<std::uint64_t, State> state_;
};

}  // namespace sluice
