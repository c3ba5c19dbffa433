// The type of one number: its names in compilers' texts and in streams, its widths.

#include "engine/core/scalar.h"

#include <gtest/gtest.h>

namespace sluice::scalar_test {

TEST(Scalar, IsReadAsItIsWritten) {
  for (const char* name : {"f16", "f32", "f64", "bf16", "f8E4M3FN", "f8E5M2", "bool", "i1", "i8", "ui4",
                           "si16", "ui64", "i1024"}) {
    const std::optional<Scalar> scalar = scalarNamed(name);
    ASSERT_TRUE(scalar) << name;
    EXPECT_EQ(text(*scalar), name);
    EXPECT_EQ(scalarNamed(streamText(*scalar)), scalar) << name;
  }
  for (const char* name : {"", "f", "f31", "i", "i0", "i08", "i1025", "u8", "x8", "i8 "})
    EXPECT_FALSE(scalarNamed(name)) << name;
}

TEST(Scalar, StreamsNameTheirOwn) {
  EXPECT_EQ(streamText(Scalar::F32), "f32");
  EXPECT_EQ(streamText(Scalar::F16), "f16");
  EXPECT_EQ(streamText(Scalar::U64), "u64");
  EXPECT_EQ(streamText(Scalar::Bool), "bool");
  EXPECT_EQ(streamText(Scalar::I8), "i8");
  EXPECT_EQ(text(Scalar::U64), "ui64");
}

TEST(Scalar, HasABytesSize) {
  EXPECT_EQ(sizeOf(Scalar::F32), 4);
  EXPECT_EQ(sizeOf(Scalar::F16), 2);
  EXPECT_EQ(sizeOf(Scalar::U64), 8);
  EXPECT_EQ(sizeOf(Scalar::Bool), 1);
  EXPECT_EQ(sizeOf(Scalar::I8), 1);
  EXPECT_EQ(sizeOf(*scalarNamed("i4")), 1);
  EXPECT_EQ(sizeOf(*scalarNamed("i12")), 2);
}

}  // namespace sluice::scalar_test
