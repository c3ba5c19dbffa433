// Every operator of the registry against the categories of mistakes that its spec allows: parameters below
// their minimum, of another kind, unknown or missing; a port without a stream; an element type that the port
// does not take; a rank that the stream does not have; streams that do not fit each other; sizes that
// overflow. An operator without a row in the table fails.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "engine/itensor/itensor_text.h"
#include "engine/operators/inference.h"
#include "engine/operators/registry.h"
#include "engine/operators/simulate.h"
#include "engine/program/elaborate.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/flat_builder.h"
#include "tests/engine/support/measured_shapes.h"

namespace sluice::operator_refusals_test {

using List = std::vector<std::int64_t>;

// Elements: f tiles [4, 8] of f32, n numbers, s selectors of three targets, b buffers of three tiles, p pairs
// of tiles; m columns of four flags, where a mask is wanted.
constexpr const char* any = "fnsbp";

/// What an input gets when all is right, and which elements it takes.
struct PortCase {
  char right = 'f';
  std::string takes = any;
  List extents = {2};  ///< the stream is [1, extents]
};

struct OperatorCase {
  Settings settings;
  std::vector<PortCase> ports;
  /// Another extent of the second input alone is refused.
  bool in_step = false;
  /// Stands for what a step of the schedule puts in its place, and is refused itself.
  bool placeholder = false;
};

const List tile = {4, 8};

const std::map<std::string, OperatorCase>& cases() {
  const Settings add = {{"function", "add"}, {"compute_bw", 64}};
  const auto fold = [](const char* function, List init) {
    return Settings{{"function", function}, {"compute_bw", 64}, {"init", std::move(init)}, {"rank", 1}};
  };
  Settings product = fold("matmul", {4, 4});
  product["weight_transposed"] = true;
  Settings slots = add;
  slots["buffer_shape"] = List{2}, slots["rank"] = 1;
  const PortCase lane{'f', "f"}, number{'n', "n"}, control{'s', "s"}, buffer{'b', "b"};
  static const std::map<std::string, OperatorCase> table = {
      {"LinearOffChipLoad", {{{"tile", tile}, {"out_shape", List{2}}}, {}}},
      {"LinearOffChipLoadRef", {{{"tile", tile}, {"out_shape", List{2}}}, {{}}}},
      {"DynLinearOffChipLoad", {{{"tile", tile}, {"extents", "numbers2"}}, {}}},
      {"LinearOffChipStore", {{{"tile", tile}}, {lane}}},
      {"DynOffChipStore", {{{"tile", tile}, {"extents", "two"}}, {lane}}},
      {"RandomOffChipLoad", {{{"tile", tile}}, {number}}},
      {"RandomOffChipStore", {{{"tile", tile}}, {number, lane}, true}},
      {"Bufferize", {{{"rank", 1}}, {{'f', "fn"}}}},
      {"Streamify", {{{"rank", 1}}, {buffer}}},
      {"DynStreamify", {{{"rank", 1}}, {{'b', "b", {2, 1}}, {'f', any, {2, 3}}}}},
      {"StaticStreamify", {{{"rank", 1}, {"out_shape", List{2}}}, {buffer}}},
      {"Partition", {{{"ways", 3}, {"rank", 0}}, {{}, control}}},
      {"Reassemble", {{{"ways", 3}, {"rank", 1}}, {lane, lane, lane, {'s', "s", {1}}}}},
      {"EagerMerge", {{{"ways", 2}, {"rank", 1}}, {lane, lane}, true}},
      {"Parallelize", {{{"ways", 1}, {"rank", 1}}, {{}}}},
      {"StaticReassemble", {{{"ways", 2}}, {lane, lane}}},
      {"Shuffle", {{{"rank", 1}}, {{'f', "fn"}, {'s', "s"}}, true}},
      {"Broadcast", {{{"ways", 2}}, {{}}}},
      {"Map", {{{"function", "silu"}, {"compute_bw", 64}}, {lane}}},
      {"BinaryMap", {add, {lane, lane}, true}},
      {"BinaryMapAccum", {product, {lane, lane}, true}},
      {"Accum", {fold("add", tile), {lane}}},
      {"AccumBuff", {slots, {lane}}},
      {"Scan", {fold("add", tile), {lane}}},
      {"LoopScan",
       {{{"function", "add"}, {"operands", 1}, {"init", tile}, {"compute_bw", 64}},
        {lane, lane, {'n', any, {1}}},
        false}},
      {"FlatMap", {{}, {{'f', "fn"}}}},
      {"FlatmapFilterRowStreamify", {{}, {lane, {'m', "m"}}, true}},
      {"Flatten", {{{"min", 0}, {"max", 1}}, {{}}}},
      {"Reshape", {{{"chunk", 2}}, {{}}}},
      {"ReshapePadStream", {{{"chunk", 2}, {"pad", tile}}, {lane}}},
      {"Promote", {{{"rank", 0}}, {{}}}},
      {"PromoteOuter", {{}, {{}}}},
      {"TakeLast", {{}, {{}}}},
      {"Repeat", {{{"factor", 2}}, {{}}}},
      {"RepeatRef", {{{"rank", 0}}, {{}, {'f', any, {2, 3}}}, true}},
      {"Expand", {{{"rank", 1}}, {{'f', any, {2, 1}}, {'f', any, {2, 3}}}, true}},
      {"ExpandStatic", {{{"factor", 2}}, {{'f', any, {1}}}}},
      {"Zip", {{}, {{}, {}}, true}},
      {"SelectGen", {{{"input", "selectors2"}}, {}}},
      {"MetadataGen", {{{"input", "numbers2"}}, {}}},
      {"TileGen", {{{"tile", tile}, {"shape", List{2}}}, {}}},
      {"Counter", {{{"max", 2}, {"triggers", 1}}, {{}}}},
      {"Counter2D", {{{"rows", 2}, {"columns", 2}, {"triggers", 1}}, {{}}}},
      {"FlatmapCounter", {{}, {number}}},
      {"ExpertAddrGen", {{{"tiles", 2}}, {{'s', "s", {}}}}},
      {"CacheReadAddrGen", {{{"row_offset", 4}}, {number, number}, true}},
      {"AdjacencyAddrGen", {{{"degrees", "degrees"}, {"neighbours", "neighbours"}}, {number}}},
      {"FilterLastTile", {{}, {number}}},
      {"Kernel",
       {{{"inputs", 2}, {"outputs", 2}, {"takes", List{2, 3}}, {"gives", List{3, 1}}, {"initial_delay", 4}},
        {{}, {'f', any, {3}}}}},
      {"LayoutConverter", {{{"iterations", 2}, {"fill", 1}, {"drain", 3}}, {{}}}},
      {"DataflowActor",
       {{{"inputs", 2},
         {"outputs", 2},
         {"times", List{3}},
         {"takes", List{2, 3}},
         {"gives", List{3, 1}},
         {"tokens", List{0, 0}},
         {"firings", 1}},
        {{}, {'f', any, {3}}}}},
      {"TensorProgram", {{}, {}, false, true}},
      {"Consumer", {{}, {{}}}},
      {"Printer", {{}, {{}}}},
  };
  return table;
}

/// Inputs for streams of any small extents.
InputSet inputs() {
  InputSet set;
  const auto tensor = [](List extents, std::int64_t value) {
    InputData data;
    std::size_t count = 1;
    for (std::int64_t extent : extents) {
      data.tensor.shape.push_back(static_cast<std::size_t>(extent));
      count *= data.tensor.shape.back();
    }
    data.tensor.data.assign(count, value);
    return data;
  };
  for (const List& extents : {List{1}, List{2}, List{3}, List{2, 1}, List{2, 3}, List{3, 1}, List{3, 3}}) {
    std::string name;
    for (std::int64_t extent : extents) name += std::to_string(extent);
    set["numbers" + name] = tensor(extents, 1);
    List wide = extents;
    wide.push_back(3);
    InputData& selectors = set["selectors" + name] = tensor(wide, 1);  // a single one names all targets
    for (std::size_t i = 0; i < selectors.tensor.data.size() && name != "1"; ++i)
      selectors.tensor.data[i] = i / 3 % 3 == i % 3 ? 1 : 0;
  }
  set["two"] = tensor({1}, 2);
  set["degrees"] = tensor({4}, 1);
  set["neighbours"] = tensor({4}, 2);
  return set;
}

/// A stream [1, extents] of the element; [2] without extents.
Output source(FlatBuilder& b, char element, List extents) {
  if (extents.empty()) return b.through("Flatten", {{"min", 0}, {"max", 1}}, {source(b, element, {2})});
  std::string name;
  for (std::int64_t extent : extents) name += std::to_string(extent);
  switch (element) {
    case 'n':
      return b.through("MetadataGen", {{"input", "numbers" + name}});
    case 's':
      return b.through("SelectGen", {{"input", "selectors" + name}});
    case 'b':
      extents.push_back(3);
      return b.through("Bufferize", {{"rank", 1}}, {source(b, 'f', extents)});
    case 'm': {
      extents.back() *= 4;
      const Output rows = b.through("TileGen", {{"tile", List{1, 8}}, {"shape", extents}});
      const OperatorId chunks = b.add("ReshapePadStream", {{"chunk", 4}, {"marks", "data"}}, {rows});
      return b.through("Accum",
                       {{"function", "retile_row"}, {"compute_bw", 1}, {"init", List{0, 1}}, {"rank", 1}},
                       {{chunks, 1}});
    }
    case 'p':
      return b.through("Zip", {}, {source(b, 'f', extents), source(b, 'f', extents)});
    default:
      return b.through("TileGen", {{"tile", tile}, {"shape", extents}});
  }
}

/// What inference says against the operator of the case; nothing if it is content.
std::optional<Diagnostic> refusal(const std::string& kind, const OperatorCase& test) {
  FlatBuilder builder;
  std::vector<Output> from;
  for (const PortCase& port : test.ports) from.push_back(source(builder, port.right, port.extents));
  builder.add(kind, test.settings, from);
  builder.consumeTheRest();
  const Result<Inference> inference = infer(builder.build(), inputs());
  if (inference) return std::nullopt;
  return inference.diagnostics().front();
}

void expectGood(const std::string& kind, const std::optional<Diagnostic>& told, bool port) {
  ASSERT_TRUE(told) << kind << " accepts it";
  ASSERT_TRUE(told->place.find(Where::Operator)) << text(*told);
  EXPECT_TRUE(told->place.find(Where::Operator)->name.starts_with(kind + "_")) << text(*told);
  EXPECT_TRUE(!port || told->place.find(Where::Port)) << text(*told);
  EXPECT_FALSE(told->cause.empty());
  EXPECT_FALSE(told->fix.empty() || told->code.empty()) << text(*told);
}

class OperatorRefusals : public testing::TestWithParam<const OperatorSpec*> {
 protected:
  const OperatorSpec& spec() const { return *GetParam(); }
  const OperatorCase& right() const { return cases().at(spec().kind); }
};

TEST_P(OperatorRefusals, HasACaseThatIsAccepted) {
  ASSERT_TRUE(cases().contains(spec().kind)) << "add a row to the table";
  const auto told = refusal(spec().kind, right());
  if (right().placeholder) return expectGood(spec().kind, told, false);
  EXPECT_FALSE(told) << text(*told);
}

TEST_P(OperatorRefusals, ElementsThatAPortDoesNotTake) {
  for (std::size_t port = 0; port < right().ports.size(); ++port) {
    for (const char element : std::string(any)) {
      SCOPED_TRACE(spec().kind + ", port " + std::to_string(port) + " gets " + element);
      OperatorCase test = right();
      test.ports[port].right = element;
      const auto told = refusal(spec().kind, test);
      if (right().ports[port].takes.find(element) != std::string::npos) {
        EXPECT_FALSE(told) << text(*told);
      } else {
        expectGood(spec().kind, told, true);
      }
    }
  }
}

TEST_P(OperatorRefusals, RanksThatTheStreamDoesNotHave) {
  for (const char* name : {"rank", "dim", "max", "repeat_rank"}) {
    if (!spec().parameter(name) || right().ports.empty()) continue;
    if (name == std::string("max") && !spec().parameter("min")) continue;  // a count, of no dimensions
    OperatorCase test = right();
    test.settings[name] = 9;
    const auto told = refusal(spec().kind, test);
    expectGood(spec().kind, told, true);
    if (told) {
      EXPECT_NE(told->cause.find('9'), std::string::npos) << "which number: " << text(*told);
    }
  }
}

TEST_P(OperatorRefusals, StreamsThatDoNotFitEachOther) {
  if (!right().in_step) return;
  OperatorCase test = right();
  test.ports[1].extents.front() = 3;
  const auto told = refusal(spec().kind, test);
  expectGood(spec().kind, told, true);
  if (!told) return;
  for (const char* shape : {"[1, 2", "[1, 3"})
    EXPECT_NE(told->cause.find(shape), std::string::npos) << "both shapes: " << text(*told);
}

TEST_P(OperatorRefusals, SelectorsForAnotherNumberOfPorts) {
  if (!spec().parameter("ways") || right().ports.size() < 2 || right().ports.back().right != 's') return;
  OperatorCase test = right();
  test.settings["ways"] = 2;
  if (spec().inputs.front().width == "ways") test.ports.erase(test.ports.begin());
  const auto told = refusal(spec().kind, test);
  expectGood(spec().kind, told, true);
  if (told) {
    EXPECT_NE(told->cause.find("ways = 2"), std::string::npos) << text(*told);
  }
}

/// Whatever a number is, inference answers: it neither crashes nor counts beyond its integers.
TEST_P(OperatorRefusals, HugeNumbers) {
  constexpr std::int64_t huge = std::int64_t{1} << 62;
  for (const ParameterSpec& parameter : spec().parameters) {
    OperatorCase test = right();
    const auto counted = [&](const PortSpec& port) { return port.width == parameter.name; };
    if (std::any_of(spec().inputs.begin(), spec().inputs.end(), counted) ||
        std::any_of(spec().outputs.begin(), spec().outputs.end(), counted))
      continue;  // so many streams nobody has
    if (parameter.kind == ParameterKind::Integer) test.settings[parameter.name] = huge;
    if (parameter.kind == ParameterKind::IntegerList) test.settings[parameter.name] = List{huge, huge};
    const auto told = refusal(spec().kind, test);
    if (told) expectGood(spec().kind, told, false);
    if (right().placeholder) continue;
    const bool grows = parameter.name == "factor" || parameter.name == "max" || parameter.name == "tiles" ||
                       parameter.name == "shape" || parameter.name == "out_shape" || parameter.name == "tile";
    EXPECT_TRUE(told || !grows) << spec().kind << " takes " << parameter.name << " = 2^62";
  }
}

/// What inference accepts, runs, whatever the elements are.
TEST_P(OperatorRefusals, WhatIsAcceptedRunsAndHasTheInferredShape) {
  if (right().placeholder) return;
  for (std::size_t changed = 0; changed < std::max<std::size_t>(right().ports.size(), 1); ++changed) {
    const std::string takes = right().ports.empty() ? "f" : right().ports[changed].takes;
    for (const char element : takes) {
      OperatorCase test = right();
      if (!test.ports.empty()) test.ports[changed].right = element;
      SCOPED_TRACE(spec().kind + ", port " + std::to_string(changed) + " gets " + element);
      FlatBuilder builder;
      builder.depth = 64;
      std::vector<Output> from;
      for (const PortCase& port : test.ports) from.push_back(source(builder, port.right, port.extents));
      builder.add(spec().kind, test.settings, from);
      builder.consumeTheRest();
      const FlatGraph graph = builder.build();
      const Result<Inference> inference = infer(graph, inputs());
      ASSERT_TRUE(inference) << text(inference.diagnostics());
      const SimulationResult run = simulate(graph, inputs());
      EXPECT_FALSE(run.fault) << run.fault->cause;
      EXPECT_FALSE(run.deadlock);
      EXPECT_EQ(shapeDifferences(graph, *inference, run), "");
    }
  }
}

// What a document can say wrong before any shape is known.

Value written(const Setting& setting) {
  if (const auto* number = std::get_if<std::int64_t>(&setting)) return Value(*number);
  if (const auto* flag = std::get_if<bool>(&setting)) return Value(*flag);
  if (const auto* word = std::get_if<std::string>(&setting)) return Value(*word);
  std::vector<Value> list;
  if (const auto* orders = std::get_if<std::vector<StreamOrder>>(&setting)) {
    for (const StreamOrder& order : *orders) list.push_back(Value(order ? text(*order) : ""));
    return Value(list);
  }
  for (const std::int64_t number : std::get<List>(setting)) list.push_back(Value(number));
  return Value(list);
}

/// The operator as node "it", nothing connected; the diagnostics that speak of `place`.
Diagnostics told(const std::string& kind, Values parameters, const std::string& place) {
  Document document;
  document.program.nodes = {testing_support::node("it", kind, std::move(parameters))};
  for (const auto& [name, data] : inputs()) {
    Input input;
    input.name = name;
    document.inputs.push_back(std::move(input));
  }
  const Result<FlatGraph> graph = elaborate(document, {}, builtInCatalog());
  Diagnostics found;
  if (graph) return found;
  for (const Diagnostic& diagnostic : graph.diagnostics())
    if (text(diagnostic.place).starts_with("operator 'it', " + place)) found.push_back(diagnostic);
  return found;
}

TEST_P(OperatorRefusals, ParametersOfAnotherValueKindOrName) {
  Values parameters;
  for (const auto& [name, setting] : right().settings) parameters[name] = written(setting);
  const auto expectTold = [&](const std::string& name, const std::optional<Value>& value) {
    Values wrong = parameters;
    if (value)
      wrong[name] = *value;
    else
      wrong.erase(name);
    const Diagnostics found = told(spec().kind, wrong, "parameter '" + name + "'");
    ASSERT_EQ(found.size(), 1u) << spec().kind << ", " << name << " = " << (value ? text(*value) : "nothing");
    EXPECT_FALSE(found.front().cause.empty() || found.front().fix.empty()) << text(found.front());
  };
  expectTold("colour", Value(1));
  for (const ParameterSpec& parameter : spec().parameters) {
    if (!parameter.initial) expectTold(parameter.name, std::nullopt);
    const Value below(parameter.range.minimum - 1);
    switch (parameter.kind) {
      case ParameterKind::Integer:
        for (const Value& value : {below, Value(true), Value(std::vector<Value>{1}), Value("1/0")})
          expectTold(parameter.name, value);
        break;
      case ParameterKind::IntegerList:
        if (parameter.name == "tensor_origin") break;  // may be negative
        for (const Value& value : {Value(std::vector<Value>{below}), Value(true), Value(3)})
          expectTold(parameter.name, value);
        break;
      case ParameterKind::Boolean:
        for (const Value& value : {Value(1), Value("yes")}) expectTold(parameter.name, value);
        break;
      case ParameterKind::Choice:
      case ParameterKind::Input:
        for (const Value& value : {Value(1), Value("nothing")}) expectTold(parameter.name, value);
        break;
      case ParameterKind::Text:
        expectTold(parameter.name, Value(1));
        break;
      case ParameterKind::Orders:
        for (const Value& value : {Value("itensor<2xf32, iter_space: [2]*[2], iter_map: (d0)->(d0)>"),
                                   Value(std::vector<Value>{1}), Value(std::vector<Value>{"a tensor"})})
          expectTold(parameter.name, value);
        break;
    }
  }
}

TEST_P(OperatorRefusals, PortsWithoutAStream) {
  Values parameters;
  for (const auto& [name, setting] : right().settings) parameters[name] = written(setting);
  for (const bool input : {true, false}) {
    for (const PortSpec& port : input ? spec().inputs : spec().outputs) {
      const std::string place = std::string(input ? "input '" : "output '") + port.name + "'";
      const Diagnostics found = told(spec().kind, parameters, place);
      ASSERT_FALSE(found.empty()) << spec().kind << ", " << place;
      EXPECT_FALSE(found.front().fix.empty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, OperatorRefusals, testing::ValuesIn(registeredSpecs()),
                         [](const auto& test) { return test.param->kind; });

}  // namespace sluice::operator_refusals_test
