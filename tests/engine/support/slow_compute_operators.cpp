// Slow model: maps and accumulators, the roofline (engine/operators/timing.md 6, 9).
#include <algorithm>
#include <map>

#include "tests/engine/support/slow_operators.h"

namespace sluice::slow {

Cycles readCycles(const Replay& replay, const SlowValue& value) {
  return value.in_memory_unit ? ceilDiv(value.size(), replay.machine().on_chip_bandwidth) : 0;
}

Cycles writeCycles(const Replay& replay, const SlowValue& value) {
  return ceilDiv(value.size(), replay.machine().on_chip_bandwidth);
}

namespace {

struct Work {
  Flops flops = 0;
  Cycles flat = 0;  ///< cycles of a function that costs the same whatever the tile
  SlowValue result;
};

std::uint64_t commonExtent(const Replay& replay, std::uint64_t a, std::uint64_t b) {
  if (a != b && a != 1 && b != 1) replay.fail(0, "tiles that do not broadcast");
  return std::max(a, b);
}

Work elementwise(const Replay& replay, const SlowValue& a, const SlowValue& b) {
  Work work;
  work.result =
      tile(commonExtent(replay, a.rows, b.rows), commonExtent(replay, a.cols, b.cols), a.bytes_per_element);
  work.result.valid = a.rows == b.rows ? std::max(a.valid, b.valid) : (a.rows == 1 ? b.valid : a.valid);
  work.flops = work.result.rows * work.result.cols;
  return work;
}

Work matmul(const Replay& replay, const SlowValue& a, const SlowValue& b) {
  const bool transposed = replay.flag("weight_transposed");
  if (a.cols != (transposed ? b.cols : b.rows)) replay.fail(1, "inner sizes differ");
  Work work;
  work.result = tile(a.rows, transposed ? b.rows : b.cols, a.bytes_per_element);
  work.result.valid = a.valid;
  work.flops = 2 * a.rows * a.cols * work.result.cols;
  return work;
}

/// The bookkeeping of a cache: one cycle each.
std::optional<Work> bookkeeping(const Replay& replay, const SlowValue& a, const SlowValue& b) {
  const std::string& function = replay.choice("function");
  Work work{0, 1, a};
  if (function == "set_offset") {
    work.result.valid = b.scalar;
  } else if (function == "row_append") {
    if (a.valid + b.rows > a.rows) replay.fail(1, "no room for more rows");
    work.result.valid = a.valid + b.rows;
  } else if (function == "cache_write_address") {
    work.result = tile(1, 1, 8);
    work.result.scalar = a.scalar * replay.natural("row_offset") + b.scalar;
  } else {
    return std::nullopt;
  }
  return work;
}

Work binary(const Replay& replay, const SlowValue& a, const SlowValue& b) {
  if (const auto work = bookkeeping(replay, a, b)) return *work;
  const bool product = replay.choice("function").ends_with("matmul");
  return product ? matmul(replay, a, b) : elementwise(replay, a, b);
}

Work unary(const Replay& replay, const SlowValue& a) {
  const std::string& function = replay.choice("function");
  Work work;
  work.result = tile(a.rows, function == "row_sum" ? 1 : a.cols, a.bytes_per_element);
  work.result.valid = a.valid;
  work.flops = a.rows * a.cols * (function == "silu" ? 8 : function == "exp" ? 4 : 1);
  return work;
}

Work accumulate(const Replay& replay, const SlowValue& so_far, const SlowValue& a) {
  const std::string& function = replay.choice("function");
  if (function == "signal_all_read") {
    Work work{0, 1, tile(1, 1, 8)};
    work.result.scalar = 1;
    return work;
  }
  if (!function.starts_with("retile")) return elementwise(replay, a, so_far);
  const bool rows = function == "retile_row";
  if (rows ? a.cols != so_far.cols : a.rows != so_far.rows) replay.fail(0, "tiles that do not stack");
  Work work;
  work.result =
      tile(so_far.rows + (rows ? a.rows : 0), so_far.cols + (rows ? 0 : a.cols), a.bytes_per_element);
  work.result.valid = rows ? so_far.valid + a.valid : a.valid;
  work.result.in_memory_unit = a.in_memory_unit;
  work.result.scalar = a.scalar;  // which is only looked at where it is the number of a single piece
  return work;
}

Cycles computeCycles(const Replay& replay, const Work& work) {
  return work.flops == 0 ? work.flat : ceilDiv(work.flops, replay.natural("compute_bw"));
}

/// Marks the result as written back, or not, and charges the roofline.
SlowValue finishMap(Replay& replay, Work work, Cycles read) {
  const bool write_back = replay.flag("write_back_mu");
  work.result.in_memory_unit = write_back;
  replay.count(work.flops);
  const Cycles write = write_back ? writeCycles(replay, work.result) : 0;
  replay.spend(std::max({read, computeCycles(replay, work), write}));
  return work.result;
}

void map(Replay& replay) {
  while (const auto token = replay.peek(0)) {
    const SlowValue& value = token->value;
    Work work = value.pair ? binary(replay, value.pair->first, value.pair->second) : unary(replay, value);
    const Cycles read = value.pair
                            ? readCycles(replay, value.pair->first) + readCycles(replay, value.pair->second)
                            : readCycles(replay, value);
    replay.enqueue(0, finishMap(replay, std::move(work), read), token->stop);
    replay.dequeue(0);
  }
}

struct Both {
  SlowToken first, second;
};

/// Both inputs' next tokens with equal stops, or none when both are closed.
std::optional<Both> peekBoth(Replay& replay) {
  const auto first = replay.peek(0);
  const auto second = replay.peek(1);
  if (!first && !second) return std::nullopt;
  if (!first || !second) replay.fail(first ? 1 : 0, "closed while the other input has data");
  if (first->stop != second->stop) replay.fail(1, "stops differ");
  return Both{*first, *second};
}

void binaryMap(Replay& replay) {
  while (const auto both = peekBoth(replay)) {
    const SlowValue &a = both->first.value, &b = both->second.value;
    const Cycles read = readCycles(replay, a) + readCycles(replay, b);
    replay.enqueue(0, finishMap(replay, binary(replay, a, b), read), both->first.stop);
    replay.dequeue(0);
    replay.dequeue(1);
  }
}

void zip(Replay& replay) {
  while (const auto both = peekBoth(replay)) {
    SlowValue value;
    value.pair =
        std::make_shared<const std::pair<SlowValue, SlowValue>>(both->first.value, both->second.value);
    replay.enqueue(0, value, both->first.stop);
    replay.dequeue(0);
    replay.dequeue(1);
  }
}

SlowValue freshAccumulator(const Replay& replay, const SlowValue& element) {
  const std::vector<std::uint64_t> init = replay.list("init");
  const bool signal = replay.op().spec->kind == "Accum" && replay.choice("function") == "signal_all_read";
  return tile(init.at(0), init.at(1), signal ? 8 : element.bytes_per_element);
}

/// One element of an accumulation: charges the roofline and says whether the group ends with it.
bool accumulateStep(Replay& replay, const Work& work, Cycles read, const SlowToken& element) {
  const std::uint64_t rank = replay.natural("rank");
  const bool closing = element.stop > 0 && element.stop >= rank;
  const bool writes = closing && replay.flag("write_back_mu");
  replay.count(work.flops);
  replay.spend(std::max({read, computeCycles(replay, work),
                         writes ? writeCycles(replay, freshAccumulator(replay, element.value)) : 0}));
  return closing;
}

void binaryMapAccum(Replay& replay) {
  while (const auto both = peekBoth(replay)) {
    const SlowValue &a = both->first.value, &b = both->second.value;
    Work work = matmul(replay, a, b);
    work.result.in_memory_unit = replay.flag("write_back_mu");
    const bool closing =
        accumulateStep(replay, work, readCycles(replay, a) + readCycles(replay, b), both->first);
    replay.dequeue(0);
    replay.dequeue(1);
    if (closing)
      replay.enqueue(0, work.result, both->first.stop - static_cast<std::uint32_t>(replay.natural("rank")));
  }
}

void accum(Replay& replay) {
  std::optional<SlowValue> so_far;
  while (const auto token = replay.peek(0)) {
    if (!so_far) so_far = freshAccumulator(replay, token->value);
    Work work = accumulate(replay, *so_far, token->value);
    if (!replay.choice("function").starts_with("retile")) {
      work.result.in_memory_unit = replay.flag("write_back_mu");
      if (replay.flag("keep_padding")) work.result.valid = token->value.valid;
    }
    const bool closing = accumulateStep(replay, work, readCycles(replay, token->value), *token);
    replay.dequeue(0);
    so_far = work.result;
    if (!closing) continue;
    replay.enqueue(0, work.result, token->stop - static_cast<std::uint32_t>(replay.natural("rank")));
    so_far.reset();
  }
}

/// Tile i of a group goes to slot i mod n. A slot is read and written for every tile: it is as large as the
/// tile, so the read bounds the write.
void accumBuff(Replay& replay) {
  const std::vector<std::uint32_t> stops = rowMajorStops(replay.list("buffer_shape"));
  const std::uint64_t rank = replay.natural("rank");
  std::vector<std::pair<SlowValue, std::uint32_t>> slots;
  std::size_t taken = 0;
  while (const auto token = replay.peek(0)) {
    const SlowValue& element = token->value;
    const std::size_t at = taken++ % stops.size();
    if (at == slots.size())
      slots.emplace_back(tile(element.rows, element.cols, element.bytes_per_element), stops[at]);
    Work work = elementwise(replay, element, slots[at].first);
    work.result.in_memory_unit = true;
    slots[at].first = work.result;
    replay.count(work.flops);
    replay.spend(
        std::max(writeCycles(replay, element) + readCycles(replay, element), computeCycles(replay, work)));
    replay.dequeue(0);
    if (token->stop < rank) continue;
    if (taken % stops.size() != 0) replay.fail(0, "a group that does not fill the buffer");
    SlowValue buffer;
    buffer.buffer =
        std::make_shared<const std::vector<std::pair<SlowValue, std::uint32_t>>>(std::move(slots));
    slots.clear();
    taken = 0;
    replay.enqueue(0, buffer, token->stop - static_cast<std::uint32_t>(rank));
  }
}

/// The state after each element, or before it; no memory terms.
void scan(Replay& replay) {
  const bool prior = replay.choice("tap") == "prior";
  std::optional<SlowValue> state;
  while (const auto token = replay.dequeue(0)) {
    if (!state) state = freshAccumulator(replay, token->value);
    const SlowValue before = *state;
    const Work work = elementwise(replay, token->value, before);
    replay.count(work.flops);
    replay.spend(computeCycles(replay, work));
    replay.enqueue(0, prior ? before : work.result, token->stop);
    state = work.result;
    if (token->stop >= replay.natural("rank")) state.reset();
  }
}

/// The state after each element and, on the second output, before it; both elements of a step are folded in.
void loopScan(Replay& replay) {
  const bool write_back = replay.flag("write_back_mu");
  SlowValue state;
  bool starts = true;
  while (const auto token = replay.dequeue(0)) {
    if (starts) {
      replay.dequeue(replay.inputs() - 1);  // tells the number of steps, which the stops tell, too
      state = freshAccumulator(replay, token->value);
    }
    const SlowValue before = state;
    Cycles longest = 0;
    const auto fold = [&](const SlowValue& element) {
      const Work work = elementwise(replay, element, state);
      replay.count(work.flops);
      longest = std::max(longest, computeCycles(replay, work));
      state = work.result;
      state.in_memory_unit = write_back;
    };
    fold(token->value);
    if (replay.inputs() == 3) {
      const auto operand = replay.dequeue(1);
      if (!operand) replay.fail(1, "closed while the first input has data");
      fold(operand->value);
    }
    replay.spend(longest);
    replay.enqueue(1, before, token->stop);
    replay.enqueue(0, state, token->stop);
    starts = token->stop > 0;
  }
}

}  // namespace

Procedure computeProcedure(const std::string& kind) {
  static const std::map<std::string, Procedure> procedures = {
      {"Map", map},     {"BinaryMap", binaryMap}, {"Zip", zip},   {"BinaryMapAccum", binaryMapAccum},
      {"Accum", accum}, {"AccumBuff", accumBuff}, {"Scan", scan}, {"LoopScan", loopScan}};
  const auto found = procedures.find(kind);
  return found == procedures.end() ? nullptr : found->second;
}

}  // namespace sluice::slow
