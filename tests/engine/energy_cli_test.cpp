// Energy as a user of sluice-cli meets it: a command of its own, metrics in simulate and explore where a
// technology is named, and nothing of it where none is.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "engine/core/atomic_file.h"
#include "tests/engine/support/command_line.h"
#include "tests/engine/support/temporary_folder.h"

namespace sluice::energy_cli_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing_support::Outcome;
using testing_support::runCommandLine;

const std::string moe = "'" SLUICE_SOURCE_DIR "/sample_workloads/simple_moe.sluice'";

class EnergyCli : public testing_support::FolderTest {};

TEST_F(EnergyCli, SimulateAndEnergyTellTheSame) {
  const json energy = runCommandLine("energy " + moe + " --technology 7nm --json").object();
  const json simulated = runCommandLine("simulate " + moe + " --technology 7nm --json").object();
  ASSERT_TRUE(energy.is_object() && simulated.is_object());
  EXPECT_EQ(energy["energy_breakdown"], simulated["energy_breakdown"]);
  const json& breakdown = energy["energy_breakdown"];
  for (const char* metric : {"energy", "energy_per_output", "power", "area", "energy_delay_product"})
    EXPECT_EQ(simulated[metric], breakdown[metric]) << metric;
  const double seconds = simulated["cycles"].get<double>() / 1e9;
  EXPECT_DOUBLE_EQ(breakdown["seconds"].get<double>(), seconds);
  EXPECT_DOUBLE_EQ(breakdown["power"].get<double>() * seconds, breakdown["energy"].get<double>());
  double operators = 0;
  std::uint64_t off_chip = 0;
  for (const json& op : breakdown["operators"]) {
    operators += op["joules"]["total"].get<double>();
    off_chip +=
        op["off_chip_bytes_read"].get<std::uint64_t>() + op["off_chip_bytes_written"].get<std::uint64_t>();
  }
  EXPECT_NEAR(operators, breakdown["energy"].get<double>(), 1e-9 * operators);
  EXPECT_EQ(off_chip, simulated["moved_off_chip_bytes"].get<std::uint64_t>());
  EXPECT_DOUBLE_EQ(breakdown["dynamic"]["off_chip"].get<double>(),
                   static_cast<double>(off_chip) / 8 * 350e-12);
  EXPECT_TRUE(breakdown["leakage"].is_null());
  for (const json& price : breakdown["prices"]) EXPECT_FALSE(price["source"].get<std::string>().empty());
}

TEST_F(EnergyCli, FormulasOfActionsHaveTheValuesThatARunCounts) {
  const json shapes = runCommandLine("shapes " + moe + " --actions --json").object();
  const json counted = runCommandLine("energy " + moe + " --json").object()["energy_breakdown"]["operators"];
  ASSERT_EQ(shapes["operators"].size(), counted.size());
  for (const auto& [action, total] : shapes["actions"].items()) {
    if (action.starts_with("fifo_")) continue;
    std::uint64_t sum = 0;
    for (std::size_t o = 0; o < counted.size(); ++o) {
      EXPECT_EQ(shapes["operators"][o]["actions"][action]["value"], counted[o][action])
          << counted[o]["name"] << " " << action;
      sum += counted[o][action].get<std::uint64_t>();
    }
    EXPECT_EQ(total["value"], sum) << action;
  }
  std::uint64_t bytes = 0;
  for (const json& stream : shapes["streams"]) bytes += stream["bytes"]["value"].get<std::uint64_t>();
  EXPECT_EQ(shapes["actions"]["fifo_bytes"]["value"], bytes);

  const std::string text = runCommandLine("shapes " + moe + " --actions").out;
  EXPECT_THAT(text, HasSubstr("FLOPs = " + shapes["actions"]["flops"]["text"].get<std::string>()));
  EXPECT_FALSE(runCommandLine("shapes " + moe + " --json").object().contains("actions"));
}

