#include "engine/operators/draft.h"

#include <algorithm>

#include "engine/operators/order.h"
#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"

namespace sluice::inline operators {
namespace {

/// Enough to try; a program has few kinds of streams.
constexpr std::size_t most_candidates = 48;

class DraftTyping {
 public:
  DraftTyping(Draft& draft, const InputSet& inputs) : draft_(draft), inputs_(inputs) {
    const std::map<std::string, const Operator*> by_kind = operatorsByKind();
    for (const FlatOperator& op : draft.graph.operators) kinds_.push_back(by_kind.at(op.spec->kind));
    draft.streams.resize(draft.graph.streams.size());
    missing_.resize(kinds_.size());
    done_.resize(kinds_.size(), false);
    for (OperatorId id = 0; id < kinds_.size(); ++id) {
      missing_[id] = draft.graph.operators[id].inputs.size();
      if (missing_[id] == 0) ready_.push_back(id);
    }
  }

  void run() {
    do {
      for (; next_ < ready_.size(); ++next_) type(ready_[next_]);
    } while (enterLoop());
    for (OperatorId id = 0; id < kinds_.size(); ++id)
      if (!done_[id]) checkPartly(id);
    findCircle();
  }

 private:
  /// `assumed` stands for every input that is not known yet.
  ShapeContext contextOf(OperatorId id, const StreamType* assumed = nullptr) {
    std::vector<const StreamType*> in;
    for (const StreamId stream : draft_.graph.operators[id].inputs) {
      const bool known = stream != open_port && draft_.streams[stream];
      in.push_back(known ? &*draft_.streams[stream] : assumed);
    }
    return {draft_.graph, id, inputs_, model_, std::move(in), scratch_};
  }

  void settle(StreamId stream, const StreamType& type) {
    if (stream == open_port || draft_.streams[stream]) return;
    draft_.streams[stream] = type;
    const OperatorId consumer = draft_.graph.streams[stream].consumer;
    if (--missing_[consumer] == 0) ready_.push_back(consumer);
  }

  void type(OperatorId id) {
    done_[id] = true;
    const Result<std::vector<StreamType>> out = outputTypes(*kinds_[id], contextOf(id));
    if (!out) {
      draft_.problems.insert(draft_.problems.end(), out.diagnostics().begin(), out.diagnostics().end());
      return;
    }
    const FlatOperator& op = draft_.graph.operators[id];
    for (std::size_t port = 0; port < op.outputs.size(); ++port) settle(op.outputs[port], (*out)[port]);
  }

  bool enterLoop() {
    for (OperatorId id = 0; id < kinds_.size(); ++id) {
      if (done_[id] || !kinds_[id]->assume) continue;
      const std::vector<std::optional<StreamType>> out = kinds_[id]->assume(contextOf(id));
      const FlatOperator& op = draft_.graph.operators[id];
      bool learnt = false;
      for (std::size_t port = 0; port < op.outputs.size(); ++port) {
        const StreamId stream = op.outputs[port];
        if (!out[port] || stream == open_port || draft_.streams[stream]) continue;
        settle(stream, *out[port]);
        learnt = true;
      }
      if (learnt) return true;
    }
    return false;
  }

  bool isKnown(StreamId stream) const { return stream != open_port && draft_.streams[stream].has_value(); }

  /// Some inputs are known and some are not: is there anything that the others could be? A rule that blames a
  /// known input whatever the others are tells that this one does not fit.
  void checkPartly(OperatorId id) {
    const FlatOperator& op = draft_.graph.operators[id];
    if (std::none_of(op.inputs.begin(), op.inputs.end(), [this](StreamId s) { return isKnown(s); })) return;
    std::optional<Diagnostic> blame;
    for (const StreamType& candidate : candidates(id)) {
      const ShapeContext t = contextOf(id, &candidate);
      const Result<std::vector<StreamType>> out = outputTypes(*kinds_[id], t);
      if (out) return;
      const Diagnostic& first = out.diagnostics().front();
      const LocationPart* const told = first.place.find(Where::Port);
      for (std::size_t port = 0; port < op.inputs.size(); ++port) {
        const bool blamed = told && told->name == t.portName(port);
        if (blamed && !isKnown(op.inputs[port])) return;
      }
      if (!blame) blame = first;
    }
    if (blame) draft_.problems.push_back(*blame);
  }

