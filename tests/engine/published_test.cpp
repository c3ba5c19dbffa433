// The published numbers: every file of resources/published/ is part of the program, complete, and has each
// row once; a table that is not in order is refused; every claim is laid beside ours.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "engine/core/csv.h"
#include "engine/core/embedded_files.h"
#include "engine/figures/figure.h"
#include "engine/figures/published.h"

namespace sluice::published_test {

using figures::parsePublished;
using figures::PublishedRow;
using figures::publishedTable;
using figures::PublishedTable;
using testing::HasSubstr;

/// Rows of each file. A row that is added or left out is a change of what is published.
const std::map<std::string, std::size_t> rowCounts{
    {"claims", 50},         {"device_power", 5},  {"energy_ratios", 3}, {"expert_tokens", 4},
    {"fifo_depth", 7},      {"fig10", 16},        {"fig12", 12},        {"fig13", 6},
    {"fig14", 9},           {"fig15", 4},         {"fig17", 6},         {"fig19", 10},
    {"fig20", 16},          {"fig21", 9},         {"fig8", 15},         {"fig9", 10},
    {"fpga_designs", 14},   {"fpga_fifos", 25},   {"fpga_kernels", 48}, {"fpga_moves", 4},
    {"fpga_operators", 10}, {"gpt2_latency", 20}, {"gpt2_ratios", 5},   {"hida_partition", 12},
    {"hida_unroll", 12},    {"kv_lengths", 27}};

TEST(Published, EveryFileIsInTheProgramAndWhole) {
  std::set<std::string> names;
  for (const EmbeddedFile& file : publishedFiles()) {
    const std::string name(file.name);
    SCOPED_TRACE(name);
    EXPECT_TRUE(names.insert(name).second);
    const Result<PublishedTable> table = parsePublished(file.text, name);
    ASSERT_TRUE(table) << text(table.diagnostics());
    ASSERT_TRUE(rowCounts.contains(name)) << "say how many rows it has";
    EXPECT_EQ(table->size(), rowCounts.at(name));
  }
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(SLUICE_SOURCE_DIR "/resources/published"))
    if (entry.path().extension() == ".csv") files.insert(entry.path().stem());
  EXPECT_EQ(names, files);
  EXPECT_EQ(names.size(), rowCounts.size());
}

/// Figures whose points are a grid have all of it: with keys that are there once, none is missing.
TEST(Published, GridsAreComplete) {
  const std::map<std::string, std::pair<std::string, std::string>> grids{
      {"fig8", {"tile_m", "tile_n"}},         {"fig9", {"model", "tile"}},
      {"fig12", {"tiling", "regions"}},       {"fig17", {"model", "schedule"}},
      {"fig19", {"model", "tile"}},           {"fig20", {"model", "tile"}},
      {"fig10", {"model", "tile"}},           {"fig21", {"batch", "variance"}},
      {"gpt2_latency", {"system", "tokens"}}, {"hida_unroll", {"mode", "node"}},
      {"hida_partition", {"mode", "array"}}};
  for (const auto& [name, key] : grids) {
    std::set<std::string> first, second;
    const PublishedTable table = publishedTable(name);
    for (const PublishedRow& row : table) {
      first.insert(row.text(key.first));
      second.insert(row.text(key.second));
    }
    EXPECT_EQ(table.size(), first.size() * second.size()) << name;
  }
}

/// Figures 19 and 20 are over the memory of 9 and 10; traces of every set have as many tokens as it says.
TEST(Published, FilesAgreeWithEachOther) {
  for (const auto& [cycles, traffic] : {std::pair{"fig9", "fig19"}, {"fig10", "fig20"}}) {
    const PublishedTable other = publishedTable(traffic);
    for (const PublishedRow& row : publishedTable(cycles)) {
      const PublishedRow& same = rowWith(other, {{"model", row.text("model")}, {"tile", row.text("tile")}});
      EXPECT_EQ(row.text("on_chip_bytes"), same.text("on_chip_bytes")) << row.text("tile");
    }
  }
  const std::map<std::string, std::int64_t> choices{
      {"mixtral_b64", 64 * 2}, {"mixtral_b1024", 1024 * 2}, {"qwen_b64", 64 * 8}, {"qwen_b1024", 1024 * 8}};
  for (const PublishedRow& row : publishedTable("expert_tokens")) {
    std::int64_t sum = 0;
    for (const std::int64_t tokens : row.integers("tokens")) sum += tokens;
    EXPECT_EQ(sum, choices.at(row.text("model"))) << row.text("model");
  }
  for (const PublishedRow& row : publishedTable("kv_lengths")) {
    EXPECT_LT(row.number("minimum"), row.number("mean"));
    EXPECT_LT(row.number("mean"), row.number("maximum"));
  }
}

