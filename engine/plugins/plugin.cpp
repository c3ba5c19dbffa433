#include "engine/plugins/plugin.h"

#include <dlfcn.h>
#include <elf.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <string_view>

namespace sluice::inline plugins {
namespace {

constexpr const char* how = "build it as engine/plugins/README.md says";

std::string lastError() {
  const char* const error = dlerror();
  return error ? error : "for no reason that the system tells";
}

struct Close {
  void operator()(void* library) const { dlclose(library); }
};
using Library = std::unique_ptr<void, Close>;

/// The loader maps what a library's headers promise: bytes that are not there end the program. What is no ELF
/// file at all it refuses by itself.
bool cutOff(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::error_code ignored;
  const std::uintmax_t size = std::filesystem::file_size(file, ignored);
  Elf64_Ehdr header{};
  if (!in.read(reinterpret_cast<char*>(&header), sizeof header)) return false;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    return false;
  const auto ends = [size](std::uint64_t offset, std::uint64_t bytes) {
    return offset > size || bytes > size - offset;
  };
  for (std::uint16_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    in.seekg(static_cast<std::streamoff>(header.e_phoff + std::uint64_t{i} * sizeof segment));
    if (!in.read(reinterpret_cast<char*>(&segment), sizeof segment)) return true;
    if (ends(segment.p_offset, segment.p_filesz)) return true;
  }
  return ends(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize);
}

}  // namespace

Result<Done> loadPlugin(const std::filesystem::path& file) {
  const Location place(Where::File, file.string());
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) {
    const bool there = std::filesystem::exists(file, ignored);
    return error(there ? Code("plugin-invalid") : Code("file-not-found"), place,
                 there ? "it is no file" : "there is no such file", "name the plug-in's shared library");
  }
  if (cutOff(file))
    return error("plugin-invalid", place, "the library is not whole: its headers name bytes behind its end",
                 "copy it again, or build it again");
  // First without what it asks of the engine: one of another version may ask for what is not there.
  const std::string path = std::filesystem::absolute(file).string();
  Library library(dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL));
  if (!library) return error("plugin-invalid", place, "it cannot be loaded: " + lastError(), how);
  const auto entry = reinterpret_cast<const Plugin* (*)()>(dlsym(library.get(), "sluicePlugin"));
  if (!entry)
    return error("plugin-invalid", place, "it is no plug-in of Sluice: it has no entry 'sluicePlugin'", how);
  const Plugin& plugin = *entry();
  if (std::string_view(plugin.version) != SLUICE_PLUGIN_VERSION)
    return error("plugin-version", place,
                 "it was built for Sluice " + std::string(plugin.version) +
                     ", and this is Sluice " SLUICE_PLUGIN_VERSION,
                 "build it again with the package of this version");
  if (const Library whole(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)); !whole)
    return error("plugin-invalid", place, "it cannot be loaded: " + lastError(), how);
  static_cast<void>(library.release());  // what it adds stays until the program ends
  return extend(plugin.extension(), place);
}

}  // namespace sluice::inline plugins
