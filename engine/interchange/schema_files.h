#pragma once
// The message schemas of resources/schemas/, which the build puts into the program, as the machine files.

#include <span>
#include <string_view>

namespace sluice {

struct SchemaFile {
  std::string_view name;  ///< without .proto
  std::string_view text;
};

std::span<const SchemaFile> schemaFiles();

}  // namespace sluice
