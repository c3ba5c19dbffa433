#pragma once
// Which values of single knobs make a compiled program fit a card that it does not fit as it is.

#include <stop_token>

#include "engine/core/diagnostic.h"
#include "engine/program/flat_graph.h"
#include "engine/tensor/placement/platform.h"

namespace sluice::inline emitters {

struct FittingKnob {
  std::string knob;
  std::int64_t value = 0;
};
/// Of each knob the value that fits and is nearest to the one that it has, in the order of its values; of
/// many values the nearest are tried. A knob is left out where none of these fits.
std::vector<FittingKnob> fittingKnobs(const Document& document, const InputSet& inputs,
                                      const KnobValues& knobs, const Platform& platform,
                                      const std::stop_token& stop = {});

/// `problems`, the fix of the first of which begins with what fittingKnobs() finds; as they are where it
/// finds nothing, or the card is not what they are about.
Diagnostics withFittingKnobs(Diagnostics problems, const Document& document, const InputSet& inputs,
                             const KnobValues& knobs, const Platform& platform,
                             const std::stop_token& stop = {});

}  // namespace sluice::inline emitters
