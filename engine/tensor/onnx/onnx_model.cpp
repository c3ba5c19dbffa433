#include "engine/tensor/onnx/onnx_model.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "engine/core/cancelled.h"
#include "engine/interchange/protobuf_message.h"
#include "engine/itensor/itensor.h"
#include "engine/program/spelling.h"
#include "engine/symbolic/expr.h"
#include "engine/tensor/onnx/onnx.h"
#include "engine/tensor/onnx/onnx_expansions.h"
#include "engine/tensor/onnx/onnx_inference.h"
#include "engine/tensor/onnx/onnx_inlining.h"
#include "engine/tensor/onnx/onnx_tensor_data.h"

namespace sluice::inline tensor {

namespace {

using nlohmann::json;

json tensorType(const json& value) {
  return value.value("type", json::object()).value("tensor_type", json::object());
}

Result<json> readModel(std::string_view bytes, const Location& place, const std::stop_token& stop) {
  // Integers that say something - shapes, axes - are few.
  constexpr std::size_t most_bytes = 4096;
  Result<json> model = readOnnxModel(bytes, place, most_bytes, stop);
  if (model && (!model->contains("graph") || model->at("graph").at("node").empty())) {
    return error("wrong-format", place, "the bytes are no ONNX model with operators",
                 "export the model again, for example with torch.onnx.export");
  }
  constexpr std::size_t most_nodes = 200'000;
  if (model)
    if (const std::size_t nodes = model->at("graph").at("node").size(); nodes > most_nodes)
      return error(
          "too-many", place,
          "it has " + std::to_string(nodes) + " nodes; at most " + std::to_string(most_nodes) + " are taken",
          "export a part of the model, such as one of its equal layers");
  return model;
}

/// A name that the engine's expressions take: exporters write what PyTorch prints, as "Min(512, 2*s0)".
std::string expressionOf(std::string text) {
  for (const auto& [theirs, ours] :
       {std::pair{"Min(", "min("}, {"Max(", "max("}, {"floor(", "floor("}, {"//", "/"}})
    for (std::size_t at = text.find(theirs); at != std::string::npos;
         at = text.find(theirs, at + std::string_view(ours).size()))
      text.replace(at, std::string_view(theirs).size(), ours);
  return text;
}

/// The symbols of a dimension: itself, or those of the expression that it is. None in what is neither.
std::set<std::string> symbolsOf(const std::string& dimension,
                                const std::map<std::string, std::int64_t>& dimensions) {
  if (dimension.empty()) return {};
  if (dimensions.contains(dimension) || dimension.find_first_of("(+-*/ ") == std::string::npos)
    return {dimension};
  const Result<Expr> parsed = parseExpr(expressionOf(dimension));
  if (!parsed || !isTractable(*parsed)) return {dimension};
  return parsed->symbols();
}

/// "x.0", the first dimension of x: for one that has no name.
std::string namelessDimension(const std::string& value, std::size_t number) {
  return value + "." + std::to_string(number);
}

std::optional<std::int64_t> extentOf(const json& dimension, const std::string& value, std::size_t number,
                                     const std::map<std::string, std::int64_t>& dimensions) {
  if (dimension.contains("dim_value")) return dimension.at("dim_value").get<std::int64_t>();
  std::string symbol = dimension.value("dim_param", "");
  if (symbol.empty()) symbol = namelessDimension(value, number);
  if (const auto given = dimensions.find(symbol); given != dimensions.end()) return given->second;
  const std::set<std::string> symbols = symbolsOf(symbol, dimensions);
  if (symbols.empty() || symbols.contains(symbol)) return {};
  for (const std::string& part : symbols)
    if (!dimensions.contains(part)) return {};
  const Result<Expr> parsed = parseExpr(expressionOf(symbol));
  return parsed ? parsed->value(dimensions) : std::nullopt;
}

class Reader {
 public:
  Reader(const json& graph, std::int64_t opset, const std::map<std::string, std::int64_t>& dimensions,
         const std::stop_token& stop)
      : in_(graph), dimensions_(dimensions), stop_(stop) {
    graph_.opset = opset;
  }

