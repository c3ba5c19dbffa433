// sluice-cli help: what a code of a diagnostic means, and which there are; what labels of trust mean.

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/command_list.h"
#include "app/cli/table.h"
#include "engine/core/diagnostic_pages.h"
#include "engine/program/trust.h"

namespace sluice::cli {
namespace {

constexpr std::string_view all_codes = "diagnostics";
constexpr std::string_view trust_labels = "trust";

struct HelpOptions {
  std::string topic{all_codes};
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

int pointTo(const Command& command, bool as_json) {
  const std::string help = "sluice-cli " + command.name + " --help";
  if (as_json)
    printJson({{"command", command.name}, {"summary", command.summary}, {"help", help}});
  else
    std::cout << command.name << ": " << command.summary << "\n\n'" << help << "' tells its options.\n";
  return ExitDone;
}

int run(const HelpOptions& options) {
  if (options.topic == all_codes) return listCodes(options.json);
  if (options.topic == trust_labels) return listTrust(options.json);
  const std::vector<Command> commands = allCommands();
  const auto command = std::ranges::find(commands, options.topic, &Command::name);
  if (command != commands.end()) return pointTo(*command, options.json);
  const DiagnosticPage* const page = diagnosticPage(options.topic);
  if (page == nullptr) {
    std::vector<std::string> topics{std::string(trust_labels)};
    for (const DiagnosticPage& each : diagnosticPages()) topics.push_back(each.code);
    for (const Command& each : commands)
      if (!each.hidden) topics.push_back(each.name);
    const std::string meant = guess(options.topic, topics);
    throw WrongUse{"unknown-name", "there is no code, command or topic '" + options.topic + "'",
                   meant.empty() ? "'sluice-cli help diagnostics' lists the codes, and " : meant};
  }
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
          "trust' explains labels of trust",
      .examples = {{"help rank-mismatch", "what a code means"},
                   {"help diagnostics", "all codes"},
                   {"help trust", "why cycles may be believed"}},
      .run = [options](Process&) { return run(*options); }};
  command.add("CODE", options->topic,
              "the word in brackets at the end of a diagnostic, 'diagnostics', 'trust', or a command");
  command.add(jsonFlag(options->json));
  return command;
}

}  // namespace sluice::cli
