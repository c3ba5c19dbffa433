// Locations: how they read, and what a program finds in them.

#include "engine/core/location.h"

#include <gtest/gtest.h>

namespace sluice::location_test {

TEST(Locations, ReadFromTheOutsideIn) {
  EXPECT_EQ(text(Location()), "");
  EXPECT_EQ(text(Location("the store")), "the store");
  EXPECT_EQ(text(Location(Where::Operator, "expert[1].gate") / Location(Where::Port, "in")),
            "operator 'expert[1].gate', port 'in'");
  EXPECT_EQ(text(Location(Where::ScheduleStep, 2, "tile") / Location(Where::Argument, "region")),
            "schedule step 2, tile, argument 'region'");
  EXPECT_EQ(text(Location(Where::Stream, "#b.in", "a.out -> b.in") / Location(Where::Field, "depth")),
            "stream '#b.in' (a.out -> b.in), depth");
  EXPECT_EQ(text(Location(Where::Machine) / Location(Where::Field, "fifo_depth")), "machine, fifo_depth");
  EXPECT_EQ(text(Location(Where::Store, "a.db")), "store a.db");
}

TEST(Locations, SayTheLineOfAFileAndWhatIsInIt) {
  const Location file(Where::File, "a.mlir");
  EXPECT_EQ(text(file / Location(Where::Line, 3) / Location(Where::Column, 5)), "a.mlir, line 3, column 5");
  EXPECT_EQ(text(file / Location(Where::Tensor, "x")), "a.mlir: tensor 'x'");
  EXPECT_EQ(text(file / Location(Where::Line, 3) / Location(Where::JsonPath, "$.knobs[0]")),
            "a.mlir, line 3, $.knobs[0]");
}

TEST(Locations, AreAskedForTheirParts) {
  const Location inner = Location(Where::Region, "outer") / Location(Where::Region, "inner");
  EXPECT_TRUE(inner.beginsWith(Where::Region));
  ASSERT_TRUE(inner.find(Where::Region));
  EXPECT_EQ(inner.find(Where::Region)->name, "inner");
  EXPECT_FALSE(inner.find(Where::Knob));
  EXPECT_FALSE(Location().beginsWith(Where::Text));
  // A name that looks like another location is a name.
  EXPECT_FALSE(Location("operator 'x'").find(Where::Operator));
  EXPECT_NE(Location("operator 'x'"), Location(Where::Operator, "x"));
}

TEST(Locations, HaveAWordForEveryKind) {
  for (int kind = 0; kind <= static_cast<int>(Where::Array); ++kind)
    EXPECT_FALSE(locationWord(static_cast<Where>(kind)).empty()) << kind;
}

}  // namespace sluice::location_test
