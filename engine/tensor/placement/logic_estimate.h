#pragma once
// LUTs, flip-flops and DSPs of what is no memory: arithmetic and control of kernels, converters, transfers
// and FIFOs. Fitted to published syntheses of HLS designs (resources/published/fpga_*.csv; README.md has the
// errors).

#include "engine/core/scalar.h"
#include "engine/tensor/placement/memory_allocation.h"

namespace sluice::inline tensor {

/// Of what Vitis HLS expects, this part is left after routing: the median of fpga_designs.
constexpr double routed_luts = 0.78, routed_flip_flops = 0.82;

/// A kernel that multiplies and adds `lanes` numbers of this type at once. Products of integers share DSPs.
Resources kernelLogic(Scalar scalar, std::int64_t lanes, double products_per_dsp);
/// The ways into a buffer and out of it.
Resources converterLogic();
/// A port of 512 bits at the external memory, with the BRAM for its bursts, and the way between it and
/// streams.
Resources loadLogic();
Resources storeLogic();
/// Of a FIFO in this memory all LUTs, also those that are its memory.
Resources fifoLogic(const MemoryBuffer& fifo, const PlacedBuffer& placed);

}  // namespace sluice::inline tensor
