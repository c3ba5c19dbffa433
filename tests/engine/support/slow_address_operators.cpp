// Slow model: addresses of experts and caches, and what runs lanes in parallel
// (engine/operators/timing.md 3.2, 4.4 to 4.6).
#include <map>

#include "tests/engine/support/slow_operators.h"

namespace sluice::slow {
namespace {

void expertAddrGen(Replay& replay) {
  const std::uint64_t tiles = replay.natural("tiles"), base = replay.natural("base");
  while (const auto token = replay.dequeue(0)) {
    if (token->stop != 0) replay.fail(0, "the selectors must come in a stream of rank 0");
    for (std::uint64_t i = 0; i < tiles; ++i)
      replay.enqueue(0, number(base + token->value.selected.at(0) * tiles + i), i + 1 == tiles ? 2 : 1);
  }
}

void cacheReadAddrGen(Replay& replay) {
  for (;;) {
    const auto index = replay.dequeue(0), length = replay.dequeue(1);
    if (!index && !length) return;
    if (!index || !length) replay.fail(index ? 1 : 0, "closed while the other input has data");
    if (index->stop != length->stop) replay.fail(1, "stops differ");
    const Cycles start = replay.now();
    const std::uint64_t row = index->value.scalar * replay.natural("row_offset"), end = length->value.scalar;
    for (std::uint64_t i = 0; i < end; ++i)
      replay.enqueue(0, start + i, number(row + i), i + 1 == end ? index->stop + 1 : 0);
  }
}

/// The neighbours' numbers of each node, by default after its own.
void adjacencyAddrGen(Replay& replay) {
  const std::vector<std::int64_t>&degrees = replay.input("degrees").tensor.data,
        &neighbours = replay.input("neighbours").tensor.data;
  while (const auto node = replay.peek(0)) {
    const std::uint64_t which = node->value.scalar;
    if (which >= degrees.size()) replay.fail(0, "a node that is not there");
    std::vector<std::uint64_t> addresses;
    if (replay.flag("own")) addresses.push_back(which);
    std::size_t at = 0;
    for (std::uint64_t before = 0; before < which; ++before) at += static_cast<std::size_t>(degrees[before]);
    for (std::int64_t i = 0; i < degrees[which]; ++i, ++at)
      addresses.push_back(static_cast<std::uint64_t>(neighbours.at(at)));
    if (addresses.empty()) replay.fail(0, "an empty group");
    replay.dequeue(0);
    const Cycles start = replay.now();
    for (std::size_t i = 0; i < addresses.size(); ++i)
      replay.enqueue(0, start + i, number(addresses[i]), i + 1 < addresses.size() ? 0 : node->stop + 1);
  }
}

void flatmapCounter(Replay& replay) {
  while (const auto count = replay.dequeue(0)) {
    if (count->value.scalar == 0) replay.fail(0, "an empty group");
    for (std::uint64_t i = 0; i < count->value.scalar; ++i)
      replay.enqueue(0, number(i), i + 1 < count->value.scalar ? 0 : count->stop + 1);
  }
}

void filterLastTile(Replay& replay) {
  while (const auto length = replay.dequeue(0))
    for (std::uint64_t left = length->value.scalar; left > 0; --left)
      replay.enqueue(0, oneHot(left > 1 ? 1 : 0, 2), left > 1 ? 0 : length->stop + 1);
}

/// Whether a token of this stop ends a group of that rank; a higher stop is a fault.
bool endsGroup(const Replay& replay, std::size_t port, std::uint32_t stop) {
  const std::uint64_t rank = replay.natural("rank");
  if (stop > rank) replay.fail(port, "a stop above the groups");
  return stop == rank;
}

void parallelize(Replay& replay) {
  for (std::size_t lane = 0;; lane = (lane + 1) % replay.outputs()) {
    for (bool end = false; !end;) {
      const auto token = replay.dequeue(0);
      if (!token) return;
      end = endsGroup(replay, 0, token->stop);
      replay.enqueue(lane, replay.now() + replay.switchCycles(lane), token->value, token->stop);
    }
  }
}

/// A group of every lane in turn; together they are one, which the last lane closes.
void staticReassemble(Replay& replay) {
  const auto rank = static_cast<std::uint32_t>(replay.natural("rank"));
  for (;;) {
    std::optional<std::uint32_t> closing;
    for (std::size_t lane = 0; lane < replay.inputs(); ++lane) {
      for (bool end = false; !end;) {
        const auto token = replay.peek(lane);
        if (!token && lane == 0 && !closing) return;
        if (!token) replay.fail(lane, "closed while other lanes have data");
        end = token->stop > rank;
        if (end && closing.value_or(token->stop) != token->stop) replay.fail(lane, "stops differ");
        if (end) closing = token->stop;
        replay.dequeue(lane);
        const bool last = lane + 1 == replay.inputs();
        replay.enqueue(0, replay.now() + replay.switchCycles(lane), token->value,
                       end && !last ? rank : token->stop);
      }
    }
  }
}

/// The group that a Shuffle is sorting.
struct Buckets {
  std::map<std::uint32_t, std::vector<SlowToken>> filled;
  std::uint64_t width = 0;

