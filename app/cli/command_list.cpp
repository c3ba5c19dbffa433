#include "app/cli/command_list.h"

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/command_line.h"
#include "app/cli/distribution.h"

namespace sluice::cli {
namespace {

Json optionsJson(const Command& command) {
  Json options = Json::array();
  for (const Option& option : with({helpOption()}, command.options))
    options.push_back({{"name", option.name()},
                       {"positional", option.positional()},
                       {"required", option.rules.required},
                       {"type", typeText(option)}});
  return options;
}

/// Subcommands of subcommands too; `before`: "itensor ".
void list(Json& names, const std::vector<Command>& commands, const std::string& before) {
  for (const Command& command : commands) {
    const std::string name = before + command.name;
    Json examples = Json::array();
    for (const Example& example : command.examples) examples.push_back(example.words);
    names.push_back({{"name", name},
                     {"hidden", command.hidden},
                     {"options", optionsJson(command)},
                     {"examples", std::move(examples)}});
    list(names, command.commands, name + " ");
  }
}

/// For the completion of a shell, and for tests that run every command.
Command commandsCommand() {
  const auto run = [](Process&) {
    Json commands = Json::array();
    list(commands, allCommands(), "");
    printJson({{"commands", std::move(commands)}});
    return ExitDone;
  };
  return {.name = "commands",
          .summary = "print the commands and their options as JSON",
          .run = run,
          .hidden = true};
}

/// What the first word of a command line names is made alone: all of them take as long as a short run.
struct Entry {
  std::string_view name;
  Command (*make)();
};

constexpr Entry entries[] = {{"check", checkCommand},
                             {"shapes", shapesCommand},
                             {"bounds", boundsCommand},
                             {"schedule", scheduleCommand},
                             {"proposals", proposalsCommand},
                             {"simulate", simulateCommand},
                             {"energy", energyCommand},
                             {"unlock", unlockCommand},
                             {"depth-frontier", depthFrontierCommand},
                             {"compare", compareCommand},
                             {"calibrate", calibrateCommand},
                             {"explore", exploreCommand},
                             {"design", designCommand},
                             {"strategies", strategiesCommand},
                             {"explorations", explorationsCommand},
                             {"points", pointsCommand},
                             {"merge", mergeCommand},
                             {"serve", serveCommand},
                             {"schema", schemaCommand},
                             {"workload", workloadCommand},
                             {"reproduce", reproduceCommand},
                             {"dot", dotCommand},
                             {"import", importCommand},
                             {"itensor", itensorCommand},
                             {"parallelize", parallelizeCommand},
                             {"compile", compileCommand},
                             {"size-fifos", sizeFifosCommand},
                             {"throughput", throughputCommand},
                             {"export", exportCommand},
                             {"emit", emitCommand},
                             {"distribution", distributionCommand},
                             {"help", helpCommand},
                             {"man-page", manPageCommand},
                             {"commands", commandsCommand}};

}  // namespace

std::vector<Command> allCommands() {
  std::vector<Command> commands;
  for (const Entry& entry : entries) commands.push_back(entry.make());
  return commands;
}

std::vector<Command> commandsFor(int argc, char** argv) {
  if (argc > 1)
    for (const Entry& entry : entries)
      if (entry.name == argv[1]) return {entry.make()};
  return allCommands();
}

}  // namespace sluice::cli
