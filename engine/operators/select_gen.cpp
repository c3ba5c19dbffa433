// SelectGen: a source of multi-hot selectors, from a routing trace or a 0/1 matrix (timing.md 3.1). One a
// cycle.

#include "engine/operators/around.h"
#include "engine/operators/off_chip.h"
#include "engine/operators/registry.h"
#include "engine/operators/selectors.h"

namespace sluice::inline operators::select_gen {

namespace {

/// The selectors as rows of target numbers, in stream order.
struct Selectors {
  std::vector<std::uint64_t> shape;
  std::uint32_t width = 0;
  std::vector<std::vector<std::uint32_t>> rows;
};

Selectors fromRouting(const InputData& input, bool one_hot) {
  Selectors selectors;
  selectors.width = static_cast<std::uint32_t>(input.experts);
  const std::size_t tokens = input.tensor.shape[0], top_k = input.tensor.shape[1];
  selectors.shape.push_back(tokens);
  if (one_hot) selectors.shape.push_back(top_k);
  for (std::size_t token = 0; token < tokens; ++token) {
    std::vector<std::uint32_t> row;
    for (std::size_t k = 0; k < top_k; ++k)
      row.push_back(static_cast<std::uint32_t>(input.tensor.data[token * top_k + k]));
    if (one_hot) {
      for (const std::uint32_t target : row) selectors.rows.push_back({target});
    } else {
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      selectors.rows.push_back(std::move(row));
    }
  }
  return selectors;
}

Selectors fromMatrix(const IntTensor& matrix) {
  Selectors selectors;
  selectors.width = static_cast<std::uint32_t>(matrix.shape.back());
  selectors.shape.assign(matrix.shape.begin(), matrix.shape.end() - 1);
  if (selectors.shape.empty()) selectors.shape.push_back(1);
  for (std::size_t at = 0; at < matrix.data.size(); at += selectors.width) {
    std::vector<std::uint32_t> row;
    for (std::uint32_t target = 0; target < selectors.width; ++target) {
      if (matrix.data[at + target] != 0) row.push_back(target);
    }
    selectors.rows.push_back(std::move(row));
  }
  return selectors;
}

Selectors selectorsOf(const InputData& input, bool one_hot) {
  return input.kind == InputKind::Routing ? fromRouting(input, one_hot) : fromMatrix(input.tensor);
}

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  const std::string& name = t.op.parameters.string("input");
  const auto input = t.inputs.find(name);
  if (input == t.inputs.end()) {
    return t.problem("unknown-input", "", "there is no input '" + name + "'",
                     "add it to the document's inputs, or choose another");
  }
  const IntTensor& tensor = input->second.tensor;
  const bool routing = input->second.kind == InputKind::Routing;
  if (input->second.kind == InputKind::Lengths || tensor.shape.empty() || tensor.shape.back() == 0 ||
      (routing && tensor.shape.size() != 2)) {
    return t.problem("input-value", "", "input '" + name + "' does not hold selectors",
                     "bind a routing trace, or a 0/1 tensor whose last dimension is the targets");
  }
  const Selectors selectors = selectorsOf(input->second, t.op.parameters.string("view") == "one_hot");
  StreamType out{{Dim::fixed(1)}, SelectorType{Expr(static_cast<std::int64_t>(selectors.width)), {}}, {}, {}};
  for (const std::uint64_t extent : selectors.shape)
    out.shape.push_back(Dim::fixed(Expr(static_cast<std::int64_t>(extent))));
  out.shape.front() = aroundAll(t, out.shape);
  if (t.op.parameters.string("encoding") == "index") {
    std::size_t most = 0;
    for (const auto& row : selectors.rows) most = std::max(most, row.size());
    out.element =
        SelectorType{Expr(static_cast<std::int64_t>(selectors.width)), Expr(static_cast<std::int64_t>(most))};
  }
  std::vector<std::int64_t> selected(selectors.width, 0);
  for (const auto& row : selectors.rows) {
    for (const std::uint32_t target : row) ++selected[target];
  }
  // Every stream made of one trace counts the same groups, so they share their symbols.
  out.routing = std::make_shared<const Routing>(Routing{name, std::move(selected)});
  return std::vector<StreamType>{std::move(out)};
}

simulator::Process run(simulator::Context& me, std::vector<std::uint64_t> extents,
                       std::vector<const simulator::Selector*> selectors) {
  StopCounter stops(std::move(extents));
  for (const simulator::Selector* selector : selectors) {
    co_await me.push(me.out(0), simulator::Token::select(selector).withStop(stops.next()), me.now + 1);
    me.advance(1);
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  const InputData& input = instance.inputs.at(instance.op.parameters.string("input"));
  Selectors selectors = selectorsOf(input, instance.op.parameters.string("view") == "one_hot");
  std::vector<const simulator::Selector*> interned;
  for (auto& row : selectors.rows) interned.push_back(me.selector(std::move(row), selectors.width));
  return run(me, std::move(selectors.shape), std::move(interned));
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "SelectGen",
              .category = "Source",
              .summary = "Emits the selectors of a routing trace.",
              .paper = "STeP artifact, SelectGen",
              .parameters =
                  {inputParameter("input", "a routing trace, or a 0/1 tensor"),
                   choiceParameter("view",
                                   "multi_hot: one selector a token; one_hot: one for each of its choices",
                                   {"multi_hot", "one_hot"}, Value("multi_hot")),
                   choiceParameter(
                       "encoding",
                       "multi_hot: a byte a target; index: two bytes for each of at most so many chosen ones",
                       {"multi_hot", "index"}, Value("multi_hot"))},
              .inputs = {},
              .outputs = {{"out", "", "selectors; shape [1, tokens] or [1, tokens, choices]"}},
              .rules = {.shape = "[1, tokens], or for one_hot [1, tokens, choices].",
                        .cost = "None.",
                        .timing = "One selector a cycle."},
          },
      .shape = shape,
      .cost = noCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = sourceRates,
  };
  return definition;
}

}  // namespace sluice::inline operators::select_gen

namespace sluice::inline operators {

std::optional<SelectorRows> selectorRows(const FlatGraph& graph, StreamId control, const InputSet& inputs) {
  const FlatOperator* from = &graph.operators[graph.streams[control].producer];
  while (definitionOf(*from).copies) from = &graph.operators[graph.streams[from->inputs[0]].producer];
  if (from->spec != &select_gen::definition().spec) return std::nullopt;
  const bool one_hot = from->parameters.string("view") == "one_hot";
  return select_gen::selectorsOf(inputs.at(from->parameters.string("input")), one_hot).rows;
}

}  // namespace sluice::inline operators
