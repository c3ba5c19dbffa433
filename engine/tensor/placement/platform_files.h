#pragma once
// The machine files of resources/platforms/, which the build puts into the program (engine/CMakeLists.txt):
// they are there wherever it is installed.

#include <span>
#include <string_view>

namespace sluice {

struct PlatformFile {
  std::string_view name;
  std::string_view json;
};

std::span<const PlatformFile> platformFiles();

}  // namespace sluice