  /// The types there are in the program; of the operator's own inputs also with other tiles.
  std::vector<StreamType> candidates(OperatorId id) const {
    std::vector<StreamType> list;
    for (const StreamId stream : draft_.graph.operators[id].inputs) {
      if (!isKnown(stream)) continue;
      const StreamType& type = *draft_.streams[stream];
      list.push_back(type);
      const TileType* tile = type.element.tile();
      if (!tile) continue;
      for (const auto& [rows, cols] : {std::pair(tile->cols, tile->rows), std::pair(tile->cols, tile->cols),
                                       std::pair(tile->rows, tile->rows)}) {
        list.push_back(type);
        list.back().element = TileType{tile->scalar, rows, cols};
      }
    }
    for (StreamType& type : list) type.order.reset();  // what is not there yet comes in no order
    std::vector<std::string> seen;
    for (std::optional<StreamType> type : draft_.streams) {
      if (type) type->order.reset();
      if (list.size() >= most_candidates) break;
      if (!type || std::find(seen.begin(), seen.end(), text(*type)) != seen.end()) continue;
      seen.push_back(text(*type));
      list.push_back(*type);
    }
    return list;
  }

  /// Operators that wait for themselves: those left when all that can start have started, those that may
  /// close a loop among them.
  void findCircle() {
    const FlatGraph& graph = draft_.graph;
    std::vector<std::size_t> waits(kinds_.size());
    std::vector<OperatorId> free;
    for (OperatorId id = 0; id < kinds_.size(); ++id) {
      const auto& inputs = graph.operators[id].inputs;
      const auto open = std::count(inputs.begin(), inputs.end(), open_port);
      waits[id] = kinds_[id]->assume ? 0 : inputs.size() - static_cast<std::size_t>(open);
      if (waits[id] == 0) free.push_back(id);
    }
    for (std::size_t i = 0; i < free.size(); ++i) {
      for (const StreamId stream : graph.operators[free[i]].outputs) {
        if (stream == open_port) continue;
        const OperatorId consumer = graph.streams[stream].consumer;
        if (waits[consumer] > 0 && --waits[consumer] == 0) free.push_back(consumer);
      }
    }
    if (free.size() == kinds_.size()) return;
    const auto stuck = std::find_if(waits.begin(), waits.end(), [](std::size_t left) { return left > 0; });
    const FlatOperator& op = graph.operators[static_cast<std::size_t>(stuck - waits.begin())];
    draft_.problems.push_back(
        error("certain-deadlock", Location(Where::Operator, op.name),
              "it is part of a cycle, or behind one, in which every operator waits for the others",
              "let the cycle go through an EagerMerge, which needs no token from it to begin"));
  }

  Draft& draft_;
  const InputSet& inputs_;
  const CostModel model_;
  Inference scratch_;
  std::vector<const Operator*> kinds_;
  std::vector<std::size_t> missing_;
  std::vector<bool> done_;
  std::vector<OperatorId> ready_;
  std::size_t next_ = 0;
};

Diagnostics problemsOf(const Document& document, const KnobValues& knobs, const InputSet& inputs) {
  const Result<Draft> draft = typeDraft(document, knobs, inputs);
  return draft ? draft->problems : draft.diagnostics();
}

}  // namespace

Result<Draft> typeDraft(const Document& document, const KnobValues& knobs, const InputSet& inputs) {
  SLUICE_TRY(FlatGraph graph, elaborateDraft(document, knobs, builtInCatalog()));
  Draft draft{std::move(graph), {}, {}};
  DraftTyping(draft, inputs).run();
  return draft;
}

std::optional<Diagnostic> newProblem(const Document& before, const Document& after, const KnobValues& knobs,
                                     const InputSet& inputs) {
  const Diagnostics old = problemsOf(before, knobs, inputs);
  for (const Diagnostic& each : problemsOf(after, knobs, inputs)) {
    const auto known = [&](const Diagnostic& other) {
      return other.place == each.place && other.cause == each.cause;
    };
    if (each.severity == Severity::Error && std::none_of(old.begin(), old.end(), known)) return each;
  }
  return std::nullopt;
}

}  // namespace sluice::inline operators
