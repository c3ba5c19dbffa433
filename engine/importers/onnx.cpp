// ONNX: a model as a tensor program.

#include "engine/tensor/onnx/onnx.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "engine/core/cancelled.h"
#include "engine/core/characters.h"
#include "engine/importers/importer.h"
#include "engine/schedule/compile_tensors.h"
#include "engine/schedule/tile_limit.h"
#include "engine/tensor/onnx/onnx_names.h"
#include "engine/tensor/programs/folded_program.h"

namespace sluice::inline importers::onnx {
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

/// With the weights they are computed, too.
Diagnostic derivedTables(const std::vector<std::string>& names, const std::filesystem::path& file) {
  const std::string others =
      names.size() == 1 ? "" : ", and so do " + std::to_string(names.size() - 1) + " others";
  return note("missing-data",
              Location(Where::File, file.string()) / Location(Where::Tensor, printable(names[0])),
              "it follows from shapes and constants alone and comes in as a table from outside" + others,
              "import with --weights where values matter: it writes theirs, too");
}

constexpr std::size_t most_sizes = 4, most_sized_operators = 5000;

/// The size that a dimension becomes: letters, digits and underscores, and no other's name.
std::string sizeName(const std::string& dimension, const std::set<std::string>& taken) {
  std::string name;
  for (const char c : dimension) name += isLetter(c) || isDigit(c) ? c : '_';
  if (name.empty() || isDigit(name[0])) name = "size_" + name;
  while (taken.contains(name)) name += "_";
  return name;
}

/// The model at several extents of its dimensions, to see how its program depends on them.
class SizedModel {
 public:
  SizedModel(const std::string& bytes, std::string file, const ImportOptions& options,
             const OnnxImport& model)
      : bytes_(bytes), file_(std::move(file)), options_(options), model_(model), program_(model.program) {
    std::set<std::string> taken = {"program", "tile", "unroll", "on_chip", "sizing", layer_count};
    for (const std::string& dimension : onnxDimensions(bytes)) {
      if (!options.dimensions.contains(dimension)) continue;
      names_[dimension] = sizeName(dimension, taken);
      taken.insert(names_[dimension]);
    }
  }

  /// What a dimension is called in the program, where it is a size.
  std::optional<std::string> nameOf(const std::string& dimension) const {
    const auto found = names_.find(dimension);
    return found == names_.end() ? std::nullopt : std::optional(found->second);
  }

  /// Without sizes but the number of layers where no dimension is seen to be free.
  SizedText text() {
    if (names_.empty() || names_.size() > most_sizes || program_.operators.size() > most_sized_operators)
      return sizedText(program_);
    std::vector<std::string> open;
    for (const auto& [dimension, name] : names_)
      if (!textOver({dimension}).text.empty()) open.push_back(dimension);
    SizedText text = open.empty() ? SizedText{} : textOver(open);
    while (text.text.empty() && open.size() > 1) open.pop_back(), text = textOver(open);
    if (text.text.empty()) of_one_extent_.clear();
    return text.text.empty() ? sizedText(program_) : text;
  }

  /// A table of the same shape and of other values at other extents of a dimension; empty: that is not why it
  /// is no size.
  std::string tableThatFollows(const std::string& dimension) const {
    const auto found = follows_.find(dimension);
    return found == follows_.end() ? "" : found->second;
  }
  /// Tables whose shapes follow from the dimensions that are sizes in text().
  const std::vector<std::string>& tablesOfOneExtent() const { return of_one_extent_; }

 private:
  using Extents = std::map<std::string, std::int64_t>;

  /// Others that are likely to be possible where this one is: of a long dimension three and two quarters.
  static std::int64_t other(std::int64_t extent, int which) {
    return extent >= 8 ? extent - which * (extent / 4) : extent + which;
  }

  SizedProgram sized(TensorProgram program, const Extents& extents,
                     const std::vector<std::string>& open) const {
    SizedProgram result{{}, std::move(program)};
    for (const std::string& dimension : open) result.sizes[names_.at(dimension)] = extents.at(dimension);
    return result;
  }

  std::optional<OnnxImport> at(const Extents& extents) const {
    Result<OnnxImport> model = importOnnx(bytes_, file_, {extents, options_.stop});
    return model ? std::optional(*std::move(model)) : std::nullopt;
  }

  /// Where the program must be the one that the text says: a table may be the same up to some extent, and
  /// another one from there on.
  std::vector<Extents> checksOf(const std::vector<std::string>& open) const {
    std::vector<Extents> checks{options_.dimensions};
    for (const std::string& dimension : open) {
      checks[0][dimension] = other(checks[0][dimension], 2);
      const auto asked = options_.dimension_values.find(dimension);
      if (asked == options_.dimension_values.end()) continue;
      for (const std::int64_t extent : asked->second) {
        Extents one = options_.dimensions;
        if (std::exchange(one[dimension], extent) != extent) checks.push_back(std::move(one));
      }
    }
    return checks;
  }

