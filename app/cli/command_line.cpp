#include "app/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <span>

#include "app/cli/command.h"

namespace sluice::cli {
namespace {

constexpr auto general_footer =
    "Exit codes: 0 done, 1 diagnostic, 2 usage, 3 deadlock, 130 cancelled.\n"
    "'sluice-cli help CODE' explains the [code] of a diagnostic, 'sluice-cli help diagnostics' lists them.";

std::string joined(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ",") + word;
  return list;
}

std::string notAmong(const Option& option, const std::string& text) {
  const std::vector<std::string>& choices = option.rules.choices;
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return "";
  throw WrongUse{"unknown-choice", option.name() + ": " + text + " not in {" + joined(choices) + "}",
                 guess(text, choices)};
}

CLI::Validator within(const Option& option) {
  const auto [least, most] = *option.rules.range;
  if (std::holds_alternative<double*>(option.value))
    return CLI::Range(static_cast<double>(least), static_cast<double>(most));
  if (std::holds_alternative<unsigned*>(option.value))
    return CLI::Range(static_cast<unsigned>(least), static_cast<unsigned>(most));
  return CLI::Range(least, most);
}

CLI::Option* addTo(CLI::App& app, const Option& option) {
  return std::visit(
      [&](auto* value) {
        if constexpr (std::is_same_v<decltype(value), bool*>)
          return value ? app.add_flag(option.names, *value, option.help)
                       : app.add_flag(option.names, option.help);
        else
          return app.add_option(option.names, *value, option.help);
      },
      option.value);
}

/// `option` outlives the application.
void add(CLI::App& app, const Option& option) {
  CLI::Option* const added = addTo(app, option)->required(option.rules.required);
  if (!option.rules.needs.empty()) added->needs(app.get_option(option.rules.needs));
  if (option.flag()) return;
  added->type_name(typeText(option));
  if (option.rules.one_each || option.rules.commas) added->allow_extra_args(false);
  if (option.rules.commas) added->delimiter(',');
  if (option.rules.shows_default) added->capture_default_str();
  if (option.rules.range) added->check(within(option).description(""));
  if (!option.rules.choices.empty())
    added->check([&option](const std::string& text) { return notAmong(option, text); });
  if (option.rules.wrong) added->check(option.rules.wrong);
  added->check([&option](const std::string& text) { return unfitValue(option, text); });
}

/// Last come the examples.
std::string footerOf(const Command& command) {
  std::string footer = general_footer;
  if (!command.examples.empty()) footer += "\n\nExamples:";
  for (const Example& example : command.examples)
    footer += "\n  sluice-cli " + example.words + "\n      " + example.what;
  return footer;
}

/// Options and examples only of commands that a word of the command line names: those of all took a tenth of
/// a short run.
void add(CLI::App& parent, const std::vector<Command>& commands, std::span<char* const> words) {
  for (const Command& command : commands) {
    CLI::App* const app = parent.add_subcommand(command.name, command.summary);
    if (command.hidden) app->group("");
    if (std::ranges::find(words, command.name) == words.end()) continue;
    app->footer(footerOf(command));
    for (const Option& option : command.options) add(*app, option);
    add(*app, command.commands, words);
    if (!command.commands.empty()) app->require_subcommand(0, 1);
  }
}

/// How far the words of the command line name a command.
struct Named {
  const CLI::App* app;
  std::string words = "sluice-cli";      ///< "sluice-cli itensor convert"
  const std::vector<Command>* commands;  ///< of which the next word names one
  const Command* command = nullptr;
};

/// Down to the first word that nothing has taken: what stands behind it may name a command by chance, as the
/// folder in `emit rlt FILE -o rtl` does.
Named named(const CLI::App& application, const std::vector<Command>& commands) {
  Named found{.app = &application, .commands = &commands};
  while (!found.app->get_subcommands().empty() && found.app->remaining().empty()) {
    found.app = found.app->get_subcommands().front();
    found.words += " " + found.app->get_name();
    found.command = &*std::ranges::find(*found.commands, found.app->get_name(), &Command::name);
    found.commands = &found.command->commands;
  }
  return found;
}

Diagnostic misuse(const Named& in, const WrongUse& wrong) {
  return error(wrong.code, "command line", wrong.cause,
               wrong.meant + "'" + in.words + " --help' lists what it takes");
}

/// The first word that nothing has taken; of a command an option before others, as what follows an unknown
/// option is left over because of it. Empty: there is none.
std::string leftOver(const CLI::App& app, bool of_command) {
  const std::vector<std::string> words = app.remaining();
  if (!of_command && !words.empty()) return words.front();
  const auto option =
      std::find_if(words.begin(), words.end(), [](const std::string& word) { return word.starts_with('-'); });
  return option != words.end() ? option->substr(0, option->find('=')) : words.empty() ? "" : words.front();
}

std::vector<std::string> optionNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  return names;
}

