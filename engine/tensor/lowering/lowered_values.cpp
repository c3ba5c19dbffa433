#include "engine/tensor/lowering/lowered_values.h"

#include <algorithm>
#include <deque>
#include <map>

#include "engine/itensor/access_sequence.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_tiles.h"
#include "engine/tensor/programs/padded_program.h"
#include "engine/tensor/programs/region_values.h"
#include "engine/tensor/programs/tensor_values.h"

namespace sluice::inline tensor {

struct LoweredValues::Shared {
  const DataflowDesign& design;
  ExternalMemory memory;
  TileArithmetic numbers;
  std::deque<simulator::TileValues> sent = {};  ///< what tokens refer to

  std::uint64_t elements_sent = 0;

  /// The elements as the tensor holds them.
  TileElements stored(std::size_t tensor, TileElements elements) const {
    if (isFloat(design.program.tensors[tensor].scalar))
      for (float& element : elements) element = numbers.rounded(element);
    return elements;
  }

  /// Ends the run where it has integers that float32 does not have.
  void check(simulator::Context& me, std::size_t tensor, bool exact) const {
    if (exact) return;
    me.fail("out-of-range", 0,
            "of the tensor '" + design.program.tensors[tensor].name + "', " + inexact_integers,
            inexact_integers_fix);
  }

  /// Null when memory has run out; then the run ends with a fault.
  const simulator::TileValues* keep(simulator::Context& me, TileElements elements) {
    constexpr std::uint64_t most = std::uint64_t{1} << 30;  // 4 GiB
    if ((elements_sent += elements.size()) > most) {
      me.fail("too-many", 0, "the tokens so far hold more than 4 GiB of elements",
              "compute fewer tokens or a smaller model (functional mode keeps every token)");
      return nullptr;
    }
    const auto count = static_cast<std::uint32_t>(elements.size());
    sent.push_back({1, count, count, std::move(elements)});
    return &sent.back();
  }
};

namespace {

using PlacedTile = std::pair<TileShape, TileElements>;

/// One input: what has come of its next tile, and the tiles that wait to be used.
class Intake {
 public:
  Intake(const ITensor& type, std::span<const std::int64_t> vector)
      : tile(tileShape(type)), order_(sendingOrder(type, vector)), next_(type) {}

  TileShape tile;
  std::deque<PlacedTile> waiting;

  void add(const TileElements& elements) {
    partial_.insert(partial_.end(), elements.begin(), elements.end());
    if (partial_.size() < order_.size()) return;
    TileElements whole(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) whole[order_[i]] = partial_[i];
    partial_.erase(partial_.begin(), partial_.begin() + static_cast<std::ptrdiff_t>(order_.size()));
    waiting.emplace_back(TileShape(next_.offset().begin(), next_.offset().end()), std::move(whole));
    next_.advance();
  }
  PlacedTile pop() {
    PlacedTile front = std::move(waiting.front());
    waiting.pop_front();
    return front;
  }

 private:
  std::vector<std::size_t> order_;  ///< within a tile
  AccessSequence next_;
  TileElements partial_;
};

/// One stream out: tiles in the order in which they are sent, token by token.
class Outlet {
 public:
  Outlet(const ITensor& type, std::span<const std::int64_t> vector)
      : order_(sendingOrder(type, vector)),
        token_(vector.empty() ? order_.size() : static_cast<std::size_t>(elementsOf(vector))) {}

  bool empty() const { return ready_.size() - at_ < token_; }
  bool sendsTiles() const { return token_ == order_.size(); }
  void add(const TileElements& tile) {
    for (const std::size_t element : order_) ready_.push_back(tile[element]);
  }
  TileElements next() {
    const auto begin = ready_.begin() + static_cast<std::ptrdiff_t>(at_);
    TileElements token(begin, begin + static_cast<std::ptrdiff_t>(token_));
    at_ += token_;
    if (at_ == ready_.size()) ready_.clear(), at_ = 0;
    return token;
  }

 private:
  std::vector<std::size_t> order_;
  std::size_t token_;  ///< elements
  TileElements ready_;
  std::size_t at_ = 0;
};

/// A task of the design. Its outlets are its streams, in the order of the kernel's outputs.
class LoweredTask : public TaskValues {
 public:
  using Shared = LoweredValues::Shared;

