#pragma once
// TensorMemory: what off-chip memory holds in functional mode. A tensor of rank n is a matrix of its last
// dimension by all others; an operator sees it in tiles, numbered row by row. Which tensor an operator means,
// and where in it, say its parameters `tensor`, `tensor_shape` and `tensor_origin` (tensorParameters()); they
// have no influence on timing.

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/core/float_tensor.h"
#include "engine/operators/operator.h"
#include "engine/operators/task_values.h"
#include "engine/operators/tile_arithmetic.h"

namespace sluice::inline operators {

std::vector<ParameterSpec> tensorParameters();
/// `parameters` and behind them tensorParameters().
std::vector<ParameterSpec> withTensor(std::vector<ParameterSpec> parameters);

/// The contents of a tensor that is not supplied: small numbers, multiples of 1/64 in [-1/2, 1/2), made of
/// its name and the element's position alone.
FloatTensor filledTensor(const std::string& name, std::vector<std::size_t> shape);

/// An off-chip operator's view of its tensor; of one that stands for a task, what the task computes.
class TensorPort {
 public:
  /// Gives `y` the elements of tile number `tile` (counted from tensor_origin).
  void read(simulator::Context& me, std::uint64_t tile, simulator::Token& y);
  /// The same for the tile that a linear load reads as number `ordinal` (timing.md 2).
  void readView(simulator::Context& me, std::uint64_t ordinal, simulator::Token& y);
  void write(simulator::Context& me, std::uint64_t tile, const simulator::Token& x);

  /// What it accesses, for who gives it to another simulator: a view's tiles in their order, else those of
  /// the whole tensor, tensor_origin first, those before it last. Tiles have the given size.
  std::uint64_t tiles(std::uint64_t rows, std::uint64_t cols) const;
  /// Appends the elements of one of them, row by row.
  void appendTile(std::uint64_t number, std::uint64_t rows, std::uint64_t cols,
                  std::vector<float>& elements) const;
  const std::string& tensorName() const { return tensor_->name; }

 private:
  friend class TensorMemory;
  struct Tensor {
    std::string name;
    std::size_t rows = 0, cols = 0;
    bool grows = false;   ///< downwards, as tiles are asked for: nothing says how large it is
    bool filled = false;  ///< new elements come from the hash of the name, not 0
    bool written = false;
    std::vector<std::size_t> shape;  ///< as returned; empty: rows x cols
    std::vector<float> data;
  };

  std::uint64_t tileOfView(std::uint64_t ordinal) const;
  bool locate(simulator::Context& me, std::uint64_t tile, const simulator::Token& token, bool wrap);

  TaskValues* task_ = nullptr;
  TileArithmetic* arithmetic_ = nullptr;
  Tensor* tensor_ = nullptr;
  std::uint64_t offset_ = 0;                     ///< tiles
  std::vector<std::uint64_t> extents_, stride_;  ///< of a linear load
  std::size_t row_ = 0, col_ = 0;                ///< of the tile located last
  /// Tiles read so far, by their first element, of a tensor that is never written: no need to read them
  /// twice.
  std::unordered_map<std::uint64_t, const simulator::TileValues*> read_;
};

class TensorMemory {
 public:
  /// Errors: a given tensor that no operator names, shapes that contradict each other, tiles that do not
  /// divide their tensor. Operators of `tasks` have no tensor here.
  static Result<TensorMemory> of(const FlatGraph& graph, const TensorSet& given, TileArithmetic& arithmetic,
                                 const TaskValuesByName& tasks = {});

  TensorPort* port(const FlatOperator& op);  ///< null: not an off-chip operator
  /// Those that nobody gives.
  std::vector<std::string> madeUp() const;
  /// Every tensor that a store names.
  TensorSet outputs() const;

 private:
  using Tensor = TensorPort::Tensor;
  struct Builder;

  std::map<std::string, Tensor> tensors_;
  std::map<const FlatOperator*, TensorPort> ports_;
};

}  // namespace sluice::inline operators
