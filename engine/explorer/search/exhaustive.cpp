// Every point of the space, or of a shard of it.

#include "engine/explorer/search/strategies.h"

namespace sluice::inline explorer {

void searchExhaustively(Trials& trials) {
  constexpr std::size_t batch =
      1 << 14;  // its end is a barrier: long batches, but not the whole of a large space
  const ExploreOptions::Shard shard = trials.shard().value_or(ExploreOptions::Shard{});
  std::vector<std::uint64_t> indices;
  for (std::uint64_t index = shard.number; index < trials.size(); index += shard.count) {
    indices.push_back(index);
    if (indices.size() < batch) continue;
    trials.evaluate(indices);
    indices.clear();
    if (trials.over()) return;
  }
  trials.evaluate(indices);
}

}  // namespace sluice::inline explorer
