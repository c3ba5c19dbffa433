// RandomOffChipStore: writes each tile to the address that comes with it and acknowledges (STeP 3.2.1). The
// stops of both inputs need not match; both slots are held until the last acknowledgement.

#include "engine/operators/off_chip.h"
#include "engine/operators/order.h"

namespace sluice::inline operators::random_off_chip_store {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  SLUICE_CHECK(t.tile(0));
  SLUICE_CHECK(t.tile(1));
  if (auto wrong = checkAddress(t)) return *wrong;
  if (auto wrong = checkStore(t, 1)) return *wrong;
  if (t.differ(elementCount(t.in(0).shape), elementCount(t.in(1).shape))) {
    return t.problem("shape-mismatch", "in",
                     "tiles of shape " + text(t.in(1).shape) + " have no address each in a stream of shape " +
                         text(t.in(0).shape),
                     "give one address per tile", t.portName(0));
  }
  const Shape& shape = t.in(t.op.parameters.boolean("ack_from_address") ? 0 : 1).shape;
  return std::vector<StreamType>{{shape, TileType{Scalar::Bool, Dim::fixed(1), Dim::fixed(1)}, {}, {}}};
}

Cost cost(const ShapeContext& t, std::span<const StreamType> outputs) {
  TileType tile = tileType(t);
  tile.scalar = t.in(1).element.tile()->scalar;  // what moves is what arrives
  const Expr bytes = tile.rows.extent * tile.cols.extent * Expr(storedBytes(tile.scalar, t.machine));
  return {
      elementCount(outputs[0].shape) * bytes, stagingBytes(t, bytes * t.symbolic("buffer_depth")), {}, {}};
}

struct Plan {
  TileAddresses addresses;
  std::uint32_t rows, cols;
  std::uint64_t request_bytes;
  bool ack_from_address;
  TensorPort* tensor;  ///< functional mode
};

simulator::Process run(simulator::Context& me, Plan plan) {
  for (;;) {
    const simulator::Token address = co_await me.peek(me.in(0));
    const simulator::Token x = co_await me.peek(me.in(1));
    if (!address && !x) co_return;
    if (!address || !x) {
      me.fail("wrong-token", address ? 1 : 0, "addresses and data do not come in equal number",
              "give one address per tile");
      co_return;
    }
    if (!checkStored(me, 1, x, plan.rows, plan.cols)) co_return;
    plan.addresses.tile(me, address.scalar);
    co_await me.memory(requestsOf(plan.rows, plan.cols, x.element_bytes, plan.request_bytes));
    me.countTraffic(x.bytes());
    if (plan.tensor) plan.tensor->write(me, address.scalar, x);
    const std::uint32_t stop = plan.ack_from_address ? address.stop : x.stop;
    co_await me.push(me.out(0), simulator::Token::tile(1, 1, 1, false).withStop(stop));
    me.take(me.in(0));
    me.take(me.in(1));
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  const std::vector<std::uint64_t> tile = instance.list("tile");
  const int bytes = storedBytes(scalarOf(instance.op), instance.machine);
  return run(me,
             {TileAddresses(instance, static_cast<std::uint64_t>(bytes), true),
              static_cast<std::uint32_t>(tile[0]), static_cast<std::uint32_t>(tile[1]),
              instance.machine.hbm_request_bytes, instance.boolean("ack_from_address"), instance.tensor()});
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "RandomOffChipStore",
              .category = "Off-chip memory",
              .summary = "Stores each tile at the address that comes with it.",
              .paper = "STeP 3.2.1",
              .parameters = withTensor(
                  {tileParameter(), scalarParameter(), parDispatchParameter(),
                   booleanParameter("ack_from_address",
                                    "acknowledgements take the stops of the addresses, not of the data",
                                    true),
                   integerParameter("buffer_depth", "tiles that wait on chip, for the memory count", 1,
                                    Value(1), "tiles"),
                   resultsParameter(), takesOrderParameter()}),
              .inputs = {{"address", "", "tile numbers, as 1 x 1 tiles of u64"}, {"in", "", "the tiles"}},
              .outputs = {{"ack", "", "one acknowledgement a tile"}},
              .rules = {.shape = "ack has the shape of address, or with ack_from_address off that of in.",
                        .cost = "Off chip: a tile for every address. On chip: buffer_depth tiles (twice as "
                                "many by the equations as printed).",
                        .timing = "Each tile: its bytes / request size requests, par_dispatch of them a "
                                  "cycle; both slots are free, and the acknowledgement leaves, when the last "
                                  "has been acknowledged."},
          },
      .shape = shape,
      .cost = cost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = unknownRates,
      .memory = MemoryRole::Writer,
      .ordered = true,
  };
  return definition;
}

}  // namespace sluice::inline operators::random_off_chip_store