/// The parts add up to the whole, and each says where it is from and how it was scaled.
TEST_F(EnergyCli, AreaHasPartsWithTheirFactors) {
  for (const auto& [technology, logic, memory] :
       {std::tuple("7nm", "0.059", "0.027"), std::tuple("16nm", "0.19", "0.202"),
        std::tuple("45nm", "", "0.346")}) {
    const std::string words = "energy " + moe + " --technology " + technology;
    const json breakdown = runCommandLine(words + " --json").object()["energy_breakdown"];
    double sum = 0;
    std::string sources;
    for (const json& part : breakdown["areas"]) {
      sum += part["mm2"].get<double>();
      const bool holds = part["part"] == "memory" || part["part"] == "fifos";
      EXPECT_THAT(part["source"].get<std::string>(), HasSubstr(holds ? memory : logic)) << technology << part;
    }
    EXPECT_EQ(breakdown["areas"].size(), 4u);
    EXPECT_NEAR(sum, breakdown["area"].get<double>(), 1e-9 * sum) << technology;
    EXPECT_THAT(runCommandLine(words).out,
                testing::AllOf(HasSubstr("control of FIFOs and operators: "), HasSubstr("of dynamic")));
  }
}

TEST_F(EnergyCli, SharesAreOfTheDynamicEnergyAndSaySo) {
  const std::string words = "energy " + moe + " --technology u55c";
  const json breakdown = runCommandLine(words + " --json").object()["energy_breakdown"];
  ASSERT_GT(breakdown["leakage"].get<double>(), 0);
  double shares = 0;
  for (const json& region : breakdown["regions"]) shares += region["share_of_dynamic"].get<double>();
  EXPECT_NEAR(shares, 1, 1e-9);
  EXPECT_THAT(runCommandLine(words + " --out " + at("out")).out, HasSubstr("is of the whole chip"));
  EXPECT_THAT(*readFile(folder_ / "out/energy.csv", 1 << 20), HasSubstr("share_of_dynamic"));
}

/// The run, the point before it, every schedule: each has to cost at least what comes behind.
TEST_F(EnergyCli, LowerBoundsAreKnownWithoutARun) {
  const std::string words = moe + " --technology u55c --json";
  const json run = runCommandLine("energy " + words).object()["energy_breakdown"];
  const json point = runCommandLine("shapes " + words).object()["at_least"];
  const json program = runCommandLine("bounds " + words).object()["bounds"];
  const json found =
      runCommandLine("design " + words + " --objective energy --objective on_chip_bytes --budget 6 --quick")
          .object();
  EXPECT_EQ(found["bounds"], program);
  for (const json& each : found["points"])
    for (const auto& [name, bound] : each["bounds"].items()) {
      EXPECT_GE(each["metrics"][name].get<double>(), bound.get<double>()) << name;
      EXPECT_EQ(bound.get<double>(), program[name].get<double>()) << name;
    }
  EXPECT_TRUE(found["points"][0]["bounds"].contains("energy_delay_product"));
  for (const char* metric : {"energy", "energy_delay_product"}) {
    EXPECT_GE(run[metric].get<double>(), point[metric].get<double>()) << metric;
    EXPECT_GE(point[metric].get<double>(), program[metric].get<double>()) << metric;
    EXPECT_GT(program[metric].get<double>(), 0) << metric;
  }
  EXPECT_FALSE(point.contains("power"));
  EXPECT_THAT(runCommandLine("shapes " + moe + " --technology 7nm").out, HasSubstr("energy >= "));
  const json searched =
      runCommandLine("explore " + words + " --objectives energy,on_chip_bytes --level symbolic").object();
  for (const json& each : searched["points"])
    EXPECT_GT(each["metrics"]["energy"].get<double>(), program["energy"].get<double>());
  EXPECT_THAT(runCommandLine("explore " + words + " --objectives power --level symbolic").out,
              HasSubstr("not known at the symbolic level"));
}

