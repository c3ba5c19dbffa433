// sluice-cli emit hls: a compiled tensor program as a Vitis HLS dataflow project.

#include <algorithm>
#include <cmath>
#include <memory>

#include "app/cli/compilation.h"
#include "app/cli/emit.h"
#include "engine/core/extents_text.h"
#include "engine/core/project_folder.h"
#include "engine/emitters/hls_form.h"
#include "engine/interchange/numpy.h"
#include "engine/program/spelling.h"

namespace sluice::cli {
namespace {

struct EmitHlsOptions : EmitOptions {
  std::string platform, tensors, vendor_headers, numbers = "float32";
  std::vector<std::string> rewrites;
  bool no_data = false;
};

std::vector<std::string> outsideNames(const TensorProgram& program) {
  std::vector<std::string> names;
  for (const TensorValue& tensor : program.tensors)
    if (tensor.role != TensorRole::Activation) names.push_back(tensor.name);
  return names;
}

/// Numbers that a bench can compute with; -inf, which masks are made of, has no scale as an integer.
Result<Done> checkNumbers(const FloatTensor& values, const Location& place, bool narrow) {
  const auto wrong = std::ranges::find_if(values.data, [&](float value) {
    return std::isnan(value) || (std::isinf(value) && (narrow || value > 0));
  });
  if (wrong == values.data.end()) return Done{};
  const char* const number = std::isnan(*wrong) ? "not a number (NaN)"
                             : *wrong > 0       ? "infinite"
                                                : "-infinite";
  return error("input-value", place,
               "its element " + std::to_string(wrong - values.data.begin()) +
                   ", in the order of memory, is " + number +
                   ", and so would be the results that are expected",
               "give finite numbers; numpy.isfinite tells which are none");
}

/// The arrays of the file; each has a tensor of the program's inputs that it is the value of.
Result<TensorSet> givenTensors(const std::string& file, const TensorProgram& program, bool narrow) {
  if (file.empty()) return TensorSet{};
  SLUICE_TRY(TensorSet tensors, loadTensors(file));
  for (const auto& [name, values] : tensors) {
    const auto own = std::ranges::find(program.tensors, name, &TensorValue::name);
    const Location place = Location(Where::File, file) / Location(Where::Tensor, name);
    if (own == program.tensors.end() || own->role == TensorRole::Activation)
      return error("unknown-tensor", place, "the program reads no tensor of this name from outside",
                   spellingFix(name, outsideNames(program),
                               "`sluice-cli compile FILE --text` lists inputs, weights and tables"));
    if (values.shape != std::vector<std::size_t>(own->shape.begin(), own->shape.end()))
      return error("shape-mismatch", place,
                   "its shape is " + extentsText(values.shape) + ", and that of the program's tensor " +
                       extentsText(own->shape),
                   "give it the shape that the program has at these knobs");
    SLUICE_CHECK(checkNumbers(values, place, narrow));
  }
  return tensors;
}

/// The project of what the file compiles to, placed on the platform if there is one.
Result<std::vector<ProjectFile>> project(const EmitHlsOptions& options, const std::stop_token& stop) {
  SLUICE_CHECK(checkCompilable(options));
  const bool placed = !options.platform.empty(), narrow = options.numbers == "program";
  SLUICE_TRY(const Platform platform, platformNamed(placed ? options.platform : "generic"));
  SLUICE_TRY(CompilationSource source,
             compilationSource(options, placed ? &platform : nullptr, options.rewrites));
  SLUICE_TRY(TensorCompilation compilation,
             tensorCompilation(source.document, source.inputs, source.knobs, stop));
  SLUICE_TRY(TensorSet tensors, givenTensors(options.tensors, compilation.compiled.design.program, narrow));
  if (!options.tensors.empty()) source.choices.emplace_back("tensors", options.tensors);
  return hlsFilesOf(std::move(compilation),
                    {.platform = options.platform,
                     .tensors = std::move(tensors),
                     .data = !options.no_data,
                     .vendor_headers = options.vendor_headers,
                     .narrow = narrow},
                    {.document = &source.document,
                     .inputs = &source.inputs,
                     .knobs = source.knobs,
                     .choices = source.choices},
                    stop);
}

int runEmitHls(const EmitHlsOptions& options, const std::stop_token& stop) {
  const Result<std::vector<ProjectFile>> files = project(options, stop);
  if (!files) return fail(files.diagnostics(), options.json);
  return writeProject(options, "hls", *files,
                      options.no_data ? "make csim there needs the arrays that --no-data leaves out"
                                      : "make csim there runs them");
}

}  // namespace

Command emitHlsCommand() {
  const auto options = std::make_shared<EmitHlsOptions>();
  Command command{
      .name = "hls",
      .summary = "a compiled tensor program as a Vitis HLS project that also runs with g++",
      .examples =
          {{"emit hls sample_workloads/gpt2_block.sluice --set tokens=32 --no-data -o block_hls",
            "kernels, FIFOs, converters and transfers as C++"},
           {"emit hls gpt2 --set tokens=4 --rewrites 'fold everywhere' --no-data -o folded_hls --json",
            "of a built-in model, rewritten first"}},
      .options = programOptions(*options),
      .run = [options](Process& process) { return runEmitHls(*options, process.interrupt.token()); }};
  addOutputOptions(command, *options);
  command.add(
      "--platform", options->platform,
      "place it on a card: u55c, u280, generic or a machine file; its clock and memory are configured");
  command.add("--rewrites", options->rewrites, "rewrites of the design, in this order, as of compile",
              {.type = "REWRITE"});
  command.add(
      "--tensors", options->tensors,
      "inputs of the test bench, by name, of float32 or numbers that it has; others are filled by formula",
      {.type = "FILE.npz"});
  command.add("--numbers", options->numbers,
              "float32, or program: those of its scalars, bf16, f16, and i8 and i4 with a scale measured on "
              "the inputs",
              {.type = "NUMBERS", .choices = {"float32", "program"}});
  command.add("--vendor-headers", options->vendor_headers,
              "the vendor's headers, with which 'make csim' compiles instead of the project's own",
              {.type = "FOLDER"});
  command.add("--no-data", options->no_data, "leave out the test bench's arrays");
  return command;
}

}  // namespace sluice::cli
