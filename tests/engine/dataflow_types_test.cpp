// Derived types against the sequences of scalars that they send, and external layouts against loops written
// out.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/core/random.h"
#include "engine/itensor/access_sequence.h"
#include "engine/itensor/canonical.h"
#include "engine/itensor/itensor_text.h"
#include "engine/tensor/dataflow/dataflow_types.h"
#include "engine/tensor/dataflow/external_layout.h"

namespace sluice::dataflow_types_test {

using testing::ElementsAre;
using testing::HasSubstr;
using Shape = std::vector<std::int64_t>;

ITensor type(const std::string& written) {
  const auto parsed = parseITensor(written);
  EXPECT_TRUE(parsed) << text(parsed.diagnostics());
  return parsed->type;
}

/// The row-major number, in a tensor of `shape`, of every scalar that a stream sends.
std::vector<std::int64_t> scalars(const ITensor& stream, const Shape& shape) {
  std::vector<std::int64_t> sent;
  std::int64_t elements = 1;
  for (std::size_t k = 0; k < shape.size(); ++k) elements *= stream.extent(k);
  for (AccessSequence at(stream); !at.atEnd(); at.advance())
    for (std::int64_t n = 0; n < elements; ++n) {
      std::int64_t number = 0, rest = n, size = elements;
      for (std::size_t k = 0; k < shape.size(); ++k) {
        size /= stream.extent(k);
        number = number * shape[k] + at.offset()[k] + rest / size;
        rest %= size;
      }
      sent.push_back(number);
    }
  return sent;
}

/// A regular tiling of `shape` with random tiles and loop order, maybe with a reuse loop.
ITensor randomTiling(const Shape& shape, SplitMix64& random) {
  ITensor made;
  made.scalar.bits = 8;
  std::vector<std::size_t> order(shape.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  random.shuffle(std::span(order));
  const bool reuse = random.below(3) == 0;
  const std::size_t loops = shape.size() + (reuse ? 1 : 0);
  made.loops.resize(loops);
  made.map.assign(shape.size(), AffineForm::zero(loops));
  made.tile.resize(shape.size());
  std::size_t loop = 0;
  if (reuse) made.loops[loop++].trips = 2;
  for (const std::size_t k : order) {
    do made.tile[k] = 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(shape[k])));
    while (shape[k] % made.tile[k] != 0);
    made.loops[loop] = {shape[k] / made.tile[k], made.tile[k]};
    made.map[k] = AffineForm::loop(loop++, loops);
  }
  return made;
}

TEST(DataflowTypes, ReassociatedTypesSendTheSameScalars) {
  SplitMix64 random(3);
  const std::vector<std::pair<Shape, Shape>> pairs{
      {{12}, {3, 4}},      {{3, 4}, {12}},         {{4, 24}, {4, 2, 3, 4}}, {{4, 2, 3, 4}, {4, 24}},
      {{6, 1, 4}, {6, 4}}, {{6, 4}, {2, 3, 4, 1}}, {{2, 3, 4}, {6, 4}},     {{8, 6}, {2, 4, 2, 3}}};
  int renamed = 0;
  for (int round = 0; round < 4000; ++round) {
    const auto& [from, to] = pairs[random.below(pairs.size())];
    const ITensor source = randomTiling(from, random);
    const auto target = reassociatedType(source, from, to);
    if (!target) continue;
    ++renamed;
    ASSERT_TRUE(verify(*target)) << text(source);
    ASSERT_EQ(scalars(*target, to), scalars(source, from)) << text(source) << "\n" << text(*target);
  }
  EXPECT_GT(renamed, 1000);
}

/// Every tiling of `to` is tried: where none sends the scalars of `source`, none may be found, and the other
/// way round.
TEST(DataflowTypes, ReassociationIsFoundWhereThereIsOne) {
  const Shape from{12}, to{3, 4};
  std::set<std::vector<std::int64_t>> possible;
  for (const std::int64_t a : {1, 3})
    for (const std::int64_t b : {1, 2, 4})
      for (const bool swapped : {false, true}) {
        ITensor t;
        t.scalar.bits = 8;
        t.tile = {a, b};
        t.loops = {{3 / a, a}, {4 / b, b}};
        if (swapped) std::swap(t.loops[0], t.loops[1]);
        t.map = {AffineForm::loop(swapped ? 1 : 0, 2), AffineForm::loop(swapped ? 0 : 1, 2)};
        std::vector<std::int64_t> sent = scalars(t, to);
        sent.push_back(a * b);
        possible.insert(sent);
      }
  for (const std::int64_t tile : {1, 2, 3, 4, 6, 12}) {
    const ITensor source = type("itensor<" + std::to_string(tile) + "xi8, [" + std::to_string(12 / tile) +
                                "]*[" + std::to_string(tile) + "], (d0)->(d0)>");
    std::vector<std::int64_t> sent = scalars(source, from);
    sent.push_back(tile);
    EXPECT_EQ(reassociatedType(source, from, to).has_value(), possible.contains(sent)) << tile;
  }
}

