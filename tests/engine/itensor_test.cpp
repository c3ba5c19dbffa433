// Iterative tensor types: the published examples, the text, and every quantity against plain enumeration.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/itensor/access_sequence.h"
#include "engine/itensor/canonical.h"
#include "engine/itensor/coverage.h"
#include "engine/itensor/itensor_text.h"
#include "tests/engine/support/itensors.h"

namespace sluice::itensor_test {

using namespace testing_support;
using testing::HasSubstr;
using testing::StartsWith;

const std::string column_major = "itensor<4x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d1,d0)>";

// ---- the published examples -------------------------------------------------------------------------------

TEST(ITensor, PublishedTypesHaveTheirPropertiesAndSequences) {
  const std::vector<Record> records = readRecords("itensor_types.txt");
  ASSERT_EQ(records.size(), 7u);
  for (const Record& record : records) {
    SCOPED_TRACE(record.at("name"));
    const ITensor type = typeOf(record.at("type"));
    EXPECT_EQ(text(type), record.at("type"));
    EXPECT_EQ(tokenCount(type), std::stoll(record.at("tokens")));
    EXPECT_EQ(bytesOf(tokenBits(type)), std::stoll(record.at("token_bytes")));
    EXPECT_EQ(bytesOf(volumeBits(type)), std::stoll(record.at("stream_bytes")));
    ASSERT_TRUE(inferredShape(type));
    EXPECT_EQ(shapeText(*inferredShape(type)), record.at("shape"));
    EXPECT_TRUE(isProjectedPermutation(type));
    EXPECT_EQ(isRegularTiling(type), record.at("regular") == "1");
    const std::vector<std::size_t> reuse = reuseLoops(type);
    EXPECT_EQ(reuse, record.at("reuse") == "-" ? std::vector<std::size_t>{} : std::vector<std::size_t>{1});
    EXPECT_EQ(revisitFactor(type), reuse.empty() ? 1 : 2);

    const Result<Coverage> covered = coverage(type, shapeOf("8x8"));
    ASSERT_TRUE(covered);
    EXPECT_EQ(std::to_string(covered->covered), record.at("covered"));
    EXPECT_EQ(std::to_string(covered->outside), record.at("outside"));
    EXPECT_EQ(covered->missed(), 64 - covered->covered);
    EXPECT_EQ(std::to_string(covered->least_visits) + " " + std::to_string(covered->most_visits),
              record.at("visits"));

    const std::vector<Numbers> iterations = numberLists(record.at("iterations"));
    const std::vector<Numbers> offsets = numberLists(record.at("offsets"));
    AccessSequence at(type);
    for (std::size_t token = 0; token < offsets.size(); ++token, at.advance()) {
      ASSERT_FALSE(at.atEnd());
      for (std::size_t d = 0; d < type.loops.size(); ++d) EXPECT_EQ(at.iteration(d), iterations[token][d]);
      EXPECT_THAT(at.offset(), testing::ElementsAreArray(offsets[token]));
    }
    EXPECT_TRUE(at.atEnd());
  }
}

TEST(ITensor, TheQuizIsExactOverlappingAndFullOfGaps) {
  std::map<std::string, CoverageKind> kinds;
  for (const Record& record : readRecords("itensor_types.txt"))
    kinds[record.at("name")] = coverage(typeOf(record.at("type")), shapeOf("8x8"))->kind();
  EXPECT_EQ(kinds["fig5_c"], CoverageKind::Exact) << "sending everything twice is no overlap";
  EXPECT_EQ(kinds["quiz_a"], CoverageKind::OutOfRange);
  EXPECT_EQ(kinds["quiz_b"], CoverageKind::Exact);
  EXPECT_EQ(kinds["quiz_c"], CoverageKind::Gap);
  EXPECT_EQ(kinds["quiz_d"], CoverageKind::Gap);
  const ITensor quiz_a = typeOf("itensor<4x4xf32, [4,2]*[2,4], (d0,d1)->(d1,d0)>");
  const Result<Coverage> own = coverage(quiz_a, shapeOf("8x10"));
  ASSERT_TRUE(own);
  EXPECT_EQ(own->kind(), CoverageKind::Overlap);
}

TEST(ITensor, AReachThatFitsIsNoCoverage) {
  const ITensor holes = typeOf("itensor<2xf32, iter_space: [3]*[3], iter_map: (d0)->(d0)>");
  EXPECT_EQ(*inferredShape(holes), Numbers{8});
  const Result<Coverage> covered = coverage(holes, shapeOf("8"));
  ASSERT_TRUE(covered);
  EXPECT_EQ(covered->kind(), CoverageKind::Gap);
  EXPECT_EQ(covered->missed(), 2);
}

// ---- text -------------------------------------------------------------------------------------------------

TEST(ITensorText, OtherSpellingsMeanTheSame) {
  const ITensor type = typeOf(column_major);
  for (const char* spelling : {
           "itensor<4x2xf32, [4,2]*[2,4], (d0,d1)->(d1,d0)>",
           "itensor<4x2xf32, [4,2], [2,4], (d0, d1) -> (d1, d0), 1>",
           "!hls.itensor<tensor<4x2xf32>, [4, 2], [2, 4], affine_map<(i, j) -> (j, i)>, depth: 1>",
           " itensor < 4 x 2 x f32 ,\n iter_space : [ 4 , 2 ] * [ 2 , 4 ] , iter_map : (p,q)->(q,p) > ",
           "itensor<4x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(1*d1+0, d1*3+2*(d0-d1)-(d0+d1))>",
       }) {
    SCOPED_TRACE(spelling);
    const Result<WrittenITensor> written = parseITensor(spelling);
    ASSERT_TRUE(written) << text(written.diagnostics());
    EXPECT_EQ(text(written->type), column_major);
    EXPECT_EQ(written->type, type);
  }
  EXPECT_EQ(parseITensor("itensor<f32, [2],[1],(d0)->(d0),32>")->fifo_depth, 32);
  EXPECT_FALSE(parseITensor(column_major)->fifo_depth);
}

TEST(ITensorText, ScalarsAndTokensOfEveryKind) {
  const std::map<std::string, std::int64_t> bits = {{"i4", 4},          {"4xi4", 16}, {"3xi1", 3},
                                                    {"f16", 16},        {"bf16", 16}, {"2x2xf64", 256},
                                                    {"8xf8E4M3FN", 64}, {"ui7", 7}};
  for (const auto& [element, expected] : bits) {
    const std::string map = element.starts_with("2x2") ? "(d0)->(d0,0)" : "(d0)->(d0)";
    const std::string written = "itensor<" + element + ", iter_space: [3]*[1], iter_map: " + map + ">";
    EXPECT_EQ(tokenBits(typeOf(written)), expected) << element;
    EXPECT_EQ(text(typeOf(written)), written);
  }
  const ITensor vectors = typeOf("itensor<vector<2x4xi8>, [2,2]*[2,4], (d0,d1)->(d0,d1)>");
  EXPECT_TRUE(vectors.vector_token);
  EXPECT_EQ(tokenBits(vectors), 64);
  EXPECT_EQ(tokenCount(typeOf("itensor<f32, []*[], ()->(0,0)>")), 1);
}

TEST(ITensorText, PrintedTypesAreReadBack) {
  SplitMix64 random(1);
  for (int trial = 0; trial < 5000; ++trial) {
    const ITensor type = randomType(random);
    ASSERT_TRUE(verify(type));
    const Result<WrittenITensor> read = parseITensor(text(type));
    ASSERT_TRUE(read) << text(type) << "\n" << text(read.diagnostics());
    ASSERT_EQ(read->type, type) << text(type);
  }
}

TEST(ITensorText, MistakesAreNamedWhereTheyAre) {
  struct Mistake {
    const char *text, *column, *cause;
  };
  for (const Mistake& mistake : std::initializer_list<Mistake>{
           {"", "column 1", "found the end"},
           {"tensor<4x2xf32>", "column 1", "found 'tensor'"},
           {"itensor<4x2xf3, [4]*[2], (d0)->(d0)>", "column 13", "found 'f3'"},
           {"itensor<4x?xf32, [4]*[2], (d0)->(d0)>", "column 11", "found '?'"},
           {"itensor<4x2, [4]*[2], (d0)->(d0)>", "column 12", "'x' and a scalar"},
           {"itensor<0xf32, [4]*[2], (d0)->(d0)>", "column 9", "is 0"},
           {"itensor<4xf32, [0]*[2], (d0)->(d0)>", "column 17", "is 0"},
           {"itensor<4xf32, [4,2]*[2], (d0)->(d0)>", "column 22", "2 trip counts and 1 steps"},
           {"itensor<4xf32, [4]*[2], (d0,d1)->(d0)>", "column 25", "names 2 loops"},
           {"itensor<4xf32, [4,2]*[2,1], (d0,d0)->(d0)>", "column 33", "named twice"},
           {"itensor<4x2xf32, [4]*[2], (d0)->(d0)>", "column 33", "2 dimensions and the map 1 results"},
           {"itensor<4xf32, [4]*[2], (d0)->(d1)>", "column 32", "no loop 'd1'"},
           {"itensor<4xf32, [4]*[2], (d0)->(d0*d0)>", "column 34", "multiplied"},
           {"itensor<4xf32, [4]*[2], (d0)->(d0 mod 2)>", "column 35", "mod"},
           {"itensor<4xf32, [4]*[2], (d0)[s0]->(d0)>", "column 29", "symbols"},
           {"itensor<4xf32, [4]*[2], (d0)->(d0), 0>", "column 37", "depth"},
           {"itensor<4xf32, [4]*[2], (d0)->(d0)> x", "column 37", "expected the end"},
           {"itensor<4xf32, [99999999999999999999]*[2], (d0)->(d0)>", "column 17", "too large"},
           {"itensor<4xf32, [4000000000,4000000000]*[1,1], (d0,d1)->(d0)>", "column 1", "2^60 bits"},
           {"itensor<4xf32, [9]*[1], (d0)->(1000000000000000000*d0)>", "column 1", "offsets exceed"},
       }) {
    SCOPED_TRACE(mistake.text);
    const Result<WrittenITensor> read = parseITensor(mistake.text, "TYPE");
    ASSERT_FALSE(read);
    ASSERT_EQ(read.diagnostics().size(), 1u);
    const Diagnostic& said = read.diagnostics().front();
    EXPECT_THAT(text(said.place), StartsWith(std::string("TYPE, ") + mistake.column)) << said.cause;
    EXPECT_THAT(said.cause, HasSubstr(mistake.cause));
    EXPECT_FALSE(said.fix.empty());
  }
}

/// A text with a few characters removed, repeated, replaced or put in.
std::string damaged(std::string text, SplitMix64& random) {
  static const std::string characters = "<>[](),:*x-+0123456789dfi!? \t\n\xC3\xA9\x01";
  for (std::uint64_t times = 1 + random.below(4); times > 0; --times) {
    const std::size_t at = random.below(text.size() + 1), length = random.below(6);
    const char character = characters[random.below(characters.size())];
    switch (random.below(5)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(at, length));
        break;
      case 2:
        if (at < text.size()) text[at] = character;
        break;
      case 3:
        text.insert(at, 1 + random.below(20), character);
        break;
      default:
        text.resize(at);
    }
  }
  return text;
}