  OnnxGraph read() {
    graph_.name = in_.value("name", "");
    for (const char* list : {"input", "output", "value_info"})
      for (const json& value : in_.at(list)) declare(value);
    findScales();
    for (const json& tensor : in_.at("initializer"))
      graph_.values[tensor.value("name", "")] = constant(tensor, tensor.value("name", ""));
    for (const json& value : in_.at("output")) graph_.outputs.push_back(value.value("name", ""));
    for (const json& node : in_.at("node")) {
      if (stop_.stop_requested()) break;
      add(node);
    }
    return std::move(graph_);
  }

 private:
  /// Floats that shapes follow from: how much images grow.
  void findScales() {
    for (const json& node : in_.at("node")) {
      const std::string op = node.value("op_type", "");
      const std::size_t scales = op == "Upsample" ? 1 : 2;
      if ((op == "Resize" || op == "Upsample") && node.at("input").size() > scales)
        scales_.insert(node.at("input")[scales].get<std::string>());
    }
  }

  /// Without its shape where an extent is not known: then it may come from the operators.
  void declare(const json& value) {
    const json type = tensorType(value);
    const std::string name = value.value("name", "");
    OnnxValue& declared = graph_.values[name];
    declared.type = type.value("elem_type", std::int64_t{0});
    if (!type.contains("shape")) return;
    std::vector<std::int64_t> shape;
    for (const json& dimension : type.at("shape").at("dim")) {
      const std::optional<std::int64_t> extent = extentOf(dimension, name, shape.size(), dimensions_);
      if (!extent) return;
      shape.push_back(*extent);
    }
    declared.shape = std::move(shape);
  }

  OnnxValue constant(const json& tensor, const std::string& name) const {
    OnnxValue value;
    value.type = tensor.value("data_type", std::int64_t{0});
    value.constant = true;
    value.shape = tensor.at("dims").get<std::vector<std::int64_t>>();
    const std::optional<std::int64_t> count = elementsIn(*value.shape);
    const bool is_integer = value.type == onnx_int64 || value.type == onnx_int32 || value.type == onnx_bool;
    if (count && *count <= most_onnx_elements && (is_integer || *count == 1 || scales_.contains(name)))
      value.elements = tensorElements(tensor);
    if (is_integer && !value.elements)
      value.unread = isExternal(tensor) ? "its values are in another file"
                                        : "its values are not all there, or too many for a shape";
    return value;
  }

  static std::string textOf(const json& bytes) {
    const auto& raw = bytes.get_binary();
    return {raw.begin(), raw.end()};
  }

  /// Names of a graph within a graph, by those that are written.
  using Names = std::map<std::string, std::string>;

  static std::vector<std::string> renamed(const json& names, const Names& own) {
    std::vector<std::string> list = names.get<std::vector<std::string>>();
    for (std::string& name : list)
      if (const auto other = own.find(name); other != own.end()) name = other->second;
    return list;
  }

  void add(const json& in) {
    std::optional<OnnxNode> node = nodeOf(in, {}, 0);
    if (!node) return;
    node->origin = graph_.written++;
    graph_.nodes.push_back(*std::move(node));
  }

  /// Nothing: it is a Constant, and a value now.
  std::optional<OnnxNode> nodeOf(const json& in, const Names& own, int depth) {
    OnnxNode node;
    node.op = in.value("op_type", "");
    const std::string domain = in.value("domain", "");
    if (!domain.empty() && domain != "ai.onnx" && domain != "com.microsoft") node.op = domain + "." + node.op;
    node.inputs = renamed(in.at("input"), own);
    node.outputs = renamed(in.at("output"), own);
    node.name = in.value("name", "");
    if (node.name.empty() && !node.outputs.empty()) node.name = node.outputs[0];
    for (const json& attribute : in.at("attribute")) {
      const std::string name = attribute.value("name", "");
      if (attribute.contains("i")) node.integers[name] = attribute.at("i").get<std::int64_t>();
      if (attribute.contains("f")) node.numbers[name] = attribute.at("f").get<double>();
      if (attribute.contains("s")) node.texts[name] = textOf(attribute.at("s"));
      for (const json& word : attribute.at("strings")) node.words[name].push_back(textOf(word));
      if (!attribute.at("ints").empty())
        node.lists[name] = attribute.at("ints").get<std::vector<std::int64_t>>();
      if (attribute.contains("t") && node.op != "Constant")
        keepNumber(node, name, constant(attribute.at("t"), ""));
      if (attribute.contains("g")) capture(attribute.at("g"), node.captured, 0);
      for (const json& graph : attribute.at("graphs")) capture(graph, node.captured, 0);
      if (attribute.contains("g") && hasBodies(node.op) && !node.outputs.empty() && depth < deepest)
        node.bodies[name] = bodyOf(node.outputs[0], name, attribute.at("g"), own, depth + 1);
      if (node.op == "Constant" && !node.outputs.empty()) keep(node.outputs[0], name, attribute);
    }
    std::set<std::string> captured;
    for (const std::string& name : node.captured) captured.insert(own.contains(name) ? own.at(name) : name);
    node.captured = std::move(captured);
    if (node.op == "Constant") return {};
    return node;
  }

