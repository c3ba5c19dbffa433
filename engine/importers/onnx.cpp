// ONNX: a model as a tensor program.

#include "engine/tensor/onnx/onnx.h"

#include "engine/importers/importer.h"
#include "engine/schedule/compile_tensors.h"
#include "engine/tensor/onnx/onnx_names.h"

namespace sluice::inline importers {
namespace {

ImportCoverage coverageOf(const OnnxCoverage& model) {
  ImportCoverage coverage;
  coverage.nodes = static_cast<std::int64_t>(model.nodes);
  coverage.nodes_understood = static_cast<std::int64_t>(model.nodesUnderstood());
  coverage.products = model.products;
  coverage.products_understood = model.products - model.productsCut();
  coverage.bytes = model.bytes;
  coverage.bytes_understood = model.bytes - model.bytesCut();
  coverage.pieces = static_cast<std::int64_t>(model.pieces);
  for (const OnnxCut& cut : model.cuts)
    coverage.cuts.push_back(
        {printable(cut.node), printable(cut.op), printable(cut.why), cut.work.products, cut.work.unknown});
  return coverage;
}

/// The first of the report: what was left of the model may not be what was meant.
Diagnostic partialImport(const ImportCoverage& coverage, const OnnxCoverage& model, const Location& file) {
  return warning("unsupported-operator", file,
                 "only " + std::to_string(static_cast<int>(100 * coverage.shareOfProducts())) +
                     " % of the model's " + std::to_string(coverage.products) +
                     " multiply-accumulate operations are understood",
                 "what is wanting: " + printable(wanting(model)));
}

Result<Imported> read(const std::string& bytes, const std::filesystem::path& file,
                      const ImportOptions& options) {
  SLUICE_TRY(OnnxImport model, importOnnx(bytes, file.string(), {options.dimensions, options.stop}));
  ImportCoverage coverage = coverageOf(model.coverage);
  if (coverage.isPartial())
    model.report.insert(model.report.begin(),
                        partialImport(coverage, model.coverage, Location(Where::File, file.string())));
  Imported imported{tensorProgramDocument(model.program), std::move(model.report), std::move(coverage)};
  if (options.weights.empty()) return imported;
  SLUICE_TRY(OnnxWeights weights, onnxWeights(bytes, file.parent_path(), model.program, model.sources,
                                              options.dimensions, options.stop));
  imported.report.insert(imported.report.end(), weights.report.begin(), weights.report.end());
  imported.weights = std::move(weights.tensors);
  return imported;
}

}  // namespace

const Importer& onnx() {
  static const Importer importer{
      .name = "ONNX",
      .title = "an ONNX model",
      .suffixes = {"onnx"},
      .limit = std::uintmax_t{1} << 30,  // with its weights
      .options = {{.name = "dimension",
                   .member = &ImportOptions::dimensions,
                   .help = "the extent of a symbolic dimension, seq=64",
                   .type = "NAME=EXTENT",
                   .elsewhere = "symbolic dimensions are of ONNX models"},
                  {.name = "weights",
                   .member = &ImportOptions::weights,
                   .help = "also write the model's weights, for `simulate --compute`",
                   .type = "OUT.npz",
                   .elsewhere = "weights are of ONNX models"}},
      .read = read,
      .dimensions = onnxDimensions};
  return importer;
}

}  // namespace sluice::inline importers
