// sluice-cli help: what a code of a diagnostic means, and which there are.

#include <iostream>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/table.h"
#include "engine/core/diagnostic_pages.h"

namespace sluice::cli {
namespace {

constexpr std::string_view all_codes = "diagnostics";

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

int run(const HelpOptions& options) {
  if (options.topic == all_codes) return listCodes(options.json);
  const DiagnosticPage* const page = diagnosticPage(options.topic);
  if (page == nullptr) {
    std::vector<std::string> codes;
    for (const DiagnosticPage& each : diagnosticPages()) codes.push_back(each.code);
    const std::string meant = guess(options.topic, codes);
    throw WrongUse{"unknown-name", "there is no code '" + options.topic + "'",
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
      .summary = "explain the code of a diagnostic: 'help rank-mismatch'; 'help diagnostics' lists them",
      .examples = {{"help rank-mismatch", "what a code means"}, {"help diagnostics", "all codes"}},
      .run = [options](Process&) { return run(*options); }};
  command.add("CODE", options->topic, "the word in brackets at the end of a diagnostic, or 'diagnostics'");
  command.add(jsonFlag(options->json));
  return command;
}

}  // namespace sluice::cli
