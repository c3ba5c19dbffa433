// Every importer of Sluice, in the order in which they are asked, and what is asked of all of them. Those of
// plug-ins stand behind them and are asked first: the last one of Sluice takes everything.

#include "engine/importers/registry.h"

#include <algorithm>

#include "engine/core/atomic_file.h"
#include "engine/core/json_extent.h"
#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"

#define SLUICE_IMPORTERS(X) \
  X(onnx)                   \
  X(tensor_program)         \
  X(dot)                    \
  X(sdf3)                   \
  X(step_json)              \
  X(step_protobuf)

namespace sluice::inline importers {

#define SLUICE_DECLARE(name)    \
  namespace name {              \
  const Importer& definition(); \
  }
SLUICE_IMPORTERS(SLUICE_DECLARE)
#undef SLUICE_DECLARE
namespace {

constexpr const char* own_suffix = "sluice";
#define SLUICE_COUNT(name) +1
constexpr std::size_t built_in = SLUICE_IMPORTERS(SLUICE_COUNT);
#undef SLUICE_COUNT

const Importer& lastBuiltIn() {
  return *registeredImporters()[built_in - 1];
}

/// In lower case, without the dot.
std::string suffixOf(const std::filesystem::path& file) {
  std::string suffix = file.extension().string();
  std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return suffix.empty() ? suffix : suffix.substr(1);
}

bool has(const Importer& importer, const std::string& suffix) {
  return std::find(importer.suffixes.begin(), importer.suffixes.end(), suffix) != importer.suffixes.end();
}

/// Null: no importer has the suffix.
const Importer* importerWith(const std::string& suffix) {
  for (const Importer* importer : registeredImporters())
    if (has(*importer, suffix)) return importer;
  return nullptr;
}

Result<std::string> bytesOf(const std::filesystem::path& file) {
  const Importer* importer = importerWith(suffixOf(file));
  return readFile(file, (importer ? *importer : lastBuiltIn()).limit);
}

/// Every Sluice document has this key; no graph of the artifact has.
bool isDocument(std::string_view bytes) {
  return bytes.find("\"sluice\"") != std::string_view::npos;
}

/// By its name or how it begins; the last importer takes what no other one does.
bool knows(const Importer& importer, const std::filesystem::path& file) {
  return has(importer, suffixOf(file)) || &importer != &lastBuiltIn();
}

bool isGiven(const ImportOption& option, const ImportOptions& options) {
  return std::visit([&](auto member) { return options.*member != ImportOptions().*member; }, option.member);
}

/// The refusal of an option that is for another format.
std::optional<Diagnostic> misplacedOption(const Importer& chosen, const std::filesystem::path& file,
                                          const ImportOptions& options) {
  for (const Importer* other : registeredImporters()) {
    if (other == &chosen) continue;
    std::string names, cause;
    for (const ImportOption& option : other->options) {
      if (!isGiven(option, options)) continue;
      names += (names.empty() ? "--" : " and --") + option.name;
      cause = option.elsewhere;
    }
    if (!cause.empty())
      return error("conflicting-options", Location(Where::File, file.string()), cause,
                   "leave " + names + " out");
  }
  return {};
}

}  // namespace

Registry<const Importer*>& importerRegistry() {
#define SLUICE_LIST(name) &name::definition(),
  static Registry<const Importer*> registry({SLUICE_IMPORTERS(SLUICE_LIST)});
#undef SLUICE_LIST
  return registry;
}

std::span<const Importer* const> registeredImporters() {
  return importerRegistry().all();
}

const Importer& importerOf(const std::filesystem::path& file, std::string_view bytes) {
  const std::string suffix = suffixOf(file);
  const auto all = registeredImporters();
  for (const auto asked : {all.subspan(built_in), all.first(built_in)}) {
    const auto found = std::ranges::find_if(asked, [&](const Importer* importer) {
      return (importer->suffix == SuffixSays::Format && has(*importer, suffix)) ||
             (importer->sniff && importer->sniff(bytes));
    });
    if (found != asked.end()) return **found;
  }
  return lastBuiltIn();
}

Result<Imported> importFile(const std::filesystem::path& file, const ImportOptions& options) {
  SLUICE_TRY(const std::string bytes, bytesOf(file));
  if (bytes.empty())
    return error("empty-file", Location(Where::File, file.string()), "the file is empty",
                 "export the graph or the model again");
  const Importer& importer = importerOf(file, bytes);
  if (const auto misplaced = misplacedOption(importer, file, options)) return *misplaced;
  if (suffixOf(file) == own_suffix || (beginsAsJson(bytes) && isDocument(bytes))) {
    return error("wrong-format", Location(Where::File, file.string()),
                 "this is a Sluice document: there is nothing to import",
                 "open it as it is; every command takes it");
  }
  Result<Imported> read = importer.read(bytes, file, options);
  if (!read && !isCancelled(read.diagnostics()) && !knows(importer, file))
    return error("wrong-format", Location(Where::File, file.string()), "this is of no kind that is imported",
                 "give " + importedKinds());
  SLUICE_TRY(Imported imported, std::move(read));
  if (imported.document.title.empty()) imported.document.title = file.stem().string();
  if (const Diagnostics wrong = check(imported.document, builtInCatalog(), options.stop);
      hasErrors(wrong) || isCancelled(wrong))
    return wrong;
  return imported;
}

Diagnostics reportWithCoverage(const Imported& imported, const std::filesystem::path& file) {
  Diagnostics report = imported.report;
  if (!imported.coverage) return report;
  const ImportCoverage& coverage = *imported.coverage;
  const auto share = [](std::int64_t part, std::int64_t whole) {
    const auto percent =
        whole == 0 ? 100 : static_cast<int>(100.0 * static_cast<double>(part) / static_cast<double>(whole));
    return std::to_string(percent) + " %";
  };
  std::string nodes = std::to_string(coverage.nodes_understood) + " of " + std::to_string(coverage.nodes) +
                      " nodes, " + share(coverage.products_understood, coverage.products) + " of the " +
                      std::to_string(coverage.products) + " multiply-accumulate operations and " +
                      share(coverage.bytes_understood, coverage.bytes) + " of the bytes are understood, in " +
                      std::to_string(coverage.pieces) + (coverage.pieces == 1 ? " piece" : " pieces");
  if (imported.layers)
    nodes += "; " + std::to_string(imported.layers->count) + " equal layers of " +
             std::to_string(imported.layers->operators) + " operators each stand once";
  report.insert(report.begin(),
                note("import-coverage", Location(Where::File, file.string()), nodes,
                     coverage.cuts.empty() ? "nothing was cut out" : "what was cut out is reported below"));
  return report;
}

std::string importedKinds() {
  const auto importers = registeredImporters();
  std::string titles;
  for (const Importer* importer : importers) {
    if (importer != importers.front()) titles += importer == importers.back() ? " or " : ", ";
    titles += importer->title;
  }
  return titles;
}

std::vector<std::string> importSuffixes() {
  std::vector<std::string> suffixes;
  for (const Importer* importer : registeredImporters())
    suffixes.insert(suffixes.end(), importer->suffixes.begin(), importer->suffixes.end());
  return suffixes;
}

bool isForeign(const std::filesystem::path& file) {
  const std::string suffix = suffixOf(file);
  if (suffix == own_suffix) return false;
  const Importer* named = importerWith(suffix);
  if (named && named->suffix != SuffixSays::Nothing) return true;
  const Result<std::string> bytes = bytesOf(file);
  if (!bytes) return named;
  return named ? !isDocument(*bytes) : importerOf(file, *bytes).unmistakable;
}

std::vector<std::string> symbolicDimensions(const std::filesystem::path& file) {
  const Importer* importer = importerWith(suffixOf(file));
  if (!importer || !importer->dimensions) return {};
  const Result<std::string> bytes = bytesOf(file);
  return bytes ? importer->dimensions(*bytes) : std::vector<std::string>{};
}

}  // namespace sluice::inline importers
