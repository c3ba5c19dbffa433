#pragma once
// Token demands: what must have happened before a token can be pushed or taken, by the rules that are known
// of a graph. Only what is certain in every run is demanded, whatever the times: where a token comes to
// demand itself, no run gets there.

#include <optional>
#include <string>
#include <unordered_map>

#include "engine/explorer/token_counts.h"

namespace sluice::inline explorer {

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

  /// Events that certainly precede the event; what these demand in turn may be left to them.
  std::vector<TokenEvent> of(const TokenEvent& event) const;

  /// Follows the demands of `root`, unless that has been done. Where one comes back to itself, the way
  /// around; each such way is found once. Looks at no more than `most` events in all, and at a few demands of
  /// each on average, so that it takes no longer in a graph of wide forks.
  std::vector<TokenEvent> cycleFrom(const TokenEvent& root, std::size_t most);
  bool spent(std::size_t most) const { return state_.size() >= most || demands_ >= demands_per_event * most; }
  /// Whether `root` does not demand itself once the FIFOs of one place of the document have room for all.
  bool freed(const TokenEvent& root, const std::string& origin, std::size_t most);
  /// The least depth of these FIFOs with which `root` does not demand itself. Nothing: no depth does it, or
  /// it cannot be decided after `most` events for each depth that is tried.
  std::optional<std::uint64_t> freeingDepth(const TokenEvent& root, StreamId stream, std::size_t most);

 private:
  static constexpr std::size_t demands_per_event = 16;
  enum class State : char { Open, Done, Stuck };
  /// Of Merge: inputs of a known number of tokens, most tokens first; their sum; those that are not known.
  struct Inputs {
    std::vector<StreamId> known, unknown;
    std::uint64_t sum = 0;
  };
  /// Of Deal and Gather.
  struct Rows {
    std::vector<std::vector<std::size_t>> of;  ///< by target: the rows that name it, in order
    std::vector<std::uint64_t> named;          ///< how many targets the rows before each name
    std::vector<std::size_t> before;           ///< of each row, and behind the last: the last before it that
                                               ///< names somebody, or none
  };
  static constexpr std::size_t none = ~std::size_t{0};
  std::uint64_t depthOf(const FlatStream& stream) const;
  void toPush(const TokenEvent& event, std::vector<TokenEvent>& before) const;
  void toTake(const TokenEvent& event, std::vector<TokenEvent>& before) const;
  void toEnd(OperatorId id, std::vector<TokenEvent>& before) const;
  void toDeal(const FlatOperator& op, const TokenRule& rule, std::size_t row, std::uint64_t inside,
              std::vector<TokenEvent>& before) const;
  void toMerge(OperatorId id, std::uint64_t token, std::vector<TokenEvent>& before) const;
  void allDealt(OperatorId id, std::size_t row, std::vector<TokenEvent>& before) const;
  std::uint64_t chosen(OperatorId op, std::uint32_t target, std::size_t row) const;

  const FlatGraph& graph_;
  const TokenCounts& counts_;
  std::unordered_map<OperatorId, Rows> rows_;
  std::unordered_map<OperatorId, Inputs> merges_;
  std::unordered_map<std::uint64_t, State> state_;
  std::size_t demands_ = 0;            ///< of all events that were looked at
  const std::string* deep_ = nullptr;  ///< FIFOs of this place have another depth
  std::uint64_t deep_depth_ = 0;
};

}  // namespace sluice::inline explorer
