#include "engine/tensor/hls/code_writer.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace sluice::inline tensor {
namespace {

bool isName(const std::string& text) {
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
         std::string::npos;
}

}  // namespace

std::string inBrackets(const std::string& text) {
  return isName(text) ? text : "(" + text + ")";
}

void CodeWriter::loop(const std::string& name, std::int64_t extent, std::int64_t step) {
  const std::string next = step == 1 ? "++" + name : joined(name, " += ", step);
  open("for (int ", name, " = 0; ", name, " < ", extent, "; ", next, ")");
}

std::string CodeWriter::commentText(std::string_view text) {
  std::string shown;
  for (const char c : text) shown += c >= 0x20 && c < 0x7f && c != '\\' ? c : '?';
  return shown;
}

std::string floatLiteral(float value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value < 0 ? "-INFINITY" : "INFINITY";
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.9g", static_cast<double>(value));
  std::string literal = text.data();
  if (literal.find_first_of(".e") == std::string::npos) literal += ".0";
  return literal + "f";
}

std::string coordinate(const std::string& at, std::span<const std::int64_t> shape, std::size_t k) {
  if (shape[k] == 1) return "0";
  std::int64_t below = 1, above = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) (d < k ? above : below) *= d == k ? 1 : shape[d];
  std::string text = below == 1 ? inBrackets(at) : joined(inBrackets(at), " / ", below);
  if (above > 1) text += joined(" % ", shape[k]);
  return text;
}

std::string elementAt(std::span<const std::string> indices, std::span<const std::int64_t> shape) {
  std::string text;
  std::int64_t factor = 1;
  for (std::size_t k = indices.size(); k-- > 0; factor *= shape[k]) {
    if (indices[k] == "0") continue;
    const std::string term = factor == 1 ? indices[k] : joined(inBrackets(indices[k]), " * ", factor);
    text = text.empty() ? term : term + " + " + text;
  }
  return text.empty() ? "0" : text;
}

std::string affineText(std::int64_t constant, std::span<const std::int64_t> factors,
                       std::span<const std::string> names) {
  std::string text = constant == 0 ? "" : std::to_string(constant);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (factors[i] == 0) continue;
    text += (text.empty() ? "" : " + ") + (factors[i] == 1 ? names[i] : joined(factors[i], " * ", names[i]));
  }
  return text.empty() ? "0" : text;
}

}  // namespace sluice::inline tensor