TEST(DataflowTypes, ReshapesOfHeads) {
  // 4 tokens, two heads of 4: tiles of 2 elements walk through the heads one after the other.
  const ITensor merged = type("itensor<4x2xi8, [4]*[2], (d0)->(0,d0)>");
  const auto split = reassociatedType(merged, Shape{4, 8}, Shape{4, 2, 4});
  ASSERT_TRUE(split);
  EXPECT_TRUE(sameStream(*split, type("itensor<4x1x2xi8, [2,2]*[1,2], (d0,d1)->(0,d0,d1)>"))) << text(*split);
  // Tiles of 3 in a dimension that falls into fours have no name there.
  EXPECT_FALSE(reassociatedType(type("itensor<3xi8, [4]*[3], (d0)->(d0)>"), Shape{12}, Shape{3, 4}));
  EXPECT_FALSE(reassociatedType(merged, Shape{4, 8}, Shape{8, 5}));
}

TEST(DataflowTypes, InterleavedSlicesTakeTurns) {
  SplitMix64 random(5);
  const Shape shape{6, 8};
  int sliced = 0;
  for (int round = 0; round < 500; ++round) {
    const ITensor whole = randomTiling(shape, random);
    const std::size_t ways = 2 + random.below(3);
    std::vector<ITensor> slices;
    for (std::size_t part = 0; part < ways; ++part)
      if (const auto slice = interleavedSlice(whole, ways, part)) slices.push_back(*slice);
    if (slices.empty()) continue;
    ++sliced;
    ASSERT_EQ(slices.size(), ways);
    AccessSequence all(whole);
    std::vector<AccessSequence> parts;
    for (const ITensor& slice : slices) parts.emplace_back(slice);
    for (std::size_t turn = 0; !all.atEnd(); all.advance(), turn = (turn + 1) % ways) {
      ASSERT_FALSE(parts[turn].atEnd());
      ASSERT_TRUE(std::equal(all.offset().begin(), all.offset().end(), parts[turn].offset().begin()));
      parts[turn].advance();
    }
    for (const AccessSequence& part : parts) EXPECT_TRUE(part.atEnd());
  }
  EXPECT_GT(sliced, 100);
}

TEST(DataflowTypes, VectorsOfATile) {
  const ITensor tiles = type("itensor<16x16xi8, [4,4]*[16,16], (d0,d1)->(d0,d1)>");
  const Shape vector{2, 4};
  const ITensor sent = vectorisedType(tiles, vector);
  EXPECT_EQ(
      text(sent),
      "itensor<vector<2x4xi8>, iter_space: [4,4,8,4]*[16,16,2,4], iter_map: (d0,d1,d2,d3)->(d0+d2,d1+d3)>");
  EXPECT_EQ(volumeBits(sent), volumeBits(tiles));
  EXPECT_EQ(vectorisedType(tiles, {}), tiles);
  EXPECT_TRUE(vectorDivides(vector, tiles));
  EXPECT_FALSE(vectorDivides(Shape{3, 4}, tiles));
  EXPECT_FALSE(vectorDivides(Shape{4}, tiles));
  EXPECT_THAT(widestVector(Shape{16, 16}, 64), ElementsAre(8, 8));
  EXPECT_THAT(widestVector(Shape{4, 64}, 64), ElementsAre(4, 16));
  EXPECT_THAT(widestVector(Shape{1, 12}, 8), ElementsAre(1, 6));
  EXPECT_TRUE(widestVector(Shape{1, 7}, 6).empty());
}

// ---- external layouts -------------------------------------------------------------------------------------

TEST(ExternalLayout, PackedAndWidenedAddressesAsNestedLoops) {
  // 64x64 in tiles of 16x16 in words of 8x8: 4 x 4 x 2 x 2 x vector<8x8>.
  const Shape shape{64, 64};
  const ExternalAddresses addresses({{16, 16}, {8, 8}}, shape);
  EXPECT_EQ(addresses.size(), 64 * 64);
  std::int64_t next = 0;
  for (std::int64_t a = 0; a < 4; ++a)
    for (std::int64_t b = 0; b < 4; ++b)
      for (std::int64_t c = 0; c < 2; ++c)
        for (std::int64_t d = 0; d < 2; ++d)
          for (std::int64_t e = 0; e < 8; ++e)
            for (std::int64_t f = 0; f < 8; ++f)
              ASSERT_EQ(addresses.at(Shape{a * 16 + c * 8 + e, b * 16 + d * 8 + f}), next++);
}

