// Reshape: splits the dimension of rank index `dim` into chunks (STeP 3.2.5). The innermost one may be padded
// to whole chunks; then the missing elements follow when the dimension ends, at the latest when the stream
// closes.

#include "engine/operators/around.h"
#include "engine/operators/chunks.h"
#include "engine/operators/functional.h"
#include "engine/operators/tile_size.h"

namespace sluice::inline operators::reshape {

namespace {

std::optional<Diagnostic> check(const ShapeContext& t) {
  const std::int64_t index = t.integer("dim"), chunk = t.integer("chunk");
  if (auto wrong = t.rankAtLeast(0, index, "dim")) return wrong;
  const Shape& in = t.in(0).shape;
  const Dim& dim = in[in.size() - 1 - static_cast<std::size_t>(index)];
  const auto& pad = t.op.parameters.list("pad");
  constexpr const char* pad_fix = "write pad as [rows, columns] of the padding tile, or [] for none";
  if (!pad.empty())
    if (auto wrong = checkTwoNumbers(t, "pad", pad_fix)) return wrong;
  if (!pad.empty() && chunk != 1) {
    const Result<TileType> tile = t.tile(0);
    if (!tile) return tile.diagnostics().front();
    if (t.differ(tile->rows.extent, pad[0].symbolic) || t.differ(tile->cols.extent, pad[1].symbolic)) {
      return t.problem("tile-mismatch", "in",
                       "padding tiles of [" + pad[0].symbolic.text() + ", " + pad[1].symbolic.text() +
                           "] do not fit among " + text(t.in(0).element),
                       "set pad to the rows and columns of the arriving tiles");
    }
  }
  if (!splitsEvenly(t, dim) && chunk != 1 && (index != 0 || pad.empty())) {
    return t.problem(
        "shape-mismatch", "in",
        "dimension " + text(Shape{dim}) + " (rank index " + std::to_string(index) + " of " + text(in) +
            ") does not split into chunks of " + std::to_string(chunk),
        index == 0 ? "set pad to the size of a padding tile, or choose a chunk that divides the dimension"
                   : "choose a chunk that divides it; only the innermost dimension can be padded");
  }
  if (t.op.parameters.boolean("add_outer_dim") && (in.size() != 1 || index != 0)) {
    return t.problem(
        "rank-mismatch", "in",
        "add_outer_dim works on the only dimension of a rank-0 stream, but " + text(in) + " arrives",
        "Flatten the stream first, or switch add_outer_dim off");
  }
  return {};
}

/// The number of chunks. Of a ragged dimension every group is rounded up on its own, which the total does not
/// tell.
Dim chunks(const ShapeContext& t, const Dim& dim, std::size_t index) {
  const Expr& chunk = t.symbolic("chunk");
  if (dim.kind != DimKind::Ragged || t.integer("chunk") == 1)
    return {ceilDiv(dim.extent, chunk), dim.kind, false};
  return t.dynamic(t.symbolName("chunks"), 0, index + 1, DimKind::Ragged);
}

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  if (auto wrong = check(t)) return *wrong;
  const auto index = static_cast<std::size_t>(t.integer("dim"));
  StreamType out = t.in(0);
  const std::size_t at = out.shape.size() - 1 - index;
  const Dim dim = out.shape[at];
  if (index == 0 && !t.op.parameters.list("pad").empty() && t.integer("chunk") != 1) {
    out.validity = withPadding(t.in(0), !splitsEvenly(t, dim));
  } else {
    out.validity.insert(index);
  }
  out.shape[at] = chunks(t, dim, index);
  out.shape.insert(out.shape.begin() + static_cast<std::ptrdiff_t>(at) + 1, Dim::fixed(t.symbolic("chunk")));
  if (t.op.parameters.boolean("add_outer_dim")) {
    Dim outer = aroundAll(t, {dim});
    if (dim.kind != DimKind::Static) outer = {min(Expr(1), dim.extent), DimKind::Regular, true};
    out.shape.insert(out.shape.begin(), outer);
  }
  return std::vector<StreamType>{std::move(out)};
}

struct Plan {
  std::uint64_t chunk;
  bool add_outer_dim, can_pad;
  simulator::Token padding;
};

/// dim = 0: counts elements, pads what a stop or the close leaves incomplete.
simulator::Process splitInnermost(simulator::Context& me, Plan plan) {
  std::uint64_t n = 0;
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    me.take(me.in(0));
    plan.padding.element_bytes = x.element_bytes;
    const bool full = ++n == plan.chunk;
    if (full) n = 0;
    if (x.stop == 0) {
      std::uint32_t level = full ? 1 : 0;
      // Whether a chunk is the last one is known when the next element is there, or the close.
      if (full && plan.add_outer_dim && !co_await me.peek(me.in(0))) level = 2;
      co_await me.push(me.out(0), x.withStop(level));
    } else if (full) {
      co_await me.push(me.out(0), x.withStop(x.stop + 1));
    } else {
      if (!plan.can_pad) {
        me.fail("wrong-token", 0,
                "a group ends after " + std::to_string(n) + " elements of a chunk of " +
                    std::to_string(plan.chunk),
                "set pad to the size of a padding tile");
        co_return;
      }
      co_await me.push(me.out(0), x.withStop(0));
      for (; n < plan.chunk; ++n) {
        co_await me.push(me.out(0), plan.padding.withStop(n + 1 == plan.chunk ? x.stop + 1 : 0));
      }
      n = 0;
    }
  }
  if (n == 0) co_return;
  if (!plan.can_pad) {
    me.fail("wrong-token", 0,
            "the stream ends after " + std::to_string(n) + " elements of a chunk of " +
                std::to_string(plan.chunk),
            "set pad to the size of a padding tile");
    co_return;
  }
  for (; n < plan.chunk; ++n) {
    const std::uint32_t closing = plan.add_outer_dim ? 2 : 1;
    co_await me.push(me.out(0), plan.padding.withStop(n + 1 == plan.chunk ? closing : 0));
  }
}

