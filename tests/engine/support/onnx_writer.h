#pragma once
// What the importer makes of the ONNX models of tests.

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "engine/tensor/onnx/onnx.h"
#include "engine/tensor/programs/tensor_program_text.h"
#include "tests/engine/support/onnx_model.h"

namespace sluice::testing_support::onnx {

inline OnnxImport import(const Model& model, const OnnxOptions& options = {}) {
  Result<OnnxImport> import = importOnnx(model.write(), "m.onnx", options);
  if (!import) throw std::runtime_error(text(import.diagnostics()));
  const Result<TensorProgram> read = parseTensorProgram(text(import->program), "again");
  EXPECT_TRUE(read) << text(read.diagnostics());
  return *std::move(import);
}
inline std::string kinds(const TensorProgram& program) {
  std::string list;
  for (const TensorOperator& op : program.operators)
    list += (list.empty() ? "" : ", ") + std::string(text(op.kind));
  return list;
}
inline std::string refusal(const Model& model, const OnnxOptions& options = {}) {
  const Result<OnnxImport> import = importOnnx(model.write(), "m.onnx", options);
  return import ? "accepted" : text(import.diagnostics());
}

}  // namespace sluice::testing_support::onnx
