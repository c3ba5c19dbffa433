// Sets of traces: what their texts mean, what is read from files of each format, what generators draw, and
// what happens to traces that do not fit.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "engine/traces/draws.h"
#include "engine/traces/generated_routing.h"
#include "engine/traces/registry.h"
#include "engine/traces/trace_text.h"
#include "tests/engine/support/npy.h"
#include "tests/engine/support/temporary_folder.h"

namespace sluice::trace_sets_test {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class TraceSets : public testing_support::FolderTest {
 protected:
  static Input routing(std::int64_t tokens, std::int64_t experts, std::int64_t top_k) {
    Input input;
    input.name = "routing";
    input.kind = InputKind::Routing;
    input.tokens = tokens, input.experts = experts, input.top_k = top_k;
    return input;
  }
  static Input lengths() {
    Input input;
    input.name = "lengths";
    input.kind = InputKind::Lengths;
    return input;
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  TraceSet load(const Input& input, const std::string& source) const {
    Result<TraceSet> set = loadTraceSet(input, source, folder_);
    if (!set) throw std::runtime_error(text(set.diagnostics()));
    return *std::move(set);
  }
  std::string refusal(const Input& input, const std::string& source) const {
    const Result<TraceSet> set = loadTraceSet(input, source, folder_);
    return set ? "" : text(set.diagnostics());
  }
};

/// A row of the table of the README for each source, with its summary and its options.
TEST_F(TraceSets, TheReadmeListsTheRegistry) {
  std::ifstream file(SLUICE_SOURCE_DIR "/engine/traces/README.md");
  const std::string readme((std::istreambuf_iterator<char>(file)), {});
  for (const TraceSource* source : traceSources()) {
    const std::size_t row = readme.find("| `" + std::string(source->name) + "` |");
    ASSERT_NE(row, std::string::npos) << source->name;
    const std::string line = readme.substr(row, readme.find('\n', row) - row);
    EXPECT_THAT(line, HasSubstr("| " + std::string(source->summary) + " |"));
    for (const TraceOption& option : source->options) EXPECT_THAT(line, HasSubstr(std::string(option.name)));
  }
}

TEST_F(TraceSets, OptionsStandBehindThePathWhateverItHolds) {
  const TraceText text = parseTraceText("set:a,b=c/d,e.npz,layout=layers,first=3");
  EXPECT_EQ(text.head, "a,b=c/d,e.npz");
  ASSERT_EQ(text.options.size(), 2u);
  EXPECT_EQ(text.options[0].name + text.options[0].value + text.options[1].name + text.options[1].value,
            "layoutlayersfirst3");
  EXPECT_EQ(sluice::text(text), "set:a,b=c/d,e.npz,layout=layers,first=3");
}

TEST_F(TraceSets, PathsFollowTheDocument) {
  EXPECT_EQ(movedTraceSource("set:zipf,like=t.npz", "/a/b", "/a"), "set:zipf,like=b/t.npz");
  EXPECT_EQ(movedTraceSource("set:traces,first=2", "/a/b", "/c"), "set:/a/b/traces,first=2");
  EXPECT_EQ(movedTraceSource("set:/x/y.npz", "/a/b", "/c"), "set:/x/y.npz");
}

TEST_F(TraceSets, TheSameTracesComeAgainHoweverManyAreAskedFor) {
  for (const std::string kind : {"zipf,skew=0.5", "dirichlet,skew=0.5"}) {
    const TraceSet few = load(routing(16, 4, 2), "set:" + kind + ",count=3,seed=7");
    const TraceSet many = load(routing(16, 4, 2), "set:" + kind + ",count=9,seed=7");
    const TraceSet other = load(routing(16, 4, 2), "set:" + kind + ",count=3,seed=8");
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(few.traces[i].values, many.traces[i].values);
      EXPECT_NE(few.traces[i].values, other.traces[i].values);
    }
  }
}

/// Every generator meets the skew that is asked for, on average.
TEST_F(TraceSets, GeneratedTracesHaveTheMeasuredSkew) {
  for (const auto& [experts, top_k, skew] : {std::tuple{8, 2, 0.31}, {8, 2, 0.9}, {32, 4, 1.2}}) {
    for (const std::string kind :
         {"zipf,count=200", "dirichlet,count=200", "layers,count=50,steps=4,persistence=0,correlation=0"}) {
      const TraceSet set = load(routing(64, experts, top_k), "set:" + kind + ",skew=" + std::to_string(skew));
      ASSERT_EQ(set.traces.size(), 200u);
      double sum = 0;
      for (const Trace& trace : set.traces) sum += skewOf(trace.values, experts);
      EXPECT_NEAR(sum / 200, skew, 0.08 * skew) << kind;
    }
  }
}

TEST_F(TraceSets, TheSkewMayBeThatOfAFileOrOfTheCounts) {
  IntTensor trace{{8, 1}, {0, 0, 0, 0, 0, 0, 1, 2}};  // 6, 1, 1, 0: deviation 2.345, mean 2
  writeNpy(folder_ / "trace.npy", trace);
  Input counted = routing(64, 0, 1);
  counted.counts = {48, 8, 8, 0};
  const double skew = std::sqrt((16 + 1 + 1 + 4) / 4.0) / 2;
  EXPECT_NEAR(skewOf(trace, 4), skew, 1e-12);
  for (const TraceSet& set :
       {load(routing(64, 4, 1), "set:zipf,count=200,like=trace.npy"), load(counted, "set:zipf,count=200")}) {
    double sum = 0;
    for (const Trace& each : set.traces) sum += skewOf(each.values, 4);
    EXPECT_NEAR(sum / 200, skew, 0.06 * skew);
  }
}

/// A token's first expert comes as often as its popularity says; no token goes twice to one.
TEST_F(TraceSets, TokensDrawExpertsByPopularityWithoutPuttingBack) {
  SplitMix64 random(3);
  const std::vector<double> logs = {std::log(0.5), std::log(0.3), std::log(0.2)};
  const IntTensor drawn = drawRouting(20'000, 2, logs, random);
  std::vector<double> first(3), second_after_0(3);
  for (std::size_t token = 0; token < 20'000; ++token) {
    const std::int64_t a = drawn.data[2 * token], b = drawn.data[2 * token + 1];
    ASSERT_NE(a, b);
    first[static_cast<std::size_t>(a)] += 1.0 / 20'000;
    if (a == 0) second_after_0[static_cast<std::size_t>(b)] += 1;
  }
  EXPECT_NEAR(first[0], 0.5, 0.02);
  EXPECT_NEAR(first[1], 0.3, 0.02);
  EXPECT_NEAR(second_after_0[1] / (second_after_0[1] + second_after_0[2]), 0.6, 0.02);
}

/// The logarithm of a gamma variable has the digamma function of its shape as mean.
TEST_F(TraceSets, GammaDrawsHaveTheirMoments) {
  SplitMix64 random(5);
  for (const auto& [shape, digamma] : {std::pair{0.1, -10.4237549}, {1.0, -0.5772157}, {7.5, 1.9467743}}) {
    double sum = 0, values = 0;
    for (int i = 0; i < 40'000; ++i) {
      const double log = logGammaDraw(random, shape);
      sum += log / 40'000;
      values += std::exp(log) / 40'000;
    }
    EXPECT_NEAR(sum, digamma, 0.06 + 0.02 * std::abs(digamma)) << shape;
    EXPECT_NEAR(values, shape, 0.05 * shape + 0.01) << shape;
  }
}

/// Neighbouring layers are as alike as is asked for, by the correlation of the tokens that their experts get.
TEST_F(TraceSets, LayersAreCorrelated) {
  const auto likeness = [&](const std::string& correlation, std::size_t apart) {
    const TraceSet set =
        load(routing(512, 16, 1), "set:layers,count=64,steps=1,spread=1,correlation=" + correlation);
    double ab = 0, aa = 0;
    for (std::size_t layer = 0; layer + apart < 64; ++layer) {
      std::vector<double> a(16), b(16);
      for (const std::int64_t expert : set.traces[layer].values.data)
        a[static_cast<std::size_t>(expert)] += 1;
      for (const std::int64_t expert : set.traces[layer + apart].values.data)
        b[static_cast<std::size_t>(expert)] += 1;
      for (std::size_t expert = 0; expert < 16; ++expert) {
        ab += (std::log1p(a[expert]) - 3) * (std::log1p(b[expert]) - 3);
        aa += (std::log1p(a[expert]) - 3) * (std::log1p(a[expert]) - 3);
      }
    }
    return ab / aa;
  };
  EXPECT_GT(likeness("0.9", 1), 0.8);
  EXPECT_LT(likeness("0", 1), 0.2);
  EXPECT_LT(likeness("0.9", 20), 0.5);
}

TEST_F(TraceSets, LengthsAreLogNormal) {
  const TraceSet set = load(lengths(), "set:lognormal,count=50,batch=400,mean=1500,deviation=800");
  double mean = 0, square = 0, log_mean = 0, log_cube = 0;
  const double middle = std::log(1500) - std::log1p(std::pow(800.0 / 1500, 2)) / 2;
  for (const Trace& trace : set.traces)
    for (const std::int64_t length : trace.values.data) {
      mean += static_cast<double>(length) / 20'000;
      square += std::pow(static_cast<double>(length) - 1500, 2) / 20'000;
      log_mean += std::log(static_cast<double>(length)) / 20'000;
      log_cube += std::pow(std::log(static_cast<double>(length)) - middle, 3) / 20'000;
    }
  EXPECT_NEAR(mean, 1500, 30);
  EXPECT_NEAR(std::sqrt(square), 800, 60);
  EXPECT_NEAR(log_mean, middle, 0.02);
  EXPECT_NEAR(log_cube, 0, 0.02);  // the logarithm is symmetric
}

TEST_F(TraceSets, VllmsExportIsCutByLayersAndSteps) {
  IntTensor routed{{5, 3, 2}, {}};  // tokens, layers, k
  for (std::int64_t token = 0; token < 5; ++token)
    for (std::int64_t layer = 0; layer < 3; ++layer)
      for (const std::int64_t k : {0, 1}) routed.data.push_back(layer == 2 ? 0 : (token + layer + k) % 4);
  writeNpy(folder_ / "routed.npy", routed);
  EXPECT_THAT(refusal(routing(2, 4, 2), "set:routed.npy"), HasSubstr("layout=layers"));
  const TraceSet set = load(routing(2, 4, 2), "set:routed.npy,layout=layers");
  ASSERT_EQ(set.traces.size(),
            4u);  // two steps of two layers; the third sends every token to one expert twice
  EXPECT_EQ(set.traces[1].name, "layer 0, tokens 2-3");
  EXPECT_EQ(set.traces[3].name, "layer 1, tokens 2-3");
  EXPECT_THAT(set.traces[3].values.data, ElementsAre(3, 0, 0, 1));
  ASSERT_EQ(set.left_out.size(), 5u);  // a token that is left of each layer, and the two batches of the third
  EXPECT_THAT(text(set.left_out.back()), HasSubstr("goes twice to expert 0"));
}

TEST_F(TraceSets, ALeadingAxisIsASet) {
  writeNpy(folder_ / "set.npy", {{3, 2, 1}, {0, 1, 2, 3, 1, 7}});
  const TraceSet set = load(routing(2, 4, 1), "set:set.npy,pick=1");
  ASSERT_EQ(set.traces.size(), 2u);
  EXPECT_EQ(set.chosen, 1u);
  ASSERT_EQ(set.left_out.size(), 1u);
  EXPECT_EQ(set.left_out[0].severity, Severity::Warning);
  EXPECT_THAT(text(set.left_out[0]),
              testing::AllOf(HasSubstr("set.npy"), HasSubstr("trace 2"), HasSubstr("expert 7")));
  EXPECT_THAT(refusal(routing(2, 4, 1), "set:set.npy,pick=2"), HasSubstr("left out"));
}

TEST_F(TraceSets, LlamaCppsLogIsReadLayerByLayer) {
  write("moe.csv", "layer,expert\n0,1\n0,2\n0,3\n0,0\n1,0\n1,1\n1,2\n1,x\n0,2\n0,1\n");
  const TraceSet set = load(routing(1, 4, 2), "set:moe.csv");
  std::vector<std::string> names;
  for (const Trace& trace : set.traces) names.push_back(trace.name);
  EXPECT_THAT(names, ElementsAre("layer 0, tokens 0-0", "layer 0, tokens 1-1", "layer 0, tokens 2-2",
                                 "layer 1, tokens 0-0"));
  EXPECT_THAT(set.traces[2].values.data, ElementsAre(2, 1));
  ASSERT_EQ(set.left_out.size(), 2u);  // the line, and the token that it belongs to
  EXPECT_THAT(text(set.left_out[0]), HasSubstr("line 9"));
}

TEST_F(TraceSets, AzuresRequestsAreBatchesInTheOrderOfTheirArrival) {
  write("azure.csv",
        "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:15:46.6805900,374,44\r\n"
        "2023-11-16 18:15:50.9951690,396,109\r\n2023-11-16 18:15:51.2224670,NaN,55\r\n"
        "2023-11-16 18:15:51.3926450,91,16\r\n2023-11-16 18:15:52.5734500,91,16\r\n");
  const TraceSet set = load(lengths(), "set:azure.csv,batch=2");
  ASSERT_EQ(set.traces.size(), 2u);
  EXPECT_THAT(set.traces[0].values.data, ElementsAre(374, 396));
  EXPECT_THAT(set.traces[1].values.data, ElementsAre(91, 91));
  ASSERT_EQ(set.left_out.size(), 1u);
  EXPECT_THAT(text(set.left_out[0]), testing::AllOf(HasSubstr("line 4"), HasSubstr("'NaN'")));
  EXPECT_THAT(load(lengths(), "set:azure.csv,batch=2,column=ContextTokens+GeneratedTokens,most=450")
                  .traces[0]
                  .values.data,
              ElementsAre(418, 450));
  EXPECT_THAT(refusal(lengths(), "set:azure.csv"), HasSubstr("batch=64"));
  Input own = lengths();
  own.data = IntTensor{{2}, {5, 6}};
  EXPECT_EQ(load(own, "set:azure.csv").traces.size(), 2u);
  EXPECT_EQ(load(own, "set:lognormal,count=3,mean=9,deviation=2").traces.at(0).values.data.size(), 2u);
}

TEST_F(TraceSets, FoldersAndListsAreReadFileByFile) {
  fs::create_directory(folder_ / "deep");
  writeNpy(folder_ / "deep" / "b.npy", {{2, 1}, {0, 1}});
  writeNpy(folder_ / "deep" / "a.npy", {{2, 1}, {1, 1}});
  write("deep/c.npy", "no array");
  write("files.txt", "# two of them\ndeep/b.npy\n\ndeep/missing.npy\n");
  const TraceSet folder = load(routing(2, 4, 1), "set:deep");
  ASSERT_EQ(folder.traces.size(), 2u);
  EXPECT_EQ(folder.traces[0].name, "a.npy");
  ASSERT_EQ(folder.left_out.size(), 1u);
  EXPECT_THAT(text(folder.left_out[0]), HasSubstr("c.npy"));
  const TraceSet list = load(routing(2, 4, 1), "set:files.txt");
  ASSERT_EQ(list.traces.size(), 1u);
  EXPECT_THAT(list.traces[0].values.data, ElementsAre(0, 1));
  EXPECT_THAT(text(list.left_out.at(0)), HasSubstr("missing.npy"));
}

TEST_F(TraceSets, WhatIsWrongIsToldOnceWithItsPlace) {
  write("empty.csv", "layer,expert\n");
  write("other.csv", "a,b\n1,2\n");
  for (const auto& [source, cause] : std::vector<std::pair<std::string, std::string>>{
           {"set:zpif,count=3", "did you mean 'zipf'?"},
           {"set:zipf,cuont=3", "did you mean 'count'?"},
           {"set:zipf,count=0,skew=1", "count=0"},
           {"set:zipf,count=3,exponent=nan", "'nan' is not a finite number"},
           {"set:zipf,count=3,skew=1,exponent=1", "more than once"},
           {"set:zipf,count=3", "nothing says how skewed"},
           {"set:zipf,count=3,skew=0.01", "experts has that skew on average: they have "},
           {"set:dirichlet,count=3,skew=9", "give a skew in that range"},
           {"set:zipf,count=3,count=4,skew=1", "given twice"},
           {"set:zipf,count=3,skew=1,top_k=9", "9 different experts of 4"},
           {"set:lognormal,batch=3,mean=1,deviation=1", "does not make what this input takes"},
           {"set:", "it names nothing"},
           {"set:empty.csv", "holds no trace"},
           {"set:other.csv", "its content is none"}}) {
    const std::string told = refusal(routing(8, 4, 1), source);
    if (cause != "count=0") {
      EXPECT_THAT(told, HasSubstr(cause)) << source;
    }
    EXPECT_FALSE(told.empty()) << source;
  }
  // As it was written: nobody knows in which folder it was to be.
  const std::string slip = refusal(routing(8, 4, 1), "set:tracess");
  EXPECT_THAT(slip, HasSubstr("'routing' (set:tracess)"));
  EXPECT_THAT(slip, testing::Not(HasSubstr(folder_.string())));
  Input sizeless = routing(0, 4, 1);
  EXPECT_THAT(refusal(sizeless, "set:zipf,skew=1"), HasSubstr("tokens"));
}

/// Averages and tables of data frames are floats: whole ones are taken, and what is none leaves out its trace
/// alone.
TEST_F(TraceSets, OfFloatsWithoutThoseThatHoldNoWholeNumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), huge = 0x1p63;
  IntTensor bits{{5, 2, 1}, {}};
  for (const double value : {0., 1., nan, 0., 1., 0.5, 2., 3., 0., huge})
    bits.data.push_back(std::bit_cast<std::int64_t>(value));
  writeNpy(folder_ / "floats.npy", bits, "<f8");
  const TraceSet set = load(routing(2, 4, 1), "set:floats.npy");
  ASSERT_EQ(set.traces.size(), 2u);
  EXPECT_EQ(set.traces[0].values, (IntTensor{{2, 1}, {0, 1}}));
  EXPECT_EQ(set.traces[1].values, (IntTensor{{2, 1}, {2, 3}}));
  EXPECT_EQ(set.traces[1].number, 3u);
  ASSERT_EQ(set.left_out.size(), 3u);
  EXPECT_THAT(text(set.left_out[0]),
              testing::AllOf(HasSubstr("floats.npy"), HasSubstr("'trace 1'"), HasSubstr("value number 0"),
                             HasSubstr("NaN"), HasSubstr("leave the trace out")));
  EXPECT_THAT(text(set.left_out[1]), testing::AllOf(HasSubstr("'trace 2'"), HasSubstr("value number 1")));
  writeNpy(folder_ / "lengths.npy", {{2, 2}, {bits.data[2], bits.data[0], bits.data[7], bits.data[6]}},
           "<f8");
  const TraceSet lengths_set = load(lengths(), "set:lengths.npy");
  ASSERT_EQ(lengths_set.traces.size(), 1u);
  EXPECT_THAT(lengths_set.traces[0].values.data, ElementsAre(3, 2));
}

}  // namespace sluice::trace_sets_test
