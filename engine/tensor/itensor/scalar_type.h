#pragma once
// The scalars of tensors, as the compilers' texts name them: f32, bf16, f8E4M3FN, i8, ui4, si16. Only the
// width enters sizes; sign and format tell types apart.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

enum class ScalarFormat : std::uint8_t {
  Signless,  ///< iN: a machine word, read as signed or unsigned by the operator
  Signed,
  Unsigned,
  Float,
  BrainFloat,
  Float8E4M3,
  Float8E5M2
};

struct ScalarType {
  ScalarFormat format = ScalarFormat::Float;
  std::uint16_t bits = 32;

  auto operator<=>(const ScalarType&) const = default;
};

constexpr int mostScalarBits = 1024;

std::string text(ScalarType scalar);
/// The scalar that `name` names; empty where it names none.
std::optional<ScalarType> scalarNamed(std::string_view name);

}  // namespace sluice
