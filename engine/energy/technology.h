#pragma once
// Technology: what actions cost - joules an action, square millimetres a unit - each number with its source.
// Read from JSON files (README.md); resources/technology/ has some, which are part of the program.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/core/result.h"
#include "engine/core/scalar.h"
#include "engine/symbolic/compiled.h"

namespace sluice::inline energy {

enum class Action {
  Add,              ///< of one scalar type; also a comparison
  Multiply,         ///< of one scalar type; also a step of divide, exp and silu
  SramRead,         ///< of `per_bytes` bytes of an on-chip buffer
  SramWrite,        ///< likewise
  FifoPush,         ///< of `per_bytes` bytes into a FIFO
  FifoPop,          ///< likewise
  OffChipRead,      ///< of `per_bytes` bytes
  OffChipWrite,     ///< likewise
  RowActivation,    ///< of a row of a bank: closing another one, opening it. Only where a run counts them
  Reconfiguration,  ///< a shared operator turns to another instance's work
  DieCrossing,      ///< of `per_bytes` bytes over a border between dies
  NocHop,           ///< of `per_bytes` bytes from an operator to the next one on the chip
  Leakage,          ///< watts of a square millimetre, all the time
  StaticPower       ///< watts of the whole chip or board, all the time
};
inline constexpr std::size_t action_count = static_cast<std::size_t>(Action::StaticPower) + 1;
const char* text(Action action);  ///< "sram_read"
std::optional<Action> actionNamed(std::string_view name);
std::vector<std::string> actionNames();

/// What energies may depend on.
struct AccessSizes {
  double bytes = 0;  ///< that the memory holds
  double width = 0;  ///< bytes of one token
  double ports = 2;  ///< one to read, one to write
  double node = 0;   ///< nm
};

/// A number, an expression over AccessSizes, or a table over the bytes of a memory.
class Amount {
 public:
  using Points = std::vector<std::pair<double, double>>;  ///< bytes, amount; bytes ascend
  /// `unit`: joules, square millimetres or watts of one.
  Amount(double number, double unit) : form_(number), unit_(unit) {}
  Amount(Points points, double unit) : form_(std::move(points)), unit_(unit) {}
  Amount(CompiledExprs expression, double unit) : form_(std::move(expression)), unit_(unit) {}

  /// Between two points of a table the power law through both; below the first one as that, above the last
  /// one by the law of the last two. NaN where an expression divides by 0.
  double at(const AccessSizes& sizes) const;
  /// Where it is the same for all sizes.
  std::optional<double> constant() const;
  void scale(double factor) { unit_ *= factor; }

 private:
  std::variant<double, Points, CompiledExprs> form_;
  double unit_;
};

struct Price {
  Action action = Action::Add;
  std::optional<Scalar> scalar;  ///< of Add and Multiply
  /// Joules; of Leakage watts a square millimetre, of StaticPower watts. Always there once read.
  std::optional<Amount> energy;
  /// Of off-chip accesses to an open row, where the activations of rows are counted and priced by themselves.
  /// Always there in a technology with a price of RowActivation.
  std::optional<Amount> column_energy;
  std::optional<Amount> area;  ///< mm2 of what does one Add a cycle; of SramRead, of a byte of capacity
  double per_bytes = 8;
  std::string source, uncertainty;
  std::string area_source;  ///< of `area`, where it comes from elsewhere or was scaled; else as `source`
  std::string file;         ///< the technology whose file has it
};
std::string nameOf(const Price& price);  ///< "sram_read", "add of f32"

struct Technology {
  std::string name, title, note;
  double node_nm = 0;
  double clock_mhz = 0;  ///< of designs whose machine says nothing
  std::vector<Price> prices;
  std::vector<std::string> overridden;  ///< "off_chip_read of 7nm": the entries that others have replaced
  std::string text;                     ///< of the file and those that it extends: what a hash is made of

  /// Null: there is none.
  const Price* find(Action action) const;
  /// Of the scalar; else of the narrowest of its kind that is as wide, else of the widest of its kind, else
  /// of the widest. The reader takes care that there is one.
  const Price& find(Action action, Scalar scalar) const;
};

/// The technologies that are part of the program, by name.
std::vector<std::string> builtinTechnologies();
/// One of those, else the file of that name; relative ones are taken from `folder`.
Result<Technology> technologyNamed(const std::string& name_or_file, const std::filesystem::path& folder = {});
/// `name`: of the file, for diagnostics. What it extends is looked for beside it (`folder`), or built in.
Result<Technology> parseTechnology(std::string_view json, const std::string& name,
                                   const std::filesystem::path& folder = {});

}  // namespace sluice::inline energy
