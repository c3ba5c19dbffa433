#include "engine/tensor/onnx/onnx_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace sluice::inline tensor {
namespace {

/// Constants of that precision move a function by less. One with 1.41 in place of the root of 2 differs by
/// 3e-4.
double toleranceFor(bool rounded) {
  return rounded ? 2e-3 : 2e-5;
}

double silu(double x) {
  return x / (1 + std::exp(-x));
}
double gelu(double x) {
  return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
}
double geluByTanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

const NumberRow& samples() {
  static const NumberRow row{-6.5, -3.2, -2.1, -1.3, -0.6, -0.2, 0.1, 0.45, 0.9, 1.6, 2.4, 3.7, 7.0};
  return row;
}

/// Infinite where a result is no number.
double largestDifference(const NumberRow& made, const NumberRow& wanted) {
  double most = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (!std::isfinite(made[i])) return std::numeric_limits<double>::infinity();
    most = std::max(most, std::abs(made[i] - wanted[i]));
  }
  return most;
}

/// A row whose mean is far from 0: around 0 a variance is a mean square.
NumberRow scaled(double by) {
  NumberRow row = samples();
  for (double& x : row) x = (x + 2) * by;
  return row;
}

NumberRow normalized(NumberRow row, bool centred, double epsilon) {
  const auto count = static_cast<double>(row.size());
  double mean = 0, squares = 0;
  if (centred)
    for (const double x : row) mean += x / count;
  for (const double x : row) squares += (x - mean) * (x - mean) / count;
  for (double& x : row) x = (x - mean) / std::sqrt(squares + epsilon);
  return row;
}

}  // namespace

std::optional<double> computed(const std::string& op, std::span<const double> operands) {
  if (operands.size() == 2) {
    const double a = operands[0], b = operands[1];
    if (op == "Add") return a + b;
    if (op == "Sub") return a - b;
    if (op == "Mul") return a * b;
    if (op == "Div") return a / b;
    if (op == "Pow") return std::pow(a, b);
    if (op == "Max") return std::max(a, b);
    if (op == "Min") return std::min(a, b);
    if (op == "Mod") return a - b * std::floor(a / b);
    if (op == "Equal") return a == b;
    if (op == "Less") return a < b;
    if (op == "Greater") return a > b;
    if (op == "LessOrEqual") return a <= b;
    if (op == "GreaterOrEqual") return a >= b;
    if (op == "And") return a != 0 && b != 0;
    if (op == "Or") return a != 0 || b != 0;
    if (op == "Xor") return (a != 0) != (b != 0);
  } else if (operands.size() == 1) {
    const double x = operands[0];
    if (op == "Sqrt") return std::sqrt(x);
    if (op == "Neg") return -x;
    if (op == "Reciprocal") return 1 / x;
    if (op == "Erf") return std::erf(x);
    if (op == "Tanh") return std::tanh(x);
    if (op == "Sigmoid") return 1 / (1 + std::exp(-x));
    if (op == "Cast") return x;
    if (op == "Not") return x == 0;
    if (op == "Floor") return std::floor(x);
    if (op == "Ceil") return std::ceil(x);
    if (op == "Abs") return std::abs(x);
    if (op == "Sign") return x > 0 ? 1 : x < 0 ? -1 : 0;
    if (op == "IsNaN") return std::isnan(x);
    if (op == "Round") return std::nearbyint(x);
    if (op == "Exp") return std::exp(x);
    if (op == "Log") return std::log(x);
    if (op == "Sin") return std::sin(x);
    if (op == "Cos") return std::cos(x);
    if (op == "Atan") return std::atan(x);
    if (op == "IsInf") return std::isinf(x);
    if (op == "Relu") return std::max(x, 0.0);
  }
  return {};
}

std::optional<KnownFunction> knownActivation(const RowFunction& group, bool rounded) {
  const auto made = group(samples());
  if (!made) return {};
  const auto far = [&](double (*function)(double)) {
    NumberRow wanted = samples();
    for (double& x : wanted) x = function(x);
    return largestDifference(*made, wanted);
  };
  const double by_sigmoid = far(silu), by_erf = far(gelu), by_tanh = far(geluByTanh);
  const double least = std::min({by_sigmoid, by_erf, by_tanh});
  if (!(least <= toleranceFor(rounded))) return {};
  if (least == by_sigmoid) return KnownFunction{"Silu", false, {}};
  return KnownFunction{"Gelu", by_tanh < by_erf, {}};  // these two are 5e-4 apart
}

std::optional<KnownFunction> knownNormalization(const RowFunction& group, std::span<const double> constants,
                                                bool rounded) {
  std::vector<double> epsilons(constants.begin(), constants.end());
  epsilons.push_back(0);
  // Small rows tell one epsilon from another: 1e-12 is in use.
  std::vector<std::pair<NumberRow, NumberRow>> runs;
  for (const double scale : {1.0, 1e-3, 1e-6}) {
    const NumberRow row = scaled(scale);
    const auto made = group(row);
    if (!made) return {};
    runs.emplace_back(row, *made);
  }
  for (const bool centred : {false, true}) {
    for (const double epsilon : epsilons) {
      const auto fits = [&](const auto& run) {
        const NumberRow wanted = normalized(run.first, centred, epsilon);
        const double largest =
            std::abs(*std::ranges::max_element(wanted, {}, [](double x) { return std::abs(x); }));
        return largestDifference(run.second, wanted) <= toleranceFor(rounded) * largest;
      };
      if (epsilon >= 0 && std::ranges::all_of(runs, fits))
        return KnownFunction{centred ? "LayerNormalization" : "RMSNormalization", false, epsilon};
    }
  }
  return {};
}

}  // namespace sluice::inline tensor