TEST_F(EnergyCli, TheClockChangesPowerAndNotEnergy) {
  const json fast = runCommandLine("energy " + moe + " --technology 7nm --clock 2000 --json").object();
  const json slow = runCommandLine("energy " + moe + " --technology 7nm --clock 500 --json").object();
  EXPECT_EQ(fast["energy_breakdown"]["energy"], slow["energy_breakdown"]["energy"]);
  EXPECT_DOUBLE_EQ(fast["energy_breakdown"]["power"].get<double>(),
                   4 * slow["energy_breakdown"]["power"].get<double>());
}

TEST_F(EnergyCli, TablesHaveUnitsAndTheCsvHasJoules) {
  const Outcome text = runCommandLine("energy " + moe + " --technology 45nm --out " + at("out"));
  EXPECT_EQ(text.status, 0);
  for (const char* words :
       {"45 nm, 0.9 V", "off chip", "J", "mm2", "not in the technology", "multiply of f16 for bf16"})
    EXPECT_THAT(text.out, HasSubstr(words));
  const Result<std::string> csv = readFile(folder_ / "out/energy.csv", 1 << 20);
  ASSERT_TRUE(csv);
  EXPECT_THAT(
      *csv, testing::StartsWith(
                "kind,name,off_chip_joules,on_chip_joules,compute_joules,fifos_joules,links_joules,"
                "dynamic_joules,share_of_dynamic,leakage_joules,total_joules,seconds,area_mm2\r\nprogram,,"));
}

TEST_F(EnergyCli, IsSearchedForLikeAnyOtherMetric) {
  const std::string search = "explore " + moe + " --objectives cycles,energy --technology 7nm --json";
  const json found = runCommandLine(search + " --out " + at("out")).object();
  ASSERT_TRUE(found.is_object() && !found["points"].empty());
  double least = 1e300, most = 0;
  for (const json& point : found["points"]) {
    const double energy = point["metrics"].at("energy").get<double>();
    least = std::min(least, energy), most = std::max(most, energy);
  }
  EXPECT_LT(least, most);
  bool on_frontier = false;
  for (const json& at : found["frontier"])
    on_frontier =
        on_frontier || found["points"][at.get<std::size_t>()]["metrics"]["energy"].get<double>() == least;
  EXPECT_TRUE(on_frontier) << "the least of an objective is on the frontier";
  EXPECT_THAT(*readFile(folder_ / "out/points.csv", 1 << 20),
              HasSubstr(",energy,energy_per_output,power,area,"));
  const std::string bound = " --constraint 'energy<=" + std::to_string(least * 1e9 * 1.000001) + " nJ'";
  const json bounded = runCommandLine(search + bound).object();
  ASSERT_TRUE(bounded.is_object());
  for (const json& at : bounded["frontier"])
    EXPECT_LE(bounded["points"][at.get<std::size_t>()]["metrics"]["energy"].get<double>(), least * 1.00001);
}

TEST_F(EnergyCli, TwoRunsAreComparedByIt) {
  const std::string both = "compare " + moe + " --set-b token_tile=8 --technology 7nm";
  EXPECT_THAT(runCommandLine(both).out, HasSubstr(" µJ"));
  const json compared = runCommandLine(both + " --json").object();
  const json b = runCommandLine("energy " + moe + " --set token_tile=8 --technology 7nm --json").object();
  ASSERT_TRUE(compared.is_object() && b.is_object());
  EXPECT_THAT(compared.dump(), HasSubstr(b["energy_breakdown"]["energy"].dump()));
}

TEST_F(EnergyCli, IsNowhereUnasked) {
  EXPECT_FALSE(runCommandLine("simulate " + moe + " --json").object().contains("energy"));
  ASSERT_EQ(runCommandLine("explore " + moe + " --out " + at("out")).status, 0);
  EXPECT_THAT(*readFile(folder_ / "out/points.csv", 1 << 20), Not(HasSubstr("energy")));
  const Outcome unknown = runCommandLine("explore " + moe + " --objectives energy,cycles", true);
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.out, HasSubstr("[missing-technology]"));
  EXPECT_THAT(unknown.out, HasSubstr("--technology 7nm"));
  const Outcome bound = runCommandLine("explore " + moe + " --constraint 'energy<=1 J'", true);
  EXPECT_THAT(bound.out, HasSubstr("[missing-technology]"));
  EXPECT_THAT(runCommandLine("simulate " + moe + " --clock 500", true).out,
              HasSubstr("[missing-technology]"));
}

