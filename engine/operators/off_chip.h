#pragma once
// What the off-chip memory operators share: element sizes in memory, request counts, stop levels of a
// row-major view.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/operators/functional.h"
#include "engine/operators/operator.h"

namespace sluice {

/// Bytes of one element in memory and in simulated tiles: float32 moves as bfloat16 when the machine says so
/// (front end 1.3).
int storedBytes(Scalar scalar, const BoundMachine& machine);
Scalar scalarNamed(const std::string& name);

/// Requests that move one tile: every row is split on its own (step_sim_spec 3.1).
std::uint64_t requestsOf(std::uint64_t rows, std::uint64_t cols, std::uint64_t element_bytes,
                         std::uint64_t request_bytes);

/// The view that a linear load reads: shape of the loaded tiles and their type.
struct LoadView {
  Shape shape;
  TileType tile;
};
LoadView loadView(const Typing& t);
std::vector<ParameterSpec> loadParameters();
ParameterSpec scalarParameter();
/// The tile that parameters `tile` and (where there is one) `scalar` describe, and an error where `tile` is
/// not a sensible size.
TileType tileType(const Typing& t);
std::optional<Diagnostic> checkTile(const Typing& t);
/// An error where the parameters of a load do not fit each other.
std::optional<Diagnostic> checkLoad(const Typing& t);
/// Cost of a load that gives `output` (front end 2.2, 2.3): a staging tile on chip, every tile moved once.
Cost loadCost(const Typing& t, const StreamType& output);
/// What a transfer holds on chip: a tile, or two of them by the paper's equations.
Expr stagingBytes(const Typing& t, const Expr& tile);

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

/// Everything a running load needs.
struct LoadPlan {
  std::vector<std::uint64_t> view;
  sim::Token tile;
  std::uint64_t requests = 0;
  TensorPort* tensor = nullptr;  ///< functional mode
};

/// Outside reference mode a load reads tiles ahead: those that fit in the output FIFO and in a double buffer
/// for staging. Tile i may be issued when tile i - 2 has a slot in the FIFO. What a consumer has taken is
/// only certain up to the time of an answer, and where a slot was waited for: there tiles are issued.
class ReadAhead {
 public:
  /// The next `tiles` elements of `out`.
  ReadAhead(sim::Context& me, sim::Channel& out, std::uint64_t requests, std::uint64_t tiles)
      : me_(me), out_(out), requests_(requests), issued_(out.sent()), end_(out.sent() + tiles) {
    issueBelow(std::max(out.sent(), out.capacity()) + 2);
  }
  void answered(Cycles time) { issueBelow(out_.takenBefore(time) + out_.capacity() + 2); }
  void slotFree() { issueBelow(out_.sent() + 3); }

 private:
  void issueBelow(std::uint64_t tile) {
    for (; issued_ < std::min(tile, end_); ++issued_) me_.request(requests_);
  }

  sim::Context& me_;
  sim::Channel& out_;
  std::uint64_t requests_, issued_, end_;
};

LoadPlan tilePlan(const Instance& instance);  ///< without a view
LoadPlan loadPlan(const Instance& instance);

}  // namespace sluice