  std::shared_ptr<const OnnxBody> bodyOf(const std::string& output, const std::string& which,
                                         const json& graph, Names own, int depth) {
    const auto add = [&](const std::string& name) {
      if (!name.empty()) own[name] = nameInBody(output, which, name);
    };
    for (const char* list : {"input", "initializer"})
      for (const json& value : graph.at(list)) add(value.value("name", ""));
    for (const json& each : graph.at("node"))
      for (const json& made : each.at("output")) add(made.get<std::string>());
    for (const json& tensor : graph.at("initializer")) {
      const std::string name = tensor.value("name", "");
      graph_.values[own[name]] = constant(tensor, name);
    }
    OnnxBody body;
    for (const json& value : graph.at("input")) body.inputs.push_back(own.at(value.value("name", "")));
    for (const json& each : graph.at("node")) {
      if (stop_.stop_requested()) break;
      if (std::optional<OnnxNode> inner = nodeOf(each, own, depth)) body.nodes.push_back(*std::move(inner));
    }
    for (const json& value : graph.at("output")) {
      const std::string name = value.value("name", "");
      body.outputs.push_back(own.contains(name) ? own.at(name) : name);
    }
    // As the graph around it.
    std::swap(graph_.nodes, body.nodes), std::swap(graph_.outputs, body.outputs);
    expandNodes(graph_);
    std::swap(graph_.nodes, body.nodes), std::swap(graph_.outputs, body.outputs);
    return std::make_shared<const OnnxBody>(std::move(body));
  }

  /// The number that ConstantOfShape repeats: "value", and its type as "type of value".
  static void keepNumber(OnnxNode& node, const std::string& name, const OnnxValue& tensor) {
    node.integers["type of " + name] = tensor.type;
    if (const std::optional<double> number = tensor.number())
      node.numbers[name] = *number;
    else
      node.texts[name + " is unread"] = "";
  }

  /// What a subgraph reads and does not make itself. Whatever it makes is taken out, also where it is made
  /// after it is read: such a model is broken.
  static void capture(const json& graph, std::set<std::string>& captured, int depth) {
    std::set<std::string> own, read;
    for (const char* list : {"input", "initializer"})
      for (const json& value : graph.at(list)) own.insert(value.value("name", ""));
    for (const json& value : graph.at("output")) read.insert(value.value("name", ""));
    for (const json& node : graph.at("node")) {
      for (const json& input : node.at("input")) read.insert(input.get<std::string>());
      for (const json& output : node.at("output")) own.insert(output.get<std::string>());
      for (const json& attribute : node.at("attribute"))
        if (attribute.contains("g") && depth < deepest) capture(attribute.at("g"), read, depth + 1);
    }
    for (const std::string& name : read)
      if (!name.empty() && !own.contains(name)) captured.insert(name);
  }