  LoweredTask(Shared& shared, std::size_t number) : shared_(shared), task_(shared.design.tasks[number]) {
    const DataflowDesign& design = shared.design;
    for (std::size_t port = 0; port < task_.inputs.size(); ++port) {
      const auto stream = streamInto(design, {number, port});
      intakes_.emplace_back(task_.inputs[port].type,
                            stream ? std::span<const std::int64_t>(design.streams[*stream].vector)
                                   : std::span<const std::int64_t>());
    }
    const bool buffered = task_.kind == TaskKind::Converter || task_.kind == TaskKind::Load;
    for (const DataflowStream& stream : design.streams)
      if (stream.from.task == number)
        outlets_.emplace_back(
            task_.outputs[stream.from.port].type,
            buffered ? std::span<const std::int64_t>(stream.vector) : std::span<const std::int64_t>());
  }

  void take(simulator::Context& me, std::size_t port, const simulator::Token& x) override {
    if (!x.values)
      return me.fail("uninitialised-read", static_cast<std::uint32_t>(port), "this token has no elements",
                     "feed the task by what it was compiled with");
    intakes_[port].add(x.values->elements);
    while (work(me)) {
    }
  }
  void give(simulator::Context& me, std::size_t port, simulator::Token& y) override {
    if (outlets_[port].empty()) produce(me);
    if (outlets_[port].empty())
      return me.fail("uninitialised-read", 0, "it gives a token before those that it is made of have come",
                     "give it a longer initial delay");
    y.values = shared_.keep(me, outlets_[port].next());
  }

 protected:
  /// Uses what has come, as far as it suffices for something; false: it does not.
  virtual bool work(simulator::Context& me) = 0;
  /// Something without an input.
  virtual void produce(simulator::Context&) {}
  void emit(const TileElements& tile) {
    for (Outlet& outlet : outlets_) outlet.add(tile);
  }

  Shared& shared_;
  const Task& task_;
  std::vector<Intake> intakes_;
  std::vector<Outlet> outlets_;
};

class ComputeTask : public LoweredTask {
 public:
  ComputeTask(Shared& shared, std::size_t number)
      : LoweredTask(shared, number), op_(shared.design.program.operators[task_.subject]) {}

  /// Of a lookup, whose node takes rows, which the memory has here, in the place of its table.
  void takePlaces(simulator::Context& me, const simulator::Token& x) { LoweredTask::take(me, 0, x); }
  void take(simulator::Context& me, std::size_t port, const simulator::Token& x) override {
    if (op_.kind != TensorOperatorKind::Lookup) return LoweredTask::take(me, port, x);
    if (port > 0) LoweredTask::take(me, port + 1, x);
  }

 private:
  /// Every result tile is the operator applied to the tiles that arrive for it.
  bool work(simulator::Context& me) override {
    const ITensor& out = task_.outputs[0].type;
    if (made_ == tokenCount(out)) return false;
    std::vector<FloatTensor> operands;
    for (std::size_t port = 0; port < intakes_.size(); ++port)
      if (static_cast<std::int64_t>(intakes_[port].waiting.size()) < share(port)) return false;
    for (std::size_t port = 0; port < intakes_.size(); ++port) {
      std::vector<PlacedTile> tiles;
      for (std::int64_t n = share(port); n > 0; --n) tiles.push_back(intakes_[port].pop());
      operands.push_back(assembled(tiles, intakes_[port].tile));
    }
    if (op_.kind == TensorOperatorKind::Lookup && !fetch(me, operands)) return false;
    const TileShape tile = tileShape(out);
    bool exact = true;
    bool* const counted = countsExactly(shared_.design.program.tensors[op_.output].scalar) ? &exact : nullptr;
    emit(shared_.stored(op_.output, applied(op_, operands, {tile.begin(), tile.end()}, counted).data));
    shared_.check(me, op_.output, exact);
    ++made_;
    return true;
  }
  bool fetch(simulator::Context& me, std::vector<FloatTensor>& operands) const {
    const Result<Done> fetched = shared_.memory.fetchRow(op_, operands);
    if (fetched) {
      operands[1].data = shared_.stored(op_.inputs[1], std::move(operands[1].data));
      return true;
    }
    const Diagnostic& why = fetched.diagnostics().front();
    me.fail("out-of-range", 0, why.cause, why.fix);
    return false;
  }
  /// An operator without inputs.
  void produce(simulator::Context& me) override {
    if (intakes_.empty()) work(me);
  }
  std::int64_t share(std::size_t port) const {
    if (looksUp(task_, port, shared_.design.program)) return 0;
    return tokenCount(task_.inputs[port].type) / tokenCount(task_.outputs[0].type);
  }

  const TensorOperator& op_;
  std::int64_t made_ = 0;
};

class LoadTask : public LoweredTask {
 public:
  /// One stream for all readers: what copies it is a broadcast.
  LoadTask(Shared& shared, std::size_t number) : LoweredTask(shared, number), next_(task_.outputs[0].type) {
    outlets_.erase(outlets_.begin() + 1, outlets_.end());
  }

