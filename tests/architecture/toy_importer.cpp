// A toy importer.

#include <algorithm>

#include "engine/core/characters.h"
#include "engine/program/file_format.h"
#include "tests/architecture/toys.h"

namespace sluice::toys {
namespace {

Result<Imported> read(const std::string& bytes, const std::filesystem::path& file, const ImportOptions&) {
  if (bytes.size() > 3 || !std::ranges::all_of(bytes, isDigit))
    return error("not-an-integer", Location(Where::File, file.string()), "it is no number of tiles",
                 "write a whole number of up to three digits");
  SLUICE_TRY(Document document, parseDocument(R"({"sluice": 1, "program": {"nodes": [
    {"name": "tiles", "kind": "TileGen",
     "parameters": {"interval": 1, "shape": [")" + bytes +
                                                  R"("], "tile": [16, 16]}},
    {"name": "end", "kind": "Consumer"}], "streams": [{"from": "tiles.out", "to": "end.in"}]}})",
                                              file.string()));
  return Imported{std::move(document), {}};
}

}  // namespace

const Importer& tiles() {
  static const Importer importer{
      .name = "Toy", .title = "a number of tiles", .suffixes = {"toy"}, .read = read};
  return importer;
}

}  // namespace sluice::toys
