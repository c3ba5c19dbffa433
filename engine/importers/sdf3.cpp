// SDF3: a synchronous or cyclo-static dataflow graph in XML.

#include "engine/csdf/sdf3.h"

#include "engine/core/cancelled.h"
#include "engine/importers/importer.h"
#include "engine/interchange/csdf_program.h"

namespace sluice::inline importers::sdf3 {
namespace {

bool isXml(std::string_view bytes) {
  const std::size_t begin = bytes.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return begin != std::string_view::npos && bytes[begin] == '<' &&
         bytes.substr(0, 4096).find("<sdf3") != std::string_view::npos;
}

Result<Imported> read(const std::string& bytes, const std::filesystem::path& file,
                      const ImportOptions& options) {
  SLUICE_TRY(ReadCsdf graph, readSdf3(bytes, file.string()));
  if (options.stop.stop_requested()) return cancelledDiagnostic();
  SLUICE_TRY(CsdfProgram program, csdfProgram(graph.graph, file.string()));
  graph.notes.insert(graph.notes.end(), program.notes.begin(), program.notes.end());
  return Imported{std::move(program.document), std::move(graph.notes)};
}

}  // namespace

const Importer& definition() {
  static const Importer importer{.name = "SDF3",
                                 .title = "a dataflow graph of SDF3",
                                 .suffixes = {"xml"},
                                 .sniff = isXml,
                                 .content = "XML with an 'sdf3' element",
                                 .unmistakable = true,
                                 .limit = most_sdf3_bytes,
                                 .read = read};
  return importer;
}

}  // namespace sluice::inline importers::sdf3
