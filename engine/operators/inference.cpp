#include "engine/operators/inference.h"

#include <algorithm>
#include <unordered_map>

#include "engine/core/cancelled.h"
#include "engine/operators/numeric_inference.h"
#include "engine/operators/order.h"
#include "engine/operators/registry.h"

namespace sluice::inline operators {

namespace {

std::vector<const Operator*> definitions(const FlatGraph& graph, Diagnostics& problems) {
  std::vector<const Operator*> list;
  list.reserve(graph.operators.size());
  for (const FlatOperator& op : graph.operators) {
    const FlatOperator* const before = list.empty() ? nullptr : &graph.operators[list.size() - 1];
    const bool alike = before && before->spec == op.spec;  // instances stand side by side
    list.push_back(alike ? list.back() : findOperator(op.spec->kind));
    if (!list.back()) {
      problems.push_back(error("unknown-operator", Location(Where::Operator, op.name),
                               "kind " + op.spec->kind + " is not in the registry",
                               "use a registered operator"));
    }
  }
  return list;
}

/// Values of extents at the design point: most streams have those of others.
class Extents {
 public:
  /// Nothing: only the run knows it.
  std::optional<std::int64_t> value(const ShapeContext& t, const Expr& extent) {
    if (!extent.node()) return extent.constant();
    const auto [known, is_new] = known_.try_emplace(extent.node());
    if (is_new) known->second = {extent, t.value(extent)};
    return known->second.second;
  }

 private:
  /// With the expressions, so that no other takes the place of one.
  std::unordered_map<const void*, std::pair<Expr, std::optional<std::int64_t>>> known_;
};

/// Whether the product stays within 2^62; an extent that only the run knows leaves it as it is.
bool multiply(std::int64_t& product, const std::optional<std::int64_t>& factor) {
  constexpr std::int64_t limit = std::int64_t{1} << 62;
  return !factor || (!__builtin_mul_overflow(product, *factor, &product) && product <= limit);
}

/// Sizes that are known must fit in 62 bits, so that nothing which is counted from them overflows.
std::optional<Diagnostic> overflowing(const ShapeContext& t, const StreamType& out, Extents& extents) {
  std::int64_t bytes = 1;
  const auto within = [&](const Dim& dim) { return multiply(bytes, extents.value(t, dim.extent)); };
  const BufferType* buffer = out.element.buffer();
  const TileType* tile = buffer ? &buffer->tile : out.element.tile();
  if (std::ranges::all_of(out.shape, within) && (!buffer || std::ranges::all_of(buffer->shape, within)) &&
      (!tile || (within(tile->rows) && within(tile->cols) && multiply(bytes, t.value(sizeOf(tile->scalar))))))
    return {};
  return t.problem("overflow", "", "the output " + text(out) + " has more than 2^62 bytes",
                   "make its dimensions or its tiles smaller");
}

/// Puts numbers in the place of what has one.
class Numbers {
 public:
  explicit Numbers(const KnobValues& knobs) : values_(knobs), knobs_(knobs.size()) {}

  /// `known`: what the inputs tell by now; it only grows.
  void put(StreamType& type, const std::map<std::string, std::int64_t>& known) {
    if (values_.size() < knobs_ + known.size()) values_.insert(known.begin(), known.end());
    put(type.shape);
    put(type.element);
  }
  void put(Cost& cost) {
    for (Expr Cost::*term : {&Cost::off_chip_bytes, &Cost::on_chip_bytes, &Cost::flops, &Cost::compute})
      put(cost.*term);
  }
  /// Whether all had a number that is one.
  bool sound() const { return sound_; }

 private:
  enum class One { Put, Left };

  void put(Expr& expr, One one = One::Put) {
    if (!expr.node()) return;
    if (const auto number = expr.value(values_); !number)
      sound_ = sound_ && !expr.symbols().empty();
    else if (*number != 1 || one == One::Put)
      expr = *number;
  }
  /// A dynamic extent that comes to 1 stays as it is: rules allow more where one is always 1.
  void put(Dim& dim) { put(dim.extent, dim.kind == DimKind::Static ? One::Put : One::Left); }
  void put(Shape& shape) {
    for (Dim& dim : shape) put(dim);
  }
  /// Sizes that differ from tile to tile stay as they are: tiles of several may go on in one stream.
  void put(TileType& tile) {
    for (Dim* dim : {&tile.rows, &tile.cols})
      if (dim->kind == DimKind::Static) put(dim->extent);
  }
  void put(SelectorType& selector) {
    put(selector.width);
    if (selector.active) put(*selector.active);
  }
  void put(BufferType& buffer) {
    put(buffer.tile);
    put(buffer.shape);
  }
  void put(TupleType& tuple) {
    for (ElementType& element : tuple.elements) put(element);
  }
  void put(ElementType& element) {
    std::visit([this](auto& kind) { put(kind); }, static_cast<ElementType::Base&>(element));
  }

