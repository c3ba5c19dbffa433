#include "engine/explorer/import.h"

#include <algorithm>

#include "engine/core/atomic_file.h"
#include "engine/interchange/dot.h"
#include "engine/interchange/step_fixture.h"
#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"
#include "engine/schedule/compile_tensors.h"
#include "engine/tensor/onnx.h"
#include "engine/tensor/tensor_program_text.h"

namespace sluice {
namespace {

constexpr std::uintmax_t most = std::uintmax_t{1} << 26, mostWithWeights = std::uintmax_t{1} << 28;

/// In lower case, without the dot.
std::string suffixOf(const std::filesystem::path& file) {
  std::string suffix = file.extension().string();
  std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return suffix.empty() ? suffix : suffix.substr(1);
}

Result<std::string> bytesOf(const std::filesystem::path& file) {
  return readFile(file, suffixOf(file) == "onnx" ? mostWithWeights : most);
}

/// 'program', behind comments.
bool beginsTensorProgram(std::string_view bytes) {
  while (bytes.starts_with("//")) {
    const std::size_t line = bytes.find('\n');
    bytes.remove_prefix(line == std::string_view::npos ? bytes.size() : line + 1);
  }
  return bytes.starts_with("program");
}

/// A serialised message never begins with a brace, as its first byte is a field's tag.
bool isJson(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos || bytes[first] == '{';
}

/// Every Sluice document has this key; no graph of the artifact has.
bool isDocument(std::string_view bytes) {
  return bytes.find("\"sluice\"") != std::string_view::npos;
}

Result<Imported> withoutReport(Result<Document> document) {
  if (!document) return document.diagnostics();
  return Imported{*std::move(document), {}};
}

Result<Imported> importTensorProgram(const std::string& bytes, const std::string& name) {
  const Result<TensorProgram> program = parseTensorProgram(bytes, name);
  if (!program) return program.diagnostics();
  return Imported{tensorProgramDocument(*program), {}};
}

Result<Imported> read(const std::filesystem::path& file, const std::string& bytes,
                      const ImportOptions& options) {
  const std::string suffix = suffixOf(file), name = file.string();
  if (suffix == "sluice" || (isJson(bytes) && isDocument(bytes))) {
    return Diagnostic{Severity::Error, name, "this is a Sluice document: there is nothing to import",
                      "open it as it is; every command takes it"};
  }
  if (suffix == "onnx") {
    Result<OnnxImport> model = importOnnx(bytes, name, {options.dimensions});
    if (!model) return model.diagnostics();
    return Imported{tensorProgramDocument(model->program), std::move(model->report)};
  }
  if (suffix == "mlir" || beginsTensorProgram(bytes)) return importTensorProgram(bytes, name);
  if (suffix == "dot" || suffix == "gv") return withoutReport(readDot(bytes, name));
  if (isJson(bytes)) return withoutReport(importStepFixture(bytes, name));
  StepGraphOptions step = options.step;
  step.folder = file.parent_path();
  return withoutReport(importStepProtobuf(bytes, name, step));
}

}  // namespace

Result<Imported> importFile(const std::filesystem::path& file, const ImportOptions& options) {
  const Result<std::string> bytes = bytesOf(file);
  if (!bytes) return bytes.diagnostics();
  Result<Imported> imported = read(file, *bytes, options);
  if (!imported) return imported;
  if (imported->document.title.empty()) imported->document.title = file.stem().string();
  if (const Diagnostics wrong = check(imported->document, builtInCatalog()); hasErrors(wrong)) return wrong;
  return imported;
}

const std::vector<std::string>& importSuffixes() {
  static const std::vector<std::string> suffixes{"pb", "json", "dot", "gv", "onnx", "mlir"};
  return suffixes;
}

bool isForeign(const std::filesystem::path& file) {
  const std::string suffix = suffixOf(file);
  if (suffix == "sluice") return false;
  const std::vector<std::string>& known = importSuffixes();
  const bool by_name = std::find(known.begin(), known.end(), suffix) != known.end();
  if (by_name && suffix != "json") return true;
  const Result<std::string> bytes = bytesOf(file);
  if (!bytes) return by_name;
  return by_name ? !isDocument(*bytes) : beginsTensorProgram(*bytes);
}

std::vector<std::string> symbolicDimensions(const std::filesystem::path& file) {
  if (suffixOf(file) != "onnx") return {};
  const Result<std::string> bytes = bytesOf(file);
  return bytes ? onnxDimensions(*bytes) : std::vector<std::string>{};
}

}  // namespace sluice
