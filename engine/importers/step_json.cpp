// STeP JSON: a STeP graph in the JSON of the paper's artifact.

#include "engine/core/json_extent.h"
#include "engine/importers/importer.h"
#include "engine/interchange/step_fixture.h"

namespace sluice::inline importers::step_json {
namespace {

Result<Imported> read(const std::string& bytes, const std::filesystem::path& file,
                      const ImportOptions& options) {
  SLUICE_TRY(Document document, importStepFixture(bytes, file.string(), options.stop));
  return Imported{std::move(document), {}};
}

}  // namespace

const Importer& definition() {
  static const Importer importer{.name = "STeP JSON",
                                 .title = "a STeP graph in JSON",
                                 .suffixes = {"json"},
                                 .suffix = SuffixSays::Nothing,
                                 .sniff = beginsAsJson,
                                 .content = "any JSON object",
                                 .read = read};
  return importer;
}

}  // namespace sluice::inline importers::step_json
