// Slow model: off-chip loads and stores, sources, sinks, on-chip buffers (spec 3.1, 3.2, 3.4).
#include <algorithm>
#include <map>
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
  return kind == "LinearOffChipLoad" || kind == "LinearOffChipLoadRef" || kind == "RandomOffChipLoad";
}
bool isStore(const FlatOperator& op) {
  return op.spec->kind == "LinearOffChipStore" || op.spec->kind == "RandomOffChipStore";
}

namespace {

/// Streams the whole view once; `outer` is added to the stop of its last tile.
void loadView(Replay& replay, std::uint32_t outer) {
  const std::vector<std::uint64_t> shape = replay.list("tile");
  SlowValue loaded = tile(shape.at(0), shape.at(1), elementBytes(replay, replay.choice("scalar")));
  loaded.in_memory_unit = true;
  const std::vector<std::uint32_t> stops = rowMajorStops(replay.list("out_shape"));
  for (std::size_t i = 0; i < stops.size(); ++i) {
    replay.moveTile(loaded.rows, loaded.cols, loaded.bytes_per_element, replay.natural("par_dispatch"));
    replay.enqueue(0, loaded, stops[i] + (i + 1 == stops.size() ? outer : 0));
  }
}

void load(Replay& replay) {
  loadView(replay, 0);
}

void loadRef(Replay& replay) {
  while (const auto reference = replay.dequeue(0)) loadView(replay, reference->stop);
}

void store(Replay& replay) {
  const std::vector<std::uint64_t> shape = replay.list("tile");
  while (const auto token = replay.peek(0)) {
    const SlowValue& value = token->value;
    if (value.rows != shape.at(0) || value.cols != shape.at(1)) replay.fail(0, "another tile than declared");
    replay.moveTile(value.rows, value.cols, value.bytes_per_element, replay.natural("par_dispatch"));
    replay.dequeue(0);
  }
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

void metadataGen(Replay& replay) {
  const IntTensor& tensor = replay.input().tensor;
  const std::vector<std::uint32_t> stops = rowMajorStops(extents(tensor));
  const Cycles start = replay.now();
  for (std::size_t i = 0; i < stops.size(); ++i) {
    SlowValue number = tile(1, 1, 8);
    number.scalar = static_cast<std::uint64_t>(tensor.data[i]);
    replay.enqueue(0, start + i, number, stops[i]);
  }
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
/// element has lost its rank: its stop is 1, which closes nothing unless the rank is 1 (spec 3.4 and 8.2).
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

}  // namespace

Procedure memoryProcedure(const std::string& kind) {
  static const std::map<std::string, Procedure> procedures = {{"LinearOffChipLoad", load},
                                                              {"LinearOffChipLoadRef", loadRef},
                                                              {"LinearOffChipStore", store},
                                                              {"RandomOffChipLoad", randomLoad},
                                                              {"RandomOffChipStore", randomStore},
                                                              {"Consumer", consumer},
                                                              {"SelectGen", selectGen},
                                                              {"MetadataGen", metadataGen},
                                                              {"TileGen", tileGen},
                                                              {"Bufferize", bufferize},
                                                              {"Streamify", streamify}};
  const auto found = procedures.find(kind);
  return found == procedures.end() ? nullptr : found->second;
}

void runOperator(Replay& replay) {
  const std::string& kind = replay.op().spec->kind;
  for (auto group : {memoryProcedure, computeProcedure, shapeProcedure, addressProcedure})
    if (Procedure procedure = group(kind)) return procedure(replay);
  throw std::logic_error("the slow model does not know " + kind);
}

}  // namespace sluice::slow
