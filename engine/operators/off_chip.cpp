#include "engine/operators/off_chip.h"

#include <limits>

#include "engine/operators/order.h"
#include "engine/operators/tile_size.h"

namespace sluice::inline operators {

int storedBytes(Scalar scalar, const BoundMachine& machine) {
  return scalar == Scalar::F32 && machine.mock_bf16 ? 2 : sizeOf(scalar);
}

Scalar scalarOf(const FlatOperator& op) {
  return scalarNamed(op.parameters.string("scalar")).value_or(Scalar::F32);
}

std::uint64_t requestsOf(std::uint64_t rows, std::uint64_t cols, std::uint64_t element_bytes,
                         std::uint64_t request_bytes) {
  return rows * ceilDiv(cols * element_bytes, request_bytes);
}

std::vector<ParameterSpec> loadParameters() {
  ParameterSpec view = listParameter(
      "out_shape", "shape of the loaded view, outermost first; 0: nothing to load", 0, {}, "tiles");
  view.suggested = std::vector<Value>{4, 4};
  return withTensor(
      {tileParameter(), std::move(view),
       listParameter("stride", "tiles to step in memory per dimension of out_shape; empty: row-major", 0,
                     Value(std::vector<Value>{}), "tiles"),
       scalarParameter(), parDispatchParameter(), givesOrderParameter()});
}

ParameterSpec scalarParameter() {
  return choiceParameter("scalar", "type of an element", {"f32", "f16", "u64", "i8"}, Value("f32"));
}

ParameterSpec resultsParameter() {
  return integerParameter("results", "numbers of the program's results among what it stores; -1: all of it",
                          -1, Value(-1));
}

TileType tileType(const ShapeContext& t) {
  const auto& tile = t.op.parameters.list("tile");
  return {scalarOf(t.op), Dim::fixed(tile[0].symbolic), Dim::fixed(tile[1].symbolic)};
}

std::optional<Diagnostic> checkTile(const ShapeContext& t) {
  const auto& tile = t.op.parameters.list("tile");
  if (auto wrong = operators::checkTwoNumbers(t, "tile", "write tile as [rows, columns]")) return wrong;
  constexpr std::int64_t limit = 1 << 24;
  if (tile[0].value > limit || tile[1].value > limit) {
    return t.problem("out-of-range", "",
                     "a tile of " + std::to_string(tile[0].value) + " x " + std::to_string(tile[1].value) +
                         " elements is too large",
                     "keep rows and columns at 16777216 or below");
  }
  return {};
}

std::optional<Diagnostic> checkAddress(const ShapeContext& t) {
  if (t.in(0).element.tile()->scalar == Scalar::U64) return {};
  return t.problem("data-type-mismatch", t.portName(0),
                   "addresses are wanted here, but " + text(t.in(0)) + " arrives",
                   "connect numbers of tiles: a MetadataGen, ExpertAddrGen or CacheReadAddrGen");
}

std::optional<Diagnostic> checkStore(const ShapeContext& t, std::size_t port) {
  const Result<TileType> in = t.tile(port);
  if (!in) return in.diagnostics().front();
  if (auto wrong = checkTile(t)) return wrong;
  const auto& tile = t.op.parameters.list("tile");
  if (!t.differ(in->rows.extent, tile[0].symbolic) && !t.differ(in->cols.extent, tile[1].symbolic)) return {};
  return t.problem("tile-mismatch", t.portName(port),
                   "the store is set to tiles of [" + tile[0].symbolic.text() + ", " +
                       tile[1].symbolic.text() + "], but " + text(t.in(port).element) + " arrives",
                   "set tile to the arriving tile's rows and columns");
}

bool checkStored(simulator::Context& me, std::uint32_t port, const simulator::Token& x, std::uint32_t rows,
                 std::uint32_t cols) {
  if (x.rows == rows && x.cols == cols) return true;
  me.fail("wrong-token", port,
          "a tile of " + std::to_string(x.rows) + " x " + std::to_string(x.cols) + " arrived where " +
              std::to_string(rows) + " x " + std::to_string(cols) + " is stored",
          "set the store's tile to the size that arrives");
  return false;
}

std::optional<Diagnostic> checkLoad(const ShapeContext& t) {
  if (auto wrong = checkTile(t)) return wrong;
  const auto& stride = t.op.parameters.list("stride");
  const auto& view = t.op.parameters.list("out_shape");
  if (!stride.empty() && stride.size() != view.size()) {
    return t.problem("operator-rule", "",
                     "stride has " + std::to_string(stride.size()) + " numbers and out_shape " +
                         std::to_string(view.size()),
                     "give one stride per dimension of out_shape, or none");
  }
  std::int64_t total = 1;
  for (const BoundInteger& extent : view) {
    if (__builtin_mul_overflow(total, extent.value, &total) || total > (std::int64_t{1} << 40)) {
      return t.problem("too-many", "", "out_shape has more than 2^40 tiles",
                       "use a smaller view or larger tiles");
    }
  }
  return {};
}

LoadView loadView(const ShapeContext& t) {
  LoadView view;
  for (const BoundInteger& extent : t.op.parameters.list("out_shape"))
    view.shape.push_back(Dim::fixed(extent.symbolic));
  view.tile = tileType(t);
  return view;
}

Cost loadCost(const ShapeContext& t, const StreamType& output) {
  const TileType& tile = *output.element.tile();
  const Expr bytes = tile.rows.extent * tile.cols.extent * Expr(storedBytes(tile.scalar, t.machine));
  return {elementCount(output.shape) * bytes, stagingBytes(t, bytes), {}, {}};
}

Cost storeCost(const ShapeContext& t, std::span<const StreamType>) {
  const Expr bytes = sizeOf(t.in(0).element);
  return {elementCount(t.in(0).shape) * bytes, stagingBytes(t, bytes), {}, {}};
}

Expr stagingBytes(const ShapeContext& t, const Expr& tile) {
  return t.paperEquations() ? Expr(2) * tile : tile;
}

TileAddresses::TileAddresses(const Instance& instance, std::uint64_t element_bytes, bool write) {
  if (instance.machine.hbm_model == HbmModel::Node) return;
  const std::vector<std::uint64_t> tile = instance.list("tile");
  tile_row_bytes_ = tile[1] * element_bytes;
  tile_bytes_ = tile[0] * tile_row_bytes_;
  row_tiles_ = 1;
  if (instance.op.parameters.values().contains("out_shape")) {
    view_ = instance.list("out_shape");
    stride_ = instance.list("stride");
    index_.assign(view_.size(), 0);
    std::uint64_t step = 1;
    const bool row_major = stride_.empty();
    for (std::size_t d = view_.size(); row_major && d-- > 0; step *= view_[d])
      stride_.insert(stride_.begin(), step);
    row_tiles_ = std::numeric_limits<std::uint64_t>::max();
    for (const std::uint64_t stride : stride_)
      if (stride > 1) row_tiles_ = std::min(row_tiles_, stride);
    if (row_tiles_ == std::numeric_limits<std::uint64_t>::max())
      row_tiles_ = view_.empty() ? 1 : std::max<std::uint64_t>(view_.back(), 1);
  }
  access_.address = instance.address;
  access_.row_requests = ceilDiv(tile_row_bytes_, instance.machine.hbm_request_bytes);
  access_.row_stride = row_tiles_ * tile_row_bytes_;
  access_.write = write;
}

void TileAddresses::locate(simulator::Context& me, std::uint64_t number) const {
  me.access = access_;
  me.access.address += number / row_tiles_ * row_tiles_ * tile_bytes_ + number % row_tiles_ * tile_row_bytes_;
}

std::uint64_t TileAddresses::walk() {
  std::uint64_t number = 0;
  for (std::size_t d = 0; d < view_.size(); ++d) number += index_[d] * stride_[d];
  for (std::size_t d = view_.size(); d-- > 0;) {
    if (++index_[d] < view_[d]) break;
    index_[d] = 0;
  }
  return number;
}

std::uint64_t tensorBytes(const Instance& instance) {
  constexpr std::uint64_t unknown = std::uint64_t{64} << 30, page = 4096;
  if (!instance.op.parameters.values().contains("out_shape")) return unknown;
  const std::vector<std::uint64_t> view = instance.list("out_shape"), stride = instance.list("stride"),
                                   tile = instance.list("tile");
  std::uint64_t tiles = 1;
  for (std::size_t d = 0; d < view.size(); ++d)
    tiles = stride.empty() ? tiles * view[d] : tiles + (view[d] - 1) * stride[d];
  const int bytes = storedBytes(scalarOf(instance.op), instance.machine);
  return ceilDiv(tiles * tile[0] * tile[1] * static_cast<std::uint64_t>(bytes), page) * page;
}

StorePlan storePlan(const Instance& instance) {
  const auto bytes = static_cast<std::uint64_t>(storedBytes(Scalar::F32, instance.machine));
  const std::vector<std::uint64_t> tile = instance.list("tile");
  return {TileAddresses(instance, bytes, true),
          static_cast<std::uint32_t>(tile[0]),
          static_cast<std::uint32_t>(tile[1]),
          instance.machine.hbm_request_bytes,
          instance.tensor(),
          {}};
}

simulator::Process storeInOrder(simulator::Context& me, StorePlan plan) {
  constexpr const char* fix = "give the extents of the tensor that is stored";
  std::uint64_t stored = 0;
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    if (!checkStored(me, 0, x, plan.rows, plan.cols)) co_return;
    if (stored == plan.tiles) {
      me.fail("memory-out-of-bounds", 0,
              "the tensor has " + std::to_string(stored) + " tiles, but more arrive", fix);
      co_return;
    }
    plan.addresses.tile(me, stored);
    co_await me.memory(requestsOf(plan.rows, plan.cols, x.element_bytes, plan.request_bytes));
    me.countTraffic(x.bytes());
    if (plan.tensor) plan.tensor->write(me, stored, x);
    ++stored;
    me.take(me.in(0));
  }
  if (plan.tiles && stored != *plan.tiles) {
    me.fail("wrong-token", 0,
            "the tensor has " + std::to_string(*plan.tiles) + " tiles, but the stream ended after " +
                std::to_string(stored),
            fix);
  }
}

LoadPlan tilePlan(const Instance& instance) {
  const int bytes = storedBytes(scalarOf(instance.op), instance.machine);
  LoadPlan plan{TileAddresses(instance, static_cast<std::uint64_t>(bytes), false), {}, {}, 0};
  const std::vector<std::uint64_t> tile = instance.list("tile");
  plan.tile = simulator::Token::tile(static_cast<std::uint32_t>(tile[0]), static_cast<std::uint32_t>(tile[1]),
                                     static_cast<std::uint8_t>(bytes), true);
  plan.requests =
      requestsOf(tile[0], tile[1], static_cast<std::uint64_t>(bytes), instance.machine.hbm_request_bytes);
  plan.tensor = instance.tensor();
  return plan;
}

LoadPlan loadPlan(const Instance& instance) {
  LoadPlan plan = tilePlan(instance);
  plan.view = instance.list("out_shape");
  return plan;
}

}  // namespace sluice::inline operators
