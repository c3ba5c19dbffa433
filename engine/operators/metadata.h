#pragma once
// What a MetadataGen emits, for who wants to know it before any run.

#include "engine/program/flat_graph.h"

namespace sluice::inline operators {

/// In the shape of its stream without the outermost dimension, which is 1. Its input must be there, and hold
/// what it asks for.
IntTensor metadataOf(const FlatOperator& op, const InputSet& inputs);

}  // namespace sluice::inline operators
