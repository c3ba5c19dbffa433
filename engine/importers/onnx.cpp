// ONNX: a model as a tensor program.

#include "engine/tensor/onnx/onnx.h"

#include "engine/importers/importer.h"
#include "engine/schedule/compile_tensors.h"

namespace sluice::inline importers {
namespace {

Result<Imported> read(const std::string& bytes, const std::filesystem::path& file,
                      const ImportOptions& options) {
  SLUICE_TRY(OnnxImport model, importOnnx(bytes, file.string(), {options.dimensions, options.stop}));
  return Imported{tensorProgramDocument(model.program), std::move(model.report)};
}

}  // namespace

const Importer& onnx() {
  static const Importer importer{.name = "ONNX",
                                 .title = "an ONNX model",
                                 .suffixes = {"onnx"},
                                 .limit = std::uintmax_t{1} << 28,  // with its weights
                                 .options = {{.name = "dimension",
                                              .member = &ImportOptions::dimensions,
                                              .help = "the extent of a symbolic dimension, seq=64",
                                              .type = "NAME=EXTENT",
                                              .elsewhere = "symbolic dimensions are of ONNX models"}},
                                 .read = read,
                                 .dimensions = onnxDimensions};
  return importer;
}

}  // namespace sluice::inline importers
