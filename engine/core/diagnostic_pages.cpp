// Pages of diagnostics, read from their Markdown.

#include "engine/core/diagnostic_pages.h"

#include <algorithm>
#include <stdexcept>

namespace sluice {
namespace {

[[noreturn]] void malformed(std::string_view code, const char* what) {
  throw std::invalid_argument("resources/diagnostics/" + std::string(code) + ".md: " + what);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of('\n');
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of('\n') - begin + 1);
}

/// What stands before `mark`, which is taken from `text` with it.
std::string_view takeUntil(std::string_view code, std::string_view& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == text.npos) malformed(code, "a heading or the end of a block is missing");
  const std::string_view before = text.substr(0, at);
  text.remove_prefix(at + mark.size());
  return before;
}

/// A block opens with "```json name=FILE" or, for the command, "```sh".
void readBlock(DiagnosticPage& page, std::string_view opening, std::string_view content) {
  constexpr std::string_view naming = " name=";
  const std::size_t name = opening.find(naming);
  if (opening == "sh")
    page.command = trimmed(content);
  else if (name != opening.npos)
    page.files.push_back({std::string(opening.substr(name + naming.size())), std::string(content)});
  else
    malformed(page.code, "a block of the example is neither a file nor the command");
}

void readExample(DiagnosticPage& page, std::string_view text) {
  constexpr std::string_view fence = "```";
  while (!(text = trimmed(text)).empty()) {
    if (text.starts_with(fence)) {
      text.remove_prefix(fence.size());
      const std::string_view opening = takeUntil(page.code, text, "\n");
      readBlock(page, opening, takeUntil(page.code, text, fence));
    } else {
      const std::string_view words = text.substr(0, text.find("\n\n"));
      page.example += (page.example.empty() ? "" : "\n\n") + std::string(words);
      text.remove_prefix(words.size());
    }
  }
  if (page.command.empty() && page.example.empty()) malformed(page.code, "the example is missing");
}

}  // namespace

DiagnosticPage readDiagnosticPage(const EmbeddedFile& file) {
  DiagnosticPage page;
  page.code = file.name;
  std::string_view text = file.text;
  if (!takeUntil(page.code, text, "# " + page.code + "\n").empty())
    malformed(page.code, "it does not begin with its code");
  page.meaning = trimmed(takeUntil(page.code, text, "\n## Example\n"));
  readExample(page, takeUntil(page.code, text, "\n## Fix\n"));
  page.fix = trimmed(text);
  if (page.meaning.empty() || page.fix.empty()) malformed(page.code, "a section is empty");
  return page;
}

const std::vector<DiagnosticPage>& diagnosticPages() {
  static const std::vector<DiagnosticPage> pages = [] {
    std::vector<DiagnosticPage> read;
    for (const EmbeddedFile& file : diagnosticFiles()) read.push_back(readDiagnosticPage(file));
    std::ranges::sort(read, {}, &DiagnosticPage::code);
    return read;
  }();
  return pages;
}

const DiagnosticPage* diagnosticPage(std::string_view code) {
  const std::vector<DiagnosticPage>& pages = diagnosticPages();
  const auto found = std::ranges::find(pages, code, &DiagnosticPage::code);
  return found == pages.end() ? nullptr : &*found;
}

}  // namespace sluice
