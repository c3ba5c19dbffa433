// Slow model: off-chip loads and stores, sources, sinks, on-chip buffers
// (engine/operators/timing.md 2, 3, 7).
#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "tests/engine/support/slow_operators.h"

namespace sluice::slow {

SlowValue tile(std::uint64_t rows, std::uint64_t cols, std::uint64_t bytes_per_element) {
  SlowValue value;
  value.rows = value.valid = rows;
  value.cols = cols;
  value.bytes_per_element = bytes_per_element;
  return value;
}

SlowValue number(std::uint64_t value) {
  SlowValue result = tile(1, 1, 8);
  result.scalar = value;
  return result;
}

SlowValue oneHot(std::uint32_t index, std::uint64_t width) {
  SlowValue selector;
  selector.width = width;
  selector.selected = {index};
  return selector;
}

std::uint64_t elementBytes(const Replay& replay, const std::string& scalar) {
  if (scalar == "u64") return 8;
  if (scalar == "f16") return 2;
  return replay.machine().mock_bf16 ? 2 : 4;
}

std::vector<std::uint32_t> rowMajorStops(const std::vector<std::uint64_t>& shape) {
  std::uint64_t elements = 1;
  for (std::uint64_t extent : shape) elements *= extent;
  std::vector<std::uint32_t> stops(elements, 0);
  for (std::uint64_t i = 0; i < elements; ++i) {
    std::uint64_t inner = 1;
    for (std::uint32_t level = 1; level <= shape.size(); ++level) {
      inner *= shape[shape.size() - level];
      if ((i + 1) % inner == 0) stops[i] = level;
    }
  }
  return stops;
}

bool isLoad(const FlatOperator& op) {
  const std::string& kind = op.spec->kind;
  return kind == "LinearOffChipLoad" || kind == "LinearOffChipLoadRef" || kind == "DynLinearOffChipLoad" ||
         kind == "RandomOffChipLoad";
}
bool isStore(const FlatOperator& op) {
  const std::string& kind = op.spec->kind;
  return kind == "LinearOffChipStore" || kind == "DynOffChipStore" || kind == "RandomOffChipStore";
}

namespace {

/// Streams the whole view once; `outer` is added to the stop of its last tile.
void loadView(Replay& replay, const std::vector<std::uint64_t>& view, std::uint32_t outer) {
  const std::vector<std::uint64_t> shape = replay.list("tile");
  SlowValue loaded = tile(shape.at(0), shape.at(1), elementBytes(replay, replay.choice("scalar")));
  loaded.in_memory_unit = true;
  const std::vector<std::uint32_t> stops = rowMajorStops(view);
  for (std::size_t i = 0; i < stops.size(); ++i) {
    replay.moveTile(loaded.rows, loaded.cols, loaded.bytes_per_element, replay.natural("par_dispatch"));
    replay.enqueue(0, loaded, stops[i] + (i + 1 == stops.size() ? outer : 0));
  }
}

void load(Replay& replay) {
  loadView(replay, replay.list("out_shape"), 0);
}

/// The extents of the view are the numbers of an input.
void dynamicLoad(Replay& replay) {
  const std::vector<std::int64_t>& numbers = replay.input("extents").tensor.data;
  loadView(replay, {numbers.begin(), numbers.end()}, 0);
}

void loadRef(Replay& replay) {
  while (const auto reference = replay.dequeue(0))
    loadView(replay, replay.list("out_shape"), reference->stop);
}

/// `room`: tiles that fit, if given.
std::uint64_t storeTiles(Replay& replay, std::optional<std::uint64_t> room) {
  const std::vector<std::uint64_t> shape = replay.list("tile");
  std::uint64_t stored = 0;
  while (const auto token = replay.peek(0)) {
    const SlowValue& value = token->value;
    if (room && stored == *room) replay.fail(0, "more tiles than the tensor has");
    if (value.rows != shape.at(0) || value.cols != shape.at(1)) replay.fail(0, "another tile than declared");
    replay.moveTile(value.rows, value.cols, value.bytes_per_element, replay.natural("par_dispatch"));
    replay.dequeue(0);
    ++stored;
  }
  return stored;
}

void store(Replay& replay) {
  storeTiles(replay, {});
}

/// The tensor has as many tiles as the product of the input's numbers.
void dynamicStore(Replay& replay) {
  std::uint64_t room = 1;
  for (const std::int64_t extent : replay.input("extents").tensor.data)
    room *= static_cast<std::uint64_t>(extent);
  if (storeTiles(replay, room) < room) replay.fail(0, "fewer tiles than the tensor has");
}

void randomLoad(Replay& replay) {
  const std::vector<std::uint64_t> shape = replay.list("tile");
  SlowValue loaded = tile(shape.at(0), shape.at(1), elementBytes(replay, replay.choice("scalar")));
  loaded.in_memory_unit = true;
  while (const auto address = replay.dequeue(0)) {
    replay.moveTile(loaded.rows, loaded.cols, loaded.bytes_per_element, replay.natural("par_dispatch"));
    replay.enqueue(0, loaded, address->stop);
  }
}

void randomStore(Replay& replay) {
  const std::vector<std::uint64_t> shape = replay.list("tile");
  for (;;) {
    const auto address = replay.peek(0), data = replay.peek(1);
    if (!address && !data) return;
    if (!address || !data) replay.fail(address ? 1 : 0, "closed while the other input has data");
    if (data->value.rows != shape.at(0) || data->value.cols != shape.at(1))
      replay.fail(1, "another tile than declared");
    replay.moveTile(shape.at(0), shape.at(1), data->value.bytes_per_element, replay.natural("par_dispatch"));
    replay.enqueue(0, tile(1, 1, 1), replay.flag("ack_from_address") ? address->stop : data->stop);
    replay.dequeue(0);
    replay.dequeue(1);
  }
}

void consumer(Replay& replay) {
  while (replay.dequeue(0)) replay.spend(1);
}

std::vector<std::uint64_t> extents(const IntTensor& tensor) {
  return {tensor.shape.begin(), tensor.shape.end()};
}

void selectGen(Replay& replay) {
  const InputData& input = replay.input();
  std::vector<std::uint64_t> shape = extents(input.tensor);
  const bool matrix = input.kind == InputKind::Tensor;
  const bool one_hot = !matrix && replay.choice("view") == "one_hot";
  const std::uint64_t row = one_hot ? 1 : shape.back();
  if (!one_hot) shape.pop_back();

  SlowValue selector;
  selector.width = matrix ? row : static_cast<std::uint64_t>(input.experts);
  const std::vector<std::uint32_t> stops = rowMajorStops(shape);
  for (std::size_t i = 0; i < stops.size(); ++i) {
    selector.selected.clear();
    for (std::uint64_t k = 0; k < row; ++k) {
      const std::int64_t number = input.tensor.data[i * row + k];
      if (!matrix) selector.selected.push_back(static_cast<std::uint32_t>(number));
      if (matrix && number != 0) selector.selected.push_back(static_cast<std::uint32_t>(k));
    }
    std::sort(selector.selected.begin(), selector.selected.end());
    replay.enqueue(0, replay.now() + 1, selector, stops[i]);
    replay.spend(1);
  }
}

/// Positions of the values that a MetadataGen emits: runs of `block` values that begin `every` values apart.
std::vector<std::uint64_t> emittedPositions(const Replay& replay, std::uint64_t values) {
  const std::uint64_t first = replay.natural("first"), block = replay.natural("block"),
                      every = replay.natural("every");
  const std::uint64_t count = replay.natural("count") > 0 ? replay.natural("count") : values - first;
  std::vector<std::uint64_t> positions;
  std::uint64_t begin = first, run = 0;
  while (positions.size() < count) {
    positions.push_back(begin + run);
    if (++run != block) continue;
    begin += every > 0 ? every : block;
    run = 0;
  }
  return positions;
}

void metadataGen(Replay& replay) {
  const IntTensor& tensor = replay.input().tensor;
  const std::string& emit = replay.choice("emit");
  const std::uint64_t unit = replay.natural("unit");
  const std::vector<std::uint64_t> positions = emittedPositions(replay, tensor.data.size());
  std::vector<std::uint64_t> all(tensor.data.size());
  std::iota(all.begin(), all.end(), 0u);
  const bool everything = positions == all;
  const std::vector<std::uint32_t> stops =
      rowMajorStops(everything ? extents(tensor) : std::vector<std::uint64_t>{positions.size()});
  const Cycles start = replay.now();
  for (std::size_t i = 0; i < stops.size(); ++i) {
    const auto length = static_cast<std::uint64_t>(tensor.data.at(positions[i]));
    std::uint64_t value = length;
    if (emit == "tiles") value = length / unit + 1;  // one more row is to be appended
    if (emit == "remainder") value = length % unit;
    if (emit == "index") value = positions[i];
    replay.enqueue(0, start + i, number(value), stops[i]);
  }
}

/// One sweep, or one for each element of the trigger: `sweep(s)` adds s to the stop of its last number.
template <class Sweep>
void sweeps(Replay& replay, const Sweep& sweep) {
  if (replay.inputs() == 0) return sweep(0);
  while (const auto trigger = replay.dequeue(0)) sweep(trigger->stop);
}

void counter(Replay& replay) {
  const std::uint64_t max = replay.natural("max");
  sweeps(replay, [&](std::uint32_t outer) {
    for (std::uint64_t i = 0; i < max; ++i) replay.enqueue(0, number(i), i + 1 < max ? 0 : 1 + outer);
  });
}

/// The row, then the column, of every place of a grid.
void counter2D(Replay& replay) {
  const std::uint64_t rows = replay.natural("rows"), columns = replay.natural("columns");
  sweeps(replay, [&](std::uint32_t outer) {
    for (std::uint64_t row = 0; row < rows; ++row) {
      for (std::uint64_t column = 0; column < columns; ++column) {
        const bool row_ends = column + 1 == columns;
        const std::uint32_t stop = !row_ends ? 0 : row + 1 < rows ? 1 : 2 + outer;
        replay.enqueue(0, number(row), stop);
        replay.enqueue(1, number(column), stop);
      }
    }
  });
}

void tileGen(Replay& replay) {
  const std::vector<std::uint64_t> shape = replay.list("tile");
  const SlowValue value = tile(shape.at(0), shape.at(1), elementBytes(replay, replay.choice("scalar")));
  const Cycles interval = replay.natural("interval");
  for (std::uint32_t stop : rowMajorStops(replay.list("shape"))) {
    replay.enqueue(0, replay.now() + interval, value, stop);
    replay.spend(interval);
  }
}

void bufferize(Replay& replay) {
  const std::uint64_t rank = replay.natural("rank");
  std::vector<std::pair<SlowValue, std::uint32_t>> elements;
  while (const auto token = replay.dequeue(0)) {
    elements.emplace_back(token->value, std::min(token->stop, static_cast<std::uint32_t>(rank)));
    if (token->stop < rank) {
      replay.spend(1);
      continue;
    }
    SlowValue buffer;
    buffer.buffer =
        std::make_shared<const std::vector<std::pair<SlowValue, std::uint32_t>>>(std::move(elements));
    elements.clear();
    replay.enqueue(0, buffer, token->stop - static_cast<std::uint32_t>(rank));
  }
  if (!elements.empty()) replay.fail(0, "closed inside a buffer");
}

/// Streams the buffer once; `more` is added to the stop of the element that closes it. A buffer of a single
/// element has lost its rank: its stop is 1, which closes nothing unless the rank is 1
/// (engine/operators/timing.md 7.2).
void streamOnce(Replay& replay, const SlowValue& buffer, std::uint32_t rank, std::uint32_t more) {
  const auto& elements = *buffer.buffer;
  for (const auto& [value, stored] : elements) {
    const std::uint32_t stop = elements.size() == 1 ? 1 : stored;
    replay.enqueue(0, value, stop == rank ? rank + more : stop);
    replay.spend(1);
  }
}

void streamify(Replay& replay) {
  const auto rank = static_cast<std::uint32_t>(replay.natural("rank"));
  std::vector<std::uint64_t> repeats = replay.list("repeat");
  std::reverse(repeats.begin(), repeats.end());
  while (const auto token = replay.peek(0)) {
    if (repeats.empty()) streamOnce(replay, token->value, rank, token->stop);
    for (std::uint32_t entry = 0; entry < repeats.size(); ++entry)
      for (std::uint64_t pass = 1; pass <= repeats[entry]; ++pass)
        streamOnce(replay, token->value, rank, pass < repeats[entry] ? 0 : 1 + entry + token->stop);
    replay.dequeue(0);
  }
}

/// A buffer with a stop is streamed for references up to the one that closes its group (stop above
/// repeat_rank); one without is streamed for all there are, none of which may have a stop, as in Expand.
void dynStreamify(Replay& replay) {
  const auto rank = static_cast<std::uint32_t>(replay.natural("rank"));
  while (const auto token = replay.peek(0)) {
    const bool lonely = token->stop == 0;
    for (bool next = false; !next;) {
      const auto reference = replay.dequeue(1);
      if (!reference && lonely) break;
      if (!reference) replay.fail(1, "the reference closed inside a group");
      if (lonely && reference->stop > 0) replay.fail(1, "a stop, where the buffer has none");
      streamOnce(replay, token->value, rank, reference->stop);
      next = reference->stop >= replay.natural("repeat_rank") + 1;
    }
    replay.dequeue(0);
  }
}

/// Element (i, j, ...) of the view is tile i * stride_i + j * stride_j + ... of the buffer.
void staticStreamify(Replay& replay) {
  const std::vector<std::uint64_t> view = replay.list("out_shape");
  std::vector<std::uint64_t> strides = replay.list("stride");
  if (strides.empty()) {
    for (std::size_t d = 0; d < view.size(); ++d) {
      std::uint64_t inner = 1;
      for (std::size_t k = d + 1; k < view.size(); ++k) inner *= view[k];
      strides.push_back(inner);
    }
  }
  std::vector<std::uint64_t> numbers = {0};
  for (std::size_t d = 0; d < view.size(); ++d) {
    std::vector<std::uint64_t> finer;
    for (const std::uint64_t number : numbers)
      for (std::uint64_t i = 0; i < view[d]; ++i) finer.push_back(number + i * strides[d]);
    numbers = finer;
  }
  const std::vector<std::uint32_t> stops = rowMajorStops(view);
  while (const auto token = replay.peek(0)) {
    const auto& elements = *token->value.buffer;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] >= elements.size()) replay.fail(0, "the view reaches beyond the buffer");
      replay.enqueue(0, elements[numbers[i]].first, stops[i] + (i + 1 == numbers.size() ? token->stop : 0));
      replay.spend(1);
    }
    replay.dequeue(0);
  }
}

}  // namespace

