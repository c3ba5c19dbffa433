#include "engine/schedule/transformation.h"

#include <algorithm>
#include <limits>

#include "engine/operators/registry.h"
#include "engine/program/binding.h"
#include "engine/program/elaborate.h"
#include "engine/program/spelling.h"

namespace sluice::inline schedule {
namespace {

/// The first name of a dotted path, and what follows it.
std::pair<std::string, std::string> splitPath(const std::string& path) {
  const std::size_t dot = path.find('.');
  if (dot == std::string::npos) return {path, ""};
  return {path.substr(0, dot), path.substr(dot + 1)};
}

std::vector<std::string> namesOf(const Graph& graph, bool regions_only) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes)
    if (!regions_only || node.body) names.push_back(node.name);
  return names;
}

Node* findNode(Graph& graph, const std::string& name) {
  for (Node& node : graph.nodes)
    if (node.name == name) return &node;
  return nullptr;
}

}  // namespace

Diagnostic Rewrite::problem(std::string cause, std::string fix) const {
  return problem("illegal-step", std::move(cause), std::move(fix));
}

Diagnostic Rewrite::problem(Code code, std::string cause, std::string fix) const {
  return error(code, place, std::move(cause), std::move(fix));
}

Diagnostic Rewrite::problem(const Diagnostics& found) const {
  Diagnostic told = found.front();
  if (isCancelled(found)) return told;
  told.cause = text(told.place) + ": " + told.cause;
  told.place = place;
  return told;
}

Diagnostic Rewrite::problemAt(const std::string& argument, Code code, std::string cause,
                              std::string fix) const {
  return error(code, place / Location(Where::Argument, argument), std::move(cause), std::move(fix));
}

Result<Node*> Rewrite::region(const std::string& path) const {
  Graph* graph = &document.program;
  for (auto [name, rest] = splitPath(path);; std::tie(name, rest) = splitPath(rest)) {
    Node* node = findNode(*graph, name);
    if (!node || !node->body) {
      return problem("unknown-region", "there is no region '" + path + "' in the program",
                     spellingFix(name, namesOf(*graph, true), "put the operators into a region first"));
    }
    if (rest.empty()) return node;
    graph = &node->body->body;
  }
}

Result<Graph*> Rewrite::graphOf(const std::string& path) const {
  Graph* graph = &document.program;
  std::string name = path;
  if (const std::size_t dot = path.rfind('.'); dot != std::string::npos) {
    SLUICE_TRY(Node * around, region(path.substr(0, dot)));
    graph = &around->body->body;
    name = path.substr(dot + 1);
  }
  if (graph->find(name)) return graph;
  return problem("unknown-node", "there is no operator '" + path + "' in the program",
                 spellingFix(name, namesOf(*graph, false), "name an operator of the program"));
}

Result<std::int64_t> Rewrite::evaluate(const Value& value) const {
  DiagnosticSink sink;
  Binding binding(document, knobs, sink);
  const auto open = binding.open(value, {}, place);
  const auto closed =
      open ? binding.close(*open, {}, {}, Range{std::numeric_limits<std::int64_t>::min()}, place)
           : std::nullopt;
  if (!closed) return sink.diagnostics();
  return closed->value;
}

std::string Rewrite::freshName(const std::string& wish) const {
  return freeName(wish, [&](const std::string& name) {
    const auto named = [&](const auto& thing) { return thing.name == name; };
    return document.constants.contains(name) ||
           std::any_of(document.knobs.begin(), document.knobs.end(), named) ||
           std::any_of(document.inputs.begin(), document.inputs.end(), named) || Binding::reserved(name);
  });
}

std::string Rewrite::addInput(const std::string& wish, InputKind kind, IntTensor values,
                              std::int64_t experts) {
  Input input;
  input.name = freshName(wish);
  input.kind = kind;
  input.experts = experts;
  input.data = values;
  inputs[input.name] = {kind, std::move(values), experts};
  document.inputs.push_back(std::move(input));
  return document.inputs.back().name;
}

Result<Done> Rewrite::inferTypes() {
  if (typed_) return Done{};
  SLUICE_TRY(FlatGraph graph, elaborate(document, knobs, builtInCatalog(), stop));
  SLUICE_TRY(Inference inference, sluice::inferTypes(graph, inputs, stop));
  typed_ = std::make_shared<const TypedProgram>(TypedProgram{std::move(graph), std::move(inference)});
  return Done{};
}

