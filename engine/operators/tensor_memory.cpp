#include "engine/operators/tensor_memory.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "engine/core/extents_text.h"
#include "engine/core/random.h"
#include "engine/operators/registry.h"
#include "engine/program/spelling.h"

namespace sluice::inline operators {

namespace {

std::uint64_t hashOf(const std::string& name) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

float filling(std::uint64_t seed, std::size_t position) {
  const auto step = static_cast<int>(SplitMix64(seed + position).next() >> 58);  // 0 ... 63
  return static_cast<float>(step - 32) / 64.0F;
}

void extendFilled(const std::string& name, std::size_t elements, std::vector<float>& data) {
  const std::uint64_t seed = hashOf(name);
  for (std::size_t i = data.size(); i < elements; ++i) data.push_back(filling(seed, i));
}

constexpr double most_elements = 0x1p40;

/// False: the product may not even be computed.
bool plausible(const std::vector<std::size_t>& shape) {
  double elements = 1;
  for (const std::size_t extent : shape) elements *= static_cast<double>(extent);
  return elements <= most_elements;
}

std::vector<std::size_t> sizes(const FlatOperator& op, const std::string& parameter) {
  std::vector<std::size_t> list;
  if (!op.spec->parameter(parameter)) return list;
  for (const BoundInteger& number : op.parameters.list(parameter))
    list.push_back(static_cast<std::size_t>(number.value));
  return list;
}

std::vector<std::size_t> rowMajorStride(const std::vector<std::size_t>& extents) {
  std::vector<std::size_t> stride(extents.size(), 1);
  for (std::size_t d = extents.size(); d-- > 1;) stride[d - 1] = stride[d] * extents[d];
  return stride;
}

/// The view of a load, if it is one.
struct Walk {
  std::vector<std::size_t> extents, stride;
};

Walk walkOf(const FlatOperator& op) {
  Walk walk{sizes(op, op.spec->parameter("out_shape") ? "out_shape" : "shape"), sizes(op, "stride")};
  if (walk.stride.empty()) walk.stride = rowMajorStride(walk.extents);
  return walk;
}

/// The tensor that a load's view reads all of: as many tiles side by side as its last dimension steps through
/// one by one; a view of one dimension reads downwards. Nothing where there is no view.
std::vector<std::size_t> impliedShape(const FlatOperator& op) {
  const Walk walk = walkOf(op);
  if (walk.extents.empty()) return {};
  const std::vector<std::size_t> tile = sizes(op, "tile");
  std::size_t last = 0;
  for (std::size_t d = 0; d < walk.extents.size(); ++d) {
    if (!plausible({walk.extents[d], walk.stride[d]})) return {walk.extents[d], walk.stride[d]};
    last += (walk.extents[d] - 1) * walk.stride[d];
  }
  const std::size_t across = walk.extents.size() > 1 && walk.stride.back() == 1 ? walk.extents.back() : 1;
  return {(last / across + 1) * tile[0], across * tile[1]};
}

Location placeOf(const FlatOperator& op) {
  return Location(Where::Operator, op.name);
}

std::string tensorName(const FlatOperator& op) {
  const std::string& name = op.parameters.string("tensor");
  return name.empty() ? op.name : name;
}

}  // namespace

std::vector<ParameterSpec> tensorParameters() {
  return {{"tensor",
           ParameterKind::Text,
           Value(""),
           0,
           {},
           "functional mode: the tensor that is accessed; empty: one of the operator's own name",
           {}},
          listParameter("tensor_shape", "functional mode: shape of the whole tensor; empty: what is accessed",
                        1, Value(std::vector<Value>{}), "elements"),
          listParameter("tensor_origin",
                        "functional mode: row and column of the tensor at which tile 0 begins; empty: [0, 0]",
                        0, Value(std::vector<Value>{}), "elements")};
}

std::vector<ParameterSpec> withTensor(std::vector<ParameterSpec> parameters) {
  for (ParameterSpec& spec : tensorParameters()) parameters.push_back(std::move(spec));
  return parameters;
}

FloatTensor filledTensor(const std::string& name, std::vector<std::size_t> shape) {
  FloatTensor tensor{std::move(shape), {}};
  extendFilled(name, product(tensor.shape), tensor.data);
  return tensor;
}

/// Finds the tile's first row and column; grows the tensor where it may. False: the run ends with a fault.
bool TensorPort::locate(simulator::Context& me, std::uint64_t tile, const simulator::Token& token,
                        bool wrap) {
  Tensor& tensor = *tensor_;
  const std::size_t across = tensor.cols / token.cols;
  std::uint64_t index = tile + offset_;
  const std::uint64_t total = std::uint64_t{tensor.rows / token.rows} * across;
  if (index >= total && wrap && total > 0 && !tensor.grows) index %= total;
  if (index >= total && !tensor.grows) {
    me.fail("memory-out-of-bounds", 0,
            "tile " + std::to_string(index) + " is outside the tensor '" + tensor.name + "' of " +
                std::to_string(total) + " tiles",
            "check the addresses, tensor_shape and tensor_origin");
    return false;
  }
  const std::size_t row = index / across;
  if (!plausible({row + 1, token.rows, tensor.cols})) {
    me.fail("memory-out-of-bounds", 0,
            "tile " + std::to_string(index) + " of the tensor '" + tensor.name + "' is too far out",
            "check the addresses");
    return false;
  }
  row_ = row * token.rows;
  col_ = index % across * token.cols;
  const std::size_t rows = row_ + token.rows;
  if (rows <= tensor.rows) return true;
  if (!arithmetic_->charge(me, (rows - tensor.rows) * tensor.cols)) return false;
  tensor.rows = rows;
  if (tensor.filled) extendFilled(tensor.name, rows * tensor.cols, tensor.data);
  tensor.data.resize(rows * tensor.cols, 0.0F);
  return true;
}

void TensorPort::read(simulator::Context& me, std::uint64_t tile, simulator::Token& y) {
  if (task_) return task_->give(me, 0, y);
  if (!locate(me, tile, y, true)) return;
  const auto element = [&](std::size_t r, std::size_t c) -> float& {
    return tensor_->data[(row_ + r) * tensor_->cols + col_ + c];
  };
  if (y.isNumber()) {
    if (y.rows == 1 && y.cols == 1) y.scalar = static_cast<std::uint64_t>(std::max(0.0F, element(0, 0)));
    return;
  }
  const std::uint64_t place = std::uint64_t{row_} * tensor_->cols + col_;
  if (const auto known = read_.find(place); known != read_.end()) {
    y.values = known->second;
    return;
  }
  y.values = nullptr;
  simulator::TileValues* values = arithmetic_->fresh(me, y.rows, y.cols);
  if (!values) return;
  for (std::size_t r = 0; r < y.rows; ++r)
    std::copy_n(&element(r, 0), y.cols, values->elements.begin() + static_cast<std::ptrdiff_t>(r * y.cols));
  arithmetic_->finish(me, values, y);
  if (!tensor_->written) read_[place] = y.values;
}

void TensorPort::readView(simulator::Context& me, std::uint64_t ordinal, simulator::Token& y) {
  if (task_) return task_->give(me, 0, y);
  read(me, tileOfView(ordinal), y);
}

std::uint64_t TensorPort::tileOfView(std::uint64_t ordinal) const {
  std::uint64_t tile = 0;
  for (std::size_t d = extents_.size(); d-- > 0; ordinal /= extents_[d])
    tile += ordinal % extents_[d] * stride_[d];
  return tile;
}

std::uint64_t TensorPort::tiles(std::uint64_t rows, std::uint64_t cols) const {
  std::uint64_t count = 1;
  for (const std::uint64_t extent : extents_) count *= extent;
  return extents_.empty() ? tensor_->rows / rows * (tensor_->cols / cols) : count;
}

void TensorPort::appendTile(std::uint64_t number, std::uint64_t rows, std::uint64_t cols,
                            std::vector<float>& elements) const {
  const std::uint64_t across = tensor_->cols / cols, total = tensor_->rows / rows * across;
  const std::uint64_t index = ((extents_.empty() ? number : tileOfView(number)) + offset_) % total;
  for (std::uint64_t row = index / across * rows; row < (index / across + 1) * rows; ++row) {
    const auto first =
        tensor_->data.begin() + static_cast<std::ptrdiff_t>(row * tensor_->cols + index % across * cols);
    elements.insert(elements.end(), first, first + static_cast<std::ptrdiff_t>(cols));
  }
}

void TensorPort::write(simulator::Context& me, std::uint64_t tile, const simulator::Token& x) {
  if (task_) return task_->take(me, 0, x);
  if (!TileArithmetic::holdsValues(x) || !x.values) {
    return me.fail("uninitialised-read", 0,
                   "this tile has no elements: an operator before the store does not compute any",
                   "store tiles of floating-point numbers, made by operators that functional mode covers");
  }
  if (!locate(me, tile, x, false)) return;
  for (std::size_t r = 0; r < x.rows; ++r) {
    std::copy_n(x.values->elements.begin() + static_cast<std::ptrdiff_t>(r * x.cols), x.cols,
                tensor_->data.begin() + static_cast<std::ptrdiff_t>((row_ + r) * tensor_->cols + col_));
  }
}

/// Collects what is known of each tensor from the operators that name it.
struct TensorMemory::Builder {
  TensorMemory& memory;
  const TensorSet& given;
  std::uint64_t memory_limit;  ///< bytes of all tensors together
  Diagnostics problems = {};
  std::map<std::string, const FlatOperator*> shaped_by = {};

