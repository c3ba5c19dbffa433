#pragma once
// What no option of any command takes: an empty text, a number that does not fit, a number that is none.

namespace CLI {
class App;
}

namespace sluice::cli {

/// Adds the check to every option of the application and its commands, once all of them are there.
void checkOptionValues(CLI::App& application);

}  // namespace sluice::cli