  /// Gives them one after the other; `stop` ended the group.
  void empty(Replay& replay, std::uint32_t stop) {
    const auto rank = static_cast<std::uint32_t>(replay.natural("rank"));
    const bool write_back = replay.flag("write_back_mu");
    for (auto& [bucket, tokens] : filled) {
      const bool last = bucket == filled.rbegin()->first;
      tokens.back().stop = last ? stop + 1 : rank;
      replay.enqueue(1, oneHot(bucket, width), last ? stop - rank + 1 : 0);
      for (SlowToken& token : tokens) {
        replay.spend(writeCycles(replay, token.value));
        if (write_back) replay.spend(writeCycles(replay, token.value));
        token.value.in_memory_unit = write_back;
        replay.enqueue(0, token.value, token.stop);
      }
    }
    filled.clear();
  }
};

/// Takes the item of one selector; the stop that ends it.
std::uint32_t sortItem(Replay& replay, const SlowToken& index, Buckets& buckets) {
  const auto item = static_cast<std::uint32_t>(replay.natural("rank")) - 1;  // the level that ends an item
  for (;;) {
    auto token = replay.dequeue(0);
    if (!token) replay.fail(0, "closed while a selector waits for an item");
    const std::uint32_t stop = token->stop;
    if (stop >= item && stop != index.stop + item) replay.fail(0, "a stop that the selector does not have");
    replay.spend(readCycles(replay, token->value));
    if (!index.value.selected.empty()) replay.spend(writeCycles(replay, token->value));
    token->stop = std::min(stop, item);
    for (const std::uint32_t bucket : index.value.selected) buckets.filled[bucket].push_back(*token);
    if (stop >= item) return stop;
  }
}

void shuffle(Replay& replay) {
  const auto rank = static_cast<std::uint32_t>(replay.natural("rank"));
  Buckets buckets;
  bool whole = true;
  while (const auto index = replay.dequeue(1)) {
    replay.spend(readCycles(replay, index->value));
    const std::uint32_t stop = sortItem(replay, *index, buckets);
    whole = stop >= rank;
    buckets.width = index->value.width;
    if (whole && buckets.filled.empty()) replay.fail(1, "a group without buckets");
    if (whole) buckets.empty(replay, stop);
  }
  if (replay.sentFor(0)) replay.fail(0, "items behind the last selector");
  if (!replay.ended(0)) replay.waitFor({}, 0);
  if (!whole) replay.fail(1, "the selectors ended inside a group");
}

void eagerMerge(Replay& replay) {
  while (const auto port = replay.pick()) {
    replay.enqueue(1, oneHot(static_cast<std::uint32_t>(*port), replay.inputs()), 0);
    for (bool end = false; !end;) {
      const auto token = replay.dequeue(*port);
      if (!token) replay.fail(*port, "closed inside a group");
      end = endsGroup(replay, *port, token->stop);
      replay.enqueue(0, token->value, token->stop);
      if (!end) replay.spend(1);
    }
  }
}

}  // namespace

Procedure addressProcedure(const std::string& kind) {
  static const std::map<std::string, Procedure> procedures = {{"ExpertAddrGen", expertAddrGen},
                                                              {"CacheReadAddrGen", cacheReadAddrGen},
                                                              {"FilterLastTile", filterLastTile},
                                                              {"Parallelize", parallelize},
                                                              {"EagerMerge", eagerMerge},
                                                              {"Shuffle", shuffle},
                                                              {"StaticReassemble", staticReassemble},
                                                              {"AdjacencyAddrGen", adjacencyAddrGen},
                                                              {"FlatmapCounter", flatmapCounter}};
  const auto found = procedures.find(kind);
  return found == procedures.end() ? nullptr : found->second;
}

}  // namespace sluice::slow