  Diagnostic& complain(Code code, const FlatOperator& op, std::string cause, std::string fix) {
    return problems.emplace_back(error(code, placeOf(op), std::move(cause), std::move(fix)));
  }

  void setShape(Tensor& tensor, std::vector<std::size_t> shape) {
    tensor.cols = shape.empty() ? 1 : shape.back();
    tensor.rows = tensor.cols == 0 ? 0 : product(shape) / tensor.cols;
    tensor.shape = std::move(shape);
    tensor.grows = false;
  }

  /// Round 1: tensors that are given, and those whose shape an operator states.
  void state(const FlatOperator& op) {
    const auto [found, is_new] = memory.tensors_.try_emplace(tensorName(op));
    Tensor& tensor = found->second;
    if (is_new) {
      tensor.name = found->first;
      tensor.grows = true;
      if (const auto supplied = given.find(tensor.name); supplied != given.end()) {
        setShape(tensor, supplied->second.shape);
        tensor.data = supplied->second.data;
      }
    }
    const std::vector<std::size_t> stated = sizes(op, "tensor_shape");
    if (stated.empty()) return;
    if (!plausible(stated)) {
      complain("too-many", op, "tensor_shape " + extentsText(stated) + " has more than 2^40 elements",
               "state a smaller tensor");
      return;
    }
    Tensor wanted;
    setShape(wanted, stated);
    if (tensor.grows) {
      setShape(tensor, stated);
    } else if (wanted.rows != tensor.rows || wanted.cols != tensor.cols) {
      complain("shape-mismatch", op,
               "tensor_shape is " + extentsText(stated) + ", but the tensor '" + tensor.name + "' is " +
                   extentsText(tensor.shape),
               "give the tensor, and every operator that names it, one shape");
    }
  }