  std::map<std::string, std::int64_t> values_;
  const std::size_t knobs_;
  bool sound_ = true;
};

/// Types the streams from the sources on. A loop is entered at an operator that may close one (EagerMerge):
/// its outputs are assumed, and checked when what they lead to has come back.
class Inferring {
 public:
  /// `model`: null: types only. `numbers`: null: all symbols stay.
  Inferring(const FlatGraph& graph, const InputSet& inputs, const CostModel* model, Numbers* numbers,
            const std::vector<const Operator*>& kinds, std::stop_token stop)
      : graph_(graph),
        stop_(std::move(stop)),
        inputs_(inputs),
        costs_(model != nullptr),
        numbers_(numbers),
        model_(model ? *model : CostModel()),
        kinds_(kinds),
        known_(graph.streams.size(), Known::No),
        missing_(graph.operators.size()),
        done_(graph.operators.size(), false) {
    result_.streams.resize(graph.streams.size());
    result_.operators.resize(graph.operators.size());
    for (OperatorId id = 0; id < graph.operators.size(); ++id) {
      missing_[id] = graph.operators[id].inputs.size();
      if (missing_[id] == 0) ready_.push_back(id);
    }
  }

  Result<Inference> run() {
    do {
      for (; next_ < ready_.size() && !stop_.stop_requested(); ++next_) type(ready_[next_]);
    } while (!stop_.stop_requested() && enterLoop());
    if (stop_.stop_requested()) return cancelledDiagnostic();
    if (!problems_.empty()) return problems_;
    if (ready_.size() < graph_.operators.size()) return cyclic();
    if (costs_) result_.total = sum(result_.operators);
    return std::move(result_);
  }

 private:
  /// Broken: behind an error nothing can be said; but errors on other paths are worth telling, too.
  enum class Known : std::uint8_t { No, Yes, Broken };

  ShapeContext contextOf(OperatorId id) {
    std::vector<const StreamType*> in;
    for (const StreamId stream : graph_.operators[id].inputs)
      in.push_back(known_[stream] == Known::Yes ? &result_.streams[stream] : nullptr);
    return {graph_, id, inputs_, model_, std::move(in), result_};
  }

  void settle(StreamId stream, Known state) {
    if (known_[stream] != Known::No) return;
    known_[stream] = state;
    const OperatorId consumer = graph_.streams[stream].consumer;
    if (--missing_[consumer] == 0) ready_.push_back(consumer);
  }

  void type(OperatorId id) {
    done_[id] = true;
    const FlatOperator& op = graph_.operators[id];
    const bool whole = std::all_of(op.inputs.begin(), op.inputs.end(),
                                   [this](StreamId s) { return known_[s] == Known::Yes; });
    if (whole && infer(id)) return;
    for (const StreamId stream : op.outputs) settle(stream, Known::Broken);
  }

  bool infer(OperatorId id) {
    const FlatOperator& op = graph_.operators[id];
    const ShapeContext t = contextOf(id);
    Result<std::vector<StreamType>> out = outputTypes(*kinds_[id], t);
    if (!out) {
      problems_.insert(problems_.end(), out.diagnostics().begin(), out.diagnostics().end());
      return false;
    }
    if (numbers_)
      for (StreamType& type : *out) numbers_->put(type, result_.known);
    for (std::size_t port = 0; port < op.outputs.size(); ++port) {
      if (auto wrong = overflowing(t, (*out)[port], extents_)) {
        problems_.push_back(*std::move(wrong));
        return false;
      }
    }
    const auto assumed = [&](std::size_t port) { return known_[op.outputs[port]] == Known::Yes; };
    for (std::size_t port = 0; port < op.outputs.size(); ++port)  // shape() found that the loop agrees
      if (assumed(port)) (*out)[port] = result_.streams[op.outputs[port]];
    if (costs_) result_.operators[id] = kinds_[id]->cost(t, *out);
    if (costs_ && numbers_) numbers_->put(result_.operators[id]);
    for (std::size_t port = 0; port < op.outputs.size(); ++port) {
      if (assumed(port)) continue;
      result_.streams[op.outputs[port]] = std::move((*out)[port]);
      settle(op.outputs[port], Known::Yes);
    }
    return true;
  }

