// Slow model: shape and routing operators (engine/operators/timing.md 4, 5).
#include <algorithm>
#include <map>

#include "tests/engine/support/slow_operators.h"

namespace sluice::slow {
namespace {

std::uint32_t level(const Replay& replay, const std::string& parameter) {
  return static_cast<std::uint32_t>(replay.natural(parameter));
}

void broadcast(Replay& replay) {
  while (const auto token = replay.dequeue(0)) {
    for (std::size_t port = 0; port < replay.outputs(); ++port) replay.waitSlot(port);
    for (std::size_t port = 0; port < replay.outputs(); ++port)
      replay.enqueue(port, token->value, token->stop);
  }
}

void flatten(Replay& replay) {
  const std::uint32_t low = level(replay, "min"), high = level(replay, "max");
  while (const auto token = replay.dequeue(0)) {
    const std::uint32_t stop = token->stop;
    replay.enqueue(0, token->value, stop <= low ? stop : stop <= high ? low : stop - (high - low));
  }
}

void promote(Replay& replay) {
  const std::uint32_t rank = level(replay, "rank");
  while (const auto token = replay.dequeue(0)) {
    const std::uint32_t stop = token->stop;
    if (stop == 0)
      replay.enqueue(0, token->value, rank == 0 ? 1 : 0);
    else
      replay.enqueue(0, token->value, rank > stop ? stop : stop + 1);
  }
}

SlowValue padTile(const Replay& replay, const SlowValue& like) {
  const std::vector<std::uint64_t> shape = replay.list("pad");
  if (shape.empty()) replay.fail(0, "a chunk is not full and there is no pad");
  SlowValue pad = tile(shape.at(0), shape.at(1), like.bytes_per_element);
  pad.valid = 0;
  pad.in_memory_unit = replay.flag("write_back_mu");
  return pad;
}

void fill(Replay& replay, std::uint64_t pads, const SlowValue& like, std::uint32_t stop) {
  for (std::uint64_t i = 1; i <= pads; ++i) replay.enqueue(0, padTile(replay, like), i == pads ? stop : 0);
}

void reshapeInnermost(Replay& replay) {
  const std::uint64_t chunk = replay.natural("chunk");
  const bool outer = replay.flag("add_outer_dim");
  std::uint64_t filled = 0;
  SlowValue last;
  while (const auto token = replay.dequeue(0)) {
    last = token->value;
    ++filled;
    const bool full = filled == chunk;
    if (full) filled = 0;
    if (token->stop == 0) {
      std::uint32_t stop = full ? 1 : 0;
      if (full && outer && !replay.peek(0)) stop = 2;
      replay.enqueue(0, token->value, stop);
    } else if (full) {
      replay.enqueue(0, token->value, token->stop + 1);
    } else {
      padTile(replay, last);  // must have one before the element goes out
      replay.enqueue(0, token->value, 0);
      fill(replay, chunk - filled, last, token->stop + 1);
      filled = 0;
    }
  }
  if (filled > 0) fill(replay, chunk - filled, last, outer ? 2 : 1);
}

void reshapeOuter(Replay& replay) {
  const std::uint64_t chunk = replay.natural("chunk");
  const std::uint32_t dim = level(replay, "dim");
  std::uint64_t filled = 0;
  while (const auto token = replay.dequeue(0)) {
    std::uint32_t stop = token->stop;
    if (stop >= dim) ++filled;
    if (stop > 0 && filled == chunk) {
      filled = 0;
      ++stop;
    }
    replay.enqueue(0, token->value, stop);
  }
}

void reshape(Replay& replay) {
  if (replay.natural("dim") == 0)
    reshapeInnermost(replay);
  else
    reshapeOuter(replay);
}

/// Every element is followed, on the other output, by a flag that tells whether it is padding, or (marks =
/// data) whether it is not; then the flag of padding is no valid row, as padding is not.
void reshapePadStream(Replay& replay) {
  const std::uint64_t chunk = replay.natural("chunk");
  const bool marks_data = replay.choice("marks") == "data";
  std::uint64_t filled = 0;
  SlowValue like;
  const auto send = [&](const SlowValue& value, bool padding, std::uint32_t stop) {
    replay.enqueue(0, value, stop);
    SlowValue flag = tile(1, 1, 1);
    flag.scalar = padding == marks_data ? 0 : 1;
    if (padding && marks_data) flag.valid = 0;
    replay.enqueue(1, flag, stop);
  };
  const auto pad = [&](std::uint32_t stop) {
    while (filled < chunk) send(padTile(replay, like), true, ++filled == chunk ? stop : 0);
    filled = 0;
  };
  while (const auto token = replay.dequeue(0)) {
    like = token->value;
    const bool full = ++filled == chunk;
    send(like, false, full ? token->stop + 1 : 0);
    if (full) filled = 0;
    if (!full && token->stop > 0) pad(token->stop + 1);
  }
  if (filled > 0) pad(1);
}

/// An element goes on when it is known whether another follows.
void promoteOuter(Replay& replay) {
  while (const auto token = replay.dequeue(0)) {
    const bool last = !replay.peek(0);
    replay.spend(1);
    replay.enqueue(0, token->value, last ? token->stop + 1 : token->stop);
  }
}

void takeLast(Replay& replay) {
  while (const auto token = replay.dequeue(0))
    if (token->stop > 0) replay.enqueue(0, token->value, token->stop);
}

void repeat(Replay& replay) {
  const std::uint64_t factor = replay.natural("factor");
  while (const auto token = replay.peek(0)) {
    for (std::uint64_t i = 0; i + 1 < factor; ++i) replay.enqueue(0, replay.now() + i, token->value, 0);
    replay.enqueue(0, replay.now() + factor - 1, token->value, token->stop + 1);
    replay.spend(factor);
    replay.dequeue(0);
  }
}

void repeatRef(Replay& replay) {
  const std::uint32_t rank = level(replay, "rank");
  while (const auto token = replay.dequeue(0)) {
    for (bool next = false; !next;) {
      const auto reference = replay.dequeue(1);
      if (!reference) replay.fail(1, "the reference closed inside a group");
      next = reference->stop > rank;
      if (reference->stop >= rank) replay.enqueue(0, token->value, reference->stop - rank);
    }
  }
}

void expandRankZero(Replay& replay, const SlowToken& token) {
  while (const auto reference = replay.dequeue(1)) {
    if (reference->stop != 0) replay.fail(1, "a stop, where the input has none");
    replay.enqueue(0, token.value, 0);
  }
  replay.dequeue(0);
}

void expand(Replay& replay) {
  const std::uint32_t rank = level(replay, "rank");
  while (const auto token = replay.peek(0)) {
    if (token->stop == 0) return expandRankZero(replay, *token);
    for (bool next = false; !next;) {
      const auto reference = replay.dequeue(1);
      if (!reference) replay.fail(1, "the reference closed inside a group");
      replay.enqueue(0, token->value, reference->stop);
      next = reference->stop > 0 && reference->stop >= rank;
    }
    replay.dequeue(0);
  }
}

void expandStatic(Replay& replay) {
  const std::uint64_t factor = replay.natural("factor");
  while (const auto token = replay.peek(0)) {
    for (std::uint64_t i = 1; i <= factor; ++i)
      replay.enqueue(0, token->value, i == factor ? token->stop : 0);
    replay.dequeue(0);
  }
}

/// Cuts each tile into pieces, row by row of pieces or column by column; 0: the tile's whole extent.
void splitTile(Replay& replay) {
  const bool row_by_row = replay.choice("split") == "row";
  while (const auto token = replay.dequeue(0)) {
    const SlowValue& value = token->value;
    const std::uint64_t rows = replay.list("piece").at(0), cols = replay.list("piece").at(1);
    SlowValue piece = value;
    piece.rows = rows > 0 ? std::min(rows, value.rows) : value.rows;
    piece.cols = cols > 0 ? std::min(cols, value.cols) : value.cols;
    const std::uint64_t down = value.rows / piece.rows, across = value.cols / piece.cols;
    const std::uint64_t outer = row_by_row ? down : across, inner = row_by_row ? across : down;
    for (std::uint64_t i = 0; i < outer; ++i) {
      for (std::uint64_t k = 0; k < inner; ++k) {
        const std::uint64_t above = (row_by_row ? i : k) * piece.rows;
        piece.valid = value.valid > above ? std::min(value.valid - above, piece.rows) : 0;
        const bool last = k + 1 == inner;
        replay.enqueue(0, piece, !last ? 0 : i + 1 < outer ? 1 : 1 + token->stop);
      }
    }
  }
}

void flatMap(Replay& replay) {
  if (replay.choice("function") == "split_tile") return splitTile(replay);
  const bool rows = replay.choice("split") == "row", filter = replay.flag("filter_mask");
  while (const auto token = replay.dequeue(0)) {
    const SlowValue& value = token->value;
    const std::uint64_t pieces = rows ? value.rows : value.cols;
    SlowValue piece = tile(1, rows ? value.cols : value.rows, value.bytes_per_element);
    piece.in_memory_unit = value.in_memory_unit;
    for (std::uint64_t i = 1; i <= pieces; ++i) {
      const bool last = i == pieces || (filter && i == value.valid);
      piece.valid = i <= value.valid ? 1 : 0;
      replay.enqueue(0, piece, last ? token->stop : 0);
      if (last) break;
    }
  }
}

/// The rows of each tile whose flags are set, which are the first ones of the mask.
void filterRows(Replay& replay) {
  for (;;) {
    const auto token = replay.dequeue(0), mask = replay.dequeue(1);
    if (!token && !mask) return;
    if (!token || !mask) replay.fail(token ? 1 : 0, "closed while the other input has data");
    if (token->stop != mask->stop) replay.fail(1, "stops differ");
    if (token->value.rows != mask->value.rows) replay.fail(1, "another number of flags than of rows");
    const std::uint64_t kept = std::min(mask->value.valid, mask->value.rows);
    if (kept == 0 && token->stop > 0) replay.fail(1, "nothing is left to tell the stop");
    SlowValue row = token->value;
    row.rows = row.valid = 1;
    for (std::uint64_t i = 1; i <= kept; ++i) replay.enqueue(0, row, i == kept ? token->stop : 0);
  }
}

/// Sends one group of the partition's data to the selected outputs.
void partitionGroup(Replay& replay, const SlowToken& control) {
  const std::uint32_t rank = level(replay, "rank");
  const bool write_back = replay.flag("write_back_mu");
  const std::uint32_t expected = control.stop > 0 ? control.stop + rank : 0;
  for (bool end = false; !end;) {
    const auto token = replay.peek(0);
    if (!token) replay.fail(0, "closed, but the control selects another group");
    SlowValue value = token->value;
    replay.spend(readCycles(replay, value));
    replay.dequeue(0);
    Cycles turn = 0;
    for (std::uint32_t target : control.value.selected) turn = std::max(turn, replay.switchCycles(target));
    replay.spend(turn);
    if (write_back) replay.spend(writeCycles(replay, value));
    const std::uint32_t stop = token->stop;
    if (stop > 0 && (expected > 0 ? stop != expected : stop > rank))
      replay.fail(0, "a stop that the control does not have");
    value.in_memory_unit = write_back;
    const std::uint32_t sent = stop > 0 && expected > 0 ? rank : stop;
    for (std::uint32_t target : control.value.selected) replay.enqueue(target, value, sent);
    end = (stop == 0 && rank == 0) || (stop > 0 && (stop == rank || stop == expected));
  }
}

void partition(Replay& replay) {
  while (const auto control = replay.peek(1)) {
    replay.spend(readCycles(replay, control->value));
    replay.dequeue(1);
    for (std::uint32_t target : control->value.selected)
      if (target >= replay.outputs()) replay.fail(1, "selects an output that is not there");
    partitionGroup(replay, *control);
  }
}

/// Passes on one input's part of a group; `last` when it ends the group. `first` is the arrival of its first
/// element.
void reassemblePart(Replay& replay, std::uint32_t port, Cycles first, bool last, std::uint32_t outer) {
  const std::uint32_t rank = level(replay, "rank");
  const bool write_back = replay.flag("write_back_mu");
  for (bool end = false; !end;) {
    const auto token = replay.peek(port);
    if (!token) replay.fail(port, "closed inside a group");
    SlowValue value = token->value;
    replay.advanceTo(first + replay.switchCycles(port) + readCycles(replay, value));
    replay.dequeue(port);
    if (write_back) replay.spend(writeCycles(replay, value));
    const std::uint32_t stop = token->stop;
    end = stop >= rank;
    std::uint32_t sent = rank == 0 ? 0 : stop;
    if (last && end) sent = stop + outer + 1;
    value.in_memory_unit = write_back;
    replay.enqueue(0, value, sent);
  }
}

void reassemble(Replay& replay) {
  const std::size_t control_port = replay.inputs() - 1;
  while (const auto control = replay.peek(control_port)) {
    replay.spend(readCycles(replay, control->value));
    replay.dequeue(control_port);
    const std::vector<std::uint32_t>& selected = control->value.selected;
    if (selected.empty()) replay.fail(control_port, "selects nothing");
    std::vector<std::pair<Cycles, std::uint32_t>> order;
    for (std::uint32_t port : selected) {
      if (port >= control_port) replay.fail(control_port, "selects an input that is not there");
      order.emplace_back(replay.headArrival(port), port);
    }
    replay.followAll(selected);
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i)
      reassemblePart(replay, order[i].second, order[i].first, i + 1 == order.size(), control->stop);
  }
}

}  // namespace

Procedure shapeProcedure(const std::string& kind) {
  static const std::map<std::string, Procedure> procedures = {{"Broadcast", broadcast},
                                                              {"Flatten", flatten},
                                                              {"Promote", promote},
                                                              {"Reshape", reshape},
                                                              {"Repeat", repeat},
                                                              {"RepeatRef", repeatRef},
                                                              {"Expand", expand},
                                                              {"ExpandStatic", expandStatic},
                                                              {"FlatMap", flatMap},
                                                              {"ReshapePadStream", reshapePadStream},
                                                              {"TakeLast", takeLast},
                                                              {"PromoteOuter", promoteOuter},
                                                              {"Partition", partition},
                                                              {"Reassemble", reassemble},
                                                              {"FlatmapFilterRowStreamify", filterRows}};
  const auto found = procedures.find(kind);
  return found == procedures.end() ? nullptr : found->second;
}

}  // namespace sluice::slow
