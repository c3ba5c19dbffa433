// SDF3's XML: what is read from it, what is refused and where, and the command that does it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/csdf/phases.h"
#include "engine/csdf/sdf3.h"
#include "engine/csdf/throughput.h"
#include "engine/csdf/xml.h"
#include "tests/engine/support/command_line.h"

namespace sluice::sdf3_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::Outcome;
using testing_support::runCommandLine;

/// Two actors, a channel from one to the other; line 3 to 6 are `actors`, line 9 `properties`.
std::string graphOf(const std::string& channel_attributes = "", const std::string& properties = "",
                    const std::string& rate = "1") {
  return "<sdf3 type=\"sdf\" version=\"1.0\">\n<applicationGraph name=\"g\"><sdf name=\"g\" type=\"g\">\n"
         "<actor name=\"a\" type=\"a\"><port type=\"out\" name=\"p\" rate=\"" +
         rate +
         "\"/>\n</actor>\n<actor name=\"b\" type=\"b\"><port type=\"in\" name=\"q\" rate=\"2\"/>\n</actor>\n"
         "<channel name=\"c\" srcActor=\"a\" srcPort=\"p\" dstActor=\"b\" dstPort=\"q\" " +
         channel_attributes + "/>\n</sdf>\n" + properties + "</applicationGraph></sdf3>\n";
}

CsdfGraph good(const std::string& bytes) {
  const Result<ReadCsdf> read = readSdf3(bytes, "g.xml");
  EXPECT_TRUE(read) << (read ? "" : text(read.diagnostics()));
  return read ? read->graph : CsdfGraph{};
}

void refuses(const std::string& bytes, const std::string& code, const std::string& place) {
  const Result<ReadCsdf> read = readSdf3(bytes, "g.xml");
  ASSERT_FALSE(read) << bytes.substr(0, 300);
  ASSERT_EQ(read.diagnostics().size(), 1u);
  EXPECT_EQ(read.diagnostics()[0].code, code) << text(read.diagnostics());
  EXPECT_THAT(text(read.diagnostics()), HasSubstr(place));
}

TEST(Sdf3, ReadsPhasesInAllTheirForms) {
  const auto read = [](const std::string& text, int decimals = 0) {
    return *readPhases(text, decimals, "here");
  };
  EXPECT_EQ(read("3"), (Phases{{}, {3}}));
  EXPECT_EQ(read(" 0, 0,2*32 ,0"), (Phases{{}, {0, 0, 32, 32, 0}}));
  EXPECT_EQ(read("1;3,1"), (Phases{{1}, {3, 1}}));
  EXPECT_EQ(read("2.5,3", 1), (Phases{{}, {25, 30}}));
  for (const char* text : {"", ",", "1,", "-1", "1;", "x", "2*", "*2", "1.5", "1;2;3", "0x10", "1e3"})
    EXPECT_FALSE(readPhases(text, 0, "here")) << text;
  EXPECT_EQ(readPhases("2000000*1", 0, "here").diagnostics()[0].code, "too-many");
  EXPECT_EQ(readPhases("99999999999999999999", 0, "here").diagnostics()[0].code, "out-of-range");
  EXPECT_EQ(writePhases({{1}, {3, 3, 1}}), "1;2*3,1");
  EXPECT_EQ(writePhases({{}, {25, 30}}, 10), "2.5,3");
}

TEST(Sdf3, TakesTheDefaultProcessorAndLaterProperties) {
  const std::string several =
      "<sdfProperties><actorProperties actor=\"a\"><processor type=\"x\"><executionTime "
      "time=\"5\"/></processor>"
      "<processor type=\"y\" default=\"true\"><executionTime time=\"7\"/></processor></actorProperties>"
      "</sdfProperties><sdfProperties><actorProperties actor=\"b\"><processor type=\"x\">"
      "<executionTime time=\"2.5\"/></processor></actorProperties></sdfProperties>";
  const CsdfGraph graph = good(graphOf("initialTokens=\"4\"", several));
  EXPECT_EQ(graph.times_per_unit, 10);
  EXPECT_THAT(graph.actors[0].times, ElementsAre(70));
  EXPECT_THAT(graph.actors[1].times, ElementsAre(25));
  EXPECT_EQ(graph.channels[0].tokens, 4);
}

TEST(Sdf3, TakesNoTimeForWhatSaysNone) {
  const Result<ReadCsdf> read = readSdf3(graphOf(), "g.xml");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->notes.size(), 2u);
  EXPECT_EQ(read->notes[0].severity, Severity::Note);
  EXPECT_THAT(read->graph.actors[0].times, ElementsAre(0));
}

