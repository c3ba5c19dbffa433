#pragma once
// What the numbers of a machine and of an input may be: within these ranges nothing overflows, and nothing is
// too large or too slow to be simulated. The file format, elaboration, the window and the schema (README.md)
// go by these tables; names are those of files.

#include <optional>
#include <span>
#include <string_view>

#include "engine/core/diagnostic.h"
#include "engine/core/range.h"
#include "engine/program/document.h"
#include "engine/program/flat_graph.h"

namespace sluice {

struct MachineNumber {
  std::string_view name, unit;
  Range range;
  Value Machine::*written;
  std::uint64_t BoundMachine::*bound;
};
std::span<const MachineNumber> machineNumbers();
const MachineNumber& machineNumber(Value Machine::*written);

/// The numbers of a memory with banks, by the names of "hbm_timing".
struct MemoryNumber {
  std::string_view name, unit;
  Range range;
  std::uint64_t Dram::*member;
};
std::span<const MemoryNumber> memoryNumbers();

/// Banks of all channels together that are simulated at most.
constexpr std::uint64_t most_banks = 1 << 16;

/// The numbers of a synthetic routing; 0 where a trace decides.
struct InputNumber {
  std::string_view name, unit;
  Range range;
  std::int64_t Input::*member;
};
std::span<const InputNumber> inputNumbers();
/// The first number of the input that is out of its range.
std::optional<Diagnostic> outOfRange(const Input& input);

}  // namespace sluice
