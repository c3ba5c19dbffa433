#pragma once
// What a tensor program computes, in double, element by element and without nests or streams: to compare a
// program with what a rewrite made of it.

#include <map>
#include <string>
#include <vector>

#include "engine/tensor/programs/tensor_program.h"

namespace sluice::testing_support {

/// The results in order. Tensors from outside hold numbers that depend on their names only.
std::vector<std::vector<double>> evaluate(const TensorProgram& program);

}  // namespace sluice::testing_support
