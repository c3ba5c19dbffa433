// Technologies: those that are part of the program, tables and expressions, and files that are wrong.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "engine/core/atomic_file.h"
#include "engine/energy/node_scaling.h"
#include "engine/energy/technology.h"

namespace sluice::technology_test {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  if (at == std::string::npos) throw std::runtime_error("not there: " + what);
  return text.replace(at, what.size(), by);
}

std::string shipped(const std::string& name) {
  return *readFile(fs::path(SLUICE_SOURCE_DIR) / "resources/technology" / (name + ".json"), 1 << 20);
}

Technology named(const std::string& name) {
  Result<Technology> read = technologyNamed(name);
  if (!read) throw std::runtime_error(text(read.diagnostics()));
  return *std::move(read);
}

TEST(Technology, EveryFileIsPartOfTheProgramWithASourceForEachNumber) {
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(fs::path(SLUICE_SOURCE_DIR) / "resources/technology"))
    files.insert(entry.path().stem().string());
  const std::vector<std::string> names = builtinTechnologies();
  EXPECT_EQ(files, std::set<std::string>(names.begin(), names.end()));
  for (const std::string& name : names) {
    const Technology technology = named(name);
    EXPECT_EQ(technology.name, name);
    EXPECT_GT(technology.node_nm, 0);
    for (const Price& price : technology.prices) {
      EXPECT_GT(price.source.size(), 20u) << name << " " << text(price.action);
      EXPECT_FALSE(price.uncertainty.empty()) << name << " " << text(price.action);
    }
  }
}

/// Horowitz, ISSCC 2014, figure 1.1.9, and Jouppi et al., ISCA 2021, table 2: pJ for 64 bits.
TEST(Technology, SaysWhatItsPapersSay) {
  const auto picojoules = [](const Technology& technology, Action action, double bytes) {
    return technology.find(action)->energy->at({bytes, 8, 2, technology.node_nm}) * 1e12;
  };
  const Technology old = named("45nm"), young = named("7nm");
  for (const auto& [bytes, then, now] :
       {std::tuple(8192.0, 10.0, 7.5), {32768.0, 20.0, 8.5}, {1048576.0, 100.0, 14.0}}) {
    EXPECT_NEAR(picojoules(old, Action::SramRead, bytes), then, 1e-9);
    EXPECT_NEAR(picojoules(young, Action::SramWrite, bytes), now, 1e-9);
  }
  EXPECT_NEAR(old.find(Action::Multiply, Scalar::F32).energy->at({}) * 1e12, 3.7, 1e-9);
  EXPECT_NEAR(young.find(Action::Add, Scalar::BF16).energy->at({}) * 1e12, 0.11, 1e-9);
  EXPECT_EQ(old.find(Action::Add, Scalar::BF16).scalar, Scalar::F16) << "the stand-in of one size";
  EXPECT_EQ(old.find(Action::Add, Scalar::U64).scalar, scalarNamed("i32")) << "the widest of its kind";
}

/// A card has memories of two kinds, by size as in the placement; the numbers are those of published reports
/// of the vendor's estimator: watts over blocks and cycles.
TEST(Technology, OfACardKnowsItsUram) {
  for (const std::string name : {"u55c", "u280"}) {
    const Technology card = named(name);
    const auto picojoules = [&](Action action, double bytes) {
      return card.find(action)->energy->at({bytes, 8, 2, card.node_nm}) * 1e12;
    };
    const double bram = 1.532 / 412.5 / 180e6 / 2 * 1e12;
    const double uram = (0.074 + 0.077 + 0.068) / 3 / 64 / 150e6 / 2 * 1e12;
    for (const Action action : {Action::SramRead, Action::SramWrite}) {
      EXPECT_NEAR(picojoules(action, 1024), bram, 0.05);
      EXPECT_NEAR(picojoules(action, 32767), bram, 0.05);
      EXPECT_NEAR(picojoules(action, 32768), uram, 0.05);
      EXPECT_NEAR(picojoules(action, 1 << 22), uram, 0.05);
    }
    EXPECT_THAT(card.find(Action::SramRead)->source, HasSubstr("URAM: 0.074"));
  }
}

