// Edits that fix a document: offered with the diagnostic, made one by one, and by `check --fix` where only
// one thing can be meant.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "engine/core/atomic_file.h"
#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"
#include "engine/program/file_format.h"
#include "engine/program/fix_edit.h"
#include "engine/program/spelling.h"
#include "tests/engine/support/command_line.h"

namespace sluice::fix_edit_test {

using testing::HasSubstr;
using testing::Not;
using testing_support::Outcome;
using testing_support::runCommandLine;

/// A kind, a parameter, a symbol, and both ends of a stream are spelt wrongly.
const std::string misspelt = R"({
  "sluice": 1,
  "constants": {"size": 16},
  "program": {
    "nodes": [
      {"name": "x", "kind": "LinearOffChipLoad", "parameters": {"out_shpe": [4], "tile": ["siz", "siz * 2"]}},
      {"name": "sink", "kind": "Consumr"}
    ],
    "streams": [
      {"from": "x.outt", "to": "snik.in"}
    ]
  }
})";

Document misspeltDocument() {
  return *parseDocument(misspelt, "misspelt");
}

/// The first edit of every diagnostic that `wanted` takes; how many were made.
int applyFixes(Document& document, bool (*wanted)(const FixEdit&)) {
  int made = 0;
  for (const Diagnostic& each : check(document, builtInCatalog())) {
    const auto fix = std::ranges::find_if(each.fixes, wanted);
    if (fix != each.fixes.end() && applyFix(document, *fix, builtInCatalog())) ++made;
  }
  return made;
}

TEST(FixEdits, MendWhatIsMisspelt) {
  Document document = misspeltDocument();
  const auto certain = [](const FixEdit& fix) { return fix.certain; };
  for (int round = 0; round < 4 && applyFixes(document, certain) > 0; ++round) {
  }
  EXPECT_FALSE(hasErrors(check(document, builtInCatalog()))) << text(check(document, builtInCatalog()));
  EXPECT_EQ(document.program.nodes[1].kind, "Consumer");
  EXPECT_EQ(text(document.program.streams[0].from), "x.out");
  EXPECT_EQ(text(document.program.streams[0].to), "sink.in");
  const Values& parameters = document.program.nodes[0].parameters;
  EXPECT_TRUE(parameters.contains("out_shape"));
  EXPECT_EQ(parameters.at("tile"), Value(std::vector<Value>{Value("size"), Value("size * 2")}));
}

TEST(FixEdits, GiveAMissingParameterAValue) {
  Document document = misspeltDocument();
  document.program.nodes[0].parameters = {};
  const auto adds = [](const FixEdit& fix) { return fix.kind == FixEdit::Kind::AddParameter; };
  EXPECT_GT(applyFixes(document, adds), 0);
  for (const Diagnostic& each : check(document, builtInCatalog())) EXPECT_NE(each.code, "missing-parameter");
}

TEST(FixEdits, RefuseWhatIsGone) {
  Document document = misspeltDocument();
  const Document before = document;
  for (const FixEdit::Kind kind : {FixEdit::Kind::AddParameter, FixEdit::Kind::RenameParameter,
                                   FixEdit::Kind::ReplaceSymbol, FixEdit::Kind::SetEnd})
    EXPECT_FALSE(applyFix(document, {kind, "x", "no_such", "a", "b"}, builtInCatalog()));
  EXPECT_FALSE(applyFix(document, {FixEdit::Kind::SetKind, "no.such", {}, {}, "Consumer"}, builtInCatalog()));
  EXPECT_EQ(document, before);
}

TEST(FixEdits, AreCertainOnlyWhereOneNameIsMeant) {
  EXPECT_EQ(evidentSpelling("Consumr", {"Consumer", "Printer"}), "Consumer");
  EXPECT_EQ(evidentSpelling("tile", {"Tile"}), "Tile");
  EXPECT_EQ(evidentSpelling("tilf", {"tile", "tilt"}), std::nullopt);
  EXPECT_EQ(evidentSpelling("thread", {"tile"}), std::nullopt);
}

TEST(FixEdits, OnTheCommandLine) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("sluice_fix_" + std::to_string(getpid()) + ".sluice");
  ASSERT_TRUE(writeFileAtomically(file, misspelt));
  const std::string quoted = "'" + file.string() + "'";
  const Outcome told = runCommandLine("check " + quoted + " --json");
  EXPECT_EQ(told.status, 1);
  bool offered = false;
  const auto report = told.object();
  for (const auto& each : report["diagnostics"])
    if (each.contains("fixes")) offered |= each["fixes"][0]["text"] == "use 'Consumer'";
  EXPECT_TRUE(offered);
  const Outcome repaired = runCommandLine("check " + quoted + " --fix", true);
  EXPECT_EQ(repaired.status, 0) << repaired.out;
  EXPECT_THAT(repaired.out, HasSubstr("operator 'sink': use 'Consumer'"));
  EXPECT_EQ(runCommandLine("check " + quoted).status, 0);
  EXPECT_THAT(*readFile(file), HasSubstr("\"Consumer\""));
  EXPECT_THAT(*readFile(file), Not(HasSubstr("out_shpe")));
  std::filesystem::remove(file);
}

}  // namespace sluice::fix_edit_test