TEST(ITensorText, BrokenTextsGiveOneDiagnostic) {
  SplitMix64 random(2);
  int read_anyway = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const std::string broken = damaged(text(randomType(random)), random);
    const Result<WrittenITensor> read = parseITensor(broken);
    if (read) {
      ++read_anyway;
      ASSERT_TRUE(verify(read->type)) << broken;
      ASSERT_EQ(typeOf(text(read->type)), read->type) << broken;
      continue;
    }
    ASSERT_EQ(read.diagnostics().size(), 1u) << broken;
    const Diagnostic& said = read.diagnostics().front();
    ASSERT_THAT(text(said.place), HasSubstr(", column ")) << broken;
    ASSERT_TRUE(!said.cause.empty() && !said.fix.empty()) << broken;
  }
  EXPECT_LT(read_anyway, 10000);
  EXPECT_FALSE(parseITensor(std::string(60000, '(')));
  EXPECT_FALSE(parseITensor("itensor<4xf32, [4]*[2], (d0)->(" + std::string(50000, '(') + "d0"));
  EXPECT_FALSE(parseITensor("itensor<4xf32, [4]*[2], (d0)->(" + std::string(50000, '-') + "d0"));
  EXPECT_FALSE(parseITensor(std::string(1 << 20, ' ')));
}

