#pragma once
// What was wrong with a command line: the word that was not understood, and which one may have been meant.

#include "engine/core/diagnostic.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace sluice::cli {

Diagnostic misuse(const CLI::App& application, const CLI::ParseError& error);

}  // namespace sluice::cli
