#include "app/cli/misuse.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "engine/program/spelling.h"

namespace sluice::cli {
namespace {

/// The first word that nothing has taken, an option before others: what follows an unknown option is left
/// over because of it. Empty: there is none.
std::string leftOver(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining();
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

std::vector<std::string> commandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

/// "did you mean '--stalls'? ", or nothing.
std::string guess(const std::string& word, const std::vector<std::string>& candidates,
                  const std::string& dashes = "") {
  const std::vector<std::string> closest = closestSpellings(word, candidates, 1);
  return closest.empty() ? "" : "did you mean '" + dashes + closest.front() + "'? ";
}

/// Of CLI11's "--strategy: nsga3 not in {grid,random}".
std::string guessChoice(const std::string& text) {
  const std::size_t begin = text.find(": "), middle = text.find(" not in {"), end = text.rfind('}');
  if (begin == std::string::npos || middle == std::string::npos || end == std::string::npos) return "";
  if (begin > middle || middle > end) return "";
  std::vector<std::string> choices;
  std::istringstream list(text.substr(middle + 9, end - middle - 9));
  for (std::string choice; std::getline(list, choice, ',');) choices.push_back(choice);
  return guess(text.substr(begin + 2, middle - begin - 2), choices);
}

}  // namespace

Diagnostic misuse(const CLI::App& application, const CLI::ParseError& error) {
  const CLI::App* app = &application;
  std::string command = "sluice-cli";
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands().front();
    command += " " + app->get_name();
  }
  const std::string help = "'" + command + " --help' lists what it takes", word = leftOver(*app);
  const bool unknown = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) ||
                       error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError);
  const std::vector<std::string> commands = commandNames(*app);
  std::string cause = error.what(), meant = guessChoice(cause);
  if (unknown && word.starts_with('-')) {
    cause = "there is no option '" + word + "'";
    meant = guess(word.substr(std::min(word.find_first_not_of('-'), word.size())), optionNames(*app), "--");
  } else if (unknown && !word.empty() && !commands.empty()) {
    cause = "there is no command '" + word + "'";
    meant = guess(word, commands);
  }
  return {Severity::Error, "command line", cause, meant + help};
}

}  // namespace sluice::cli
