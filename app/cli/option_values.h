#pragma once
// What no option of any command takes: an empty text, a number that does not fit, a number that is none.

#include <string>

namespace CLI {
class App;
}

namespace sluice::cli {

/// A check of one option, for CLI::Option: why `text` is no number of 1 or more; empty where it is one, or is
/// no whole number at all, which checkOptionValues() tells.
std::string belowOne(const std::string& text);

/// Adds the check to every option of the application and its commands, once all of them are there.
void checkOptionValues(CLI::App& application);

}  // namespace sluice::cli
