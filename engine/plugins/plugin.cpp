#include "engine/plugins/plugin.h"

#include <dlfcn.h>

#include <memory>
#include <string_view>

namespace sluice {
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

}  // namespace

Result<Done> loadPlugin(const std::filesystem::path& file) {
  const Location place(Where::File, file.string());
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    return Diagnostic{Severity::Error, place, "there is no such file", "name the plug-in's shared library"};
  // First without what it asks of the engine: one of another version may ask for what is not there.
  const std::string path = std::filesystem::absolute(file).string();
  Library library(dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL));
  if (!library) return Diagnostic{Severity::Error, place, "it cannot be loaded: " + lastError(), how};
  const auto entry = reinterpret_cast<const Plugin* (*)()>(dlsym(library.get(), "sluicePlugin"));
  if (!entry)
    return Diagnostic{Severity::Error, place, "it is no plug-in of Sluice: it has no entry 'sluicePlugin'",
                      how};
  const Plugin& plugin = *entry();
  if (std::string_view(plugin.version) != SLUICE_PLUGIN_VERSION)
    return Diagnostic{Severity::Error, place,
                      "it was built for Sluice " + std::string(plugin.version) +
                          ", and this is Sluice " SLUICE_PLUGIN_VERSION,
                      "build it again with the package of this version"};
  if (const Library whole(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)); !whole)
    return Diagnostic{Severity::Error, place, "it cannot be loaded: " + lastError(), how};
  static_cast<void>(library.release());  // what it adds stays until the program ends
  return extend(plugin.extension(), place);
}

}  // namespace sluice
