#pragma once
// Plug-ins: shared libraries that extend the engine. One is built against the installed package with
// Sluice::plugin and says in one of its files
//
//   SLUICE_PLUGIN((sluice::Extension{.operators = {&myOperator()}}))
//
// See README.md, and resources/examples/plugin for a whole one.

#include <filesystem>

#include "engine/plugins/extension.h"

/// What the plug-in and the program that loads it must have in common: the headers, hence the version. The
/// number behind it rises with a change of what installed headers declare between two versions.
#define SLUICE_PLUGIN_VERSION SLUICE_VERSION ", interface 4"

/// The entry of a plug-in. `...`: an Extension.
#define SLUICE_PLUGIN(...)                                                                 \
  extern "C" __attribute__((visibility("default"))) const sluice::Plugin* sluicePlugin() { \
    static const sluice::Plugin plugin{SLUICE_PLUGIN_VERSION,                              \
                                       []() -> sluice::Extension { return __VA_ARGS__; }}; \
    return &plugin;                                                                        \
  }

namespace sluice::inline plugins {

/// What the entry gives. `version` stays the first member, whatever the version.
struct Plugin {
  const char* version;
  Extension (*extension)();
};

/// Loads the shared library for good and extends the engine by what it brings. When a program starts, before
/// anything reads a registry. Errors: there is no such file; it is no plug-in, or one of another version; as
/// extend().
Result<Done> loadPlugin(const std::filesystem::path& file);

}  // namespace sluice::inline plugins
