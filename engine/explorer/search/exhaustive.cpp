// Every point of the space, or of a shard of it.

#include "engine/explorer/search/strategies.h"

namespace sluice::inline explorer {

void searchExhaustively(SearchContext& context) {
  constexpr std::size_t batch =
      1 << 14;  // its end is a barrier: long batches, but not the whole of a large space
  const ExploreOptions::Shard shard = context.shard().value_or(ExploreOptions::Shard{});
  std::vector<std::uint64_t> indices;
  for (std::uint64_t index = shard.number; index < context.size(); index += shard.count) {
    indices.push_back(index);
    if (indices.size() < batch) continue;
    context.evaluate(indices);
    indices.clear();
    if (context.over()) return;
  }
  context.evaluate(indices);
}

}  // namespace sluice::inline explorer