  /// A Constant's value: a tensor, a number or a list. Of floats and texts only how many there are matters.
  void keep(const std::string& output, const std::string& name, const json& attribute) {
    OnnxValue value = graph_.values[output];
    if (attribute.contains("t")) value = constant(attribute.at("t"), output);
    value.constant = true;
    if (name == "value_int" || name == "value_ints") {
      value.type = onnx_int64;
      const auto integers = name == "value_int" ? std::vector{attribute.value("i", std::int64_t{0})}
                                                : attribute.at("ints").get<std::vector<std::int64_t>>();
      if (integers.size() <= most_onnx_elements) value.elements.emplace(integers.begin(), integers.end());
    }
    for (const char* list : {"ints", "floats", "strings"}) {
      if (name == std::string("value_") + list)
        value.shape = {static_cast<std::int64_t>(attribute.at(list).size())};
    }
    if (name == "value_int" || name == "value_float" || name == "value_string")
      value.shape = std::vector<std::int64_t>{};
    if (name == "value_float" || name == "value_floats") value.type = onnx_float;
    if (name == "value_float") value.elements = {attribute.value("f", 0.0)};
    if (name == "value_string" || name == "value_strings") value.type = onnx_string;
    graph_.values[output] = std::move(value);
  }

  static constexpr int deepest = 16;

