#pragma once
// Equal layers that follow each other in a program, as the blocks of a transformer do.

#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

struct RepeatedLayers {
  std::size_t count = 0;   ///< of layers; 0: none
  std::size_t begin = 0;   ///< the first operator of the first layer
  std::size_t length = 0;  ///< operators of one layer

  /// 0 before the first layer, then 1 to count, then one more.
  std::size_t layerOf(std::size_t op) const;
};

/// The layers that cover most of the program. A layer has at least eight operators, two products among them,
/// and each reads what the one before wrote. Where equal layers may begin at several operators, they are cut
/// where the fewest bytes pass from one to the next. Needs a program that passes verify(); what has more than
/// 10,000 operators is taken to have none.
RepeatedLayers repeatedLayers(const TensorProgram& program);

}  // namespace sluice::inline tensor
