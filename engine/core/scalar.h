#pragma once
// The type of one number, of the elements of tiles and of tensors. Compilers' texts and streams name most
// types alike (f32, bf16, f8E4M3FN, i8, si16); STeP writes u64 where compilers write ui64.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

/// Only the width enters sizes; the format tells types apart.
struct Scalar {
  enum class Format : std::uint8_t {
    Signless,  ///< iN: a machine word, read as signed or unsigned by the operator
    Signed,
    Unsigned,
    Float,
    BrainFloat,
    Float8E4M3,
    Float8E5M2,
    Boolean  ///< stored as a byte
  };

  Format format = Format::Float;
  std::uint16_t bits = 32;

  auto operator<=>(const Scalar&) const = default;

  static const Scalar F32, F16, BF16, U64, I8, Bool;
};

inline constexpr Scalar Scalar::F32{Format::Float, 32};
inline constexpr Scalar Scalar::F16{Format::Float, 16};
inline constexpr Scalar Scalar::BF16{Format::BrainFloat, 16};
inline constexpr Scalar Scalar::U64{Format::Unsigned, 64};
inline constexpr Scalar Scalar::I8{Format::Signless, 8};
inline constexpr Scalar Scalar::Bool{Format::Boolean, 8};

constexpr int most_scalar_bits = 1024;

/// Whether it has an exponent: IEEE floats, brain floats and floats of 8 bits.
bool isFloat(Scalar scalar);

/// Bytes of one by itself.
constexpr int sizeOf(Scalar scalar) {
  return (scalar.bits + 7) / 8;
}

/// As compilers write it: "ui64".
std::string text(Scalar scalar);
/// As the types of streams write it: "u64".
std::string streamText(Scalar scalar);
/// The scalar that `name` names, in either way; empty where it names none.
std::optional<Scalar> scalarNamed(std::string_view name);

}  // namespace sluice
