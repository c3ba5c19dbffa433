#pragma once
// The values of the tensors that an imported program has from outside, as far as the model has them: its
// weights, and what is computed from them and from shapes. For functional mode; a design needs none of them.

#include <cstdint>
#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/core/tensor_sink.h"
#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

/// Where a tensor from outside has its values.
struct OnnxSource {
  enum class Form : std::uint8_t {
    Same,        ///< elements of the model's value in their order, or its only one everywhere
    Transposed,  ///< its two dimensions changed places
    Number,      ///< `number` everywhere: the model does not have it
    Elements,    ///< `elements`: the model says how they are computed
    Causal,      ///< 0 where the column is not behind the row, the lowest number elsewhere
    Unknown      ///< in a form that is not followed
  };

  std::string value;  ///< its name in the model; an input of the model has none of these values
  Form form = Form::Same;
  double number = 0;  ///< of Same and Transposed: that of the model's value, where it is one that is known
  std::vector<float> elements = {};
};

using OnnxSources = std::map<std::string, OnnxSource>;  ///< by the tensor's name in the program

struct OnnxWeights {
  std::size_t tensors = 0;  ///< that were taken
  Diagnostics report;       ///< notes on those whose values are not known
};

/// The values of the program's tensors that follow from the model alone, each given to `take` by its name in
/// the program, one in memory at a time. Values in other files are read from `folder`, the model's. Numbers
/// are in float32; what lies beyond it is its largest number, but infinities stay (masks of minus infinity).
/// Errors: as importOnnx(); a tensor of more than 1 GiB, or 64 GiB in all; a file of values that is missing,
/// outside the folder or too short; a stop request; what `take` refuses.
Result<OnnxWeights> onnxWeights(std::string_view bytes, const std::filesystem::path& folder,
                                const TensorProgram& program, const OnnxSources& sources,
                                const std::map<std::string, std::int64_t>& dimensions, const TensorSink& take,
                                const std::stop_token& stop = {});

/// A model's program at some extents of its dimensions.
struct OnnxTables {
  const TensorProgram& program;
  const OnnxSources& sources;
  const std::vector<std::string>& derived;  ///< values of the model that follow from shapes and constants
  std::map<std::string, std::int64_t> dimensions;
};

/// Tensors of `a` that have values from onnxWeights() and another shape in `b`. Here and below the programs
/// are of one model and differ in extents alone, so that their tensors have the same numbers.
std::vector<std::string> tablesOfOtherShapes(const OnnxTables& a, const OnnxTables& b);
/// The name of a tensor that has the same shape in both programs, and values that differ; empty where there
/// is none. Values that are not known, as of files that are not there, are taken to be the same: nobody has
/// them to compute with.
std::string tableOfOtherValues(std::string_view bytes, const std::filesystem::path& folder,
                               const OnnxTables& a, const OnnxTables& b, const std::stop_token& stop = {});

}  // namespace sluice::inline tensor