/// A document with a technology of its own is priced unasked, also where it is explored and served; the
/// option goes before it.
TEST_F(EnergyCli, ADocumentMayNameItsTechnology) {
  json document = json::parse(*readFile(SLUICE_SOURCE_DIR "/sample_workloads/simple_moe.sluice", 1 << 24));
  document["machine"]["technology"] = "7nm";
  document["machine"]["clock_mhz"] = 500;
  ASSERT_TRUE(writeFileAtomically(folder_ / "priced.sluice", document.dump()));
  const json own = runCommandLine("simulate " + at("priced.sluice") + " --json").object();
  const json asked = runCommandLine("simulate " + moe + " --technology 7nm --clock 500 --json").object();
  ASSERT_TRUE(own.is_object() && asked.is_object());
  EXPECT_EQ(own["energy_breakdown"], asked["energy_breakdown"]);
  const json other = runCommandLine("energy " + at("priced.sluice") + " --technology 45nm --json").object();
  EXPECT_EQ(other["energy_breakdown"]["technology"], "45nm");
  EXPECT_EQ(other["energy_breakdown"]["clock_mhz"], 500);
  const Outcome explored =
      runCommandLine("explore " + at("priced.sluice") + " --objectives energy,cycles --store " + at("s.db"));
  EXPECT_EQ(explored.status, 0);
  EXPECT_THAT(runCommandLine("explorations " + at("s.db")).out, HasSubstr("exhaustive, technology 7nm"));
  EXPECT_THAT(runCommandLine("points " + at("s.db")).out, HasSubstr("technology 7nm"));
  ASSERT_TRUE(writeFileAtomically(folder_ / "asked",
                                  R"({"jsonrpc": "2.0", "id": 1, "method": "open", "params": {"file": )" +
                                      json((folder_ / "priced.sluice").string()).dump() +
                                      "}}\n"
                                      R"({"jsonrpc": "2.0", "id": 2, "method": "simulate"})"
                                      "\n"));
  EXPECT_THAT(runCommandLine("serve --stdio < " + at("asked")).out,
              HasSubstr("\"energy\":" + own["energy"].dump()));
  document["machine"]["technology"] = "gone.json";
  ASSERT_TRUE(writeFileAtomically(folder_ / "priced.sluice", document.dump()));
  EXPECT_THAT(runCommandLine("check " + at("priced.sluice"), true).out, HasSubstr("gone.json"));
}

TEST_F(EnergyCli, StoresKeepTechnologiesApart) {
  const std::string explore = "explore " + moe + " --resume --json --store " + at("moe.db");
  const auto reused = [&](const std::string& more) {
    const json found = runCommandLine(explore + more).object();
    return found.is_object() ? found["reused"].get<int>() : -1;
  };
  EXPECT_EQ(reused(" --technology 7nm"), 0);
  EXPECT_EQ(reused(" --technology 45nm"), 0);
  EXPECT_EQ(reused(""), 0);
  EXPECT_GT(reused(""), 0);
  const json again = runCommandLine(explore + " --technology 7nm").object();
  ASSERT_TRUE(again.is_object());
  EXPECT_GT(again["reused"].get<int>(), 0);
  for (const json& point : again["points"]) EXPECT_TRUE(point["metrics"].contains("energy"));
}