// ---- verify -----------------------------------------------------------------------------------------------

TEST(ITensor, MalformedTypesAreToldApart) {
  const ITensor good = typeOf(column_major);
  const auto causeOf = [](const ITensor& type) {
    const Result<Done> done = verify(type);
    return done ? std::string("none") : done.diagnostics().front().cause;
  };
  EXPECT_EQ(causeOf(good), "none");
  ITensor type = good;
  type.tile = {4};
  EXPECT_THAT(causeOf(type), HasSubstr("1 dimension and the map 2 results"));
  type = good;
  type.map[1].coefficients.pop_back();
  EXPECT_THAT(causeOf(type), HasSubstr("over 1 loop but"));
  type = good;
  type.loops[1].step = 0;
  EXPECT_THAT(causeOf(type), HasSubstr("not both positive"));
  type = good;
  type.tile[0] = -4;
  EXPECT_THAT(causeOf(type), HasSubstr("-4 is not positive"));
  type = good;
  type.map[0].constant = INT64_MIN;
  EXPECT_THAT(causeOf(type), HasSubstr("offsets exceed"));
  type = good;
  type.map[0].coefficients[0] = INT64_MIN;
  EXPECT_THAT(causeOf(type), HasSubstr("offsets exceed"));
  type = good;
  type.loops[0] = {1, INT64_MAX};
  EXPECT_THAT(causeOf(type), HasSubstr("trips times step"));
  type = good;
  type.loops.assign(40, {1, 1});
  EXPECT_THAT(causeOf(type), HasSubstr("more than 32"));
}

