// MetadataGen: a source of integers as 1 x 1 tiles, e.g. sequence lengths (step_sim_spec 3.2).

#include "engine/operators/off_chip.h"

namespace sluice::operators {

namespace {

Result<std::vector<StreamType>> shape(const Typing& t) {
  const std::string& name = t.op.parameters.string("input");
  const auto input = t.inputs.find(name);
  if (input == t.inputs.end()) {
    return t.problem("", "there is no input '" + name + "'",
                     "add it to the document's inputs, or choose another");
  }
  StreamType out{{Dim::fixed(1)}, TileType{Scalar::U64, Dim::fixed(1), Dim::fixed(1)}, {}, {}};
  for (const std::size_t extent : input->second.tensor.shape)
    out.shape.push_back(Dim::fixed(Expr(static_cast<std::int64_t>(extent))));
  return std::vector<StreamType>{std::move(out)};
}

sim::Process run(sim::Context& me, std::vector<std::uint64_t> extents,
                 const std::vector<std::int64_t>& values) {
  StopCounter stops(std::move(extents));
  const Cycles start = me.now;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const sim::Token token = sim::Token::number(static_cast<std::uint64_t>(values[k]));
    co_await me.push(me.out(0), token.withStop(stops.next()), start + k);
  }
}

sim::Process behaviour(const Instance& instance, sim::Context& me) {
  // The inputs outlive the simulation, so the values need no copy.
  const IntTensor& tensor = instance.inputs.at(instance.op.parameters.string("input")).tensor;
  return run(me, std::vector<std::uint64_t>(tensor.shape.begin(), tensor.shape.end()), tensor.data);
}

}  // namespace

const Operator& metadataGen() {
  static const Operator definition{{"MetadataGen",
                                    "Source",
                                    "Emits the integers of a trace.",
                                    "STeP artifact, MetadataGen",
                                    {inputParameter("input", "sequence lengths or another integer tensor")},
                                    {},
                                    {{"out", "", "1 x 1 tiles of u64; shape [1] + shape of the input"}}},
                                   shape,
                                   noCost,
                                   behaviour,
                                   MemoryRole::None};
  return definition;
}

}  // namespace sluice::operators