TEST(Sdf3, RepeatsListsUntilAllEndTogether) {
  const std::string times =
      "<csdfProperties><actorProperties actor=\"a\"><processor type=\"x\" default=\"true\">"
      "<executionTime time=\"1,2,3\"/></processor></actorProperties></csdfProperties>";
  const CsdfGraph graph = good(graphOf("", times, "4,5"));
  EXPECT_THAT(graph.actors[0].times, ElementsAre(1, 2, 3, 1, 2, 3));
  EXPECT_THAT(graph.channels[0].production, ElementsAre(4, 5, 4, 5, 4, 5));
}

TEST(Sdf3, RefusesWithALine) {
  refuses("", "text-syntax", "g.xml, line 1");
  refuses("<sdf3>", "text-syntax", "line 1");
  refuses("<a/>", "wrong-format", "not <sdf3>");
  refuses("<sdf3>\n</sdf3>", "wrong-format", "applicationGraph");
  refuses("<sdf3><applicationGraph><sdf/></applicationGraph></sdf3>", "missing-field", "no actors");
  refuses(graphOf("initialTokens=\"-1\""), "not-a-number", "line 7");
  refuses(graphOf("initialTokens=\"1,2\""), "not-a-number", "line 7");
  refuses(graphOf("initialTokens=\"1000000000000000\""), "out-of-range", "line 7");
  refuses(graphOf("", "", "1,x"), "not-a-number", "line 3");
  refuses(graphOf("", "<sdfProperties><actorProperties actor=\"z\"/></sdfProperties>"), "unknown-name",
          "line 9");
  refuses(graphOf("", "", "1;2"), "shape-mismatch", "line 3");
  refuses(graphOf("/><channel name=\"d\" srcActor=\"a\" srcPort=\"p\" dstActor=\"b\" dstPort=\"q\""),
          "port-driven-twice", "line 7");
  refuses(graphOf("/><channel srcActor=\"a\" srcPort=\"q\" dstActor=\"b\" dstPort=\"q\""), "unknown-port",
          "line 7");
  refuses(graphOf("/><channel srcActor=\"a\" dstActor=\"b\" dstPort=\"q\""), "missing-field", "srcPort");
}

TEST(Sdf3, IsNotBroughtDownByHostileXml) {
  std::string bomb = "<!DOCTYPE sdf3 [<!ENTITY a \"aaaaaaaaaa\">";
  for (char c = 'b'; c < 'k'; ++c) {
    bomb += std::string("<!ENTITY ") + c + " \"";
    for (int i = 0; i < 10; ++i) bomb += std::string("&") + static_cast<char>(c - 1) + ";";
    bomb += "\">";
  }
  refuses(bomb + "]><sdf3>&j;</sdf3>", "wrong-format", "document type");
  refuses("<!DOCTYPE sdf3 SYSTEM \"/etc/passwd\"><sdf3/>", "wrong-format", "document type");
  std::string deep = "<sdf3>";
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  refuses(deep, "too-many", "nested deeper than 100");
  refuses(graphOf("", "", "1000000*1,1"), "too-many", "line 3");
  refuses(std::string("<sdf3 a=\"\0\"/>", 13), "text-syntax", "line 1");
}

/// The command as a user calls it.
class ThroughputCommand : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return "'" + (folder_ / name).string() + "'";
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("throughput_" + std::to_string(getpid()));
  const std::string given_ = "'" SLUICE_SOURCE_DIR "/tests/data/sdf3/";
};

TEST_F(ThroughputCommand, GivesNumbersAndExactTexts) {
  const nlohmann::json answer = runCommandLine("throughput " + given_ + "sample.xml' --json").object();
  EXPECT_EQ(answer["consistent"], true);
  EXPECT_EQ(answer["live"], true);
  EXPECT_EQ(answer["period"], 23);
  EXPECT_EQ(answer["period_exact"], "23");
  EXPECT_EQ(answer["throughput_exact"], "1/23");
  EXPECT_NEAR(answer["throughput"], 0.0434782609, 1e-10);
  EXPECT_EQ(answer["repetition"], nlohmann::json({{"A", 3}, {"B", 4}, {"C", 6}}));
  EXPECT_FALSE(answer["critical_cycle"].empty());
  EXPECT_THAT(runCommandLine("throughput " + given_ + "sample.xml'").out, HasSubstr("throughput: 1/23"));
  EXPECT_THAT(runCommandLine("throughput " + given_ + "sample.xml' --run").out,
              HasSubstr("Period when run, firing by firing: 23 time units"));
}

