// Buffers to LUTRAM, BRAM and URAM: known sizes of blocks, properties of random allocations, brute force.

#include "engine/tensor/placement/memory_allocation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/core/random.h"

namespace sluice::memory_allocation_test {

using testing::HasSubstr;

constexpr std::array memories{Resource::LutRam, Resource::Bram, Resource::Uram};

Resources room(std::int64_t lutram, std::int64_t bram, std::int64_t uram) {
  Resources resources;
  resources[Resource::LutRam] = lutram;
  resources[Resource::Bram] = bram;
  resources[Resource::Uram] = uram;
  return resources;
}

MemoryBuffer randomBuffer(SplitMix64& random, std::size_t number) {
  const auto power = [&](std::uint64_t most) { return std::int64_t{1} << random.below(most + 1); };
  return {"b" + std::to_string(number), static_cast<std::int64_t>(1 + random.below(300)),
          power(15) + static_cast<std::int64_t>(random.below(9)), power(5)};
}

TEST(MemoryBlocks, OfKnownSizes) {
  struct Row {
    MemoryBuffer buffer;
    std::int64_t lutram, bram, uram;
  };
  const Row rows[] = {
      {{"one word", 1, 1, 1}, 1, 1, 1},
      {{"a block of RAMB18", 36, 512, 1}, 36 * 8, 1, 1},
      {{"narrow and deep", 1, 16384, 1}, 256, 1, 4},
      {{"a byte wide", 8, 4096, 1}, 8 * 64, 2, 1},
      {{"a URAM", 72, 4096, 1}, 72 * 64, 16, 1},
      {{"one word more", 72, 4097, 1}, 72 * 65, 18, 2},
      {{"one bit more", 73, 4096, 1}, 73 * 64, 18, 2},
      {{"in banks", 8, 1024, 8}, 8 * 8 * 2, 8, 8},
      {{"banks that do not divide", 8, 9, 4}, 4 * 8, 4, 4},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(blocksOf(row.buffer, Resource::LutRam), row.lutram) << row.buffer.name;
    EXPECT_EQ(blocksOf(row.buffer, Resource::Bram), row.bram) << row.buffer.name;
    EXPECT_EQ(blocksOf(row.buffer, Resource::Uram), row.uram) << row.buffer.name;
  }
}

TEST(MemoryBlocks, HoldEveryBitInEveryBank) {
  SplitMix64 random(3);
  for (int round = 0; round < 5000; ++round) {
    const MemoryBuffer buffer = randomBuffer(random, 0);
    const std::int64_t bits = buffer.word_bits * buffer.depth;
    EXPECT_GE(blocksOf(buffer, Resource::LutRam) * 64, bits);
    EXPECT_GE(blocksOf(buffer, Resource::Bram) * 18 * 1024, bits);
    EXPECT_GE(blocksOf(buffer, Resource::Uram) * 72 * 4096, bits);
    for (const Resource memory : memories) EXPECT_GE(blocksOf(buffer, memory), buffer.banks);
  }
}

TEST(MemoryAllocation, BySizeUntilFull) {
  const MemoryBuffer large{"large", 72, 4096, 1}, medium{"medium", 18, 1024, 1}, small{"small", 8, 64, 1};
  const std::vector<MemoryBuffer> buffers{small, medium, large};
  const auto placed = [&](const Resources& available) {
    const Result<MemoryAllocation> allocation = allocateMemory(buffers, available);
    EXPECT_TRUE(allocation) << text(allocation.diagnostics());
    std::vector<Resource> memory;
    for (const PlacedBuffer& buffer : allocation->buffers) memory.push_back(buffer.memory);
    return memory;
  };
  using enum Resource;
  EXPECT_EQ(placed(room(8, 1, 1)), (std::vector{LutRam, Bram, Uram}));
  EXPECT_EQ(placed(room(8, 17, 0)), (std::vector{LutRam, Bram, Bram}));  // no URAM: BRAM
  EXPECT_EQ(placed(room(8, 0, 2)), (std::vector{LutRam, Uram, Uram}));   // no BRAM: URAM
  EXPECT_EQ(placed(room(0, 2, 1)), (std::vector{Bram, Bram, Uram}));     // no LUTRAM: BRAM
  EXPECT_EQ(placed(room(5000, 0, 0)), (std::vector{LutRam, LutRam, LutRam}));
  const Result<MemoryAllocation> allocation = allocateMemory(buffers, room(16, 4, 2));
  EXPECT_DOUBLE_EQ(allocation->utilisation(LutRam), 0.5);
  EXPECT_DOUBLE_EQ(allocation->utilisation(Bram), 0.25);
  EXPECT_DOUBLE_EQ(allocation->utilisation(Dsp), 0);
  EXPECT_EQ(allocation->used[Lut], 8);
}

TEST(MemoryAllocation, Thresholds) {
  const MemoryThresholds thresholds;
  EXPECT_EQ(preferredMemory({"", 8, 32 << 10, 1}, thresholds), Resource::Uram);
  EXPECT_EQ(preferredMemory({"", 8, (32 << 10) - 1, 1}, thresholds), Resource::Bram);
  EXPECT_EQ(preferredMemory({"", 8, 128, 1}, thresholds), Resource::Bram);
  EXPECT_EQ(preferredMemory({"", 8, 127, 1}, thresholds), Resource::LutRam);
  EXPECT_EQ(preferredMemory({"", 8, 1 << 20, 1 << 14}, thresholds), Resource::LutRam);  // banks of 64
}

TEST(MemoryAllocation, RefusalsNameWhatIsMissing) {
  const std::vector<MemoryBuffer> buffers{{"keys", 8, 1 << 20, 1}, {"values", 8, 1 << 20, 1}};
  const Result<MemoryAllocation> allocation = allocateMemory(buffers, room(100, 10, 300));
  ASSERT_FALSE(allocation);
  const std::string message = text(allocation.diagnostics());
  EXPECT_THAT(message, HasSubstr("'values'"));
  EXPECT_THAT(message, testing::Not(HasSubstr("'keys'")));
  EXPECT_THAT(message, HasSubstr("1024 KiB"));
  EXPECT_THAT(message, HasSubstr("needs 512 URAM (300 may be used)"));
  EXPECT_THAT(message, testing::Not(HasSubstr("BRAM18"))) << "nothing goes there while there is URAM";
  // Of many buffers the largest are named, the others counted.
  std::vector<MemoryBuffer> dozens;
  for (int size = 1; size <= 60; ++size) dozens.push_back({"b" + std::to_string(size), 8, size << 20, 1});
  const Result<MemoryAllocation> none = allocateMemory(dozens, room(0, 0, 0));
  ASSERT_FALSE(none);
  EXPECT_THAT(text(none.diagnostics()), HasSubstr("'b60', 'b59', 'b58', 'b57' and 56 more"));
  EXPECT_EQ(none.diagnostics().front().related.size(), 4u);
  // Where the other kinds are taken as a stopgap, what runs out is still the kind that suits best.
  const std::vector<MemoryBuffer> many(5, {"tile", 72, 4096, 1});
  Resources logic;
  logic[Resource::Bram] = 30;
  const Result<MemoryAllocation> mixed = allocateMemory(many, room(0, 60, 2), {}, logic);
  ASSERT_FALSE(mixed);
  EXPECT_THAT(text(mixed.diagnostics()), HasSubstr("needs 5 URAM (2 may be used)"));
  EXPECT_THAT(text(mixed.diagnostics()), testing::Not(HasSubstr("BRAM18")));
  for (const MemoryBuffer& bad : {MemoryBuffer{"zero", 0, 1, 1}, MemoryBuffer{"depth", 1, 0, 1},
                                  MemoryBuffer{"banks", 1, 1, -1}, MemoryBuffer{"huge", 1 << 30, 1 << 30, 1}})
    EXPECT_THAT(text(allocateMemory(std::vector{bad}, room(1, 1, 1)).diagnostics()), HasSubstr(bad.name));
}

/// Whether some choice of memories fits, by trying all.
bool fitsSomehow(const std::vector<MemoryBuffer>& buffers, const Resources& available, std::size_t next) {
  if (next == buffers.size()) return true;
  for (const Resource memory : memories) {
    const std::int64_t needed = blocksOf(buffers[next], memory);
    if (needed > available[memory]) continue;
    Resources left = available;
    left[memory] -= needed;
    if (fitsSomehow(buffers, left, next + 1)) return true;
  }
  return false;
}

/// What is allocated fits, and what is refused mostly fits in no other way.
TEST(MemoryAllocation, AgainstAllChoices) {
  SplitMix64 random(4);
  int allocated = 0, impossible = 0, missed = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<MemoryBuffer> buffers;
    for (std::size_t at = 0; at < 1 + random.below(7); ++at) buffers.push_back(randomBuffer(random, at));
    const Resources available =
        room(static_cast<std::int64_t>(random.below(20'000)), static_cast<std::int64_t>(random.below(200)),
             static_cast<std::int64_t>(random.below(60)));
    const Result<MemoryAllocation> allocation = allocateMemory(buffers, available);
    if (!allocation) {
      ++(fitsSomehow(buffers, available, 0) ? missed : impossible);
      continue;
    }
    ++allocated;
    Resources used;
    for (std::size_t at = 0; at < buffers.size(); ++at) {
      const PlacedBuffer& placed = allocation->buffers[at];
      EXPECT_EQ(placed.blocks, blocksOf(buffers[at], placed.memory));
      used[placed.memory] += placed.blocks;
    }
    used[Resource::Lut] = used[Resource::LutRam];
    EXPECT_EQ(used, allocation->used);
    for (const Resource memory : memories) EXPECT_LE(used[memory], available[memory]);
  }
  EXPECT_GT(allocated, 1000);
  EXPECT_GT(impossible, 300);
  EXPECT_LT(missed * 10, allocated);
  RecordProperty("missed", missed);
  RecordProperty("refused", missed + impossible);
}

}  // namespace sluice::memory_allocation_test