  /// What no task writes is the same whenever it is read: tokens of a tile share their elements.
  void give(simulator::Context& me, std::size_t port, simulator::Token& y) override {
    const bool fixed = shared_.design.program.tensors[task_.outputs[0].tensor].role != TensorRole::Activation;
    if (!fixed || next_.atEnd() || !outlets_[0].sendsTiles()) return LoweredTask::give(me, port, y);
    const auto [known, added] =
        read_.try_emplace(TileShape(next_.offset().begin(), next_.offset().end()), nullptr);
    if (!added) {
      y.values = known->second;
      return next_.advance();
    }
    LoweredTask::give(me, port, y);
    known->second = y.values;
  }

 private:
  bool work(simulator::Context&) override { return false; }
  void produce(simulator::Context& me) override {
    if (next_.atEnd()) return;
    const TaskPort& port = task_.outputs[0];
    const TileElements elements = shared_.memory.read(port.tensor, next_.offset(), tileShape(port.type));
    shared_.check(
        me, port.tensor,
        !countsExactly(shared_.design.program.tensors[port.tensor].scalar) || areExactIntegers(elements));
    emit(shared_.stored(port.tensor, elements));
    next_.advance();
  }

  AccessSequence next_;
  std::map<TileShape, const simulator::TileValues*> read_;  ///< by the tile's place
};

class StoreTask : public LoweredTask {
 public:
  using LoweredTask::LoweredTask;

 private:
  bool work(simulator::Context&) override {
    if (intakes_[0].waiting.empty()) return false;
    const auto [offset, elements] = intakes_[0].pop();
    shared_.memory.write(task_.inputs[0].tensor, offset, intakes_[0].tile, elements);
    return true;
  }
};

/// The node that asks for the rows of a lookup: places come here instead of to the task, addresses leave.
class Asker : public TaskValues {
 public:
  Asker(ComputeTask& task, std::int64_t rows) : task_(task), rows_(static_cast<std::size_t>(rows)) {}

  void take(simulator::Context& me, std::size_t, const simulator::Token& x) override {
    if (x.values)
      for (const float place : x.values->elements) asked_.push_back(rowNamed(place, rows_).value_or(0));
    task_.takePlaces(me, x);
  }
  void give(simulator::Context&, std::size_t, simulator::Token& y) override {
    if (asked_.empty()) return;  // the run has failed
    y.scalar = asked_.front();
    asked_.pop_front();
  }

 private:
  ComputeTask& task_;
  std::size_t rows_;
  std::deque<std::uint64_t> asked_;
};

/// Rows pass without their elements: the task has them from the memory.
class RowLoad : public TaskValues {
 public:
  void take(simulator::Context&, std::size_t, const simulator::Token&) override {}
  void give(simulator::Context&, std::size_t, simulator::Token&) override {}
};

/// One buffer is enough here: the operator sees to it that there are two.
class ConverterTask : public LoweredTask {
 public:
  ConverterTask(Shared& shared, std::size_t number)
      : LoweredTask(shared, number),
        drained_(task_.outputs[0].type),
        buffer_(static_cast<std::size_t>(elementsOf(task_.buffer))) {
    std::size_t loops = task_.before_loop;
    std::int64_t iterations = 1;
    for (const ITensorLoop& loop : task_.inputs[0].type.loops)
      if (loop.trips > 1 && loops > 0) iterations *= loop.trips, --loops;
    fill_ = tokenCount(task_.inputs[0].type) / iterations;
    drain_ = tokenCount(task_.outputs[0].type) / iterations;
  }

 private:
  bool work(simulator::Context&) override {
    if (static_cast<std::int64_t>(intakes_[0].waiting.size()) < fill_) return false;
    for (std::int64_t n = 0; n < fill_; ++n) {
      const auto [offset, elements] = intakes_[0].pop();
      std::size_t element = 0;
      forEachIndex(place(offset), intakes_[0].tile, [&](std::span<const std::int64_t> index) {
        buffer_[static_cast<std::size_t>(rowMajor(index, task_.buffer))] = elements[element++];
      });
    }
    for (std::int64_t n = 0; n < drain_; ++n, drained_.advance()) {
      TileElements tile;
      const TileShape offset(drained_.offset().begin(), drained_.offset().end());
      forEachIndex(place(offset), tileShape(task_.outputs[0].type), [&](std::span<const std::int64_t> index) {
        tile.push_back(buffer_[static_cast<std::size_t>(rowMajor(index, task_.buffer))]);
      });
      emit(tile);
    }
    return true;
  }