TEST(ITensor, SizesUpToTheLimitDoNotOverflow) {
  const ITensor type = typeOf("itensor<i1, [1073741824,1073741824]*[1,1], (d0,d1)->(1073741824*d0+d1)>");
  EXPECT_EQ(tokenCount(type), most_itensor_size);
  EXPECT_EQ(inferredShape(type), Numbers{most_itensor_size});
  EXPECT_EQ(text(canonicalForm(type)),
            "itensor<i1, iter_space: [1152921504606846976]*[1], iter_map: (d0)->(d0)>");
  const Numbers shape{most_itensor_size};
  const Result<Coverage> covered = coverage(type, shape);
  ASSERT_TRUE(covered);
  EXPECT_EQ(covered->kind(), CoverageKind::Exact);
}

// ---- the sequence, canonical forms, coverage: against enumeration
// ------------------------------------------

TEST(ITensorSequence, WalksAndSeeksAsEnumerated) {
  SplitMix64 random(3);
  for (int trial = 0; trial < 600; ++trial) {
    const ITensor type = randomType(random);
    const std::vector<Numbers> offsets = enumerateOffsets(type);
    AccessSequence walked(type), sought(type);
    ASSERT_EQ(walked.count(), static_cast<std::int64_t>(offsets.size()));
    for (std::size_t token = 0; token < offsets.size(); ++token, walked.advance()) {
      ASSERT_THAT(walked.offset(), testing::ElementsAreArray(offsets[token])) << text(type);
      const auto any = static_cast<std::int64_t>(random.below(offsets.size()));
      sought.seek(any);
      ASSERT_THAT(sought.offset(), testing::ElementsAreArray(offsets[static_cast<std::size_t>(any)]));
    }
    ASSERT_TRUE(walked.atEnd());
    walked.advance();
    ASSERT_EQ(walked.position(), walked.count());
    walked.seek(-1);
    ASSERT_EQ(walked.position(), 0);
  }
}

