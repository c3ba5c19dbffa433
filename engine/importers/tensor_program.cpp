// Tensor program: a tensor program in writing.

#include "engine/importers/importer.h"
#include "engine/schedule/compile_tensors.h"
#include "engine/tensor/programs/tensor_program_text.h"

namespace sluice::inline importers::tensor_program {
namespace {

/// 'program', behind comments.
bool sniff(std::string_view bytes) {
  while (bytes.starts_with("//")) {
    const std::size_t line = bytes.find('\n');
    bytes.remove_prefix(line == std::string_view::npos ? bytes.size() : line + 1);
  }
  return bytes.starts_with("program");
}

Result<Imported> read(const std::string& bytes, const std::filesystem::path& file,
                      const ImportOptions& options) {
  SLUICE_TRY(const TensorProgram program,
             parseTensorProgram(bytes, Location(Where::File, file.string()), options.stop));
  return Imported{tensorProgramDocument(program), {}};
}

}  // namespace

const Importer& definition() {
  static const Importer importer{.name = "tensor program",
                                 .title = "a tensor program in writing",
                                 .suffixes = {"mlir"},
                                 .sniff = sniff,
                                 .content = "any text that begins with 'program'",
                                 .unmistakable = true,
                                 .read = read};
  return importer;
}

}  // namespace sluice::inline importers::tensor_program
