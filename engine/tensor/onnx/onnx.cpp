#include "engine/tensor/onnx/onnx.h"

#include <algorithm>

#include "engine/core/cancelled.h"
#include "engine/tensor/onnx/onnx_converter.h"
#include "engine/tensor/onnx/onnx_model.h"
#include "engine/tensor/onnx/onnx_names.h"
#include "engine/tensor/programs/tensor_program_text.h"

namespace sluice::inline tensor {

namespace {

/// All in this file; and whatever the model's names are, they can be shown.
Diagnostics shown(Diagnostics diagnostics, const Location& file) {
  const auto in_file = [&](const Location& place) {
    Location whole = place.beginsWith(Where::File) ? Location() : file;
    for (const LocationPart& part : place.parts())
      whole /= Location(part.kind, part.number, printable(part.name), printable(part.detail));
    return whole;
  };
  for (Diagnostic& one : diagnostics) {
    one.place = in_file(one.place), one.cause = printable(one.cause);
    for (Location& other : one.related) other = in_file(other);
  }
  return diagnostics;
}

/// Notes that say the same of several places, as of every layer of a model, once.
Diagnostics toldOnce(const Diagnostics& report) {
  Diagnostics told;
  std::vector<std::size_t> places;  // of each that is reported
  for (const Diagnostic& one : report) {
    const auto alike = std::ranges::find_if(told, [&](const Diagnostic& other) {
      return one.severity == Severity::Note && other.severity == one.severity && other.code == one.code &&
             other.cause == one.cause && other.fix == one.fix;
    });
    if (alike == told.end())
      told.push_back(one), places.push_back(1);
    else
      ++places[static_cast<std::size_t>(alike - told.begin())];
  }
  for (std::size_t i = 0; i < told.size(); ++i)
    if (places[i] > 1) told[i].cause += ", here and at " + std::to_string(places[i] - 1) + " other places";
  return told;
}

/// The program reads as it is written.
Diagnostics mistakes(const TensorProgram& program, const OnnxCoverage& coverage) {
  if (program.operators.empty()) {
    const std::string first =
        coverage.cuts.empty() ? "" : ": of " + coverage.cuts[0].node + ", " + coverage.cuts[0].why;
    return {error("unsupported-operator", {}, "no operator of the model is understood" + first,
                  "see engine/tensor/onnx/README.md for those that are")};
  }
  const Result<TensorProgram> read = parseTensorProgram(text(program), {});
  return read ? Diagnostics{} : read.diagnostics();
}

}  // namespace

Result<OnnxImport> importOnnx(std::string_view bytes, const std::string& name, const OnnxOptions& options) {
  const Location file(Where::File, name);
  Result<OnnxGraph> graph = readOnnx(bytes, file, options.dimensions, options.stop);
  if (!graph)
    return isCancelled(graph.diagnostics()) ? graph.diagnostics() : shown(graph.diagnostics(), file);
  OnnxConverter converter(*std::move(graph), options.stop);
  Diagnostics wrong;
  try {
    TensorProgram program = converter.convert();
    if (options.stop.stop_requested()) return cancelledDiagnostic();
    const bool limited = hasErrors(converter.report());  // as by a table that is too short
    if (!limited) wrong = mistakes(program, converter.coverage());
    if (options.stop.stop_requested()) return cancelledDiagnostic();
    if (!limited && wrong.empty())
      return OnnxImport{std::move(program),
                        shown(toldOnce(converter.report()), file),
                        converter.coverage(),
                        converter.sources(),
                        {converter.derived().begin(), converter.derived().end()}};
  } catch (const MissingShape& missing) {
    wrong = {error("dynamic-extent", Location(Where::Tensor, missing.value), missing.cause, missing.fix)};
  }
  // What was cut out on the way is often the reason.
  wrong.insert(wrong.end(), converter.report().begin(), converter.report().end());
  return shown(std::move(wrong), file);
}

}  // namespace sluice::inline tensor
