#include "engine/tensor/itensor/scalar_type.h"

#include <charconv>

namespace sluice {
namespace {

struct NamedFloat {
  std::string_view name;
  ScalarType type;
};

constexpr NamedFloat floats[] = {
    {"f16", {ScalarFormat::Float, 16}},          {"f32", {ScalarFormat::Float, 32}},
    {"f64", {ScalarFormat::Float, 64}},          {"bf16", {ScalarFormat::BrainFloat, 16}},
    {"f8E4M3FN", {ScalarFormat::Float8E4M3, 8}}, {"f8E5M2", {ScalarFormat::Float8E5M2, 8}}};

struct IntegerPrefix {
  std::string_view prefix;
  ScalarFormat format;
};

constexpr IntegerPrefix integers[] = {
    {"i", ScalarFormat::Signless}, {"si", ScalarFormat::Signed}, {"ui", ScalarFormat::Unsigned}};

}  // namespace

std::string text(ScalarType scalar) {
  for (const NamedFloat& known : floats) {
    if (known.type == scalar) return std::string(known.name);
  }
  for (const IntegerPrefix& known : integers) {
    if (known.format == scalar.format) return std::string(known.prefix) + std::to_string(scalar.bits);
  }
  return "f" + std::to_string(scalar.bits);
}

std::optional<ScalarType> scalarNamed(std::string_view name) {
  for (const NamedFloat& known : floats) {
    if (known.name == name) return known.type;
  }
  for (const IntegerPrefix& known : integers) {
    if (!name.starts_with(known.prefix)) continue;
    const std::string_view digits = name.substr(known.prefix.size());
    int bits = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    if (error != std::errc() || end != digits.data() + digits.size() || digits.front() == '0') continue;
    if (bits >= 1 && bits <= mostScalarBits)
      return ScalarType{known.format, static_cast<std::uint16_t>(bits)};
  }
  return std::nullopt;
}

}  // namespace sluice