  /// Nothing is ready: types what one operator of a loop can say beforehand. False: there is none.
  bool enterLoop() {
    for (OperatorId id = 0; id < graph_.operators.size(); ++id) {
      if (done_[id] || !kinds_[id]->assume) continue;
      const FlatOperator& op = graph_.operators[id];
      const std::vector<std::optional<StreamType>> out = kinds_[id]->assume(contextOf(id));
      bool learnt = false;
      for (std::size_t port = 0; port < op.outputs.size(); ++port) {
        if (!out[port] || known_[op.outputs[port]] != Known::No) continue;
        result_.streams[op.outputs[port]] = *out[port];
        settle(op.outputs[port], Known::Yes);
        learnt = true;
      }
      if (learnt) return true;
    }
    return false;
  }

  Diagnostic cyclic() const {
    // From any operator that is left, going upstream along unknown types must come round.
    const auto left = std::find(done_.begin(), done_.end(), false);
    auto at = static_cast<OperatorId>(left - done_.begin());
    std::vector<OperatorId> path;
    while (std::find(path.begin(), path.end(), at) == path.end()) {
      path.push_back(at);
      const std::vector<StreamId>& inputs = graph_.operators[at].inputs;
      at = graph_
               .streams[*std::find_if(inputs.begin(), inputs.end(),
                                      [this](StreamId s) { return known_[s] == Known::No; })]
               .producer;
    }
    std::string names;
    std::vector<Location> rest;
    for (auto it = path.rbegin(); *it != at; ++it) {
      names += " -> " + graph_.operators[*it].name;
      rest.emplace_back(Where::Operator, graph_.operators[*it].name);
    }
    const std::string& first = graph_.operators[at].name;
    Diagnostic cycle = error("certain-deadlock", Location(Where::Operator, first),
                             "waits for its own result: " + first + names + " -> " + first,
                             "cut one of these streams: no element could ever enter the cycle");
    cycle.related = std::move(rest);
    return cycle;
  }

  const FlatGraph& graph_;
  const std::stop_token stop_;
  const InputSet& inputs_;
  const bool costs_;
  Numbers* const numbers_;
  const CostModel model_;
  const std::vector<const Operator*>& kinds_;
  Inference result_;
  Diagnostics problems_;
  std::vector<Known> known_;
  std::vector<std::size_t> missing_;  ///< inputs of each operator that are not settled
  std::vector<bool> done_;
  std::vector<OperatorId> ready_;
  Extents extents_;
  std::size_t next_ = 0;
};

Result<Inference> inferBy(const CostModel* model, Numbers* numbers, const FlatGraph& graph,
                          const InputSet& inputs, std::stop_token stop) {
  Diagnostics problems;
  const std::vector<const Operator*> kinds = definitions(graph, problems);
  if (!problems.empty()) return problems;
  return Inferring(graph, inputs, model, numbers, kinds, std::move(stop)).run();
}

}  // namespace

Result<Inference> infer(const FlatGraph& graph, const InputSet& inputs, const CostModel& model,
                        std::stop_token stop) {
  return inferBy(&model, nullptr, graph, inputs, std::move(stop));
}

Result<Inference> inferTypes(const FlatGraph& graph, const InputSet& inputs, std::stop_token stop) {
  return inferBy(nullptr, nullptr, graph, inputs, std::move(stop));
}

Result<Inference> inferNumbers(const FlatGraph& graph, const InputSet& inputs, std::stop_token stop) {
  const CostModel model;
  Numbers numbers(graph.knobs);
  Result<Inference> inference = inferBy(&model, &numbers, graph, inputs, std::move(stop));
  if (inference && !numbers.sound())
    return error("overflow", Location("program"), "a size or a cost is no number that is counted",
                 "ask infer()");
  return inference;
}

}  // namespace sluice::inline operators