/// dim > 0: counts the groups of that dimension; the counter is not reset by larger stops
/// (timing.md 5.2).
simulator::Process splitOuter(simulator::Context& me, std::uint32_t dim, std::uint64_t chunk) {
  std::uint64_t n = 0;
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    me.take(me.in(0));
    std::uint32_t level = x.stop;
    if (level > 0 && level >= dim) ++n;
    if (level > 0 && n == chunk) n = 0, ++level;
    co_await me.push(me.out(0), x.withStop(level));
  }
}

Rates::Outputs rates(Rates& r) {
  const StreamCount& from = r.in(0);
  const std::uint64_t index = r.count("dim"), chunk = r.count("chunk");
  if (!from.dims || index >= from.dims->size() || chunk == 0) return {};
  Extents dims = *from.dims;
  const auto at = dims.end() - 1 - static_cast<std::ptrdiff_t>(index);
  const bool padded = *at % chunk != 0;
  const std::uint64_t around = product(dims) / std::max<std::uint64_t>(1, *at);
  // Padding follows where a dimension ends: one rule for all tokens only if it ends once.
  if (product(dims) == 0 || (padded && around != 1)) return {};
  r.step({});
  r.rule.pads_at_close = padded && index == 0 && from.unstopped;
  *at = (*at + chunk - 1) / chunk;
  dims.insert(at + 1, chunk);
  if (r.op.parameters.boolean("add_outer_dim")) return {counted(product(dims))};
  return {shaped(std::move(dims))};
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  if (instance.level("dim") > 0) return splitOuter(me, instance.level("dim"), instance.count("chunk"));
  const std::vector<std::uint64_t> pad = instance.list("pad");
  Plan plan{instance.count("chunk"), instance.boolean("add_outer_dim"), !pad.empty(), {}};
  if (!pad.empty()) {
    plan.padding =
        simulator::Token::tile(static_cast<std::uint32_t>(pad[0]), static_cast<std::uint32_t>(pad[1]), 0,
                               instance.boolean("write_back_mu"));
    plan.padding.valid = 0;
    if (TileArithmetic* arithmetic = instance.arithmetic()) arithmetic->clear(me, plan.padding);
  }
  return splitInnermost(me, plan);
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "Reshape",
              .category = "Shape",
              .summary = "Splits a dimension into chunks, padding the last one where asked.",
              .paper = "STeP 3.2.5",
              .parameters = {integerParameter("dim",
                                              "rank index of the dimension to split (the innermost is 0)", 0,
                                              Value(0)),
                             integerParameter("chunk", "elements of a chunk", 1),
                             listParameter("pad", "rows and columns of a padding tile; empty: no padding", 1,
                                           Value(std::vector<Value>{}), "elements"),
                             booleanParameter("add_outer_dim",
                                              "close the whole stream with one more dimension", false),
                             writeBackParameter()},
              .inputs = {{"in", "", "any stream; tiles if padded"}},
              .outputs = {{"out", "", "the dimension becomes [chunks, chunk]"}},
              .rules =
                  {.shape =
                       "The dimension of rank index dim becomes [extent / chunk, chunk], rounded up where "
                       "the innermost one is padded. A ragged one gives a new ragged count of chunks.",
                   .cost = "FIFOs only.",
                   .timing = "No cycles of its own; padding follows when the dimension ends."},
          },
      .shape = shape,
      .cost = passingCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = rates,
  };
  return definition;
}

}  // namespace sluice::inline operators::reshape
