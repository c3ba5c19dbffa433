#include "app/cli/written_program.h"

#include <filesystem>

#include "app/cli/command.h"
#include "engine/program/file_format.h"
#include "engine/traces/trace_set.h"

namespace sluice::cli {

std::string programText(Document document, const std::string& source, const std::string& file) {
  const auto folderOf = [](const std::string& name) { return std::filesystem::absolute(name).parent_path(); };
  document.inputs = movedInputs(std::move(document.inputs), folderOf(source), folderOf(file));
  return writeDocument(document);
}

Result<Done> writeProgram(const Document& document, const std::string& source, const std::string& file,
                          std::vector<std::string> inputs) {
  inputs.push_back(source);
  return writeOutput(file, programText(document, source, file), inputs);
}

}  // namespace sluice::cli
