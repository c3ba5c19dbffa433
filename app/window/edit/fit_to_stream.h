#pragma once
// What a new operator takes over from the stream that it is connected to.

#include <string>

#include "engine/program/document.h"
#include "engine/program/flat_graph.h"

namespace sluice::ui {

/// An operator of one input that still has the tile size that it began with takes that of the tiles that now
/// come to it.
void fitToStream(Document& document, const std::string& path, const KnobValues& knobs,
                 const InputSet& inputs);

}  // namespace sluice::ui
