#pragma once
// Joules that no schedule of a program goes below: what its operations, its compulsory traffic and its time
// cost at the lowest prices of the technology.

#include "engine/core/units.h"
#include "engine/energy/technology.h"
#include "engine/program/flat_graph.h"

namespace sluice::inline energy {

/// Hertz: of the machine, of its memory with banks, else the technology's.
double clockHertz(const Technology& technology, const BoundMachine& machine);

/// Work that every schedule does.
struct LeastWork {
  Flops flops = 0;
  Bytes off_chip_bytes = 0;  ///< as they move
  Cycles cycles = 0;
};
/// Joules. Each operation as the cheapest addition or multiplication of any scalar type, as steps may change
/// types; each byte as read or written, whichever is cheaper, from an open row where a run counts rows;
/// `static_power` for the time. FIFOs, buffers and leakage depend on the schedule. A price that depends on
/// sizes counts as nothing.
double leastEnergy(const Technology& technology, const BoundMachine& machine, const LeastWork& work);

}  // namespace sluice::inline energy