  /// Round 2: the others take the shape that a load's view implies.
  void imply(const FlatOperator& op) {
    Tensor& tensor = memory.tensors_.at(tensorName(op));
    const std::vector<std::size_t> implied = impliedShape(op);
    if (implied.empty()) return;
    if (!plausible(implied)) {
      complain("too-many", op, "out_shape and stride reach over more than 2^40 elements",
               "state tensor_shape, or use smaller strides");
      return;
    }
    if (tensor.grows) {
      setShape(tensor, implied);
      shaped_by[tensor.name] = &op;
    } else if (const auto other = shaped_by.find(tensor.name);
               other != shaped_by.end() && tensor.shape != implied) {
      complain("shape-mismatch", op,
               "it reads the tensor '" + tensor.name + "' as " + extentsText(implied) + ", operator '" +
                   other->second->name + "' as " + extentsText(tensor.shape),
               "state tensor_shape")
          .related = {placeOf(*other->second)};
    }
  }

  /// The number of the tile at tensor_origin.
  std::uint64_t offsetOf(const FlatOperator& op, const Tensor& tensor, const std::vector<std::size_t>& tile) {
    const std::vector<std::size_t> origin = sizes(op, "tensor_origin");
    if (origin.empty()) return 0;
    if (origin.size() != 2 || origin[0] % tile[0] != 0 || origin[1] % tile[1] != 0) {
      complain(
          "tile-mismatch", op,
          "tensor_origin " + extentsText(origin) + " is not where a tile of " + extentsText(tile) + " begins",
          "write tensor_origin as [row, column], multiples of the tile's rows and columns");
      return 0;
    }
    return std::uint64_t{origin[0] / tile[0]} * (tensor.cols / tile[1]) + origin[1] / tile[1];
  }

