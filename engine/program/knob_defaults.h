#pragma once
// The values that knobs have where a document is opened.

#include "engine/program/document.h"

namespace sluice::inline program {

/// These values become the defaults of the knobs that have one.
inline void makeDefaults(Document& document, const KnobValues& knobs) {
  for (Knob& knob : document.knobs) {
    const auto value = knobs.find(knob.name);
    if (value != knobs.end()) knob.initial = value->second;
  }
}

}  // namespace sluice::inline program
