#pragma once
// The published numbers of resources/published/, which the build puts into the program, as the machine files.

#include <span>
#include <string_view>

namespace sluice {

struct PublishedFile {
  std::string_view name;  ///< without .csv
  std::string_view csv;
};

std::span<const PublishedFile> publishedFiles();

}  // namespace sluice
