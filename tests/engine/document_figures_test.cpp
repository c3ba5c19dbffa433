// Figures of a document: as they are written they are read again, and mistakes are refused where they stand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/program/appearance.h"
#include "engine/program/file_format.h"

namespace sluice::document_figures_test {

using testing::HasSubstr;

Document withFigures() {
  FigurePanel pareto;
  pareto.title = "Tiles \"small\" to large";
  pareto.caption = "frontier";
  pareto.x = "cycles";
  pareto.y = "tile";
  pareto.log_x = true;
  pareto.x_range = Bounds{0.5, 1e9};
  pareto.x_label = "Time (cycles)";
  pareto.y_unit = UnitPrefix::Kilo;
  pareto.legend = LegendPlace::Inside;
  pareto.hidden = {"dominated"};
  FigurePanel timeline;
  timeline.view = PanelView::Timeline;
  FigurePanel designs;
  designs.view = PanelView::Designs;
  FigurePanel experts;
  experts.view = PanelView::Experts;
  experts.x = "rank";
  timeline.span = 2;
  timeline.height = 180;
  timeline.rows = {"expert"};
  timeline.knobs = {{"tile", 16}};
  Document document;
  document.figures = {
      {.name = "Figure 3", .width = 516, .columns = 3, .panels = {pareto, timeline, designs, experts}},
      {.name = "empty"}};
  Figure& styled = document.figures.back();
  styled.letters = styled.grid = false;
  styled.font = "Serif";
  styled.line_width = 0.75;
  styled.palette = FigurePalette::Grey;
  return document;
}

/// A document with one figure of these members.
std::string refusal(const std::string& figure) {
  const Result<Document> read =
      parseDocument(R"({"sluice": 1, "program": {}, "figures": [)" + figure + "]}", "x.sluice");
  if (read) return "";
  std::string codes;
  for (const Diagnostic& each : read.diagnostics()) codes += each.code + "\n";
  return codes + text(read.diagnostics());
}

TEST(DocumentFigures, AreReadAsTheyWereWritten) {
  const Document document = withFigures();
  const std::string written = writeDocument(document);
  const Result<Document> read = parseDocument(written, "x.sluice");
  ASSERT_TRUE(read) << text(read.diagnostics());
  EXPECT_EQ(*read, document) << written;
  EXPECT_EQ(writeDocument(*read), written);
  ASSERT_NE(findFigure(*read, "Figure 3"), nullptr);
  EXPECT_EQ(findFigure(*read, "Figure 3")->panels.size(), 4u);
  EXPECT_EQ(findFigure(*read, "Figure 4"), nullptr);
}

TEST(DocumentFigures, ChangeNoNumber) {
  Document document = withFigures();
  dropAppearance(document);
  EXPECT_EQ(document, Document());
  EXPECT_EQ(writeDocument({}).find("figures"), std::string::npos);
}

TEST(DocumentFigures, MistakesAreRefusedWhereTheyStand) {
  EXPECT_EQ(refusal(R"({"name": "a", "panels": [{"view": "graph"}]})"), "");
  EXPECT_THAT(refusal(R"({"name": "a", "colour": 1})"), HasSubstr("figures[0].colour"));
  EXPECT_THAT(refusal(R"({"name": "a", "panels": [{"view": "pareto", "with": 1}]})"),
              HasSubstr("panels[0].with"));
  EXPECT_THAT(refusal(R"({"name": "a", "panels": [{"view": "pareot"}]})"), HasSubstr("pareto"));
  EXPECT_THAT(refusal(R"({"panels": []})"), HasSubstr("missing-field"));
  EXPECT_THAT(refusal(R"({"name": ""})"), HasSubstr("invalid-name"));
  EXPECT_THAT(refusal(R"({"name": "a"}, {"name": "a"})"), HasSubstr("duplicate-name"));
  EXPECT_THAT(refusal(R"({"name": "a", "width": 7})"), HasSubstr("72 to 5000"));
  EXPECT_THAT(refusal(R"({"name": "a", "line_width": 10.5})"), HasSubstr("0 to 10"));
  EXPECT_THAT(refusal(R"({"name": "a", "panels": [{"view": "fifo", "span": 0}]})"), HasSubstr("1 to 6"));
  EXPECT_THAT(refusal(R"({"name": "a", "panels": [{"view": "fifo", "x_range": [2, 1]}]})"),
              HasSubstr("x_range"));
  EXPECT_THAT(refusal(R"({"name": "a", "panels": [{"view": "fifo", "knobs": {"tile": "x"}}]})"),
              HasSubstr("knobs.tile"));
}

}  // namespace sluice::document_figures_test
