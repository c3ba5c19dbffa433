#pragma once
// A program whose tensors have other scalars than they were written with.

#include "engine/tensor/programs/llm_blocks.h"

namespace sluice::inline tensor {

/// The names that withQuantisation() knows: as_written, those of quantisationNamed() that are common, and
/// mixed.
const std::vector<std::string>& quantisations();

/// Matrices of weights, vectors (gains, biases, tables) and activations in the scalars of the quantisation.
/// "mixed": products take W4A8, and give bf16 to what is no product: norms, softmax, residuals. Truth values,
/// and integers that are no weights, stay. Only sizes change: functional mode computes in float32.
Result<TensorProgram> withQuantisation(TensorProgram program, const std::string& name);

}  // namespace sluice::inline tensor