  /// Round 3: the view of each operator.
  void connect(const FlatOperator& op, TileArithmetic& arithmetic, bool stores) {
    Tensor& tensor = memory.tensors_.at(tensorName(op));
    const std::vector<std::size_t> tile = sizes(op, "tile");
    if (tensor.cols == 0) tensor.cols = tile[1];
    tensor.written |= stores;
    tensor.filled |= !stores && !given.contains(tensor.name);
    const bool rows_fit = tensor.grows || tensor.rows % tile[0] == 0;
    const bool columns_fit = tensor.grows ? tensor.cols == tile[1] : tensor.cols % tile[1] == 0;
    if (!rows_fit || !columns_fit) {
      complain("tile-mismatch", op,
               "the tensor '" + tensor.name + "' of " +
                   extentsText(tensor.grows ? std::vector{tensor.cols} : tensor.shape) +
                   " does not consist of whole tiles of " + extentsText(tile),
               tensor.grows ? "state tensor_shape"
                            : "choose tiles that divide the tensor, or another tensor_shape");
    }
    TensorPort& port = memory.ports_[&op];
    port.arithmetic_ = &arithmetic;
    port.tensor_ = &tensor;
    port.offset_ = offsetOf(op, tensor, tile);
    const Walk walk = walkOf(op);
    port.extents_.assign(walk.extents.begin(), walk.extents.end());
    port.stride_.assign(walk.stride.begin(), walk.stride.end());
  }

  void checkSize() {
    const FlatOperator* largest = nullptr;
    double bytes = 0, most = 0;
    for (const auto& [op, port] : memory.ports_) {
      const double own =
          4.0 * static_cast<double>(port.tensor_->rows) * static_cast<double>(port.tensor_->cols);
      if (own > most) largest = op, most = own;
    }
    for (const auto& [name, tensor] : memory.tensors_)
      bytes += 4.0 * static_cast<double>(tensor.rows) * static_cast<double>(tensor.cols);
    if (bytes <= static_cast<double>(memory_limit)) return;
    complain("too-many", *largest,
             "the tensors of the program take " + std::to_string(static_cast<std::uint64_t>(bytes) >> 20U) +
                 " MiB; at most " + std::to_string(memory_limit >> 20U) + " are allowed",
             "verify a smaller instance of the program");
  }

  void checkGiven() {
    std::vector<std::string> names;
    for (const auto& [name, tensor] : memory.tensors_) names.push_back(name);
    for (const auto& [name, tensor] : given) {
      const Location place(Where::Tensor, name);
      if (!memory.tensors_.contains(name)) {
        problems.push_back(error("unknown-tensor", place, "no off-chip operator names it",
                                 spellingFix(name, names, "remove it")));
      } else if (tensor.data.size() != product(tensor.shape)) {
        problems.push_back(error("input-shape", place,
                                 "it has " + std::to_string(tensor.data.size()) + " elements and the shape " +
                                     extentsText(tensor.shape),
                                 "give as many elements as the shape says"));
      }
    }
  }
};

Result<TensorMemory> TensorMemory::of(const FlatGraph& graph, const TensorSet& given,
                                      TileArithmetic& arithmetic, const TaskValuesByName& tasks) {
  TensorMemory memory;
  Builder builder{memory, given, arithmetic.memoryLimit()};
  std::vector<const FlatOperator*> accesses;
  for (const FlatOperator& op : graph.operators) {
    if (op.spec->parameter("tensor") && !tasks.contains(op.name)) accesses.push_back(&op);
  }
  for (const FlatOperator* op : accesses) builder.state(*op);
  for (const FlatOperator* op : accesses) builder.imply(*op);
  const auto kinds = operatorsByKind();
  for (const FlatOperator* op : accesses)
    builder.connect(*op, arithmetic, kinds.at(op->spec->kind)->memory == MemoryRole::Writer);
  builder.checkGiven();
  builder.checkSize();
  if (!builder.problems.empty()) return std::move(builder.problems);
  for (const FlatOperator& op : graph.operators)
    if (const auto task = tasks.find(op.name); task != tasks.end() && op.spec->parameter("tensor"))
      memory.ports_[&op].task_ = task->second;
  for (auto& [name, tensor] : memory.tensors_) {
    const std::size_t elements = tensor.rows * tensor.cols;
    if (tensor.filled) extendFilled(name, elements, tensor.data);
    tensor.data.resize(elements, 0.0F);
  }
  return memory;
}

TensorPort* TensorMemory::port(const FlatOperator& op) {
  const auto found = ports_.find(&op);
  return found == ports_.end() ? nullptr : &found->second;
}

std::vector<std::string> TensorMemory::madeUp() const {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors_)
    if (tensor.filled && !tensor.written) names.push_back(name);
  return names;
}

TensorSet TensorMemory::outputs() const {
  TensorSet set;
  for (const auto& [name, tensor] : tensors_) {
    if (!tensor.written) continue;
    const bool as_stated = product(tensor.shape) == tensor.data.size() && !tensor.shape.empty();
    set.emplace(name,
                FloatTensor{as_stated ? tensor.shape : std::vector{tensor.rows, tensor.cols}, tensor.data});
  }
  return set;
}

}  // namespace sluice::inline operators
