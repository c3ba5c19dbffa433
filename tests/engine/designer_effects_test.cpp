// Effects: what the bounds of a change are expected to be, by what it and its kind have done elsewhere.

#include "engine/designer/effects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sluice::designer_test {

using testing::Each;
using testing::ElementsAre;
using testing::IsNan;

using Bounds = std::vector<double>;
constexpr StepKey wide = 11, narrow = 12, other = 13;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

StepChange adding(StepKey step) {
  return {"add tile", no_step, step};
}

TEST(Effects, AChangeIsExpectedToDoWhatItDidElsewhere) {
  Effects effects;
  EXPECT_THAT(effects.expected(adding(wide), Bounds{100, 8}), Each(IsNan()));
  effects.saw(adding(wide), Bounds{100, 8}, Bounds{50, 16});
  EXPECT_THAT(effects.expected(adding(wide), Bounds{60, 10}), ElementsAre(30, 20));
  effects.saw(adding(wide), Bounds{100, 8}, Bounds{75, 8});
  EXPECT_THAT(effects.expected(adding(wide), Bounds{60, 10}), ElementsAre(30, 10));  // the least of each
  EXPECT_THAT(effects.expected(adding(narrow), Bounds{60, 10}), Each(IsNan()));
}

TEST(Effects, TheReverseUndoesIt) {
  Effects effects;
  effects.saw(adding(wide), Bounds{100, 8}, Bounds{50, 16});
  effects.saw({"change tile", wide, narrow}, Bounds{50, 16}, Bounds{50, 4});
  EXPECT_THAT(effects.expected({"drop", wide, no_step}, Bounds{50, 16}), ElementsAre(100, 8));
  EXPECT_THAT(effects.expected({"change tile", narrow, wide}, Bounds{7, 1}), ElementsAre(7, 4));
}

TEST(Effects, NothingIsExpectedWhereABoundWasNotCertain) {
  Effects effects;
  effects.saw(adding(wide), Bounds{100, unknown}, Bounds{50, 16});
  effects.saw(adding(wide), Bounds{100, 8}, Bounds{60, 16});
  EXPECT_THAT(effects.expected(adding(wide), Bounds{10, 8}), ElementsAre(5, IsNan()));
}

TEST(Effects, AKindThatAlwaysDoesTheSameTellsOfItsOtherSteps) {
  Effects effects;
  for (const StepKey step : {wide, narrow}) effects.saw(adding(step), Bounds{100, 8}, Bounds{100, 8});
  EXPECT_THAT(effects.expected(adding(other), Bounds{60, 10}), Each(IsNan()));
  effects.saw(adding(wide), Bounds{50, 4}, Bounds{50, 4});
  EXPECT_THAT(effects.expected(adding(other), Bounds{60, 10}), ElementsAre(60, 10));
  effects.saw(adding(narrow), Bounds{50, 4}, Bounds{25, 4});
  EXPECT_THAT(effects.expected(adding(other), Bounds{60, 10}), Each(IsNan()));
}

TEST(Effects, WhatOnlyEverLedToKnownGraphsRepeats) {
  Effects effects;
  effects.repeated(adding(wide));
  EXPECT_FALSE(effects.repeats(adding(wide)));
  effects.repeated(adding(wide));
  EXPECT_TRUE(effects.repeats(adding(wide)));
  EXPECT_FALSE(effects.repeats(adding(narrow)));  // the kind has done so twice
  effects.repeated(adding(other));
  EXPECT_TRUE(effects.repeats(adding(narrow)));
  effects.saw(adding(narrow), Bounds{100}, Bounds{50});
  EXPECT_FALSE(effects.repeats(adding(narrow)));
  EXPECT_FALSE(effects.repeats(adding(other)));
  EXPECT_TRUE(effects.repeats(adding(wide)));
}

TEST(Effects, StepsThatAKindOfChangeMakesIllegalAreKnown) {
  const std::string kind = "change compile_tensors";
  const auto fold = [](std::int64_t stream) { return ScheduleStep{"fold", {{"stream", stream}}, true}; };
  Effects effects;
  EXPECT_EQ(effects.legalShare(kind, fold(1)), 1);
  for (int i = 0; i < 7; ++i) effects.tried(kind, fold(1), false);
  EXPECT_LT(effects.legalShare(kind, fold(1)), 0.1);
  EXPECT_LT(effects.legalShare(kind, fold(2)), 0.1);  // as of its transformation
  for (int i = 0; i < 3; ++i) effects.tried(kind, fold(2), true);
  EXPECT_EQ(effects.legalShare(kind, fold(2)), 1);
  EXPECT_GT(effects.legalShare(kind, fold(3)), 0.3);
  EXPECT_EQ(effects.legalShare("drop", fold(1)), 1);
}

}  // namespace sluice::designer_test
