#include "app/cli/man_page.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "app/cli/command.h"

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

/// "NAME=FILE ...": what the option takes; the validators' words are left out.
std::string argument(const CLI::Option& option) {
  std::string type = option.get_type_name();
  type = type.substr(0, type.find(':'));
  if (type.empty() || (option.get_positional() && type == "TEXT")) return "";
  return " " + type + (option.get_items_expected_max() > 1 ? " ..." : "");
}

void writeOptions(std::ostream& out, const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const bool again = option == command.get_help_ptr() && command.get_parent();  // every command has it
    if (option->get_group().empty() || again) continue;
    out << ".TP\n\\fB" << roff(option->get_name(false, true)) << "\\fR" << roff(argument(*option)) << "\n"
        << roff(option->get_description()) << "\n";
  }
}

/// Subcommands of subcommands too; `before`: "itensor ".
void writeCommands(std::ostream& out, const CLI::App& of, const std::string& before) {
  for (const CLI::App* command :
       of.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); })) {
    out << ".SS " << roff(before + command->get_name()) << "\n" << roff(command->get_description()) << "\n";
    writeOptions(out, *command);
    writeCommands(out, *command, before + command->get_name() + " ");
  }
}

void writePage(std::ostream& out, const CLI::App& application) {
  out << ".TH SLUICE\\-CLI 1 \"\" \"Sluice " SLUICE_VERSION "\" \"User Commands\"\n"
      << ".SH NAME\nsluice\\-cli \\- check, size, simulate and explore streaming tensor programs\n"
      << ".SH SYNOPSIS\n.B sluice\\-cli\n.I COMMAND\n.RI [ OPTION ]...\n"
      << ".SH DESCRIPTION\nThe engine of\n.BR sluice (1)\nwithout a window. With\n.B \\-\\-json\n"
      << "a command prints one JSON object to standard output and nothing else.\n.SH OPTIONS\n";
  writeOptions(out, application);
  out << ".SH COMMANDS\n";
  writeCommands(out, application, "");
  out << ".SH EXIT STATUS\n0 done, 1 diagnostic, 2 usage, 3 deadlock, 130 cancelled by a signal.\n"
      << ".SH SEE ALSO\n.BR sluice (1)\n";
}

}  // namespace

void addManPage(CLI::App& application, Process& process) {
  CLI::App* command = application.add_subcommand("man-page", "print the manual page, for man(1)");
  command->group("");  // for the build, not for people
  command->callback([&application, &process] {
    writePage(std::cout, application);
    process.exit_code = exitDone;
  });
}

}  // namespace sluice::cli