  /// At the offset in dimensions that the buffer holds whole, at 0 in the others.
  TileShape place(TileShape offset) const {
    const TileShape& shape = shared_.design.program.tensors[task_.inputs[0].tensor].shape;
    for (std::size_t k = 0; k < offset.size(); ++k)
      if (task_.buffer[k] != shape[k]) offset[k] = 0;
    return offset;
  }

  AccessSequence drained_;
  TileElements buffer_;
  std::int64_t fill_ = 1, drain_ = 1;
};

/// A fork copies, a join takes its inputs in turn.
class PassingTask : public LoweredTask {
 public:
  using LoweredTask::LoweredTask;

 private:
  bool work(simulator::Context&) override {
    if (intakes_[turn_].waiting.empty()) return false;
    emit(intakes_[turn_].pop().second);
    turn_ = (turn_ + 1) % intakes_.size();
    return true;
  }

  std::size_t turn_ = 0;
};

/// Whole tiles in, the vectors of a stream out.
class Cutter : public TaskValues {
 public:
  Cutter(LoweredTask::Shared& shared, const DataflowStream& stream)
      : shared_(shared),
        intake_(sourceOf(shared.design, stream).type, {}),
        outlet_(sourceOf(shared.design, stream).type, stream.vector) {}

  void take(simulator::Context&, std::size_t, const simulator::Token& x) override {
    if (!x.values) return;  // the run has failed
    intake_.add(x.values->elements);
    outlet_.add(intake_.pop().second);
  }
  void give(simulator::Context& me, std::size_t, simulator::Token& y) override {
    y.values = outlet_.empty() ? nullptr : shared_.keep(me, outlet_.next());
  }

 private:
  LoweredTask::Shared& shared_;
  Intake intake_;
  Outlet outlet_;
};

/// Registers between dies: tokens as they are.
class Registers : public TaskValues {
 public:
  void take(simulator::Context&, std::size_t, const simulator::Token& x) override {
    inside_.push_back(x.values);
  }
  void give(simulator::Context&, std::size_t, simulator::Token& y) override {
    y.values = inside_.front();
    inside_.pop_front();
  }

 private:
  std::deque<const simulator::TileValues*> inside_;
};

std::unique_ptr<TaskValues> valuesOf(LoweredTask::Shared& shared, std::size_t task) {
  switch (shared.design.tasks[task].kind) {
    case TaskKind::Compute:
      return std::make_unique<ComputeTask>(shared, task);
    case TaskKind::Load:
      return std::make_unique<LoadTask>(shared, task);
    case TaskKind::Store:
      return std::make_unique<StoreTask>(shared, task);
    case TaskKind::Converter:
      return std::make_unique<ConverterTask>(shared, task);
    case TaskKind::Fork:
    case TaskKind::Join:
      break;
  }
  return std::make_unique<PassingTask>(shared, task);
}

}  // namespace

LoweredValues::LoweredValues(const DataflowDesign& design, const LoweredDesign& lowered,
                             const TensorSet& given, const std::string& before, Precision precision)
    : shared_(new Shared{design, ExternalMemory(design, given), {precision, 0}}) {
  for (std::size_t task = 0; task < design.tasks.size(); ++task) {
    owned_.push_back(valuesOf(*shared_, task));
    tasks_[before + lowered.nodes[task]] = owned_.back().get();
  }
  for (const LoweredLookup& lookup : lowered.lookups) {
    const std::size_t table = design.tasks[lookup.task].inputs[1].tensor;
    auto& task = static_cast<ComputeTask&>(*owned_[lookup.task]);
    owned_.push_back(std::make_unique<Asker>(task, design.program.tensors[table].shape[0]));
    tasks_[before + lookup.asker] = owned_.back().get();
    owned_.push_back(std::make_unique<RowLoad>());
    tasks_[before + lookup.load] = owned_.back().get();
  }
  for (const auto& [node, stream] : lowered.cutters) {
    owned_.push_back(std::make_unique<Cutter>(*shared_, design.streams[stream]));
    tasks_[before + node] = owned_.back().get();
  }
  for (const std::string& node : lowered.crossings) {
    owned_.push_back(std::make_unique<Registers>());
    tasks_[before + node] = owned_.back().get();
  }
}

LoweredValues::~LoweredValues() = default;

std::vector<FloatTensor> LoweredValues::results() const {
  const TensorProgram& program = shared_->design.program;
  std::vector<FloatTensor> results;
  for (const std::size_t tensor : program.results)
    results.push_back(withoutPadding(program.tensors[tensor], shared_->memory.unpacked(tensor)));
  return results;
}

}  // namespace sluice::inline tensor
