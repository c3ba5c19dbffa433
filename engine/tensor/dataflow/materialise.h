#pragma once
// Materialisation: what a design only implies becomes tasks. A stream whose ends disagree becomes two streams
// with a converter between them; a port to external memory becomes a load or store task and a stream.

#include "engine/itensor/converter.h"
#include "engine/tensor/dataflow/design_edit.h"

namespace sluice::inline tensor {

/// The ends are not the same stream, so a converter stands between them, or will.
bool needsConverter(const DataflowDesign& design, const DataflowStream& stream);

Result<Done> checkMaterialiseConverter(const DesignIndex& index, std::size_t stream);
/// A converter of its own for the stream; shareConverters() joins equal ones.
Result<DataflowDesign> materialiseConverter(const DataflowDesign& design, std::size_t stream);

Result<Done> checkMaterialiseTransfer(const DesignIndex& index, PortRef port, bool output);
/// A load task for an external input, a store task for an external output.
Result<DataflowDesign> materialiseTransfer(const DataflowDesign& design, PortRef port, bool output);

/// Either, where it is legal. Errors: no converter can be inferred.
Result<Done> addConverter(DesignEdit& edit, std::size_t stream);
void addTransfer(DesignEdit& edit, PortRef port, bool output);

/// All converters, one for the readers of one port that want the same stream, and all transfers.
Result<DataflowDesign> materialised(const DataflowDesign& design,
                                    ConverterOrder order = ConverterOrder::OrderFree);

}  // namespace sluice::inline tensor