TEST(Technology, TablesFollowThePowerLawBetweenTheirPoints) {
  const Amount table(Amount::Points{{100, 1}, {400, 2}, {1600, 8}}, 1);
  EXPECT_DOUBLE_EQ(table.at({200}), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(table.at({800}), 4);
  EXPECT_DOUBLE_EQ(table.at({1}), 1) << "below the first point as that";
  EXPECT_DOUBLE_EQ(table.at({6400}), 32) << "above the last point on and on";
}

TEST(Technology, ExpressionsDependOnSizeWidthPortsAndNode) {
  const std::string json = replaced(shipped("45nm"), "[[8192, 10], [32768, 20], [1048576, 100]]",
                                    "\"2*bytes + 3*width + 5*ports + node\"");
  const Result<Technology> read = parseTechnology(json, "mine");
  ASSERT_TRUE(read);
  EXPECT_DOUBLE_EQ(read->find(Action::SramRead)->energy->at({10, 100, 2, 45}) * 1e12, 20 + 300 + 10 + 45);
}

TEST(Technology, AnotherOneIsExtendedAndSaysWhatItOverrides) {
  const Technology stack = named("7nm_hbm2_stack");
  EXPECT_EQ(stack.node_nm, 7);
  EXPECT_THAT(stack.overridden, testing::ElementsAre("off_chip_read, 7nm", "off_chip_write, 7nm"));
  const Price& read = *stack.find(Action::OffChipRead);
  EXPECT_NEAR(read.energy->at({}) / read.per_bytes / 8 * 1e12, 3.9, 1e-9) << "pJ a bit";
  EXPECT_EQ(stack.find(Action::SramRead)->file, "7nm");
}

/// Another energy leaves the area, and says where that is from.
TEST(Technology, AnEntryWithoutAnAreaHasThatOfTheOneItReplaces) {
  const Technology base = named("7nm"), scaled = named("16nm");
  const auto over = [](const std::string& parent, const std::string& more) {
    return *parseTechnology(R"({"name": "mine", "extends": ")" + parent + R"(", "entries": [
      {"action": "sram_read", "energy": 1, "unit": "pJ", "source": "measured", "uncertainty": "10 %"},
      {"action": "add", "scalar": "f32", "energy": 2, "unit": "pJ", "source": "measured",
       "uncertainty": "10 %")" + more +
                                "}]}",
                            "mine.json");
  };
  const Technology mine = over("7nm", "");
  EXPECT_DOUBLE_EQ(mine.find(Action::SramRead)->energy->at({}), 1e-12);
  EXPECT_DOUBLE_EQ(mine.find(Action::SramRead)->area->at({}), base.find(Action::SramRead)->area->at({}));
  EXPECT_EQ(mine.find(Action::SramRead)->area_source, base.find(Action::SramRead)->area_source);
  EXPECT_DOUBLE_EQ(mine.find(Action::Add, Scalar::F32).area->at({}),
                   base.find(Action::Add, Scalar::F32).area->at({}));
  const Technology small = over("16nm", "");
  EXPECT_DOUBLE_EQ(small.find(Action::SramRead)->area->at({}), scaled.find(Action::SramRead)->area->at({}));
  EXPECT_THAT(small.find(Action::SramRead)->area_source, HasSubstr("published SRAM cells"));
  const Technology own = over("7nm", R"(, "area": 9, "area_unit": "um2")");
  EXPECT_DOUBLE_EQ(own.find(Action::Add, Scalar::F32).area->at({}), 9e-6);
  EXPECT_TRUE(own.find(Action::Add, Scalar::F32).area_source.empty()) << "its own";
  EXPECT_FALSE(over("u55c", "").find(Action::SramRead)->area) << "there is none to inherit";
}

/// Bytes at their whole energy have rows in them already.
TEST(Technology, RowsNeedTheEnergyOfAColumn) {
  const auto refused = [](const std::string& json) {
    const Result<Technology> read = parseTechnology(json, "mine.json");
    return read ? std::string("accepted") : text(read.diagnostics());
  };
  const std::string access = R"("energy": 4, "unit": "pJ", "source": "measured", "uncertainty": "10 %")";
  const std::string row = R"({"action": "row_activation", )" + access + "}";
  const auto mine = [&](const std::string& parent, const std::string& entries) {
    return R"({"name": "mine", "extends": ")" + parent + R"(", "entries": [)" + entries + "]}";
  };
  const std::string rows_alone = refused(mine("7nm", row));
  for (const char* words : {"mine.json", "$.entries[0]", "off_chip_read of '7nm'", "off_chip_write of '7nm'",
                            "column_energy", "row_activation of 'mine'"})
    EXPECT_THAT(rows_alone, HasSubstr(words));
  const std::string read = R"({"action": "off_chip_read", )";
  const std::string overridden = refused(mine("7nm_hbm2_stack", read + access + "}"));
  for (const char* words :
       {"$.entries[0]", "off_chip_read of 'mine'", "row_activation of '7nm_hbm2_stack'", "open row"})
    EXPECT_THAT(overridden, HasSubstr(words));
  EXPECT_THAT(overridden, testing::Not(HasSubstr("off_chip_write of"))) << "that one has a column";
  EXPECT_EQ(refused(mine("7nm_hbm2_stack", read + R"("column_energy": 3, )" + access + "}")), "accepted");
}

/// The authors' corrected example: 1 pJ of 65 nm at 1.3 V is 0.1755 pJ of 32 nm at 0.9 V.
TEST(Technology, ProcessesAreScaledByPublishedEquations) {
  EXPECT_NEAR(*energyFactor({65, 1.3}, {32, 0.9}), 0.1755, 1e-4);
  EXPECT_DOUBLE_EQ(*energyFactor({16, 0.8}, {16, 0.8}), 1);
  EXPECT_DOUBLE_EQ(*areaFactor(45, 16), 0.19);
  EXPECT_NEAR(*memoryAreaFactor(45, 7), 1 / 12.8, 1e-3) << "cells shrink less than logic, by 16.9";
  EXPECT_FALSE(energyFactor({45, 0.9}, {22, 0.9}) || energyFactor({45, 2}, {7, 0.7}) || areaFactor(45, 5));
  const Technology old = named("45nm"), scaled = named("16nm");
  const double factor = *energyFactor({45, 0.9}, {16, 0.8});
  EXPECT_EQ(scaled.node_nm, 16);
  const Price &before = old.find(Action::Multiply, Scalar::F32),
              &after = scaled.find(Action::Multiply, Scalar::F32);
  EXPECT_DOUBLE_EQ(after.energy->at({}), factor * before.energy->at({}));
  EXPECT_DOUBLE_EQ(after.area->at({}), 0.19 * before.area->at({}));
  EXPECT_THAT(after.source, HasSubstr("Stillmaker"));
  EXPECT_THAT(after.area_source, HasSubstr("times 0.19, the table of areas of logic"));
  EXPECT_NEAR(scaled.find(Action::SramRead)->area->at({}) / old.find(Action::SramRead)->area->at({}),
              0.07 / 0.346, 1e-12);
  EXPECT_THAT(scaled.find(Action::SramRead)->area_source, HasSubstr("published SRAM cells"));
  // The table of 7 nm has areas by the same two rules.
  const Technology table = named("7nm");
  for (const Action action : {Action::Add, Action::Multiply})
    EXPECT_NEAR(table.find(action, Scalar::F32).area->at({}) / old.find(action, Scalar::F32).area->at({}),
                *areaFactor(45, 7), 2e-4);
  EXPECT_NEAR(table.find(Action::SramRead)->area->at({}) / old.find(Action::SramRead)->area->at({}),
              *memoryAreaFactor(45, 7), 1e-9);
  EXPECT_DOUBLE_EQ(scaled.find(Action::SramRead)->energy->at({32768, 0, 2, 16}), factor * 20e-12);
  EXPECT_DOUBLE_EQ(scaled.find(Action::OffChipRead)->energy->at({}), 31.2e-12) << "memory is not scaled";
}

TEST(Technology, AFileNeedsNoSuffix) {
  const fs::path folder = fs::temp_directory_path() / "sluice-technology-suffix";
  fs::create_directories(folder);
  ASSERT_TRUE(writeFileAtomically(folder / "ours", R"({"name": "o", "extends": "7nm", "entries": []})"));
  const Result<Technology> read = technologyNamed("ours", folder);
  ASSERT_TRUE(read) << text(read.diagnostics());
  EXPECT_EQ(read->name, "o");
  fs::remove_all(folder);
  const Result<Technology> gone = technologyNamed("ours", folder);
  ASSERT_FALSE(gone);
  EXPECT_THAT(text(gone.diagnostics()), HasSubstr("no technology and no file"));
}

struct Wrong {
  const char *what, *by, *code, *says;
};

TEST(Technology, FilesThatAreWrongAreRefusedWithTheirPlace) {
  const Wrong all[] = {
      {"\"node_nm\": 45,", "\"node_nm\": 45, \"voltage\": 1,", "unknown-field", "voltage"},
      {"\"node_nm\": 45,", "", "missing-field", "node_nm"},
      {"\"node_nm\": 45,", "\"node_nm\": -45,", "out-of-range", "above 0"},
      {"\"energy\": 0.03", "\"energy\": -0.03", "out-of-range", "negative"},
      {"\"energy\": 0.03", "\"energy\": \"1 - bytes\"", "out-of-range", "negative"},
      {"\"energy\": 0.03", "\"energy\": \"1 + voltage\"", "unknown-name", "voltage"},
      {"\"energy\": 0.03", "\"energy\": \"1 +\"", "expression-syntax", ""},
      {"\"energy\": 0.03", "\"energy\": \"bytes / (ports - 2)\"", "out-of-range", "no finite number"},
      {"\"energy\": 0.03", "\"energy\": [[2, 1], [1, 1]]", "out-of-range", "rise"},
      {"\"energy\": 0.03", "\"energy\": [[1]]", "json-type", "a pair"},
      {"\"energy\": 0.03", "\"energy\": []", "missing-value", "no points"},
      {"\"energy\": 0.03", "\"energy\": true", "json-type", ""},
      {"\"energy\": 0.03, ", "", "missing-field", "energy"},
      {"\"unit\": \"pJ\"", "\"unit\": \"pF\"", "unknown-name", "pF"},
      {"\"area_unit\": \"um2\"", "\"area_unit\": \"um\"", "unknown-name", "um"},
      {", \"area_unit\": \"um2\"", "", "missing-field", "area"},
      {"\"scalar\": \"i8\", ", "", "missing-field", "scalar"},
      {"\"scalar\": \"i8\"", "\"scalar\": \"x8\"", "unknown-name", "x8"},
      {"\"scalar\": \"i8\"", "\"scalar\": \"i32\"", "duplicate-name", "add of i32"},
      {"\"action\": \"add\"", "\"action\": \"subtract\"", "unknown-name", "subtract"},
      {"\"action\": \"add\"", "\"action\": \"leakage\"", "unknown-field", "scalar"},
      {"\"uncertainty\": \"rounded to one digit\"", "\"uncertainty\": \" \"", "missing-value",
       "says nothing"},
      {"\"action\": \"off_chip_read\"", "\"action\": \"fifo_push\"", "missing-field", "off_chip_read"},
      {"\"title\"", "\"extends\": \"6nm\", \"title\"", "unknown-name", "6nm"},
      {"\"title\"", "\"scale\": {\"from_volts\": 1, \"volts\": 1}, \"title\"", "missing-field",
       "nothing to scale"},
      {"\"energy\": 0.03", "\"energy\": 0.03, \"column_energy\": 0.02", "unknown-field", "rows and columns"},
  };
  for (const Wrong& wrong : all) {
    SCOPED_TRACE(std::string(wrong.what) + " -> " + wrong.by);
    const Result<Technology> read =
        parseTechnology(replaced(shipped("45nm"), wrong.what, wrong.by), "mine.json");
    ASSERT_FALSE(read);
    const Diagnostic& first = read.diagnostics().front();
    EXPECT_EQ(first.code, wrong.code);
    EXPECT_THAT(text(read.diagnostics()), HasSubstr(wrong.says));
    EXPECT_FALSE(first.fix.empty());
    const bool elsewhere = std::string(wrong.by).find("extends") != std::string::npos;
    EXPECT_TRUE(elsewhere || text(first.place).find("mine.json") != std::string::npos) << text(first.place);
  }
}

TEST(Technology, ANumberWithoutASourceIsRefused) {
  std::string json = shipped("7nm_hbm2_stack");
  const std::size_t from = json.find("\"source\""), to = json.find("\"uncertainty\"");
  const Result<Technology> read = parseTechnology(json.erase(from, to - from), "mine.json");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.diagnostics().front().code, "missing-field");
  EXPECT_THAT(text(read.diagnostics()), HasSubstr("source"));
}

TEST(Technology, FilesExtendFilesBesideThemButNotInACircle) {
  const fs::path folder = fs::temp_directory_path() / "sluice-technology-test";
  fs::create_directories(folder);
  ASSERT_TRUE(writeFileAtomically(folder / "a.json", R"({"name": "a", "extends": "b.json", "entries": []})"));
  ASSERT_TRUE(writeFileAtomically(folder / "b.json", R"({"name": "b", "extends": "7nm", "entries": []})"));
  const Result<Technology> fine = technologyNamed((folder / "a.json").string());
  ASSERT_TRUE(fine);
  EXPECT_EQ(fine->name, "a");
  ASSERT_TRUE(writeFileAtomically(folder / "b.json", R"({"name": "b", "extends": "a.json", "entries": []})"));
  const Result<Technology> circle = technologyNamed((folder / "a.json").string());
  ASSERT_FALSE(circle);
  EXPECT_EQ(circle.diagnostics().front().code, "recursive-definition");
  fs::remove_all(folder);
  const Result<Technology> gone = technologyNamed((folder / "a.json").string());
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.diagnostics().front().code, "file-not-found");
}

}  // namespace sluice::technology_test
