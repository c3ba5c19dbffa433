// ReshapePadStream: splits the innermost dimension into chunks, pads the last one, and tells on a second
// stream which elements are padding (STeP 3.2.5, Reshape with its padding stream; timing.md 5.2).

#include "engine/operators/chunks.h"
#include "engine/operators/tile_size.h"

namespace sluice::inline operators::reshape_pad_stream {

namespace {

bool marksData(const Parameters& parameters) {
  return parameters.string("marks") == "data";
}

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  SLUICE_TRY(const TileType in, t.tile(0));
  const auto& pad = t.op.parameters.list("pad");
  const bool pads = t.integer("chunk") != 1 && !splitsEvenly(t, t.in(0).shape.back());
  if (pad.empty() && pads) {
    return t.problem("shape-mismatch", "in",
                     text(t.in(0).shape) + " does not split into chunks of " + t.symbolic("chunk").text(),
                     "set pad to the size of a padding tile, or choose a chunk that divides the dimension");
  }
  if (!pad.empty()) {
    if (auto wrong = checkTwoNumbers(t, "pad", "write pad as [rows, columns] of the padding tile"))
      return *wrong;
    if (t.differ(in.rows.extent, pad[0].symbolic) || t.differ(in.cols.extent, pad[1].symbolic)) {
      return t.problem("tile-mismatch", "in",
                       "padding tiles of [" + pad[0].symbolic.text() + ", " + pad[1].symbolic.text() +
                           "] do not fit among " + text(t.in(0).element),
                       "set pad to the rows and columns of the arriving tiles");
    }
  }
  StreamType out = t.in(0);
  out.validity = withPadding(t.in(0), pads);
  const Dim dim = out.shape.back();
  const bool counted = dim.kind != DimKind::Ragged || t.integer("chunk") == 1;
  out.shape.back() = counted ? Dim{ceilDiv(dim.extent, t.symbolic("chunk")), dim.kind, false}
                             : t.dynamic(t.symbolName("chunks"), 0, 1, DimKind::Ragged);
  out.shape.push_back(Dim::fixed(t.symbolic("chunk")));
  StreamType mask{out.shape, TileType{Scalar::Bool, Dim::fixed(1), Dim::fixed(1)}, {}, {}};
  if (marksData(t.op.parameters))
    mask.validity = {Validity::Known, elementCount(t.in(0).shape), 0, pads ? 1U : 0U};
  return std::vector<StreamType>{std::move(out), std::move(mask)};
}

struct Plan {
  std::uint64_t chunk;
  simulator::Token padding;
  bool marks_data;
};

/// As a mask of data, it has a valid row where there is data: a filter keeps those
/// (FlatmapFilterRowStreamify).
simulator::Token flag(const Plan& plan, bool padding) {
  simulator::Token token = simulator::Token::tile(1, 1, 1, false);
  token.scalar = padding == plan.marks_data ? 0 : 1;
  if (plan.marks_data && padding) token.valid = 0;
  return token;
}

simulator::Process run(simulator::Context& me, Plan plan) {
  std::uint64_t n = 0;
  for (;;) {
    const simulator::Token x = co_await me.peek(me.in(0));
    if (x) {
      me.take(me.in(0));
      plan.padding.element_bytes = x.element_bytes;
      ++n;
      const bool full = n == plan.chunk;
      const std::uint32_t level = full ? x.stop + 1 : 0;
      co_await me.push(me.out(0), x.withStop(level));
      co_await me.push(me.out(1), flag(plan, false).withStop(level));
      if (full) n = 0;
      if (full || x.stop == 0) continue;
    }
    for (; n > 0 && n < plan.chunk; ++n) {
      const std::uint32_t level = n + 1 == plan.chunk ? (x ? x.stop : 0) + 1 : 0;
      co_await me.push(me.out(0), plan.padding.withStop(level));
      co_await me.push(me.out(1), flag(plan, true).withStop(level));
    }
    n = 0;
    if (!x) co_return;
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  std::vector<std::uint64_t> pad = instance.list("pad");
  pad.resize(2);  // none: never used
  simulator::Token padding =
      simulator::Token::tile(static_cast<std::uint32_t>(pad[0]), static_cast<std::uint32_t>(pad[1]), 0,
                             instance.boolean("write_back_mu"));
  padding.valid = 0;
  return run(me, {instance.count("chunk"), padding, marksData(instance.op.parameters)});
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "ReshapePadStream",
              .category = "Shape",
              .summary = "Splits the innermost dimension into padded chunks and tells what is padding.",
              .paper = "STeP 3.2.5; simulator 2026",
              .parameters = {integerParameter("chunk", "elements of a chunk", 1),
                             listParameter("pad", "rows and columns of a padding tile; empty: none is needed",
                                           0, Value(std::vector<Value>{}), "elements"),
                             writeBackParameter(),
                             choiceParameter("marks", "which elements have a 1 on the second stream",
                                             {"padding", "data"}, Value("padding"))},
              .inputs = {{"in", "", "tiles"}},
              .outputs = {{"out", "", "the innermost dimension becomes [chunks, chunk]"},
                          {"padding", "",
                           "1 for a padding tile, else 0, or the other way round by marks; shape of out"}},
              .rules =
                  {.shape =
                       "The innermost dimension becomes [extent / chunk rounded up, chunk], on both outputs.",
                   .cost = "FIFOs only.",
                   .timing = "No cycles of its own; padding follows when the dimension ends."},
          },
      .shape = shape,
      .cost = passingCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = unknownRates,
  };
  return definition;
}

}  // namespace sluice::inline operators::reshape_pad_stream
