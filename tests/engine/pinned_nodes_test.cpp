// Pins stand in the file beside the program and change nothing of it.

#include "engine/program/pinned_nodes.h"

#include <gtest/gtest.h>

#include "engine/core/atomic_file.h"
#include "engine/program/file_format.h"

namespace sluice {
namespace {

const std::filesystem::path sampleFile = SLUICE_SOURCE_DIR "/sample_workloads/simple_moe.sluice";

TEST(PinnedNodes, AreReadBackAndChangeNothingElse) {
  const Document document = *loadDocument(sampleFile);
  const auto file = std::filesystem::path(testing::TempDir()) / "pinned.sluice";
  const std::string inside = "expert." + document.program.find("expert")->body->body.nodes.front().name;
  const std::set<std::string> pinned{"expert", inside, "scatter"};
  ASSERT_TRUE(saveDocument(document, pinned, file));
  EXPECT_EQ(pinnedNodes(file), pinned);
  const Result<Document> back = loadDocument(file);
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, document);
  // Without pins the bytes are those of the format alone; what names no node is left out.
  ASSERT_TRUE(saveDocument(document, {"nobody", "expert.nobody", "scatter.in"}, file));
  EXPECT_EQ(*readFile(file), writeDocument(document));
  EXPECT_TRUE(pinnedNodes(file).empty());
  EXPECT_TRUE(pinnedNodes("/nowhere/at/all.sluice").empty());
}

TEST(PinnedNodes, OtherValuesAreRefusedWithTheirPlace) {
  std::string text = writeDocument(*loadDocument(sampleFile));
  text.insert(text.size() - 3, ",\n  \"pinned\": [1]");
  const Result<Document> refused = parseDocument(text, "test");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.diagnostics().front().place.find("$.pinned[0]"), std::string::npos);
}

}  // namespace
}  // namespace sluice
