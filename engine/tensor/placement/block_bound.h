#pragma once
// The least cycles that a tensor program can take on a platform, whatever is made of it: its multiplications
// on all DSPs that may be used, its weights and inputs over the external memory once.

#include "engine/tensor/placement/platform.h"
#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

struct BoundOptions {
  double fill = 0.8;  ///< of the DSPs, as where tasks are assigned to dies
  /// Two products of an 8-bit number with a third share one DSP48E2 (Xilinx WP486); the platforms' published
  /// peak, 24.5 TOPS, counts so too: 9024 DSPs, two operations a product, at some 680 MHz.
  double products_per_dsp = 2;
};

struct ProgramBound {
  std::int64_t products = 0;        ///< of linear operators and matrix products
  std::int64_t external_bytes = 0;  ///< weights, tables and inputs in, results out, once
  double compute_cycles = 0;
  double memory_cycles = 0;

  double cycles() const { return compute_cycles > memory_cycles ? compute_cycles : memory_cycles; }
};

/// Of a verified program.
ProgramBound boundOf(const TensorProgram& program, const Platform& platform,
                     const BoundOptions& options = {});

}  // namespace sluice::inline tensor
