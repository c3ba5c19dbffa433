#pragma once
// Binding resource: what keeps a run from being faster, told from what its operators did.

#include <string>

#include "engine/explorer/evaluate.h"

namespace sluice::inline designer {

enum class Bottleneck {
  None,              ///< of a design that does not run to its end
  OffChipBandwidth,  ///< its memory is nearly always busy
  OffChipLatency,    ///< an operator nearly always waits for its memory's answers
  Compute,           ///< the units of an operator are nearly always busy
  SerialOperator,    ///< an operator that computes nothing is
  Fifo,              ///< an operator is held up by a full FIFO behind it
  Dependences        ///< none of these: operators wait for each other's tokens
};
const char* text(Bottleneck bottleneck);  ///< "off-chip bandwidth"

struct BindingResource {
  Bottleneck bottleneck = Bottleneck::None;
  std::string where;  ///< the operator; empty for the bandwidth
  double share = 0;   ///< of the run's cycles, 0..1
};
BindingResource bindingResource(const FlatGraph& graph, const PointResult& result);

}  // namespace sluice::inline designer
