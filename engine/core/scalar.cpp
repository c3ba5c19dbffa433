#include "engine/core/scalar.h"

#include <charconv>

namespace sluice {
namespace {

using Format = Scalar::Format;

/// The types with names of their own. Integers of any width follow from their prefix.
struct NamedScalar {
  Scalar scalar;
  std::string_view name;
  std::string_view in_streams = name;
};

constexpr NamedScalar named[] = {{Scalar::F32, "f32"},
                                 {Scalar::F16, "f16"},
                                 {{Format::Float, 64}, "f64"},
                                 {Scalar::BF16, "bf16"},
                                 {{Format::Float8E4M3, 8}, "f8E4M3FN"},
                                 {{Format::Float8E5M2, 8}, "f8E5M2"},
                                 {Scalar::U64, "ui64", "u64"},
                                 {Scalar::Bool, "bool"}};

struct IntegerPrefix {
  std::string_view prefix;
  Format format;
};

constexpr IntegerPrefix integers[] = {
    {"i", Format::Signless}, {"si", Format::Signed}, {"ui", Format::Unsigned}};

const NamedScalar* find(Scalar scalar) {
  for (const NamedScalar& known : named)
    if (known.scalar == scalar) return &known;
  return nullptr;
}

}  // namespace

bool isFloat(Scalar scalar) {
  using enum Scalar::Format;
  return scalar.format == Float || scalar.format == BrainFloat || scalar.format == Float8E4M3 ||
         scalar.format == Float8E5M2;
}

std::string text(Scalar scalar) {
  if (const NamedScalar* known = find(scalar)) return std::string(known->name);
  for (const IntegerPrefix& known : integers)
    if (known.format == scalar.format) return std::string(known.prefix) + std::to_string(scalar.bits);
  return "f" + std::to_string(scalar.bits);
}

std::string streamText(Scalar scalar) {
  const NamedScalar* known = find(scalar);
  return known ? std::string(known->in_streams) : text(scalar);
}

std::optional<Scalar> scalarNamed(std::string_view name) {
  for (const NamedScalar& known : named)
    if (known.name == name || known.in_streams == name) return known.scalar;
  for (const IntegerPrefix& known : integers) {
    if (!name.starts_with(known.prefix)) continue;
    const std::string_view digits = name.substr(known.prefix.size());
    int bits = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    if (error != std::errc() || end != digits.data() + digits.size() || digits.front() == '0') continue;
    if (bits >= 1 && bits <= most_scalar_bits) return Scalar{known.format, static_cast<std::uint16_t>(bits)};
  }
  return std::nullopt;
}

}  // namespace sluice
