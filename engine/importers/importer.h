#pragma once
// An importer: a format of another tool, and how a file of it becomes a document. Each is described in the
// file of its name; what lists, recognises or reads formats asks these descriptions (registry.h).

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/core/range.h"
#include "engine/core/result.h"
#include "engine/core/tensor_sink.h"
#include "engine/program/document.h"

namespace sluice::inline importers {

/// What the caller says beside the file. Importers list in `options` which of it they heed.
struct ImportOptions {
  std::map<std::string, std::int64_t> dimensions = {};  ///< extents of symbolic dimensions, "seq" -> 64
  /// Of those that become knobs all extents, `dimensions` has the one to begin with.
  std::map<std::string, std::vector<std::int64_t>> dimension_values = {};
  std::optional<std::int64_t> fifo_depth = {};     ///< tokens of every channel
  std::optional<std::int64_t> element_bytes = {};  ///< of a float in memory
  std::string hbm_config = {}, sim_config = {};    ///< files of settings
  std::string schema = {};                         ///< a folder
  std::string weights = {};     ///< the file that the caller writes what `take_weight` is given to
  TensorSink take_weight = {};  ///< is given the values of the document's tensors; empty: not wanted
  std::stop_token stop = {};    ///< every importer heeds it
};

/// How much of a model became part of the document. "Products" are multiply-accumulate operations.
struct ImportCoverage {
  /// A part of the model that is not in the document.
  struct Cut {
    std::string name, kind, why;
    std::int64_t products = 0;
    bool unknown = false;  ///< how many products it has is not known
  };

  std::int64_t nodes = 0, nodes_understood = 0;
  std::int64_t products = 0, products_understood = 0;
  std::int64_t bytes = 0, bytes_understood = 0;  ///< of constants and of what the nodes make
  std::int64_t pieces = 0;                       ///< parts of the document that nothing connects
  std::vector<Cut> cuts;

  /// From 0 to 1; 1 where there are none.
  double shareOfProducts() const {
    return products == 0 ? 1 : static_cast<double>(products_understood) / static_cast<double>(products);
  }
  bool isPartial() const { return shareOfProducts() < 0.5; }
};

/// Equal layers that follow each other and stand once in the document, with their number.
struct ImportLayers {
  std::int64_t count = 0, operators = 0;  ///< operators of one layer
};

struct Imported {
  Document document;
  Diagnostics report;                           ///< what was not taken over as it was
  std::optional<ImportCoverage> coverage = {};  ///< of models that may be understood in part
  std::optional<ImportLayers> layers = {};
};

/// A member of ImportOptions, as users give it.
struct ImportOption {
  /// Of a map one entry at a time is given, as NAME=EXTENT.
  using Member = std::variant<std::map<std::string, std::int64_t> ImportOptions::*,
                              std::optional<std::int64_t> ImportOptions::*, std::string ImportOptions::*>;

  std::string name;  ///< "fifo-depth"
  Member member;
  std::string help;
  std::string type = {};  ///< in the help: "FILE", "NAME=EXTENT"; empty: a number
  std::optional<Range> range = {};
  std::vector<std::string> choices = {};
  /// Why it is refused with a file of another format.
  std::string elsewhere;
};

/// What the suffix of an importer says about a file.
enum class SuffixSays : std::uint8_t {
  Format,   ///< it is of this format, whatever is in it
  Foreign,  ///< it is of another tool; the content says of which
  Nothing,  ///< Sluice documents have it, too; the content says the rest
};

struct Importer {
  std::string name;                   ///< "ONNX"
  std::string title;                  ///< "an ONNX model"
  std::vector<std::string> suffixes;  ///< in lower case, without the dot
  SuffixSays suffix = SuffixSays::Format;
  /// Whether the bytes are of this format; null: only the suffix says so. `content` says it in words.
  bool (*sniff)(std::string_view bytes) = nullptr;
  std::string content = {};
  bool unmistakable = false;                       ///< no Sluice document and no other file is sniffed as it
  std::uintmax_t limit = std::uintmax_t{1} << 26;  ///< bytes; a larger file is refused
  std::vector<ImportOption> options = {};
  /// The document passes check(), or importFile() refuses it. Errors: of the file, and a stop request.
  Result<Imported> (*read)(const std::string& bytes, const std::filesystem::path& file,
                           const ImportOptions& options);
  /// The symbolic dimensions that the file leaves open, each once; null: the format has none.
  std::vector<std::string> (*dimensions)(std::string_view bytes) = nullptr;
};

}  // namespace sluice::inline importers
