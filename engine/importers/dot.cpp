// DOT: a Graphviz graph, written by Sluice or by hand.

#include "engine/interchange/dot.h"

#include "engine/importers/importer.h"

namespace sluice::inline importers::dot {
namespace {

Result<Imported> read(const std::string& bytes, const std::filesystem::path& file,
                      const ImportOptions& options) {
  SLUICE_TRY(Document document, readDot(bytes, file.string(), options.stop));
  return Imported{std::move(document), {}};
}

}  // namespace

const Importer& definition() {
  static const Importer importer{
      .name = "DOT", .title = "a Graphviz graph", .suffixes = {"dot", "gv"}, .read = read};
  return importer;
}

}  // namespace sluice::inline importers::dot