  SizedText textOver(const std::vector<std::string>& open) {
    of_one_extent_.clear();
    const SizedProgram first = sized(program_, options_.dimensions, open);
    std::vector<SizedProgram> varied;
    for (const std::string& dimension : open) {
      Extents one = options_.dimensions;
      one[dimension] = other(one[dimension], 1);
      std::optional<OnnxImport> model = at(one);
      if (!model) return {};
      varied.push_back(sized(std::move(model->program), one, open));
    }
    SizedText text;
    for (const Extents& extents : checksOf(open)) {
      const std::optional<OnnxImport> checked = at(extents);
      if (!checked) return {};
      text = sizedText(first, varied, sized(checked->program, extents, open));
      if (text.text.empty() || !hasSameTables(*checked, extents, open)) return {};
    }
    return text;
  }

  bool hasSameTables(const OnnxImport& other, const Extents& extents, const std::vector<std::string>& open) {
    const OnnxTables own{program_, model_.sources, model_.derived, options_.dimensions},
        others{other.program, other.sources, other.derived, extents};
    if (of_one_extent_.empty()) of_one_extent_ = tablesOfOtherShapes(own, others);
    const std::filesystem::path folder = std::filesystem::path(file_).parent_path();
    const std::string table = tableOfOtherValues(bytes_, folder, own, others, options_.stop);
    for (const std::string& dimension : open)
      if (!table.empty()) follows_.try_emplace(dimension, table);
    return table.empty();
  }

  const std::string& bytes_;
  std::string file_;
  const ImportOptions& options_;
  const OnnxImport& model_;
  const TensorProgram& program_;
  std::map<std::string, std::string> names_;    ///< dimension -> size
  std::map<std::string, std::string> follows_;  ///< dimension -> a table
  std::vector<std::string> of_one_extent_;
};

using Extents = std::map<std::string, std::int64_t>;

/// Whether what was asked for is understood at these extents, and can run.
bool isUnderstoodAt(const Extents& extents, const std::string& bytes, const std::string& file,
                    const std::stop_token& stop) {
  const Result<OnnxImport> model = importOnnx(bytes, file, {extents, stop});
  return model && !coverageOf(model->coverage).isPartial() && !operatorOfTooManyTiles(model->program);
}

/// Of a model that is not understood: where the extents are the reason, which one, and about how large it may
/// be, the other ones as they are. What tensors and operations are too large then looks like operators that
/// are not known.
std::optional<Diagnostic> tooLargeExtent(const std::string& bytes, const std::string& file,
                                         const Extents& extents, const std::stop_token& stop) {
  constexpr int small = 6;  // 64
  Extents bounded = extents;
  for (auto& [name, extent] : bounded) extent = std::min(extent, std::int64_t{1} << small);
  if (bounded == extents || !isUnderstoodAt(bounded, bytes, file, stop)) return {};
  for (const auto& [name, extent] : extents) {
    Extents tried = bounded;
    tried[name] = extent;
    if (isUnderstoodAt(tried, bytes, file, stop)) {
      bounded[name] = extent;  // it is not this one
      continue;
    }
    int fits = small, fails = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(extent)));
    while (fails - fits > 1 && !stop.stop_requested()) {
      const int next = (fits + fails) / 2;
      tried[name] = std::int64_t{1} << next;
      (tried[name] < extent && isUnderstoodAt(tried, bytes, file, stop) ? fits : fails) = next;
    }
    const std::string most = std::to_string(std::int64_t{1} << fits);
    return error("out-of-range",
                 Location(Where::File, file) /
                     Location(Where::Option, "--dimension " + name + "=" + std::to_string(extent)),
                 "with '" + name +
                     "' so large, tensors of the model have more than 2^48 bits, or operations more than "
                     "2^50 multiplications or 2^31 tiles, which nothing simulates",
                 "give '" + name + "' at most about " + most + ", as in --dimension " + name + "=" + most);
  }
  return {};
}

/// Whether a smaller extent could be the cure. What says so itself is not looked into.
bool mayBeTooLarge(const Result<OnnxImport>& model) {
  if (model) return coverageOf(model->coverage).isPartial() || operatorOfTooManyTiles(model->program);
  return std::ranges::any_of(model.diagnostics(), [](const Diagnostic& problem) {
    return problem.code == "unsupported-operator" || problem.code == "too-many" || problem.code == "overflow";
  });
}

/// What is wrong with the extents: those to begin with, and the largest of those of knobs.
std::optional<Diagnostic> wrongExtents(const Result<OnnxImport>& first, const std::string& bytes,
                                       const std::string& file, const ImportOptions& options) {
  if (mayBeTooLarge(first))
    if (auto large = tooLargeExtent(bytes, file, options.dimensions, options.stop)) return large;
  Extents largest = options.dimensions;
  for (const auto& [name, extents] : options.dimension_values) largest[name] = std::ranges::max(extents);
  if (largest != options.dimensions && first && !coverageOf(first->coverage).isPartial() &&
      !isUnderstoodAt(largest, bytes, file, options.stop) && !options.stop.stop_requested())
    return tooLargeExtent(bytes, file, largest, options.stop);
  return {};
}

