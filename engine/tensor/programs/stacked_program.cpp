#include "engine/tensor/programs/stacked_program.h"

#include <algorithm>

#include "engine/tensor/programs/renumber.h"

namespace sluice::inline tensor {
namespace {

std::optional<std::size_t> firstInput(const TensorProgram& layer) {
  for (std::size_t tensor = 0; tensor < layer.tensors.size(); ++tensor)
    if (layer.tensors[tensor].role == TensorRole::Input) return tensor;
  return std::nullopt;
}

/// Adds the layer with this number, from 2, its input being the last one's output.
void addLayer(TensorProgram& program, const TensorProgram& layer, std::size_t input, std::size_t& output,
              std::int64_t number) {
  const std::string suffix = " " + std::to_string(number);
  std::vector<std::size_t> to(layer.tensors.size());
  for (std::size_t tensor = 0; tensor < layer.tensors.size(); ++tensor) {
    const TensorValue& own = layer.tensors[tensor];
    if (tensor == input) {
      to[tensor] = output;
    } else if (own.role == TensorRole::Table) {
      to[tensor] = tensor;
    } else {
      to[tensor] = program.tensors.size();
      program.tensors.push_back(own);
      program.tensors.back().name += suffix;
    }
  }
  for (TensorOperator op : layer.operators) {
    op.name += suffix;
    program.operators.push_back(renumbered(std::move(op), [&](std::size_t tensor) { return to[tensor]; }));
  }
  program.results.front() = to[layer.results.front()];
  for (std::size_t result = 1; result < layer.results.size(); ++result)
    program.results.push_back(to[layer.results[result]]);
  output = to[layer.results.front()];
}

}  // namespace

Result<TensorProgram> stacked(const TensorProgram& layer, std::int64_t layers) {
  const Location place = "layers of '" + layer.name + "'";
  if (layers < 1 || layers > most_stacked_layers)
    return error("out-of-range", place, std::to_string(layers) + " of them",
                 "give 1 to " + std::to_string(most_stacked_layers));
  if (layers == 1) return layer;
  const std::optional<std::size_t> input = firstInput(layer);
  if (!input || layer.results.empty() ||
      layer.tensors[*input].shape != layer.tensors[layer.results.front()].shape ||
      layer.tensors[*input].scalar != layer.tensors[layer.results.front()].scalar)
    return error("shape-mismatch", place, "what a layer gives first is not what the next one takes first",
                 "make the first result a tensor like the first input");
  TensorProgram program = layer;
  std::size_t output = layer.results.front();
  for (std::int64_t number = 2; number <= layers; ++number) addLayer(program, layer, *input, output, number);
  if (Diagnostics found = verify(program); hasErrors(found)) return found;
  return program;
}

}  // namespace sluice::inline tensor
