#pragma once
// What an imported ONNX model computes, for tests that know it otherwise.

#include <cmath>
#include <filesystem>

#include "engine/tensor/onnx/onnx_weights.h"
#include "engine/tensor/programs/tensor_values.h"
#include "tests/engine/support/onnx_writer.h"

namespace sluice::testing_support::onnx {

/// Numbers between -1 and 1 that do not repeat soon.
inline std::vector<float> numbers(std::size_t count, int seed = 1) {
  std::vector<float> list;
  for (std::size_t i = 0; i < count; ++i)
    list.push_back(static_cast<float>(std::sin(0.7 * static_cast<double>(i) + 1.3 * seed)));
  return list;
}

inline FloatTensor tensorOf(const std::vector<std::size_t>& shape, int seed = 1) {
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  return {shape, numbers(count, seed)};
}

struct Weights {
  TensorSet tensors;   ///< by their names in the program
  Diagnostics report;  ///< on those whose values are not known
};

/// What the model has of the program's values.
inline Result<Weights> weightsOf(const Model& model, const std::filesystem::path& folder = ".") {
  const OnnxImport imported = import(model);
  Weights weights;
  const auto take = [&](const std::string& name, FloatTensor tensor) -> Result<Done> {
    weights.tensors[name] = std::move(tensor);
    return Done{};
  };
  SLUICE_TRY(OnnxWeights taken,
             onnxWeights(model.write(), folder, imported.program, imported.sources, {}, take));
  weights.report = std::move(taken.report);
  return weights;
}

/// Of the program's only result.
inline FloatTensor resultOf(const TensorProgram& program, const TensorSet& given) {
  for (const TensorValue& tensor : program.tensors)
    if (tensor.role != TensorRole::Activation) {
      EXPECT_TRUE(given.contains(tensor.name)) << tensor.name << " is not given";
    }
  return tensorValues(program, given).at(program.results.at(0));
}

/// Likewise, with the weights that the model has beside what is given. `whole`: nothing of it may be cut out.
inline FloatTensor resultWithWeights(const Model& model, TensorSet given, bool whole = false) {
  const OnnxImport imported = import(model);
  if (whole) {
    EXPECT_TRUE(imported.coverage.cuts.empty()) << wanting(imported.coverage);
  }
  const Result<Weights> weights = weightsOf(model);
  if (!weights) throw std::runtime_error(text(weights.diagnostics()));
  given.insert(weights->tensors.begin(), weights->tensors.end());
  return resultOf(imported.program, given);
}

inline void expectNear(const FloatTensor& made, const std::vector<std::size_t>& shape,
                       const std::vector<double>& wanted, double tolerance = 1e-5) {
  EXPECT_EQ(made.shape, shape);
  ASSERT_EQ(made.data.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(made.data[i], wanted[i], tolerance) << "at " << i;
}

}  // namespace sluice::testing_support::onnx
