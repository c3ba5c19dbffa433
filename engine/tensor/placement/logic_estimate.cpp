#include "engine/tensor/placement/logic_estimate.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sluice::inline tensor {
namespace {

/// As Vitis HLS expects it.
struct Expected {
  double luts = 0, flip_flops = 0, dsps = 0, bram = 0;
};

// Medians of fpga_kernels, of a float32 product and sum: all of it, and what is neither multiplier nor adder.
constexpr Expected float_lane{437, 614, 4.5};
constexpr Expected float_control{115, 286};
constexpr double float_bits = 32;
/// fpga_operators: beside the DSP of a product of integers.
constexpr double integer_luts = 6;
// Medians of fpga_moves; fpga_operators: a port of 512 bits.
constexpr Expected moving_in{599, 656}, moving_out{2179, 646}, buffer_read{363, 293}, buffer_write{1707, 520};
constexpr Expected bus_port{2695, 3521, 0,
                            30 / 2};  // its BRAM is for reading and writing, of which it does one

std::int64_t roundedUp(double amount) {
  return static_cast<std::int64_t>(std::ceil(amount));
}

Resources afterRouting(const Expected& expected) {
  Resources resources;
  resources[Resource::Lut] = roundedUp(routed_luts * expected.luts);
  resources[Resource::Ff] = roundedUp(routed_flip_flops * expected.flip_flops);
  resources[Resource::Dsp] = roundedUp(expected.dsps);
  resources[Resource::Bram] = roundedUp(expected.bram);
  return resources;
}

Expected operator+(const Expected& a, const Expected& b) {
  return {a.luts + b.luts, a.flip_flops + b.flip_flops, a.dsps + b.dsps, a.bram + b.bram};
}

}  // namespace

Resources kernelLogic(Scalar scalar, std::int64_t lanes, double products_per_dsp) {
  // Of narrower floats no source was found: their operators count as those of float32, which is too much.
  const double narrower = std::min(1.0, scalar.bits / float_bits), number = static_cast<double>(lanes);
  const Expected control{narrower * float_control.luts, narrower * float_control.flip_flops};
  const Expected lane = isFloat(scalar)
                            ? Expected{float_lane.luts - float_control.luts,
                                       float_lane.flip_flops - float_control.flip_flops, float_lane.dsps} +
                                  control
                            : Expected{integer_luts, 0, 1 / products_per_dsp} + control;
  return afterRouting({number * lane.luts, number * lane.flip_flops, number * lane.dsps});
}

Resources converterLogic() {
  return afterRouting(buffer_write + buffer_read);
}

Resources loadLogic() {
  return afterRouting(bus_port + moving_in);
}

Resources storeLogic() {
  return afterRouting(bus_port + moving_out);
}

Resources fifoLogic(const MemoryBuffer& fifo, const PlacedBuffer& placed_in) {
  constexpr std::int64_t registers = 2, shift_register = 16;  // words
  const auto width = static_cast<double>(fifo.word_bits);
  if (placed_in.memory != Resource::LutRam) return afterRouting({45 + width, 31 + 2 * width});
  if (fifo.depth <= registers) {  // of a power of two of bits
    const auto bits = static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(fifo.word_bits)));
    return afterRouting({8 + bits, 4 + 2 * bits});
  }
  const auto counters = static_cast<double>(3 + std::bit_width(static_cast<std::uint64_t>(fifo.depth - 1)));
  if (fifo.depth <= shift_register) return afterRouting({13 + 0.46 * width, counters});
  Resources deep = afterRouting({13, counters});
  deep[Resource::Lut] += placed_in.blocks;
  return deep;
}

}  // namespace sluice::inline tensor
