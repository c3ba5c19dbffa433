#pragma once
// What the off-chip memory operators share: element sizes in memory, request counts, stop levels of a
// row-major view.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/operators/functional.h"
#include "engine/operators/operator.h"

namespace sluice::inline operators {

/// Bytes of one element in memory and in simulated tiles: float32 moves as bfloat16 when the machine says so
/// (engine/symbolic/cost_model.md 1.2).
int storedBytes(Scalar scalar, const BoundMachine& machine);
Scalar scalarOf(const FlatOperator& op);  ///< its parameter "scalar"

/// Requests that move one tile: every row is split on its own (engine/simulator/semantics.md 6.1).
std::uint64_t requestsOf(std::uint64_t rows, std::uint64_t cols, std::uint64_t element_bytes,
                         std::uint64_t request_bytes);

/// The view that a linear load reads: shape of the loaded tiles and their type.
struct LoadView {
  Shape shape;
  TileType tile;
};
LoadView loadView(const ShapeContext& t);
std::vector<ParameterSpec> loadParameters();
ParameterSpec scalarParameter();
/// Of a store: how many numbers of the program's results it stores, where that does not follow from its
/// tiles.
ParameterSpec resultsParameter();
/// The tile that parameters `tile` and (where there is one) `scalar` describe, and an error where `tile` is
/// not a sensible size.
TileType tileType(const ShapeContext& t);
std::optional<Diagnostic> checkTile(const ShapeContext& t);
/// An error where the first input does not carry addresses.
std::optional<Diagnostic> checkAddress(const ShapeContext& t);
/// An error where input `port` does not carry the tiles that a store is set to.
std::optional<Diagnostic> checkStore(const ShapeContext& t, std::size_t port);
/// The same in the run: otherwise the simulation ends with a fault and this is false.
bool checkStored(simulator::Context& me, std::uint32_t port, const simulator::Token& x, std::uint32_t rows,
                 std::uint32_t cols);
/// An error where the parameters of a load do not fit each other.
std::optional<Diagnostic> checkLoad(const ShapeContext& t);
/// Cost of a load that gives `output` (engine/symbolic/cost_model.md 3, 4): a staging tile on chip, every
/// tile moved once.
Cost loadCost(const ShapeContext& t, const StreamType& output);
/// Of a store of the tiles that come: 4 bytes a float even where it moves as bfloat16
/// (engine/symbolic/cost_model.md 4).
Cost storeCost(const ShapeContext& t, std::span<const StreamType> outputs);
/// What a transfer holds on chip: a tile, or two of them by the paper's equations.
Expr stagingBytes(const ShapeContext& t, const Expr& tile);

/// Walks a row-major tensor and tells the stop level of each element: how many innermost dimensions it
/// closes.
class StopCounter {
 public:
  explicit StopCounter(std::vector<std::uint64_t> extents)
      : extents_(std::move(extents)), index_(extents_.size(), 0) {}

  std::uint64_t total() const {
    std::uint64_t product = 1;
    for (const std::uint64_t extent : extents_) product *= extent;
    return product;
  }
  /// The indices of the next element, outermost first.
  const std::vector<std::uint64_t>& place() const { return index_; }
  std::uint32_t next() {
    std::uint32_t level = 0;
    for (std::size_t d = extents_.size(); d-- > 0; ++level) {
      if (++index_[d] < extents_[d]) break;
      index_[d] = 0;
    }
    return level;
  }

 private:
  std::vector<std::uint64_t> extents_, index_;
};

/// Tells a memory with banks where tiles lie; with the memory node it does nothing. Tile n of a tensor whose
/// rows hold `row_tiles` tiles is in tile row n / row_tiles. A row of tiles ends where a load steps to the
/// next one: at its smallest stride above 1, else at its innermost extent. A tensor whose shape is not known
/// (stores, random accesses) has its tiles one after another.
class TileAddresses {
 public:
  /// `element_bytes`: as they are stored.
  TileAddresses(const Instance& instance, std::uint64_t element_bytes, bool write);

  /// The next memory requests are of that tile.
  void tile(simulator::Context& me, std::uint64_t number) const {
    if (row_tiles_ > 0) [[unlikely]]
      locate(me, number);
  }
  /// ... of the next tile of a load's view.
  void next(simulator::Context& me) {
    if (row_tiles_ > 0) [[unlikely]]
      tile(me, walk());
  }

 private:
  void locate(simulator::Context& me, std::uint64_t number) const;
  std::uint64_t walk();

  simulator::Access access_;
  std::uint64_t row_tiles_ = 0, tile_bytes_ = 0, tile_row_bytes_ = 0;
  std::vector<std::uint64_t> view_, stride_, index_;
};

/// Everything a running store in the stream's own order needs.
struct StorePlan {
  TileAddresses addresses;
  std::uint32_t rows = 0, cols = 0;
  std::uint64_t request_bytes = 0;
  TensorPort* tensor = nullptr;        ///< functional mode
  std::optional<std::uint64_t> tiles;  ///< as many must come; absent: any number
};
StorePlan storePlan(const Instance& instance);
/// Stores tile after tile; each holds its slot until the last acknowledgement.
simulator::Process storeInOrder(simulator::Context& me, StorePlan plan);

/// Memory that an operator's tensor takes, in whole pages of 4 KiB; 64 GiB where its shape is not known.
std::uint64_t tensorBytes(const Instance& instance);

/// Everything a running load needs.
struct LoadPlan {
  TileAddresses addresses;
  std::vector<std::uint64_t> view;
  simulator::Token tile;
  std::uint64_t requests = 0;
  TensorPort* tensor = nullptr;  ///< functional mode
};

/// Outside reference mode a load reads tiles ahead: those that fit in the output FIFO and in a double buffer
/// for staging. Tile i may be issued when tile i - 2 has a slot in the FIFO. What a consumer has taken is
/// only certain up to the time of an answer, and where a slot was waited for: there tiles are issued.
class ReadAhead {
 public:
  /// The next `tiles` elements of `out`.
  ReadAhead(simulator::Context& me, simulator::Channel& out, TileAddresses& addresses, std::uint64_t requests,
            std::uint64_t tiles)
      : me_(me),
        out_(out),
        addresses_(addresses),
        requests_(requests),
        issued_(out.sent()),
        end_(out.sent() + tiles) {
    issueBelow(std::max(out.sent(), out.capacity()) + 2);
  }
  void answered(Cycles time) { issueBelow(out_.takenBefore(time) + out_.capacity() + 2); }
  void slotFree() { issueBelow(out_.sent() + 3); }

 private:
  void issueBelow(std::uint64_t tile) {
    for (; issued_ < std::min(tile, end_); ++issued_) {
      addresses_.next(me_);
      me_.request(requests_);
    }
  }

  simulator::Context& me_;
  simulator::Channel& out_;
  TileAddresses& addresses_;
  std::uint64_t requests_, issued_, end_;
};

LoadPlan tilePlan(const Instance& instance);  ///< without a view
LoadPlan loadPlan(const Instance& instance);

}  // namespace sluice::inline operators
