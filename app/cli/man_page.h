#pragma once
// The manual page of sluice-cli, made from its own options.

namespace CLI {
class App;
}

namespace sluice::cli {

struct Process;

/// "man-page", which the build calls (resources/packaging/CMakeLists.txt); --help does not name it.
void addManPage(CLI::App& application, Process& process);

}  // namespace sluice::cli