TEST(ExternalLayout, EveryElementHasAnAddressOfItsOwn) {
  const Shape shape{4, 6, 10};
  for (const Shape& tile : {Shape{}, Shape{2, 3, 5}, Shape{1, 6, 2}})
    for (const Shape& vector : {Shape{}, Shape{1, 3, 1}, Shape{1, 1, 1}}) {
      const ExternalAddresses addresses({tile, vector}, shape);
      std::set<std::int64_t> taken;
      for (std::int64_t n = 0; n < 240; ++n) taken.insert(addresses.at(Shape{n / 60, n / 10 % 6, n % 10}));
      EXPECT_EQ(taken.size(), 240u);
      EXPECT_EQ(*taken.begin(), 0);
      EXPECT_EQ(*taken.rbegin(), 239);
    }
}

TEST(ExternalLayout, APackedTileIsOneBurst) {
  const Shape shape{64, 64}, origin{16, 32}, tile{16, 16};
  EXPECT_EQ(burstCount({}, shape, origin, tile), 16);
  EXPECT_EQ(burstCount({{16, 16}, {}}, shape, origin, tile), 1);
  EXPECT_EQ(burstCount({{16, 16}, {8, 8}}, shape, origin, tile), 1);
  EXPECT_EQ(burstCount({}, shape, Shape{16, 0}, Shape{16, 64}), 1);
  EXPECT_EQ(burstCount({{8, 16}, {}}, shape, origin, tile), 2);
}

TEST(ExternalLayout, BurstsAreRunsOfAddresses) {
  SplitMix64 random(7);
  const auto below = [&random](std::int64_t n) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(n)));
  };
  int several = 0;
  for (int round = 0; round < 500; ++round) {
    Shape shape, offset, part;
    ExternalLayout layout;
    for (std::int64_t k = below(3); k >= 0; --k) {
      layout.vector.push_back(1 + below(3));
      layout.tile.push_back(layout.vector.back() * (1 + below(3)));
      shape.push_back(layout.tile.back() * (1 + below(3)));
      offset.push_back(below(shape.back()));
      part.push_back(1 + below(shape.back() - offset.back()));
    }
    if (below(3) == 0) layout.vector.clear();
    if (below(3) == 0 && layout.vector.empty()) layout.tile.clear();
    const ExternalAddresses addresses(layout, shape);
    std::set<std::int64_t> taken;
    Shape index = offset;
    for (std::size_t k = 0; k < index.size();) {
      taken.insert(addresses.at(index));
      for (k = 0; k < index.size() && ++index[k] == offset[k] + part[k]; ++k) index[k] = offset[k];
    }
    const auto bursts = std::count_if(taken.begin(), taken.end(),
                                      [&](std::int64_t address) { return !taken.contains(address - 1); });
    ASSERT_EQ(burstCount(layout, shape, offset, part), bursts) << "round " << round;
    if (bursts > 1) ++several;
  }
  EXPECT_GT(several, 200);
}

TEST(ExternalLayout, WordsAndTilesDivide) {
  const TensorValue tensor{"t", {64, 64}, {Scalar::Format::Signless, 8}, TensorRole::Input};
  EXPECT_TRUE(verify(ExternalLayout{{16, 16}, {8, 8}}, tensor));
  EXPECT_THAT(text(verify(ExternalLayout{{16, 24}, {}}, tensor).diagnostics()), HasSubstr("16x24"));
  EXPECT_THAT(text(verify(ExternalLayout{{16}, {}}, tensor).diagnostics()), HasSubstr("divide"));
  EXPECT_THAT(text(verify(ExternalLayout{{16, 16}, {3, 8}}, tensor).diagnostics()), HasSubstr("3x8"));
  EXPECT_THAT(text(verify(ExternalLayout{{16, 16}, {16, 8}}, tensor).diagnostics()), HasSubstr("1024 bits"));
  EXPECT_EQ(wordBits({{16, 16}, {8, 8}}, tensor), 512);
  EXPECT_EQ(wordBits({}, tensor), 8);
}

}  // namespace sluice::dataflow_types_test
