// sluice-cli man-page: the manual page, made from the tables of the commands.

#include <iostream>

#include "app/cli/command.h"
#include "app/cli/command_line.h"
#include "app/cli/command_list.h"

namespace sluice::cli {
namespace {

/// Text that roff does not take for its own.
std::string roff(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '\\')
      result += "\\e";
    else if (letter == '-')
      result += "\\-";
    else
      result += letter;
  }
  return result.starts_with('.') || result.starts_with('\'') ? "\\&" + result : result;
}

/// "NAME=FILE ...": what the option takes, without what is asked of its value.
std::string argument(const Option& option) {
  std::string type = typeText(option);
  type = type.substr(0, type.find(':'));
  if (type.empty() || (option.positional() && type == "TEXT")) return "";
  return " " + type + (option.several() ? " ..." : "");
}

void writeOptions(std::ostream& out, const std::vector<Option>& options) {
  for (const Option& option : options)
    out << ".TP\n\\fB" << roff(option.names) << "\\fR" << roff(argument(option)) << "\n"
        << roff(option.help) << "\n";
}

/// Subcommands of subcommands too; `before`: "itensor ".
void writeCommands(std::ostream& out, const std::vector<Command>& commands, const std::string& before) {
  for (const Command& command : commands) {
    if (command.hidden) continue;
    out << ".SS " << roff(before + command.name) << "\n" << roff(command.summary) << "\n";
    writeOptions(out, command.options);  // --help, which each has, is reported once
    for (const Example& example : command.examples)
      out << ".PP\nExample: " << roff(example.what) << "\n.br\n\\fBsluice\\-cli " << roff(example.words)
          << "\\fR\n";
    writeCommands(out, command.commands, before + command.name + " ");
  }
}

void writePage(std::ostream& out) {
  out << ".TH SLUICE\\-CLI 1 \"\" \"Sluice " SLUICE_VERSION "\" \"User Commands\"\n"
      << ".SH NAME\nsluice\\-cli \\- check, size, simulate and explore streaming tensor programs\n"
      << ".SH SYNOPSIS\n.B sluice\\-cli\n.I COMMAND\n.RI [ OPTION ]...\n"
      << ".SH DESCRIPTION\nThe engine of\n.BR sluice (1)\nwithout a window. With\n.B \\-\\-json\n"
      << "a command prints one JSON object to standard output and nothing else.\n.SH OPTIONS\n";
  writeOptions(out, {helpOption(), versionOption(), pluginOption()});
  out << ".SH COMMANDS\n";
  writeCommands(out, allCommands(), "");
  out << ".SH EXIT STATUS\n0 done, 1 diagnostic, 2 usage, 3 deadlock, 130 cancelled by a signal.\n"
      << ".SH DIAGNOSTICS\nEvery diagnostic ends with its code in brackets.\n.B sluice\\-cli help\n.I CODE\n"
      << "explains it,\n.B sluice\\-cli help diagnostics\nlists them all.\n"
      << ".SH SEE ALSO\n.BR sluice (1)\n";
}

}  // namespace

Command manPageCommand() {
  const auto run = [](Process&) {
    writePage(std::cout);
    return ExitDone;
  };
  return {.name = "man-page", .summary = "print the manual page, for man(1)", .run = run, .hidden = true};
}

}  // namespace sluice::cli