Code codeOf(CLI::ExitCodes wrong) {
  if (wrong == CLI::ExitCodes::RequiredError || wrong == CLI::ExitCodes::RequiresError)
    return "missing-option";
  return wrong == CLI::ExitCodes::ExcludesError ? Code("conflicting-options") : Code("invalid-option");
}

Diagnostic misuse(const Named& in, const CLI::ParseError& wrong) {
  const auto kind = static_cast<CLI::ExitCodes>(wrong.get_exit_code());
  const bool unknown = kind == CLI::ExitCodes::ExtrasError || kind == CLI::ExitCodes::RequiredError;
  const std::string word = unknown ? leftOver(*in.app, in.command != nullptr && in.commands->empty()) : "";
  if (word.starts_with('-')) {
    const std::string name = word.substr(std::min(word.find_first_not_of('-'), word.size()));
    return misuse(
        in, {"invalid-option", "there is no option '" + word + "'", guess(name, optionNames(*in.app), "--")});
  }
  if (word.empty() || in.commands->empty()) return misuse(in, WrongUse{codeOf(kind), wrong.what()});
  std::vector<std::string> names;
  for (const Command& command : *in.commands) names.push_back(command.name);
  return misuse(in, WrongUse{"unknown-command", "there is no command '" + word + "'", guess(word, names)});
}

}  // namespace

std::string typeText(const Option& option) {
  const OptionRules& rules = option.rules;
  std::string text = rules.type.empty() ? std::string(valueType(option)) : rules.type;
  if (rules.range) text += ":" + within(option).get_description();
  if (!rules.form.empty()) text += ":" + rules.form;
  return rules.choices.empty() ? text : text + ":{" + joined(rules.choices) + "}";
}

Result<int> runCommandLine(const std::vector<Command>& commands, int argc, char** argv, Process& process) {
  CLI::App application("Sluice: check, size, simulate and explore streaming tensor programs");
  application.set_help_flag(helpOption().names, helpOption().help);
  application.set_version_flag(versionOption().names, "sluice-cli " SLUICE_VERSION, versionOption().help);
  std::string plugin;  // for the help: none is left here
  application.add_option(pluginOption().names, plugin, pluginOption().help)
      ->type_name(typeText(pluginOption()));
  application.require_subcommand(1);
  application.footer(general_footer);
  add(application, commands, std::span(argv, static_cast<std::size_t>(argc)));
  try {
    application.parse(argc, argv);
    return named(application, commands).command->run(process);
  } catch (const CLI::ParseError& end) {
    // --help and --version come this way too, with code 0; they print to stdout.
    if (end.get_exit_code() != 0) return misuse(named(application, commands), end);
    application.exit(end, std::cout, std::cerr);
    return ExitDone;
  } catch (const WrongUse& wrong) {
    return misuse(named(application, commands), wrong);
  }
}

}  // namespace sluice::cli
