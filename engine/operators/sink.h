#pragma once
// What sinks have in common: no output, and a token a cycle, whatever it is.

#include "engine/operators/operator.h"

namespace sluice::operators {

inline Result<std::vector<StreamType>> noOutputs(const Typing&) {
  return std::vector<StreamType>{};
}

inline sim::Process takeEach(sim::Context& me) {
  while (const sim::Token x = co_await me.peek(me.in(0))) {
    me.take(me.in(0));
    me.share(x, 0);
    me.advance(1);
  }
}

inline sim::Process sink(const Instance&, sim::Context& me) {
  return takeEach(me);
}

}  // namespace sluice::operators