  const json& in_;
  std::set<std::string> scales_;  ///< values that findScales() found
  const std::map<std::string, std::int64_t>& dimensions_;
  const std::stop_token& stop_;
  OnnxGraph graph_;
};

Location placeOf(const json& node) {
  std::string name = node.value("name", "");
  if (name.empty() && !node.at("output").empty()) name = node.at("output")[0].get<std::string>();
  return Location(Where::Node, name, node.value("op_type", ""));
}

/// The same of the graphs of a node, as one of them may take its place.
template <class Check>
std::optional<Diagnostic> checkBranches(const json& node, const Check& check) {
  if (!hasBodies(node.value("op_type", ""))) return {};
  for (const json& attribute : node.at("attribute")) {
    if (!attribute.contains("g")) continue;
    if (std::optional<Diagnostic> problem = check(attribute.at("g"))) return problem;
  }
  return {};
}

/// Every value is given once: by one node, or from outside.
std::optional<Diagnostic> givenTwice(const json& graph) {
  std::map<std::string, Location> given;
  for (const char* list : {"input", "initializer"})
    for (const json& value : graph.at(list)) {
      const std::string name = value.value("name", "");
      given.emplace(name, Location(Where::Tensor, name));
    }
  for (const json& node : graph.at("node")) {
    if (std::optional<Diagnostic> problem = checkBranches(node, givenTwice)) return problem;
    for (const json& output : node.at("output")) {
      const std::string value = output.get<std::string>();
      if (value.empty()) continue;
      const auto [first, added] = given.emplace(value, placeOf(node));
      if (added) continue;
      Diagnostic problem =
          error("duplicate-name", placeOf(node), "it gives '" + value + "', which is there already",
                "export the model again: every value of a model has one source");
      problem.related.push_back(first->second);
      return problem;
    }
  }
  return {};
}

/// What a node reads is given before it, or the reader would take it for a value from outside.
std::optional<Diagnostic> readTooEarly(const json& graph) {
  std::map<std::string, Location> later;
  for (const json& node : graph.at("node"))
    for (const json& output : node.at("output")) later.emplace(output.get<std::string>(), placeOf(node));
  later.erase("");
  for (const json& node : graph.at("node")) {
    if (std::optional<Diagnostic> problem = checkBranches(node, readTooEarly)) return problem;
    for (const json& input : node.at("input")) {
      const auto writer = later.find(input.get<std::string>());
      if (writer == later.end()) continue;
      Diagnostic problem = error("unknown-tensor", placeOf(node),
                                 "it reads '" + writer->first + "' before the node that gives it",
                                 "sort the nodes of the model: each after those whose results it reads");
      problem.related.push_back(writer->second);
      return problem;
    }
    for (const json& output : node.at("output")) later.erase(output.get<std::string>());
  }
  return {};
}

/// Symbolic dimensions of the values in these lists of a graph, each once, in their order; those without a
/// name as "x.0", of the inputs alone. Initializers are no inputs, though older models list them as such.
std::vector<std::string> symbolsIn(const json& graph, std::initializer_list<const char*> lists,
                                   const std::map<std::string, std::int64_t>& dimensions) {
  std::vector<std::string> names;
  std::set<std::string> known{""}, initialized;
  for (const json& tensor : graph.at("initializer")) initialized.insert(tensor.value("name", ""));
  for (const char* list : lists) {
    for (const json& value : graph.at(list)) {
      const json type = tensorType(value);
      const std::string name = value.value("name", "");
      if (!type.contains("shape") || initialized.contains(name)) continue;
      std::size_t number = 0;
      for (const json& dimension : type.at("shape").at("dim")) {
        const std::string symbol = dimension.value("dim_param", "");
        const bool nameless = symbol.empty() && !dimension.contains("dim_value");
        const std::set<std::string> symbols = nameless && std::string_view(list) == "input"
                                                  ? std::set{namelessDimension(name, number)}
                                                  : symbolsOf(symbol, dimensions);
        for (const std::string& one : symbols)
          if (known.insert(one).second) names.push_back(one);
        ++number;
      }
    }
  }
  return names;
}

/// An extent is given for what is no dimension of the model.
std::optional<Diagnostic> unknownDimension(const json& graph,
                                           const std::map<std::string, std::int64_t>& dimensions) {
  if (dimensions.empty()) return {};
  const std::vector<std::string> symbols = symbolsIn(graph, {"input", "output", "value_info"}, dimensions);
  for (const auto& [symbol, extent] : dimensions)
    if (std::ranges::find(symbols, symbol) == symbols.end())
      return error("unknown-dimension", {}, "the model has no symbolic dimension '" + symbol + "'",
                   spellingFix(symbol, symbols, "it has none; leave --dimension out"));
  return {};
}

/// Of inputs: all of them at once.
std::optional<Diagnostic> missingDimensions(const json& graph,
                                            const std::map<std::string, std::int64_t>& dimensions) {
  std::string names, fix;
  std::size_t missing = 0;
  for (const std::string& symbol : symbolsIn(graph, {"input"}, dimensions)) {
    if (dimensions.contains(symbol)) continue;
    names += (missing++ == 0 ? "'" : ", '") + symbol + "'";
    const bool batch = symbol.find("batch") != std::string::npos || symbol.ends_with(".0");
    fix += " --dimension " + (symbol.find(' ') == std::string::npos ? symbol : "\"" + symbol + "\"") +
           (batch ? "=1" : "=64");
  }
  if (missing == 0) return {};
  return error("dynamic-extent", {},
               "its inputs have the symbolic dimension" + std::string(missing == 1 ? " " : "s ") + names +
                   " without an extent",
               "give their extents, as in" + fix + ", or export the model with fixed shapes");
}

}  // namespace

Result<json> readOnnxModel(std::string_view bytes, const Location& place, std::size_t most_bytes,
                           const std::stop_token& stop) {
  SLUICE_TRY(json model, ProtobufSchema::builtIn("onnx").read("ModelProto", bytes, place, stop, most_bytes));
  if (model.contains("graph")) SLUICE_CHECK(inlineFunctions(model));
  return model;
}

bool hasBodies(const std::string& op) {
  return op == "If" || op == "Loop" || op == "Scan";
}

std::vector<std::string> onnxDimensions(std::string_view bytes) {
  const Result<json> model = readModel(bytes, {}, {});
  return model ? symbolsIn(model->at("graph"), {"input"}, {}) : std::vector<std::string>{};
}

Result<OnnxGraph> readOnnx(std::string_view bytes, const Location& file,
                           const std::map<std::string, std::int64_t>& dimensions,
                           const std::stop_token& stop) {
  SLUICE_TRY(const json model, readModel(bytes, file, stop));
  const json& written = model.at("graph");
  for (std::optional<Diagnostic> problem :
       {unknownDimension(written, dimensions), missingDimensions(written, dimensions), givenTwice(written),
        readTooEarly(written)})
    if (problem) return *std::move(problem);
  if (stop.stop_requested()) return cancelledDiagnostic();
  std::int64_t version = 0;
  for (const json& opset : model.at("opset_import")) {
    const std::string domain = opset.value("domain", "");
    if (domain.empty() || domain == "ai.onnx") version = opset.value("version", std::int64_t{0});
  }
  OnnxGraph graph = Reader(written, version, dimensions, stop).read();
  graph.extents = dimensions;
  if (stop.stop_requested()) return cancelledDiagnostic();
  expandNodes(graph);
  return graph;
}

}  // namespace sluice::inline tensor
