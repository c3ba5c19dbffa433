#pragma once
// The members of a document's structs, described once: the file format, elaboration, the window and the
// schema (README.md) go by these tables. Within the ranges nothing overflows, and nothing is too large or too
// slow to be simulated.

#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <variant>

#include "engine/core/diagnostic.h"
#include "engine/core/range.h"
#include "engine/program/document.h"
#include "engine/program/flat_graph.h"

namespace sluice::inline program {

/// A name: as constants have, or a list of such. What need not be given has the value of a new struct.
enum class Need : std::uint8_t { Optional, OptionalName, Required, RequiredName };

inline constexpr Range any_number = std::numeric_limits<std::int64_t>::min();

template <class Struct>
struct Field {
  /// Without a member: a key that is read and written by code of its own. A Value is a number: whole, or an
  /// expression.
  using Member =
      std::variant<std::monostate, std::string Struct::*, bool Struct::*, std::int64_t Struct::*,
                   std::uint64_t Struct::*, Value Struct::*, std::optional<Value> Struct::*, Values Struct::*,
                   std::vector<std::int64_t> Struct::*, std::vector<std::string> Struct::*,
                   std::optional<Position> Struct::*, Endpoint Struct::*, KnobKind Struct::*,
                   InputKind Struct::*, HbmModel Struct::*, double Struct::*, KnobValues Struct::*,
                   std::optional<Bounds> Struct::*, PanelView Struct::*, LegendPlace Struct::*,
                   FigurePalette Struct::*, UnitPrefix Struct::*>;

  std::string_view key;  ///< in files, in the order in which they are written
  Member member;
  Need need = Need::Optional;
  std::string_view help = {};
  Range range = any_number;                      ///< of a number: others are refused
  std::string_view unit = {}, label = {};        ///< label: in the window
  std::uint64_t BoundMachine::*bound = nullptr;  ///< a machine's number, when it is bound

  constexpr bool required() const { return need >= Need::Required; }
  constexpr bool isName() const { return need == Need::OptionalName || need == Need::RequiredName; }
  /// The member if it is a T, else null.
  template <class T>
  constexpr T Struct::*as() const {
    const auto* held = std::get_if<T Struct::*>(&member);
    return held ? *held : nullptr;
  }
  /// visit(member), where there is one.
  template <class Visit>
  void visitMember(Visit visit) const {
    const auto unless_none = [&](auto held) {
      if constexpr (!std::is_same_v<decltype(held), std::monostate>) visit(held);
    };
    std::visit(unless_none, member);
  }
};

/// Of Knob, Node, Region, Stream, ScheduleStep, Machine, Input, Figure, FigurePanel, Provenance, and Dram
/// ("hbm_timing", but for its mapping).
template <class Struct>
std::span<const Field<Struct>> fields();

template <class Struct, class T>
const Field<Struct>& fieldOf(T Struct::*member) {
  for (const Field<Struct>& field : fields<Struct>())
    if (field.template as<T>() == member) return field;
  throw std::logic_error("a member that is not in the table");
}

/// The first number of the input that is out of its range.
std::optional<Diagnostic> outOfRange(const Input& input);

}  // namespace sluice::inline program
