// Quantisation of a program: other scalars for its tensors.

#include "engine/tensor/programs/quantised_program.h"

#include "engine/tensor/programs/operator_traits.h"

namespace sluice::inline tensor {
namespace {

constexpr const char* as_written = "as_written";
constexpr const char* mixed = "mixed";

/// Whether products, and nothing else, read each tensor.
std::vector<bool> readByProducts(const TensorProgram& program) {
  std::vector<bool> read(program.tensors.size(), false), otherwise(program.tensors.size(), false);
  for (const TensorOperator& op : program.operators)
    for (const std::size_t tensor : readTensors(op)) (isProduct(op.kind) ? read : otherwise)[tensor] = true;
  for (std::size_t tensor = 0; tensor < read.size(); ++tensor)
    if (otherwise[tensor]) read[tensor] = false;
  return read;
}

}  // namespace

const std::vector<std::string>& quantisations() {
  static const std::vector<std::string> names = {as_written, "W4A8", "W8A8", "W4A16",
                                                 "FP16",     "BF16", "FP32", mixed};
  return names;
}

Result<TensorProgram> withQuantisation(TensorProgram program, const std::string& name) {
  if (name == as_written) return program;
  SLUICE_TRY(const Quantisation widths, quantisationNamed(name == mixed ? "W4A8" : name));
  const std::vector<bool> products = readByProducts(program);
  for (std::size_t number = 0; number < program.tensors.size(); ++number) {
    TensorValue& tensor = program.tensors[number];
    const bool weight = tensor.role == TensorRole::Weight;
    const bool activation = tensor.role == TensorRole::Activation || tensor.role == TensorRole::Input;
    const bool few_bits = tensor.scalar.format == Scalar::Format::Signless;  // quantised already
    if (!weight && !isFloat(tensor.scalar) && !(activation && few_bits)) continue;
    if (weight || tensor.role == TensorRole::Table)
      tensor.scalar = tensor.shape.size() > 1 && weight ? widths.weights : widths.vectors;
    else
      tensor.scalar = name == mixed && !products[number] ? Scalar::BF16 : widths.activations;
  }
  return program;
}

}  // namespace sluice::inline tensor
