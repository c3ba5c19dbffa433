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

}  // namespace

std::vector<Command> allCommands() {
  return {checkCommand(),         shapesCommand(),     boundsCommand(),       scheduleCommand(),
          proposalsCommand(),     simulateCommand(),   energyCommand(),       unlockCommand(),
          depthFrontierCommand(), compareCommand(),    calibrateCommand(),    exploreCommand(),
          designCommand(),        strategiesCommand(), explorationsCommand(), pointsCommand(),
          mergeCommand(),         serveCommand(),      schemaCommand(),       workloadCommand(),
          reproduceCommand(),     dotCommand(),        importCommand(),       itensorCommand(),
          parallelizeCommand(),   compileCommand(),    sizeFifosCommand(),    throughputCommand(),
          exportCommand(),        emitCommand(),       distributionCommand(), helpCommand(),
          manPageCommand(),       commandsCommand()};
}

}  // namespace sluice::cli
