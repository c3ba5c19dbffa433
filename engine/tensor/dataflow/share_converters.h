#pragma once
// Common subexpressions among converters: those that turn the same output into the same stream are one.

#include "engine/tensor/dataflow/design_edit.h"

namespace sluice::inline tensor {

/// Whether the converter has a twin: another one fed by the same output, with the same stream as its result.
Result<Done> checkShareConverter(const DesignIndex& index, std::size_t converter);
/// The twins go; their readers are fed by this converter.
Result<DataflowDesign> shareConverter(const DataflowDesign& design, std::size_t converter);
/// Where it is legal.
void replaceTwins(DesignEdit& edit, std::size_t converter);

/// All of them.
DataflowDesign withConvertersShared(const DataflowDesign& design);

}  // namespace sluice::inline tensor
