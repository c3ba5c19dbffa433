#pragma once
// What sources that count have in common: one sweep, or one for each element of a trigger stream.

#include <initializer_list>

#include "engine/operators/operator.h"

namespace sluice::operators {

inline ParameterSpec triggersParameter() {
  return integerParameter("triggers", "1: a sweep for each element of trigger; 0: one sweep", 0, Value(0));
}

inline PortSpec triggerPort() {
  return {"trigger", "triggers", "each element, whatever it holds, starts a sweep"};
}

/// `extents`: the parameters that say how long a sweep is. A sweep that a trigger starts has a last number,
/// which carries the trigger's stop.
inline std::optional<Diagnostic> checkTrigger(const Typing& t, std::initializer_list<const char*> extents) {
  if (t.inCount() > 1) {
    return t.problem("",
                     "triggers = " + std::to_string(t.inCount()) + ", but one stream can start the sweeps",
                     "set triggers to 0 or 1");
  }
  for (const char* extent : extents) {
    if (t.inCount() == 0 || t.integer(extent) > 0) continue;
    return t.problem("", std::string("a sweep of ") + extent + " = 0 has no number to end with",
                     std::string("set ") + extent + " to 1 or more");
  }
  return {};
}

/// Numbers, of the trigger's shape or [1], and then the extents.
inline StreamType sweepType(const Typing& t, std::initializer_list<const char*> extents) {
  StreamType out{{Dim::fixed(1)}, TileType{Scalar::U64, Dim::fixed(1), Dim::fixed(1)}, {}, {}};
  if (t.inCount() > 0) out.shape = t.in(0).shape;
  for (const char* extent : extents) out.shape.push_back(Dim::fixed(t.symbolic(extent)));
  return out;
}

}  // namespace sluice::operators
