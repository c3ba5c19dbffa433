// ExpertAddrGen: turns each one-hot selector into the addresses of that expert's weight tiles
// (timing.md 3.2).

#include "engine/operators/operator.h"

namespace sluice::inline operators::expert_addr_gen {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  if (!t.in(0).element.selector()) {
    return t.problem("element-mismatch", "in",
                     "ExpertAddrGen reads selectors, but " + text(t.in(0)) + " arrives",
                     "connect the select output of an EagerMerge");
  }
  if (t.in(0).shape.size() != 1) {
    return t.problem("rank-mismatch", "in",
                     "only a rank-0 stream of selectors is accepted, but " + text(t.in(0).shape) + " arrives",
                     "Flatten it first");
  }
  StreamType out{t.in(0).shape, TileType{Scalar::U64, Dim::fixed(1), Dim::fixed(1)}, {}, {}};
  out.shape.push_back(Dim::fixed(t.symbolic("tiles")));
  out.shape.push_back(Dim::fixed(1));
  return std::vector<StreamType>{std::move(out)};
}

simulator::Process run(simulator::Context& me, std::uint64_t tiles, std::uint64_t base) {
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    if (x.selector->indices.size() != 1 || x.stop > 0) {
      me.fail("wrong-token", 0, "a selector arrived that is not one-hot, or carries a stop",
              "give one-hot selectors in a stream of rank 0");
      co_return;
    }
    me.take(me.in(0));
    const std::uint64_t first = base + x.selector->indices[0] * tiles;
    for (std::uint64_t i = 0; i < tiles; ++i) {
      co_await me.push(me.out(0), simulator::Token::number(first + i).withStop(i + 1 < tiles ? 1 : 2));
    }
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return run(me, instance.count("tiles"), instance.count("base"));
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "ExpertAddrGen",
              .category = "Source",
              .summary = "Turns each selector into the addresses of that expert's weight tiles.",
              .paper = "STeP artifact, ExpertAddrGen",
              .parameters = {integerParameter("tiles", "tiles of one expert", 1, {}, "tiles"),
                             integerParameter("base", "address of the first expert", 0, Value(0), "tiles")},
              .inputs = {{"in", "", "one-hot selectors, rank 0"}},
              .outputs = {{"out", "", "addresses; shape of in + [tiles, 1]"}},
              .rules = {.shape = "The shape of in, then [tiles, 1].",
                        .cost = "None.",
                        .timing = "No cycles of its own."},
          },
      .shape = shape,
      .cost = noCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = unknownRates,
  };
  return definition;
}

}  // namespace sluice::inline operators::expert_addr_gen
