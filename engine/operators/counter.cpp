// Counter: a source of the numbers 0 to max - 1, all at once (step_sim_spec 3.5).

#include "engine/operators/operator.h"

namespace sluice::operators {

namespace {

Result<std::vector<StreamType>> shape(const Typing& t) {
  return std::vector<StreamType>{{{Dim::fixed(1), Dim::fixed(t.symbolic("max"))},
                                  TileType{Scalar::U64, Dim::fixed(1), Dim::fixed(1)},
                                  {},
                                  {}}};
}

sim::Process run(sim::Context& me, std::uint64_t max) {
  for (std::uint64_t i = 0; i < max; ++i)
    co_await me.push(me.out(0), sim::Token::number(i).withStop(i + 1 == max ? 1 : 0));
}

sim::Process behaviour(const Instance& instance, sim::Context& me) {
  return run(me, instance.count("max"));
}

}  // namespace

const Operator& counter() {
  static const Operator definition{
      {"Counter",
       "Source",
       "Emits the numbers from 0 on.",
       "simulator 2026",
       {integerParameter("max", "how many numbers", 0)},
       {},
       {{"out", "", "1 x 1 tiles of u64; shape [1, max]"}},
       {"[1, max].", "None.", "All numbers leave at cycle 0, as far as the FIFO has room."}},
      shape,
      noCost,
      behaviour,
      MemoryRole::None};
  return definition;
}

}  // namespace sluice::operators
