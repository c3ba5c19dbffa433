#pragma once
// The subcommands as data, made from their own options.

namespace CLI {
class App;
}

namespace sluice::cli {

struct Process;

/// "commands", for the completion of a shell and for tests that run every command; --help does not name it.
void addCommandList(CLI::App& application, Process& process);

}  // namespace sluice::cli
