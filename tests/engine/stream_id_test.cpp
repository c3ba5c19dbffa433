// What a stream is called: by the end that it feeds, through edits and in documents that are wrong.

#include "engine/program/stream_id.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sluice::stream_id_test {

Stream stream(const char* from, const char* to) {
  return {*parseEndpoint(from), *parseEndpoint(to), {}};
}

/// a -> b, a -> expert.x; in the region expert: x -> gate -> y.
Document document() {
  Document made;
  for (const char* name : {"a", "b", "join"}) made.program.nodes.push_back({name, "Map", {}, {}, {}});
  Region region;
  region.inputs = {"x"}, region.outputs = {"y"};
  region.body.nodes = {{"gate", "Map", {}, {}, {}}};
  region.body.streams = {stream("region.x", "gate.in"), stream("gate.out", "region.y")};
  made.program.nodes.push_back({"expert", "Region", {}, {}, Box<Region>(std::move(region))});
  made.program.streams = {stream("a.out", "b.in"), stream("a.out", "expert.x"),
                          stream("expert.y", "join.in[i + 1]")};
  return made;
}

std::vector<std::string> idsOf(const Document& made) {
  std::vector<std::string> ids;
  for (const NamedStream& each : namedStreams(made)) ids.push_back(each.id);
  return ids;
}

using Names = std::vector<std::string>;

TEST(StreamId, IsThePathOfTheGraphAndTheEndThatIsFed) {
  Document made = document();
  EXPECT_EQ(idsOf(made),
            (Names{"#b.in", "#expert.x", "#join.in[i + 1]", "expert#gate.in", "expert#region.y"}));
  const auto by_id = streamsById(std::as_const(made));
  for (const auto& [id, pointer] : namedStreams(made)) {
    EXPECT_EQ(findStream(std::as_const(made), id), pointer) << id;
    EXPECT_EQ(findStream(made, id), pointer) << id;
    EXPECT_EQ(by_id.at(id), pointer) << id;
  }
  for (const char* nobody : {"", "#", "b.in", "#b", "#b.in[0]", "#b.in~1", "#b.in~2", "#b.in~", "#b.in~x",
                             "#0", "b#b.in", "expert#b.in"})
    EXPECT_FALSE(findStream(made, nobody)) << nobody;
}

TEST(StreamId, HoldsWhateverElseIsEdited) {
  Document made = document();
  const Stream kept = *findStream(made, "#expert.x");
  std::reverse(made.program.streams.begin(), made.program.streams.end());
  made.program.streams.erase(made.program.streams.end() - 1);
  made.program.streams.insert(made.program.streams.begin(), stream("b.out", "a.in"));
  EXPECT_TRUE(*findStream(made, "#expert.x") == kept);
}

TEST(StreamId, OfAnEndThatIsFedTwiceHasANumber) {
  Document made = document();
  made.program.streams.push_back(stream("expert.y", "b.in"));
  made.program.streams.push_back(stream("b.out", "b.in"));
  EXPECT_EQ(streamIds(made.program, ""),
            (Names{"#b.in", "#expert.x", "#join.in[i + 1]", "#b.in~2", "#b.in~3"}));
  EXPECT_EQ(findStream(made, "#b.in")->from.node, "a");
  EXPECT_EQ(findStream(made, "#b.in~2")->from.node, "expert");
  EXPECT_EQ(findStream(made, "#b.in~3")->from.node, "b");
  EXPECT_FALSE(findStream(made, "#b.in~4"));
}

TEST(StreamId, GraphsAreFoundByTheirPaths) {
  const Document made = document();
  EXPECT_EQ(findGraph(made, ""), &made.program);
  EXPECT_EQ(findGraph(made, "expert"), &made.program.find("expert")->body->body);
  for (const char* nobody : {"a", "expert.", ".expert", "expert.gate", "expert..gate", "."})
    EXPECT_FALSE(findGraph(made, nobody)) << nobody;
}

TEST(StreamId, TellsWhereItIs) {
  EXPECT_TRUE(namesStream("#b.in"));
  EXPECT_FALSE(namesStream("expert.gate"));
  EXPECT_EQ(graphOfStream("#b.in"), "");
  EXPECT_EQ(graphOfStream("expert.inner#b.in[1.5]"), "expert.inner");
  EXPECT_TRUE(isWithin("expert#gate.in", "expert"));
  EXPECT_TRUE(isWithin("expert.gate", "expert"));
  EXPECT_TRUE(isWithin("expert", "expert"));
  EXPECT_FALSE(isWithin("expert2#gate.in", "expert"));
  EXPECT_FALSE(isWithin("#expert.x", "expert"));
}

}  // namespace sluice::stream_id_test