TEST(ITensorSequence, ABillionTokensAreNotMade) {
  const ITensor type = typeOf("itensor<f32, [1000000,1000000]*[1,1], (d0,d1)->(d0,d1)>");
  AccessSequence at(type);
  at.seek(999999999999);
  EXPECT_THAT(at.offset(), testing::ElementsAre(999999, 999999));
  at.advance();
  EXPECT_TRUE(at.atEnd());
}

TEST(ITensorCanonical, RewrittenTypesAreTheSameStream) {
  SplitMix64 random(4);
  int different_text = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const ITensor type = randomType(random), other = rewritten(type, random);
    ASSERT_TRUE(verify(other));
    ASSERT_EQ(enumerateOffsets(type), enumerateOffsets(other)) << "the rewriting is wrong";
    const ITensor form = canonicalForm(type);
    ASSERT_EQ(form, canonicalForm(other)) << text(type) << "\n" << text(other);
    ASSERT_TRUE(sameStream(type, other));
    ASSERT_EQ(enumerateOffsets(form), enumerateOffsets(type)) << text(type) << "\n" << text(form);
    ASSERT_EQ(canonicalForm(form), form);
    different_text += text(type) != text(other) ? 1 : 0;
  }
  EXPECT_GT(different_text, 2000);
}

TEST(ITensorCanonical, EqualFormsExactlyWhereSequencesAreEqual) {
  SplitMix64 random(5);
  // Tiny types of one element, so that equal sequences come about by chance.
  const auto tiny = [&] {
    ITensor type;
    type.tile = {1};
    const std::size_t loops = random.below(4);
    for (std::size_t d = 0; d < loops; ++d)
      type.loops.push_back({between(random, 1, 3), between(random, 1, 2)});
    type.map.push_back(AffineForm::zero(loops));
    for (std::int64_t& coefficient : type.map[0].coefficients) coefficient = between(random, -1, 2);
    return type;
  };
  std::map<std::vector<Numbers>, std::set<std::string>> forms_of;
  std::map<std::string, std::set<std::vector<Numbers>>> sequences_of;
  int trials = 0;
  for (; trials < 6000; ++trials) {
    const ITensor a = tiny(), b = tiny();
    const std::vector<Numbers> sequence = enumerateOffsets(a);
    const std::string form = text(canonicalForm(a));
    forms_of[sequence].insert(form);
    sequences_of[form].insert(sequence);
    ASSERT_EQ(sameStream(a, b), sequence == enumerateOffsets(b)) << text(a) << "\n" << text(b);
    ASSERT_EQ(compareTypes(canonicalForm(a), canonicalForm(b)) == 0, sameStream(a, b));
  }
  EXPECT_LT(forms_of.size(), 4000u) << "sequences hardly repeat: the test shows nothing";
  for (const auto& [sequence, forms] : forms_of)
    EXPECT_EQ(forms.size(), 1u) << *forms.begin() << "\n" << *forms.rbegin();
  for (const auto& [form, sequences] : sequences_of) EXPECT_EQ(sequences.size(), 1u) << form;
}

TEST(ITensorCanonical, ElementTypesCount) {
  const ITensor type = typeOf(column_major);
  for (const char* other :
       {"itensor<4x2xi32, [4,2]*[2,4], (d0,d1)->(d1,d0)>",
        "itensor<vector<4x2xf32>, [4,2]*[2,4], (d0,d1)->(d1,d0)>",
        "itensor<2x2xf32, [4,2]*[2,4], (d0,d1)->(d1,d0)>", "itensor<4x2xf32, [2,4]*[4,2], (d0,d1)->(d0,d1)>"})
    EXPECT_FALSE(sameStream(type, typeOf(other))) << other;
}

/// Coverage by counting every element of the tensor.
struct Counted {
  std::int64_t covered = 0, outside = 0, least = 0, most = 0;
};

