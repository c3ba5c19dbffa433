#include "app/cli/command_list.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"

namespace sluice::cli {
namespace {

using Json = nlohmann::ordered_json;

Json optionsJson(const CLI::App& command) {
  Json options = Json::array();
  for (const CLI::Option* option : command.get_options()) {
    options.push_back({{"name", option->get_positional() ? option->get_name(true) : option->get_name()},
                       {"positional", option->get_positional()},
                       {"required", option->get_required()},
                       {"type", option->get_type_name()}});
  }
  return options;
}

/// Subcommands of subcommands too; `before`: "itensor ".
void list(Json& commands, const CLI::App& of, const std::string& before) {
  for (const CLI::App* command : of.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string name = before + command->get_name();
    commands.push_back({{"name", name}, {"options", optionsJson(*command)}});
    list(commands, *command, name + " ");
  }
}

}  // namespace

void addCommandList(CLI::App& application, Process& process) {
  CLI::App* command = application.add_subcommand("commands", "print the commands and their options as JSON");
  command->group("");
  command->callback([&application, &process] {
    Json commands = Json::array();
    list(commands, application, "");
    printJson({{"commands", std::move(commands)}});
    process.exit_code = exitDone;
  });
}

}  // namespace sluice::cli