TEST_F(ThroughputCommand, WritesTheSizedGraph) {
  const std::string sized = write("sized.xml", "");
  const Outcome outcome =
      runCommandLine("throughput " + given_ + "BlackScholes.xml' --storage --run --json -o " + sized);
  const nlohmann::json storage = outcome.object()["storage"];
  EXPECT_EQ(storage["complete"], true);
  ASSERT_EQ(storage["points"].size(), 11u);
  for (const nlohmann::json& point : storage["points"]) EXPECT_EQ(point["run_period"], point["period_exact"]);
  EXPECT_EQ(storage["points"][10]["storage"], 22490);
  EXPECT_EQ(runCommandLine("throughput " + sized + " --json").object()["period"], 42053349);
}

TEST_F(ThroughputCommand, TellsThatItsFrontierIsAPart) {
  const std::string words = "throughput " + given_ + "mp3_csdf.xml' --storage --seconds 0";
  const nlohmann::json storage = runCommandLine(words + " --json").object()["storage"];
  EXPECT_EQ(storage["complete"], false);
  EXPECT_TRUE(storage.contains("searched_below"));
  EXPECT_THAT(runCommandLine(words).out, HasSubstr("a part: the search ended early"));
}

/// A file with channels that slow the graph, or with none that are bounded, is not what was asked for.
TEST_F(ThroughputCommand, WarnsOfAGraphThatIsWrittenTooEarly) {
  const std::string words = "throughput " + given_ + "mp3_csdf.xml' --storage --seconds ";
  const std::string sized = write("early.xml", "");
  const Outcome early = runCommandLine(words + "0 --json -o " + sized);
  EXPECT_EQ(early.status, 0);
  ASSERT_EQ(early.object()["notes"].size(), 1u);
  EXPECT_EQ(early.object()["notes"][0]["code"], "unfinished-search");
  const auto points = early.object()["storage"]["points"];
  if (!points.empty()) {
    const std::string cause = early.object()["notes"][0]["cause"];
    EXPECT_THAT(cause, HasSubstr(points.back()["period_exact"].get<std::string>() + " instead of 120000"));
  }
  EXPECT_TRUE(runCommandLine(words + "0 --json").object()["notes"].empty());
  const std::string whole = "throughput " + given_ + "sample.xml' --storage -o " + sized;
  EXPECT_TRUE(runCommandLine(whole + " --json").object()["notes"].empty());
  const std::string told = runCommandLine(whole).out;
  EXPECT_THAT(told, HasSubstr("Capacities of the smallest channels that do not slow it"));
}

TEST_F(ThroughputCommand, DoesNotWriteOverItsInput) {
  const std::string own = write("own.xml", graphOf());
  const Outcome refused = runCommandLine("throughput " + own + " --json -o " + own);
  EXPECT_EQ(refused.status, 1);
  EXPECT_EQ(refused.object()["diagnostics"][0]["code"], "overwrites-input");
  const Outcome written = runCommandLine("throughput " + own + " -o " + write("other.xml", ""), true);
  EXPECT_EQ(written.status, 0);
  EXPECT_THAT(written.out, HasSubstr("wrote "));
}

/// As many cycles an iteration as its exact period has time units.
TEST_F(ThroughputCommand, IsThatOfTheImportedProgram) {
  for (const auto& [name, period] :
       {std::pair("BlackScholes", 42053349), std::pair("sample", 23), std::pair("init_sample", 23),
        std::pair("BlackScholes_sized", 64471849)}) {
    const std::string program = "'" + (folder_ / name).string() + ".sluice'";
    ASSERT_EQ(runCommandLine("import " + given_ + name + ".xml' -o " + program).status, 0);
    const auto cycles = [&](const std::string& iterations) {
      return runCommandLine("simulate " + program + " --json --set iterations=" + iterations)
          .object()["cycles"]
          .get<std::int64_t>();
    };
    EXPECT_EQ(cycles("16") - cycles("8"), 8 * period) << name;
  }
}