Counted countVisits(const ITensor& type, const Numbers& shape) {
  std::map<Numbers, std::int64_t> visits;
  for (const Numbers& offset : enumerateOffsets(type)) {
    Numbers within(shape.size());
    for (bool more = true; more;) {
      Numbers element = offset;
      for (std::size_t k = 0; k < shape.size(); ++k) element[k] += within[k];
      ++visits[element];
      more = false;
      for (std::size_t k = shape.size(); k-- > 0 && !more; within[k] = more ? within[k] : 0)
        more = ++within[k] < type.extent(k);
    }
  }
  Counted counted;
  for (const auto& [element, count] : visits) {
    bool inside = true;
    for (std::size_t k = 0; k < shape.size(); ++k)
      inside = inside && element[k] >= 0 && element[k] < shape[k];
    if (!inside) {
      ++counted.outside;
      continue;
    }
    counted.least = counted.covered == 0 ? count : std::min(counted.least, count);
    counted.most = std::max(counted.most, count);
    ++counted.covered;
  }
  return counted;
}

TEST(ITensorCoverage, AsCountedElementByElement) {
  SplitMix64 random(6);
  std::map<CoverageKind, int> seen;
  for (int trial = 0; trial < 1500; ++trial) {
    ITensor type = randomType(random);
    Numbers shape;
    for (std::size_t k = 0; k < type.rank(); ++k) {
      const std::int64_t reach = offsetRange(type, k).end;
      shape.push_back(reach > 0 && chance(random, 80) ? reach : between(random, 1, 12));
    }
    const Result<Coverage> covered = coverage(type, shape);
    ASSERT_TRUE(covered) << text(type);
    const Counted counted = countVisits(type, shape);
    SCOPED_TRACE(text(type) + " of " + shapeText(shape));
    ASSERT_EQ(covered->covered, counted.covered);
    ASSERT_EQ(covered->outside, counted.outside);
    ASSERT_EQ(covered->least_visits, counted.least);
    ASSERT_EQ(covered->most_visits, counted.most);
    ++seen[covered->kind()];
  }
  for (const CoverageKind kind :
       {CoverageKind::Exact, CoverageKind::Overlap, CoverageKind::Gap, CoverageKind::OutOfRange})
    EXPECT_GT(seen[kind], 30) << text(kind);
}

TEST(ITensorCoverage, LargeTensorsAreNotCounted) {
  const Numbers shape{1 << 24, 1 << 24};
  const auto kindOf = [&](const std::string& written) { return coverage(typeOf(written), shape)->kind(); };
  EXPECT_EQ(kindOf("itensor<16x16xi8, [1048576,1048576]*[16,16], (d0,d1)->(d1,d0)>"), CoverageKind::Exact);
  EXPECT_EQ(kindOf("itensor<8x16xi8, [1048576,1048576]*[16,16], (d0,d1)->(d1,d0)>"), CoverageKind::Gap);
  EXPECT_EQ(kindOf("itensor<16x16xi8, [1048577,1048576]*[16,16], (d0,d1)->(d1,d0)>"),
            CoverageKind::OutOfRange);
  // After vectorisation: two loops along each dimension.
  EXPECT_EQ(kindOf("itensor<vector<4x2xi8>, [1048576,1048576,4,8]*[16,16,4,2], (a,b,p,q)->(b+p,a+q)>"),
            CoverageKind::Exact);
  const Result<Coverage> diagonal = coverage(typeOf("itensor<i8, [16777216]*[1], (d0)->(d0,d0)>"), shape);
  ASSERT_FALSE(diagonal);
  EXPECT_THAT(diagonal.diagnostics().front().cause, HasSubstr("too many to be counted"));
  const Result<Coverage> flat = coverage(typeOf("itensor<i8, [4]*[1], (d0)->(d0)>"), shape);
  ASSERT_FALSE(flat);
  EXPECT_THAT(flat.diagnostics().front().cause, HasSubstr("2 dimensions and the itensor's map 1 result"));
}

}  // namespace sluice::itensor_test