TEST(Published, ClaimsAreLaidBesideOurs) {
  const std::vector<std::string> names = figureNames();
  const PublishedTable claims = publishedTable("claims");
  for (const PublishedRow& row : claims) EXPECT_THAT(names, testing::Contains(row.text("figure")));
  const std::unique_ptr<Executor> executor = makeExecutor(2);
  for (const std::string name : {"fig8", "fig9", "fig12", "fig13", "fig14", "fig15", "fig19", "fig21"}) {
    FigureRequest request;
    request.executor = executor.get();
    const Result<FigureResult> figure = reproduceFigure(name, request);
    ASSERT_TRUE(figure) << text(figure.diagnostics());
    std::map<std::string, double> published, laid;
    for (const PublishedRow& row : claims)
      if (row.text("figure") == name) published[row.text("claim")] = row.number("published");
    for (const FigureClaim& claim : figure->claims) laid[claim.claim] = claim.published.value();
    EXPECT_EQ(laid, published) << name;
    EXPECT_EQ(figure->claims.size(), published.size()) << name;
  }
}

std::string refusal(const std::string& csv) {
  const Result<PublishedTable> table = parsePublished(csv, "t.csv");
  return table ? "" : text(table.diagnostics());
}

TEST(Published, TablesOutOfOrderAreRefused) {
  const std::string head = "# a table\n# key: a b\na,b,value\n";
  EXPECT_EQ(refusal(head + "1,2,3\n1,3,3\n"), "");
  EXPECT_THAT(refusal(head + "1,2,3\n1,3,3\n1,2,4\n"),
              HasSubstr("t.csv, row 3: an earlier row has the same key"));
  EXPECT_THAT(refusal(head + "1,2,3\n1,3\n"), HasSubstr("row 2: 2 fields of 3 columns"));
  EXPECT_THAT(refusal(head + "1,,3\n"), HasSubstr("row 1: 'b' is empty"));
  EXPECT_THAT(refusal(head + "1,\"2,3\n"), HasSubstr("a quote is not closed"));
  EXPECT_THAT(refusal("# key: a c\na,b,value\n"), HasSubstr("no column 'c'"));
  EXPECT_THAT(refusal("a,b,value\n1,2,3\n"), HasSubstr("no columns are the key"));
  EXPECT_THAT(refusal("# key: a\n"), HasSubstr("there is no header"));
}

TEST(Published, FieldsAreReadAsTheyAre) {
  const Result<PublishedTable> table = parsePublished(
      "# key: name\nname,number,list\n\"a, \"\"b\"\"\",23.87920,4 8 1\nempty,,\nword,x,\n", "t");
  ASSERT_TRUE(table) << text(table.diagnostics());
  EXPECT_EQ((*table)[0].text("name"), "a, \"b\"");
  EXPECT_EQ((*table)[0].number("number"), 23.87920);
  EXPECT_THAT((*table)[0].integers("list"), testing::ElementsAre(4, 8, 1));
  EXPECT_FALSE((*table)[1].value("number"));
  EXPECT_THAT((*table)[1].integers("list"), testing::IsEmpty());
  EXPECT_THROW((*table)[2].number("number"), std::logic_error);
  EXPECT_THROW((*table)[0].text("nothing"), std::logic_error);
  EXPECT_THROW(rowWith(*table, {{"name", "b"}}), std::logic_error);
  EXPECT_THROW(publishedTable("fig7"), std::logic_error);
}

TEST(Published, CsvIsReadAsItIsWritten) {
  const std::vector<std::string> fields{"plain", "", "with, comma", "with \"quotes\"", "two\nlines", "-1.5"};
  CsvTable written(fields);
  written.row({"last"});
  const auto rows = parseCsv(written.text(), "t");
  ASSERT_TRUE(rows) << text(rows.diagnostics());
  EXPECT_THAT(*rows, testing::ElementsAre(fields, std::vector<std::string>{"last"}));
}

}  // namespace sluice::published_test
