// Pages of diagnostics: each is of the fixed form, and its example brings its code about in the real program.

#include "engine/core/diagnostic_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/engine/support/command_line.h"
#include "tests/engine/support/temporary_folder.h"

namespace sluice::diagnostic_pages_test {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing_support::Outcome;
using testing_support::runCommandLine;

TEST(DiagnosticPages, AreOfTheFixedForm) {
  for (const EmbeddedFile& file : diagnosticFiles()) {
    try {
      const DiagnosticPage page = readDiagnosticPage(file);
      EXPECT_TRUE(page.command.empty() || page.command.starts_with("sluice-cli ")) << page.code;
      EXPECT_EQ(page.command.find_first_of("|&;$`\n"), std::string::npos) << page.code;
      if (page.command.empty()) {
        EXPECT_THAT(page.example, testing::StartsWith("None at the shell: ")) << page.code;
      }
    } catch (const std::invalid_argument& wrong) {
      ADD_FAILURE() << wrong.what();
    }
  }
}

TEST(DiagnosticPages, OfAnotherFormAreRefused) {
  const std::string good =
      "# x\n\nIt means this.\n\n## Example\n\n```json name=a.json\n{}\n```\n\n```sh\n"
      "sluice-cli check a.json\n```\n\n## Fix\n\nDo that.\n";
  const DiagnosticPage page = readDiagnosticPage({"x", good});
  EXPECT_EQ(page.meaning, "It means this.");
  ASSERT_EQ(page.files.size(), 1u);
  EXPECT_EQ(page.files[0].name, "a.json");
  EXPECT_EQ(page.files[0].text, "{}\n");
  EXPECT_EQ(page.command, "sluice-cli check a.json");
  EXPECT_EQ(page.fix, "Do that.");
  for (const std::string part :
       {"# x\n", "It means this.", "## Example\n", " name=a.json", "## Fix\n", "Do that."}) {
    std::string wrong = good;
    wrong.erase(wrong.find(part), part.size());
    EXPECT_THROW(readDiagnosticPage({"x", wrong}), std::invalid_argument) << part;
  }
}

class DiagnosticExamples : public testing_support::FolderTest {
 protected:
  DiagnosticExamples() {
    fs::copy(SLUICE_SOURCE_DIR "/sample_workloads", folder_ / "samples", fs::copy_options::recursive);
  }

  /// In a folder of its own.
  Outcome run(const DiagnosticPage& page) const {
    const fs::path here = folder_ / page.code;
    fs::create_directory(here);
    fs::create_directory_symlink(folder_ / "samples", here / "sample_workloads");
    for (const DiagnosticPage::File& file : page.files)
      std::ofstream(here / file.name, std::ios::binary) << file.text;
    return runCommandLine(page.command.substr(page.command.find(' ') + 1), true, here.string());
  }
};

TEST_F(DiagnosticExamples, EndWithTheirCode) {
  for (const DiagnosticPage& page : diagnosticPages()) {
    if (page.command.empty()) continue;
    if (page.command.starts_with("sluice-cli export ") && !fs::exists(SLUICE_BINARY_DIR "/bin/sluice-chart"))
      continue;  // built without the window
    EXPECT_THAT(run(page).out, HasSubstr("[" + page.code + "]")) << page.code << ": " << page.command;
  }
}

TEST(DiagnosticHelp, ShowsAPageAndListsAll) {
  const Outcome shown = runCommandLine("help json-syntax");
  EXPECT_EQ(shown.status, 0);
  for (const char* part : {"json-syntax\n", "Example\n", "sluice-cli check broken.sluice", "Fix\n"})
    EXPECT_THAT(shown.out, HasSubstr(part));
  const Outcome list = runCommandLine("help diagnostics --json");
  EXPECT_EQ(list.object()["codes"].size(), diagnosticPages().size());
  EXPECT_THAT(runCommandLine("help").out, HasSubstr("file-not-found  "));
}

TEST(DiagnosticHelp, SuggestsTheCodeThatWasMeant) {
  const Outcome outcome = runCommandLine("help json-sintax", true);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.out, HasSubstr("did you mean 'json-syntax'?"));
}

TEST(DiagnosticHelp, KnowsLabelsOfTrustAndTheOptionsOfCommands) {
  const auto trust = runCommandLine("help trust --json").object();
  for (const char* label : {"model", "calibrated", "rtl", "published"})
    EXPECT_FALSE(trust["trust_labels"][label].get<std::string>().empty()) << label;
  EXPECT_THAT(runCommandLine("help trust").out, HasSubstr("--confirm OUT.sluice"));
  const Outcome command = runCommandLine("help explore");
  EXPECT_EQ(command.status, 0);
  EXPECT_THAT(command.out, HasSubstr("Usage: sluice-cli explore [OPTIONS] FILE"));
  EXPECT_THAT(runCommandLine("help exlpore", true).out, HasSubstr("did you mean 'explore'?"));
}

}  // namespace sluice::diagnostic_pages_test
