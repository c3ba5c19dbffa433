#pragma once
// What the values of inputs add to a hash: two sets of inputs add the same only where every value, shape and
// name is the same, wherever they were read from.

#include "engine/core/content_hash.h"
#include "engine/program/flat_graph.h"

namespace sluice::inline program {

void addInputs(ContentHash& hash, const InputSet& inputs);

}  // namespace sluice::inline program