std::vector<const FlatOperator*> Rewrite::operatorsOf(const std::string& node) const {
  std::vector<const FlatOperator*> found;
  if (!typed_) return found;
  for (const FlatOperator& op : typed_->graph.operators)
    if (op.origin == node && !op.inferred) found.push_back(&op);
  return found;
}

const StreamType* Rewrite::typeAt(const std::string& node, const std::string& port, bool output) const {
  for (const FlatOperator* op : operatorsOf(node)) {
    std::size_t first = 0;
    for (const PortSpec& candidate : output ? op->spec->outputs : op->spec->inputs) {
      if (candidate.name == port)
        return &typed_->inference.streams.at((output ? op->outputs : op->inputs).at(first));
      first +=
          candidate.width.empty() ? 1 : static_cast<std::size_t>(op->parameters.integer(candidate.width));
    }
  }
  return nullptr;
}

const StreamType* Rewrite::typeInto(const std::string& node, const std::string& port) const {
  return typeAt(node, port, false);
}

const StreamType* Rewrite::typeOutOf(const std::string& node, const std::string& port) const {
  return typeAt(node, port, true);
}

bool Rewrite::isSinglePort(const std::string& node, const std::string& port) const {
  for (const FlatOperator* op : operatorsOf(node))
    for (const PortSpec& candidate : op->spec->outputs)
      if (candidate.name == port) return candidate.width.empty();
  return false;
}

const StreamType* Rewrite::typeAtBoundary(const std::string& region_path, const std::string& input) const {
  const Result<Node*> around = region(region_path);
  if (!around) return nullptr;
  for (const Stream& stream : (*around)->body->body.streams) {
    if (stream.from.node != "region" || stream.from.port != input) continue;
    if (const StreamType* type = typeInto(region_path + "." + stream.to.node, stream.to.port)) return type;
    return typeAtBoundary(region_path + "." + stream.to.node, stream.to.port);  // into a region inside
  }
  return nullptr;
}

std::optional<Value> Rewrite::written(const Expr& extent) const {
  if (const auto constant = extent.constant()) return Value(*constant);
  for (const std::string& symbol : extent.symbols())
    if (!knobs.contains(symbol)) return std::nullopt;
  return Value(extent.text());
}

std::optional<std::int64_t> Rewrite::number(const Expr& extent) const {
  std::map<std::string, Expr> values;
  for (const auto& [name, value] : knobs) values.emplace(name, Expr(value));
  if (typed_)
    for (const auto& [name, value] : typed_->inference.known) values.emplace(name, Expr(value));
  return extent.substitute(values).constant();
}

bool namesNode(const ArgumentSpec& argument) {
  return argument.kind == ArgumentKind::Region || argument.kind == ArgumentKind::Operator ||
         argument.kind == ArgumentKind::CompiledProgram;
}

bool namesPort(const ArgumentSpec& argument) {
  return argument.kind == ArgumentKind::RegionInput || argument.kind == ArgumentKind::RegionStream ||
         argument.kind == ArgumentKind::AnyInput;
}

bool mayName(const ArgumentSpec& argument, const Node& node) {
  if (argument.kind == ArgumentKind::Region) return static_cast<bool>(node.body);
  return argument.kind == ArgumentKind::Operator && argument.fits(node);
}

ArgumentSpec regionArgument() {
  return {"region", ArgumentKind::Region, {}, {}, "the region to transform"};
}
ArgumentSpec integerArgument(std::string name, std::string help, std::optional<Value> initial,
                             const Range& range) {
  return {std::move(name), ArgumentKind::Integer, std::move(initial), {}, std::move(help), range};
}
ArgumentSpec choiceArgument(std::string name, std::vector<std::string> choices, std::string help) {
  return {std::move(name), ArgumentKind::Choice, {}, std::move(choices), std::move(help)};
}
ArgumentSpec operatorArgument(std::string name, bool (*fits)(const Node&), std::string help) {
  return {std::move(name), ArgumentKind::Operator, {}, {}, std::move(help), {1}, fits};
}
ArgumentSpec portArgument(std::string name, ArgumentKind kind, std::string help,
                          std::optional<Value> initial) {
  return {std::move(name), kind, std::move(initial), {}, std::move(help)};
}

}  // namespace sluice::inline schedule
