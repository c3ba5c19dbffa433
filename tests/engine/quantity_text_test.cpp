// Numbers with units as people type them.

#include <gtest/gtest.h>

#include "engine/core/quantity_text.h"
#include "engine/explorer/explore.h"

namespace sluice::quantity_text_test {

TEST(QuantityText, ReadsPrefixesAndUnits) {
  const auto is = [](const char* text, double value, const char* unit) {
    const auto typed = parseQuantity(text);
    ASSERT_TRUE(typed) << text;
    EXPECT_DOUBLE_EQ(typed->value, value) << text;
    EXPECT_EQ(typed->unit, unit) << text;
  };
  is("50 MB", 50e6, "bytes");
  is("50MB", 50e6, "bytes");
  is("4 KiB", 4096, "bytes");
  is("2e6 cycles", 2e6, "cycles");
  is("1.2 M cycles", 1.2e6, "cycles");
  is(" 1.2\u00a0M\u00a0cycles ", 1.2e6, "cycles");
  is("12\u202f345", 12345, "");
  is("3k", 3000, "");
  is("1.5 ms", 0.0015, "s");
  is("2 \u00b5s", 2e-6, "s");
  is("40 %", 0.4, "%");
  is("10.07 GFLOP", 10.07e9, "FLOPs");
  is("-1", -1, "");
}

TEST(QuantityText, RefusesWhatIsNone) {
  for (const char* text : {"", "x", "4x", "MB", "4 MX", "1e999", "inf", "nan", "3 m", "3 mB", "1 k%", "4 4"})
    EXPECT_FALSE(parseQuantity(text)) << text;
}

TEST(QuantityText, AnotherUnitDoesNotFit) {
  EXPECT_EQ(parseQuantity("50 MB", "bytes"), 50e6);
  EXPECT_EQ(parseQuantity("50", "bytes"), 50);
  EXPECT_EQ(parseQuantity("50 %", ""), 0.5);
  EXPECT_FALSE(parseQuantity("50 cycles", "bytes"));
  EXPECT_FALSE(parseQuantity("50 %", "bytes"));
  EXPECT_FALSE(parseQuantity("1.5 ms", "cycles"));
}

TEST(QuantityText, ConstraintsHaveUnitsAndTitles) {
  const auto memory = parseConstraint("On-chip memory <= 50 MB");
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->metric, "on_chip_bytes");
  EXPECT_EQ(memory->value, 50e6);
  EXPECT_TRUE(memory->at_most);
  const auto used = parseConstraint("compute util.>=40 %");
  ASSERT_TRUE(used);
  EXPECT_EQ(used->metric, "compute_utilization");
  EXPECT_EQ(used->value, 0.4);
  EXPECT_FALSE(parseConstraint("on_chip_bytes<=50 cycles"));
}

}  // namespace sluice::quantity_text_test
