#pragma once
// Some of a program's knobs by their names: those that are kept while others vary, or that are turned.

#include <string>

#include "engine/program/document.h"

namespace sluice::inline program {

/// The values of the named knobs, each of which there is.
KnobValues chosenKnobs(const KnobValues& all, const auto& names) {
  KnobValues chosen;
  for (const std::string& name : names) chosen[name] = all.at(name);
  return chosen;
}

}  // namespace sluice::inline program