/// Leakage is of an area: an entry of another energy keeps it, a technology without areas says so.
TEST_F(EnergyCli, LeakageIsNeverDroppedUntold) {
  const std::string leakage =
      R"({"action": "leakage", "power": 8, "unit": "W/mm2", "source": "a test", "uncertainty": "none"})";
  const std::string read =
      R"({"action": "sram_read", "energy": 1, "unit": "pJ", "source": "a test", "uncertainty": "none"}, )";
  const auto with = [&](const std::string& parent, const std::string& entries) {
    const std::string json =
        R"({"name": "mine", "extends": ")" + parent + R"(", "entries": [)" + entries + "]}";
    EXPECT_TRUE(writeFileAtomically(folder_ / "mine.json", json));
    return "energy " + moe + " --technology " + at("mine.json");
  };
  const auto breakdown = [&](const std::string& words) {
    return runCommandLine(words + " --json").object()["energy_breakdown"];
  };
  const json plain = breakdown(with("7nm", leakage)), other = breakdown(with("7nm", read + leakage));
  ASSERT_TRUE(plain["leakage"].is_number() && other["leakage"].is_number());
  EXPECT_EQ(other["area"], plain["area"]);
  EXPECT_EQ(other["leakage"], plain["leakage"]);
  EXPECT_TRUE(other["without_area"].empty());
  const std::string none = with("u55c", leakage);
  EXPECT_THAT(breakdown(none)["without_area"], testing::Contains("sram_read"));
  EXPECT_THAT(runCommandLine(none).out,
              HasSubstr("leakage needs an area, and the technology has none of sram_read"));
}

/// Of a number in joules or watts; a table or an expression is no number.
TEST_F(EnergyCli, PricesAreToldBesideTheirSources) {
  const json prices =
      runCommandLine("energy " + moe + " --technology u55c --json").object()["energy_breakdown"]["prices"];
  std::set<std::string> seen;
  for (const json& price : prices) {
    const std::string action = price["action"];
    if (action == "row_activation") {
      EXPECT_DOUBLE_EQ(price["price"].get<double>(), 909e-12);
      EXPECT_EQ(price["unit"], "J");
    } else if (action == "static_power") {
      EXPECT_DOUBLE_EQ(price["price"].get<double>(), 9.8);
      EXPECT_EQ(price["unit"], "W");
    } else if (action == "off_chip_read") {
      EXPECT_EQ(price["per_bytes"], 1);
    } else if (action == "sram_read") {
      EXPECT_TRUE(price["price"].is_null());
    } else {
      continue;
    }
    seen.insert(action);
  }
  EXPECT_EQ(seen.size(), 4u);
}

TEST_F(EnergyCli, WhatATechnologyCannotTellIsNoObjective) {
  for (const std::string asked :
       {" --objectives area", " --objectives cycles,area", " --constraint 'area<=3'"}) {
    const Outcome outcome = runCommandLine("explore " + moe + " --technology u55c" + asked, true);
    EXPECT_EQ(outcome.status, 1) << asked;
    EXPECT_THAT(outcome.out, testing::AllOf(HasSubstr("[missing-data]"), HasSubstr("'u55c' has no area"),
                                            Not(HasSubstr("nan")), Not(HasSubstr("hypervolume 1"))))
        << asked;
  }
  const Outcome set = runCommandLine(
      "distribution " + moe + " --input routing=set:zipf,count=2 --technology u55c --metric area", true);
  EXPECT_EQ(set.status, 1);
  EXPECT_THAT(set.out, HasSubstr("'u55c' has no area"));
  EXPECT_EQ(runCommandLine("explore " + moe + " --technology 7nm --objectives area").status, 0);
}

TEST_F(EnergyCli, WhatIsWrongIsToldWithItsPlace) {
  const Outcome unknown = runCommandLine("energy " + moe + " --technology 8nm", true);
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.out, HasSubstr("'7nm'"));
  ASSERT_TRUE(writeFileAtomically(folder_ / "mine.json", R"({"name": "mine", "extends": "7nm", "entries": [
    {"action": "off_chip_read", "energy": 4, "unit": "pJ", "uncertainty": "10 %"}]})"));
  const Outcome no_source = runCommandLine("simulate " + moe + " --technology " + at("mine.json"), true);
  EXPECT_EQ(no_source.status, 1);
  for (const char* words : {"mine.json", "line 2", "source"}) EXPECT_THAT(no_source.out, HasSubstr(words));
}

}  // namespace sluice::energy_cli_test
