// CacheReadAddrGen: for each request the addresses of all its KV-cache tiles (timing.md 3.2).

#include "engine/operators/functions.h"
#include "engine/operators/metadata.h"

namespace sluice::inline operators::cache_read_addr_gen {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  for (std::size_t port : {0u, 1u}) {
    SLUICE_TRY(const TileType tile, t.tile(port));
    if (tile.scalar != Scalar::U64) {
      return t.problem("data-type-mismatch", t.portName(port),
                       "integers are wanted here, but " + text(t.in(port)) + " arrives",
                       "connect a MetadataGen");
    }
  }
  if (auto wrong = checkInStep(t)) return *wrong;
  StreamType out = t.in(0);
  out.shape.push_back(t.dynamic(t.symbolName("tiles"), 0, 0, DimKind::Ragged));
  return std::vector<StreamType>{std::move(out)};
}

simulator::Process run(simulator::Context& me, std::uint64_t row_offset) {
  for (;;) {
    const simulator::Token index = co_await me.peek(me.in(0));
    if (index) me.take(me.in(0));
    const simulator::Token length = co_await me.peek(me.in(1));
    if (!index && !length) co_return;
    if (!inStep(me, index, length)) co_return;
    me.take(me.in(1));
    const Cycles start = me.now;
    for (std::uint64_t i = 0; i < length.scalar; ++i) {
      co_await me.slot(me.out(0));
      const std::uint32_t level = i + 1 == length.scalar ? index.stop + 1 : 0;
      me.put(me.out(0), simulator::Token::number(index.scalar * row_offset + i).withStop(level), start + i);
    }
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return run(me, instance.count("row_offset"));
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "CacheReadAddrGen",
              .category = "Source",
              .summary = "Makes the addresses of every request's cache tiles.",
              .paper = "STeP artifact, CacheReadAddrGen",
              .parameters = {integerParameter("row_offset", "tiles of one request's cache", 0, {}, "tiles")},
              .inputs = {{"index", "", "which request"}, {"length", "", "how many tiles it has"}},
              .outputs = {{"out", "", "addresses; shape of index + a ragged one"}},
              .rules = {.shape = "The shape of index with one more, innermost, ragged dimension: the tiles "
                                 "of a request.",
                        .cost = "None.",
                        .timing = "One address a cycle."},
          },
      .shape = shape,
      .cost = noCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = unknownRates,
  };
  return definition;
}

}  // namespace sluice::inline operators::cache_read_addr_gen

namespace sluice::inline operators {

std::optional<RequestCache> requestCache(const FlatOperator& op) {
  if (op.spec != &cache_read_addr_gen::definition().spec) return std::nullopt;
  return RequestCache{static_cast<std::uint64_t>(op.parameters.integer("row_offset")), op.inputs[1]};
}

}  // namespace sluice::inline operators
