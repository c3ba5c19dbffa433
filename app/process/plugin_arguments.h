#pragma once
// The plug-ins that a program is told to load: `--plugin FILE`, as often as need be, and $SLUICE_PLUGINS,
// files separated by colons.

#include "engine/core/result.h"

namespace sluice {

/// For main(), before threads start and anything reads a registry. Takes `--plugin FILE` out of the
/// arguments, before or behind a command, up to `--`; loads first those of $SLUICE_PLUGINS, each file once.
/// Programs that this one starts load the same. Errors: an option without a file; as loadPlugin().
Result<Done> loadPlugins(int& argc, char** argv);

}  // namespace sluice
