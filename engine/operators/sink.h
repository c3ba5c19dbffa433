#pragma once
// What sinks have in common: no output, and a token a cycle, whatever it is.

#include "engine/operators/operator.h"

namespace sluice::inline operators {

inline Result<std::vector<StreamType>> noOutputs(const ShapeContext&) {
  return std::vector<StreamType>{};
}

inline simulator::Process takeEach(simulator::Context& me) {
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    me.take(me.in(0));
    me.share(x, 0);
    me.advance(1);
  }
}

inline simulator::Process sink(const Instance&, simulator::Context& me) {
  return takeEach(me);
}

}  // namespace sluice::inline operators