Procedure memoryProcedure(const std::string& kind) {
  static const std::map<std::string, Procedure> procedures = {{"LinearOffChipLoad", load},
                                                              {"LinearOffChipLoadRef", loadRef},
                                                              {"LinearOffChipStore", store},
                                                              {"RandomOffChipLoad", randomLoad},
                                                              {"RandomOffChipStore", randomStore},
                                                              {"DynLinearOffChipLoad", dynamicLoad},
                                                              {"DynOffChipStore", dynamicStore},
                                                              {"Consumer", consumer},
                                                              {"Printer", consumer},
                                                              {"Counter", counter},
                                                              {"Counter2D", counter2D},
                                                              {"SelectGen", selectGen},
                                                              {"MetadataGen", metadataGen},
                                                              {"TileGen", tileGen},
                                                              {"Bufferize", bufferize},
                                                              {"Streamify", streamify},
                                                              {"DynStreamify", dynStreamify},
                                                              {"StaticStreamify", staticStreamify}};
  const auto found = procedures.find(kind);
  return found == procedures.end() ? nullptr : found->second;
}

void runOperator(Replay& replay) {
  const std::string& kind = replay.op().spec->kind;
  for (auto group : {memoryProcedure, computeProcedure, shapeProcedure, addressProcedure, taskProcedure})
    if (Procedure procedure = group(kind)) return procedure(replay);
  throw std::logic_error("the slow model does not know " + kind);
}

}  // namespace sluice::slow