/// An operator that no simulation would take, whatever extents were given.
Result<Done> checkTiles(const TensorProgram& program, const std::string& file) {
  const std::optional<std::size_t> large = operatorOfTooManyTiles(program);
  if (!large) return Done{};
  return error(
      "too-many",
      Location(Where::File, file) / Location(Where::Operator, printable(program.operators[*large].name)),
      "it has more than 2^31 tiles, which nothing simulates", "import a smaller model");
}

/// Of the weights that go with knobs: those that are of no other extent.
Diagnostic tablesOfOneExtent(const std::vector<std::string>& names, const ImportOptions& options,
                             const std::filesystem::path& file) {
  std::string extents;
  for (const auto& [dimension, values] : options.dimension_values)
    extents +=
        (extents.empty() ? "" : ", ") + dimension + "=" + std::to_string(options.dimensions.at(dimension));
  const std::string others = names.size() == 1 ? "" : " and " + std::to_string(names.size() - 1) + " others";
  return note("dynamic-extent",
              Location(Where::File, file.string()) / Location(Where::Tensor, printable(names[0])),
              "the weights have the values of this table" + others + " at " + extents + " only",
              "import again at another extent to compute values there");
}

/// The constants of dimensions with several extents become knobs.
void addKnobs(const ImportOptions& options, const SizedModel& model, const std::filesystem::path& file,
              Imported& imported) {
  Document& document = imported.document;
  for (auto [dimension, values] : options.dimension_values) {
    const std::optional<std::string> name = model.nameOf(dimension);
    if (!name || document.constants.erase(*name) == 0) {
      const std::string table = model.tableThatFollows(dimension);
      imported.report.push_back(warning(
          "dynamic-extent", Location(Where::File, file.string()),
          "'" + dimension + "' is no knob: " +
              (table.empty() ? "the program at other extents differs in more than a size"
                             : "the table '" + printable(table) + "' has other values at other extents"),
          "import the model once for each extent"));
      continue;
    }
    Knob knob;
    knob.name = *name;
    knob.kind = KnobKind::List;
    knob.help = "the dimension '" + dimension + "' of the model";
    knob.initial = options.dimensions.at(dimension);
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
    knob.list = std::move(values);
    document.knobs.insert(document.knobs.begin(), std::move(knob));
  }
}

Result<Imported> read(const std::string& bytes, const std::filesystem::path& file,
                      const ImportOptions& options) {
  Result<OnnxImport> first = importOnnx(bytes, file.string(), {options.dimensions, options.stop});
  if (auto wrong = wrongExtents(first, bytes, file.string(), options)) return *std::move(wrong);
  if (options.stop.stop_requested()) return cancelledDiagnostic();
  SLUICE_TRY(OnnxImport model, std::move(first));
  SLUICE_CHECK(checkTiles(model.program, file.string()));
  ImportCoverage coverage = coverageOf(model.coverage);
  if (coverage.isPartial())
    model.report.insert(model.report.begin(),
                        partialImport(coverage, model.coverage, Location(Where::File, file.string())));
  SizedModel sized(bytes, file.string(), options, model);
  const SizedText text = sized.text();
  if (options.stop.stop_requested()) return cancelledDiagnostic();
  Imported imported{tensorProgramDocument(model.program, text), std::move(model.report), std::move(coverage)};
  if (text.layers > 0) imported.layers = {text.layers, text.layer_operators};
  addKnobs(options, sized, file, imported);
  if (!options.take_weight) {
    if (!model.derived.empty()) imported.report.push_back(derivedTables(model.derived, file));
    return imported;
  }
  SLUICE_TRY(const OnnxWeights weights, onnxWeights(bytes, file.parent_path(), model.program, model.sources,
                                                    options.dimensions, options.take_weight, options.stop));
  imported.report.insert(imported.report.end(), weights.report.begin(), weights.report.end());
  if (!options.dimension_values.empty() && !sized.tablesOfOneExtent().empty())
    imported.report.push_back(tablesOfOneExtent(sized.tablesOfOneExtent(), options, file));
  return imported;
}

}  // namespace

const Importer& definition() {
  static const Importer importer{
      .name = "ONNX",
      .title = "an ONNX model",
      .suffixes = {"onnx"},
      .limit = std::uintmax_t{1} << 30,  // with its weights
      .options = {{.name = "dimension",
                   .member = &ImportOptions::dimensions,
                   .help =
                       "the extent of a symbolic dimension, seq=64; several make it a knob, seq=64,32,128",
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

}  // namespace sluice::inline importers::onnx
