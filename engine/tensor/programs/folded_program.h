#pragma once
// Programs in which equal layers that follow each other stand once, with their number. Folding and unfolding
// are exact: what is simulated and predicted is the whole program.

#include <optional>

#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

/// What each layer hands to the next. `taken` and `last` are activations that nothing writes.
struct CarriedTensor {
  std::size_t initial = 0;  ///< what the first layer takes
  std::size_t taken = 0;    ///< stands within the layer for what it takes
  std::size_t given = 0;    ///< what the layer makes for the next one
  std::size_t last = 0;     ///< stands behind the layers for what the last one gives, under its name

  bool operator==(const CarriedTensor&) const = default;
};

/// A layer: operators that follow each other, and the tensors that each layer has of its own, which follow
/// each other, too: weights, inputs, tables, and what the operators write.
struct FoldedLayers {
  std::size_t begin = 0, length = 0;   ///< operators
  std::size_t tensors = 0, owned = 0;  ///< the first of the tensors, and how many they are
  std::int64_t count = 1;              ///< layers
  std::vector<CarriedTensor> carried;

  bool holds(std::size_t tensor) const { return tensor >= tensors && tensor < tensors + owned; }
  bool operator==(const FoldedLayers&) const = default;
};

/// Names of a layer may have expressions over the layer's number, from 0, "conv $(2*layer + 1)", or one for
/// each layer, "conv $(7, 9, 12)"; others are "name", "name 2", "name 3". Of a result that is a layer's,
/// every layer gives one.
struct FoldedProgram {
  TensorProgram program;
  std::vector<FoldedLayers> layers;  ///< in the order of their operators

  bool operator==(const FoldedProgram&) const = default;
};

/// The expression's name for the number of the layer, and for how many there are in a program's sizes.
inline constexpr const char* layer_number = "layer";
inline constexpr const char* layer_count = "layers";
inline constexpr std::int64_t most_folded_layers = 1000;

/// With equal layers (repeated_layers.h) folded where each takes from the one before what that one takes from
/// its own, and else only what all share. Tensors from outside and results keep their names; others do where
/// their numbers follow the layer's. Without layers where there are none. Needs a program that passes
/// verify().
FoldedProgram folded(const TensorProgram& program);

/// The program with every layer. Errors: too many layers, a layer that gives another type than it takes, what
/// is behind the layers and reads from within, names that come out twice.
Result<TensorProgram> unfolded(const FoldedProgram& program);

}  // namespace sluice::inline tensor
