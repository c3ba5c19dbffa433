// sluice-cli help: what a code of a diagnostic means, and which there are; what labels of trust mean.

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/command_line.h"
#include "app/cli/command_list.h"
#include "app/cli/table.h"
#include "engine/core/diagnostic_pages.h"
#include "engine/program/trust.h"

namespace sluice::cli {
namespace {

constexpr std::string_view all_codes = "diagnostics";
constexpr std::string_view trust_labels = "trust";

struct HelpOptions {
  std::vector<std::string> topic;
  bool json = false;
};

Json pageJson(const DiagnosticPage& page) {
  Json files = Json::array();
  for (const DiagnosticPage::File& file : page.files)
    files.push_back({{"name", file.name}, {"text", file.text}});
  return {{"code", page.code},       {"meaning", page.meaning}, {"files", std::move(files)},
          {"command", page.command}, {"example", page.example}, {"fix", page.fix}};
}

void printIndented(const std::string& lines) {
  std::cout << "  ";
  for (std::size_t i = 0; i < lines.size(); ++i)
    std::cout << lines[i] << (lines[i] == '\n' && i + 1 < lines.size() ? "  " : "");
}

void printPage(const DiagnosticPage& page) {
  std::cout << page.code << "\n\n" << page.meaning << "\n\nExample\n\n";
  for (const DiagnosticPage::File& file : page.files) {
    std::cout << file.name << ":\n";
    printIndented(file.text);
    std::cout << "\n";
  }
  if (!page.example.empty()) std::cout << page.example << "\n\n";
  if (!page.command.empty()) std::cout << "  " << page.command << "\n\n";
  std::cout << "Fix\n\n" << page.fix << "\n";
}

/// Up to the end of the first sentence, on one line.
std::string firstSentence(const std::string& text) {
  std::string sentence;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool gap = text[i] == ' ' || text[i] == '\n';
    if (gap && i > 0 && text[i - 1] == '.') break;
    sentence += gap ? ' ' : text[i];
  }
  return sentence;
}

int listCodes(bool as_json) {
  Json list = Json::array();
  Table table({"code", "meaning"}, 2);
  for (const DiagnosticPage& page : diagnosticPages()) {
    list.push_back(pageJson(page));
    table.row({page.code, firstSentence(page.meaning)});
  }
  if (as_json)
    printJson({{"diagnostics", Json::array()}, {"codes", std::move(list)}});
  else
    table.print(std::cout);
  return ExitDone;
}

std::string meaning(Trust trust) {
  switch (trust) {
    case Trust::Model:
      return "of the model alone: its numbers were held against nothing, or against another point or program";
    case Trust::Calibrated:
      return "numbers of the machine or the workload were fitted to measurements, by 'calibrate'";
    case Trust::Rtl:
      return "register-transfer simulation of this point, of 'emit rtl', has the same cycles; 'compare "
             "--measured RECORDING --confirm OUT.sluice' writes that down";
    case Trust::Published:
      return "a paper prints the same cycles for this point; the word of who wrote it down, by '--confirm' "
             "with "
             "'--published'";
  }
  return {};
}

int listTrust(bool as_json) {
  Json labels = Json::object();
  Table table({"label", "meaning"}, 2);
  for (const Trust trust : {Trust::Model, Trust::Calibrated, Trust::Rtl, Trust::Published}) {
    labels[std::string(trustName(trust))] = meaning(trust);
    table.row({std::string(trustName(trust)), meaning(trust)});
  }
  if (as_json) {
    printJson({{"trust_labels", std::move(labels)}});
  } else {
    std::cout << "Why the cycles of a report may be believed; all other metrics are of the model alone.\n\n";
    table.print(std::cout);
  }
  return ExitDone;
}

/// The command that the first words name one below the other, and how many of them do; null: the first names
/// none.
std::pair<const Command*, std::size_t> commandOf(const std::vector<Command>& commands,
                                                 const std::vector<std::string>& words) {
  const Command* found = nullptr;
  const std::vector<Command>* among = &commands;
  std::size_t taken = 0;
  while (taken < words.size()) {
    const auto next = std::ranges::find(*among, words[taken], &Command::name);
    if (next == among->end()) break;
    found = &*next, among = &next->commands, ++taken;
  }
  return {found, taken};
}

std::string pathOf(const std::vector<std::string>& words) {
  std::string path;
  for (const std::string& word : words) path += (path.empty() ? "" : " ") + word;
  return path;
}

/// As COMMAND --help has it.
int printHelp(const std::vector<Command>& commands, const Command& command,
              const std::vector<std::string>& words, bool as_json, Process& process) {
  const std::string path = pathOf(words);
  if (as_json) {
    printJson({{"command", path}, {"summary", command.summary}, {"help", "sluice-cli " + path + " --help"}});
    return ExitDone;
  }
  std::vector<std::string> line{"sluice-cli"};
  line.insert(line.end(), words.begin(), words.end());
  line.emplace_back("--help");
  std::vector<char*> argv;
  for (std::string& word : line) argv.push_back(word.data());
  const Result<int> done = runCommandLine(commands, static_cast<int>(argv.size()), argv.data(), process);
  return done ? *done : fail(done.diagnostics(), as_json);
}

/// `among`: the commands of which the word is none; `in`: the path of that which they belong to, or nothing.
WrongUse unknownTopic(const std::string& word, const std::vector<Command>& among,
                      const std::string& in = {}) {
  std::vector<std::string> topics;
  for (const Command& each : among)
    if (!each.hidden) topics.push_back(each.name);
  if (in.empty()) {
    topics.emplace_back(trust_labels);
    for (const DiagnosticPage& each : diagnosticPages()) topics.push_back(each.code);
  }
  const std::string meant = guess(word, topics);
  const std::string lists = in.empty() ? "'sluice-cli help diagnostics' lists the codes, and "
                                       : "'sluice-cli help " + in + "' tells what there is, and ";
  return {"unknown-name",
          in.empty() ? "there is no code, command or topic '" + word + "'"
                     : "'" + in + "' has no command '" + word + "'",
          meant.empty() ? lists : meant};
}

int run(const HelpOptions& options, Process& process) {
  const std::string path = pathOf(options.topic);
  if (path.empty() || path == all_codes) return listCodes(options.json);
  if (path == trust_labels) return listTrust(options.json);
  const std::vector<Command> commands = allCommands();
  const auto [command, taken] = commandOf(commands, options.topic);
  if (command && taken == options.topic.size())
    return printHelp(commands, *command, options.topic, options.json, process);
  if (command)
    throw unknownTopic(options.topic[taken], command->commands,
                       pathOf({options.topic.begin(), options.topic.begin() + static_cast<long>(taken)}));
  const DiagnosticPage* const page = diagnosticPage(path);
  if (!page) throw unknownTopic(path, commands);
  options.json ? printJson(pageJson(*page)) : printPage(*page);
  return ExitDone;
}

}  // namespace

Command helpCommand() {
  const auto options = std::make_shared<HelpOptions>();
  Command command{
      .name = "help",
      .summary =
          "explain the code of a diagnostic: 'help rank-mismatch'; 'help diagnostics' lists them, 'help "
          "trust' explains labels of trust, 'help emit step' a command",
      .examples = {{"help rank-mismatch", "what a code means"},
                   {"help emit step", "what a command takes"},
                   {"help diagnostics", "all codes"},
                   {"help trust", "why cycles may be believed"}},
      .run = [options](Process& process) { return run(*options, process); }};
  command.add(
      "TOPIC", options->topic,
      "the word in brackets at the end of a diagnostic, 'diagnostics', 'trust', or a command, as 'emit "
      "step'");
  command.add(jsonFlag(options->json));
  return command;
}

}  // namespace sluice::cli
