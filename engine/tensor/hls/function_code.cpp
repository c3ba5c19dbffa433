#include "engine/tensor/hls/function_code.h"

#include <array>
#include <stdexcept>
#include <string_view>

namespace sluice::inline tensor {
namespace {

using Kind = TensorOperatorKind;

/// What stands before the first, between both and behind the last operand.
struct Spelling {
  Kind kind;
  std::string_view before, between, behind;
};

constexpr std::array spellings{
    Spelling{Kind::Gelu, "functions::gelu(", "", ")"},
    Spelling{Kind::GeluTanh, "functions::gelu_tanh(", "", ")"},
    Spelling{Kind::Silu, "functions::silu(", "", ")"},
    Spelling{Kind::Relu, "functions::relu(", "", ")"},
    Spelling{Kind::Sigmoid, "functions::sigmoid(", "", ")"},
    Spelling{Kind::Tanh, "std::tanh(", "", ")"},
    Spelling{Kind::Exp, "std::exp(", "", ")"},
    Spelling{Kind::Log, "std::log(", "", ")"},
    Spelling{Kind::Sqrt, "std::sqrt(", "", ")"},
    Spelling{Kind::Reciprocal, "1.0f / ", "", ""},
    Spelling{Kind::Neg, "-", "", ""},
    Spelling{Kind::Abs, "std::fabs(", "", ")"},
    Spelling{Kind::Erf, "std::erf(", "", ")"},
    Spelling{Kind::Round, "std::nearbyint(", "", ")"},
    Spelling{Kind::Sin, "std::sin(", "", ")"},
    Spelling{Kind::Cos, "std::cos(", "", ")"},
    Spelling{Kind::Atan, "std::atan(", "", ")"},
    Spelling{Kind::Floor, "std::floor(", "", ")"},
    Spelling{Kind::Sign, "functions::sign(", "", ")"},
    Spelling{Kind::Add, "", " + ", ""},
    Spelling{Kind::Mul, "", " * ", ""},
    Spelling{Kind::Sub, "", " - ", ""},
    Spelling{Kind::Div, "", " / ", ""},
    Spelling{Kind::Max, "functions::larger(", ", ", ")"},
    Spelling{Kind::Min, "functions::smaller(", ", ", ")"},
    Spelling{Kind::Pow, "std::pow(", ", ", ")"},
    Spelling{Kind::Less, "functions::less(", ", ", ")"},
    Spelling{Kind::Greater, "functions::greater(", ", ", ")"},
    Spelling{Kind::Equal, "functions::equal(", ", ", ")"},
};

}  // namespace

std::string functionText(TensorOperatorKind kind, const std::string& x, const std::string& y) {
  for (const Spelling& own : spellings)
    if (own.kind == kind)
      return std::string(own.before) + x + std::string(own.between) + (own.between.empty() ? "" : y) +
             std::string(own.behind);
  throw std::logic_error("no elementwise operator");
}

}  // namespace sluice::inline tensor