/// A program goes the way of emit sdf3 by itself; one whose operators have no rates is told what else there
/// is.
TEST_F(ThroughputCommand, TakesACompiledProgram) {
  const std::string samples = "'" SLUICE_SOURCE_DIR "/sample_workloads/";
  const Outcome direct =
      runCommandLine("throughput " + samples + "gpt2_block.sluice' --set tokens=32 --json");
  ASSERT_EQ(direct.status, 0) << direct.out;
  const std::string folder = testing::TempDir() + "throughput_block_" + std::to_string(::getpid());
  ASSERT_EQ(runCommandLine("emit sdf3 " + samples + "gpt2_block.sluice' --set tokens=32 -o " + folder).status,
            0);
  const Outcome emitted = runCommandLine("throughput " + folder + "/unlimited.xml --json");
  EXPECT_EQ(direct.object()["period_exact"], emitted.object()["period_exact"]);
  EXPECT_THAT(direct.object()["graph"].get<std::string>(), HasSubstr("FIFOs without limit"));
  EXPECT_FALSE(emitted.object().contains("execution_cycles"));
  // Executions that follow each other with unlimited FIFOs take no longer than one alone.
  const double execution = direct.object()["execution_cycles"];
  const Outcome alone = runCommandLine("simulate " + samples + "gpt2_block.sluice' --set tokens=32 --json");
  EXPECT_GT(execution, 0.1 * alone.object()["cycles"].get<double>());
  EXPECT_LE(execution, alone.object()["cycles"].get<double>());
  const std::string share = direct.object()["executions_per_iteration"];
  const std::size_t slash = share.find('/');
  const double executions =
      std::stod(share) / (slash == std::string::npos ? 1 : std::stod(share.substr(slash + 1)));
  EXPECT_NEAR(direct.object()["period"].get<double>(), execution * executions, 1e-6);
  std::filesystem::remove_all(folder);
  const Outcome plain = runCommandLine("throughput " + samples + "simple_moe.sluice'", true);
  EXPECT_EQ(plain.status, 1);
  EXPECT_THAT(plain.out, HasSubstr("bounds FILE --run"));
  EXPECT_EQ(runCommandLine("throughput " + samples + "csdf/audio_player.xml' --set tile=3").status, 2);
}

TEST_F(ThroughputCommand, TellsWhatHasNoThroughput) {
  const std::string endless = write("endless.xml", graphOf());
  const Outcome free = runCommandLine("throughput " + endless + " --json");
  EXPECT_EQ(free.status, 0);
  EXPECT_EQ(free.object()["throughput_exact"], "inf");
  EXPECT_EQ(free.object()["period"], 0);
  EXPECT_EQ(free.object()["notes"][0]["code"], "unbounded-throughput");
  EXPECT_THAT(free.object()["notes"][0]["cause"].get<std::string>(), HasSubstr("no actor takes time"));
  const std::string busy =
      "<sdfProperties><actorProperties actor=\"b\"><processor type=\"p\" default=\"true\">"
      "<executionTime time=\"3\"/></processor></actorProperties></sdfProperties>";
  const Outcome named = runCommandLine("throughput " + write("busy.xml", graphOf("", busy)), true);
  EXPECT_EQ(named.status, 0);
  EXPECT_THAT(named.out, HasSubstr("those that take time ('b')"));
  const std::string loop =
      "<actor name=\"l\" type=\"l\"><port type=\"in\" name=\"i\" rate=\"1\"/><port type=\"out\" name=\"o\" "
      "rate=\"1\"/>"
      "</actor><channel name=\"l\" srcActor=\"l\" srcPort=\"o\" dstActor=\"l\" dstPort=\"i\"/>";
  std::string dead = graphOf();
  dead.insert(dead.find("</sdf>"), loop);
  const Outcome locked = runCommandLine("throughput " + write("dead.xml", dead) + " --json --storage");
  EXPECT_EQ(locked.status, 3);
  EXPECT_EQ(locked.object()["live"], false);
  EXPECT_EQ(locked.object()["throughput"], 0);
  EXPECT_EQ(locked.object()["critical_cycle"][0]["actor"], "l");
  const std::string uneven =
      graphOf("/><channel name=\"d\" srcActor=\"a\" srcPort=\"p2\" dstActor=\"b\" dstPort=\"q2\"");
  std::string inconsistent = uneven;
  inconsistent.insert(inconsistent.find("<port type=\"in\""), "<port type=\"in\" name=\"q2\" rate=\"1\"/>");
  inconsistent.insert(inconsistent.find("<port type=\"out\""), "<port type=\"out\" name=\"p2\" rate=\"1\"/>");
  const Outcome odd = runCommandLine("throughput " + write("odd.xml", inconsistent) + " --json");
  EXPECT_EQ(odd.status, 1);
  EXPECT_EQ(odd.object()["consistent"], false);
  EXPECT_EQ(odd.object()["inconsistent_channel"], "d");
  EXPECT_EQ(odd.object()["inconsistent_cycle"].size(), 2u);
  EXPECT_EQ(odd.object()["inconsistent_cycle"][1]["produced_per_round"], 1);
  EXPECT_THAT(runCommandLine("throughput " + write("odd.xml", inconsistent)).out,
              testing::AllOf(testing::HasSubstr("given in a round"), testing::HasSubstr("channel 'd'"),
                             testing::HasSubstr("would go round")));
  EXPECT_TRUE(odd.object()["live"].is_null());
  EXPECT_EQ(runCommandLine("throughput " + write("broken.xml", "<sdf3>") + " --json").status, 1);
}

}  // namespace sluice::sdf3_test
