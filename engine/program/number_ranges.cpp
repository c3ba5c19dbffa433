#include "engine/program/number_ranges.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace sluice {
namespace {

constexpr std::int64_t million = std::int64_t{1} << 20;  // cycles: sums over all tiles stay far below 2^63
constexpr std::int64_t billion = std::int64_t{1} << 31;  // products of two of them stay within 64 bits

constexpr std::array table{
    MachineNumber{"fifo_depth", "tokens", {1, billion}, &Machine::fifo_depth, &BoundMachine::fifo_depth},
    MachineNumber{"on_chip_bandwidth",
                  "bytes/cycle",
                  {1, billion},
                  &Machine::on_chip_bandwidth,
                  &BoundMachine::on_chip_bandwidth},
    MachineNumber{"on_chip_capacity",
                  "bytes",
                  {0, std::int64_t{1} << 62},
                  &Machine::on_chip_capacity,
                  &BoundMachine::on_chip_capacity},
    MachineNumber{"hbm_request_bytes",
                  "bytes",
                  {1, million},
                  &Machine::hbm_request_bytes,
                  &BoundMachine::hbm_request_bytes},
    // Each has a backlog, looked at in every cycle of requests.
    MachineNumber{
        "hbm_channels", "channels", {1, 1 << 16}, &Machine::hbm_channels, &BoundMachine::hbm_channels},
    MachineNumber{"hbm_latency", "cycles", {0, million}, &Machine::hbm_latency, &BoundMachine::hbm_latency},
    MachineNumber{"hbm_initiation_interval",
                  "cycles",
                  {1, million},
                  &Machine::hbm_initiation_interval,
                  &BoundMachine::hbm_initiation_interval},
    MachineNumber{
        "hbm_start_up", "cycles", {0, million}, &Machine::hbm_start_up, &BoundMachine::hbm_start_up},
    MachineNumber{"hbm_controller_wait",
                  "cycles",
                  {0, 1},
                  &Machine::hbm_controller_wait,
                  &BoundMachine::hbm_controller_wait},
    MachineNumber{"scratchpads", "units", {0, million}, &Machine::scratchpads, &BoundMachine::scratchpads},
};

constexpr Range clock_range{1, 100'000}, parts{1, 1024}, timing{0, 4096};

constexpr std::array memory_table{
    MemoryNumber{"core_mhz", "MHz", clock_range, &Dram::core_mhz},
    MemoryNumber{"dram_mhz", "MHz", clock_range, &Dram::dram_mhz},
    MemoryNumber{"pseudo_channels", "", parts, &Dram::pseudo_channels},
    MemoryNumber{"bank_groups", "", parts, &Dram::bank_groups},
    MemoryNumber{"banks", "", parts, &Dram::banks},
    MemoryNumber{"row_bytes", "bytes", {1, million}, &Dram::row_bytes},
    MemoryNumber{"burst_bytes", "bytes", {1, million}, &Dram::burst_bytes},
    MemoryNumber{"queue", "bursts", {1, 4096}, &Dram::queue},
    MemoryNumber{"controller_latency", "cycles", {0, million}, &Dram::controller_latency},
    MemoryNumber{"tBL", "memory cycles", {1, 4096}, &Dram::tBL},
    MemoryNumber{"tCL", "memory cycles", timing, &Dram::tCL},
    MemoryNumber{"tCWL", "memory cycles", timing, &Dram::tCWL},
    MemoryNumber{"tRCD", "memory cycles", timing, &Dram::tRCD},
    MemoryNumber{"tRP", "memory cycles", timing, &Dram::tRP},
    MemoryNumber{"tRAS", "memory cycles", timing, &Dram::tRAS},
    MemoryNumber{"tRTP", "memory cycles", timing, &Dram::tRTP},
    MemoryNumber{"tWR", "memory cycles", timing, &Dram::tWR},
    MemoryNumber{"tCCD_S", "memory cycles", {1, 4096}, &Dram::tCCD_S},
    MemoryNumber{"tCCD_L", "memory cycles", {1, 4096}, &Dram::tCCD_L},
    MemoryNumber{"tRRD_S", "memory cycles", timing, &Dram::tRRD_S},
    MemoryNumber{"tRRD_L", "memory cycles", timing, &Dram::tRRD_L},
    MemoryNumber{"tFAW", "memory cycles", timing, &Dram::tFAW},
    MemoryNumber{"tWTR_S", "memory cycles", timing, &Dram::tWTR_S},
    MemoryNumber{"tWTR_L", "memory cycles", timing, &Dram::tWTR_L},
    MemoryNumber{"tRTW", "memory cycles", timing, &Dram::tRTW},
    MemoryNumber{"tREFI", "memory cycles", {0, million}, &Dram::tREFI},
    MemoryNumber{"tRFC", "memory cycles", {0, 1 << 16}, &Dram::tRFC},
};

constexpr std::array input_table{
    InputNumber{"tokens", "tokens", {0, 1 << 26}, &Input::tokens},
    InputNumber{"experts", "experts", {0, million}, &Input::experts},
    InputNumber{"top_k", "experts", {0, 4096}, &Input::top_k},
};

}  // namespace

std::span<const MachineNumber> machineNumbers() {
  return table;
}

const MachineNumber& machineNumber(Value Machine::*written) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const MachineNumber& number) { return number.written == written; });
  if (found == table.end()) throw std::logic_error("a number of the machine that is not in the table");
  return *found;
}

std::span<const MemoryNumber> memoryNumbers() {
  return memory_table;
}

std::span<const InputNumber> inputNumbers() {
  return input_table;
}

std::optional<Diagnostic> outOfRange(const Input& input) {
  for (const InputNumber& number : input_table) {
    const std::int64_t given = input.*number.member;
    if (number.range.contains(given)) continue;
    const bool above = given > number.range.maximum;
    return Diagnostic{
        Severity::Error,
        Location(Where::Input, input.name) / Location(Where::Field, std::string(number.name)),
        std::to_string(given) + (above ? " is more than " + std::to_string(number.range.maximum)
                                       : " is less than " + std::to_string(number.range.minimum)),
        "give " + text(number.range)};
  }
  return std::nullopt;
}

}  // namespace sluice
