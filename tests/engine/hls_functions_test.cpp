// Elementwise operators as C++: each of them has an expression.

#include <gtest/gtest.h>

#include "engine/tensor/hls/function_code.h"

namespace sluice::hls_functions_test {

TEST(HlsFunctions, EveryElementwiseOperatorHasAnExpression) {
  for (int number = 0; number < tensor_operator_kinds; ++number) {
    const auto kind = static_cast<TensorOperatorKind>(number);
    if (!isElementwise(kind)) continue;
    EXPECT_NE(functionText(kind, "x", "y").find('x'), std::string::npos) << number;
  }
  EXPECT_EQ(functionText(TensorOperatorKind::Round, "x", ""), "std::nearbyint(x)");
}

}  // namespace sluice::hls_functions_test
