#include "engine/program/input_hash.h"

namespace sluice::inline program {

void addInputs(ContentHash& hash, const InputSet& inputs) {
  for (const auto& [name, input] : inputs) {
    hash.add(name);
    hash.add(static_cast<std::int64_t>(input.kind));
    hash.add(input.experts);
    hash.add(static_cast<std::int64_t>(input.tensor.shape.size()));
    for (const std::size_t extent : input.tensor.shape) hash.add(static_cast<std::int64_t>(extent));
    hash.add(static_cast<std::int64_t>(input.tensor.data.size()));
    for (const std::int64_t value : input.tensor.data) hash.add(value);
  }
}

}  // namespace sluice::inline program
