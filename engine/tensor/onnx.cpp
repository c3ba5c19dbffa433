#include "engine/tensor/onnx.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "engine/tensor/itensor_text.h"
#include "engine/tensor/onnx_model.h"
#include "engine/tensor/reassociation.h"

namespace sluice {

namespace {

using Shape = std::vector<std::int64_t>;
using Kind = TensorOperatorKind;

/// Why an operator cannot be converted; it is cut out then.
struct Unknown : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Converter {
 public:
  explicit Converter(OnnxGraph graph) : graph_(std::move(graph)) { program_.name = graph_.name; }

  /// Throws std::invalid_argument where a shape is missing.
  OnnxImport convert() {
    report_ = joinGroups(graph_);
    for (const OnnxNode& node : graph_.nodes) {
      if (shapeArithmetic(node)) continue;
      const std::size_t operators = program_.operators.size(), tensors = program_.tensors.size();
      try {
        one(node);
      } catch (const Unknown& why) {
        program_.operators.resize(operators);
        forget(tensors);
        cut(node, why.what());
      }
    }
    for (const std::string& output : graph_.outputs) leaves(output);
    return {withoutUnusedTensors(program_), std::move(report_)};
  }

 private:
  using Handler = void (Converter::*)(const OnnxNode&);
  static const std::map<std::string, Handler>& handlers() {
    using C = Converter;
    static const std::map<std::string, Handler> table{
        {"MatMul", &C::matmul},       {"Gemm", &C::gemm},
        {"Add", &C::pointwise},       {"Sub", &C::pointwise},
        {"Mul", &C::pointwise},       {"Div", &C::pointwise},
        {"Softmax", &C::softmax},     {"Gelu", &C::activation},
        {"Silu", &C::activation},     {"LayerNormalization", &C::norm},
        {"Reshape", &C::reshape},     {"RMSNormalization", &C::norm},
        {"Flatten", &C::reshape},     {"SimplifiedLayerNormalization", &C::norm},
        {"Squeeze", &C::reshape},     {"Unsqueeze", &C::reshape},
        {"Transpose", &C::transpose}, {"Identity", &C::pass},
        {"Cast", &C::pass},           {"Dropout", &C::pass}};
    return table;
  }

  void one(const OnnxNode& node) {
    const auto handler = handlers().find(node.op);
    if (handler == handlers().end()) throw Unknown("there is no such operator here");
    if (node.inputs.empty() || node.outputs.empty()) throw Unknown("it has no input or no output");
    (this->*handler->second)(node);
  }

  // Values.

  std::string resolved(std::string name) const {
    for (auto alias = aliases_.find(name); alias != aliases_.end(); alias = aliases_.find(name))
      name = alias->second;
    return name;
  }
  const OnnxValue* value(const std::string& name) const {
    const auto found = graph_.values.find(name);
    return found == graph_.values.end() ? nullptr : &found->second;
  }
  bool constant(const std::string& name) const {
    const OnnxValue* const known = value(resolved(name));
    return known && known->constant && !made_.contains(resolved(name));
  }
  Shape shape(const std::string& name) const {
    const std::string own = resolved(name);
    if (const auto made = made_.find(own); made != made_.end()) return program_.tensors[made->second].shape;
    const OnnxValue* const known = value(own);
    if (known && known->shape) return *known->shape;
    throw std::invalid_argument("nobody gives the shape of '" + own + "'");
  }
  ScalarType scalar(const std::string& name) const {
    const OnnxValue* const known = value(resolved(name));
    return known ? known->scalar : ScalarType{};
  }

  std::size_t addTensor(const std::string& name, Shape shape, ScalarType scalar, TensorRole role) {
    program_.tensors.push_back({name, std::move(shape), scalar, role});
    return program_.tensors.size() - 1;
  }
  /// The tensor of a value that is there: made before, or from outside.
  std::size_t tensor(const std::string& name) {
    const std::string own = resolved(name);
    const auto made = made_.find(own);
    if (made != made_.end()) return made->second;
    const TensorRole role = constant(own) ? TensorRole::Weight : TensorRole::Input;
    return made_[own] = addTensor(own, shape(own), scalar(own), role);
  }
  /// A constant in another form than it is stored in.
  std::size_t constantAs(const std::string& name, Shape shape, TensorRole role) {
    const std::string own = resolved(name), key = own + " as " + shapeText(shape);
    const auto made = made_.find(key);
    if (made != made_.end()) return made->second;
    return made_[key] = addTensor(shape == this->shape(own) ? own : key, std::move(shape), scalar(own), role);
  }
  void forget(std::size_t tensors) {
    program_.tensors.resize(tensors);
    std::erase_if(made_, [&](const auto& entry) { return entry.second >= tensors; });
  }

  /// An operator, if the program takes it.
  void apply(const OnnxNode& node, Kind kind, std::vector<std::size_t> inputs, Shape output,
             const std::function<void(TensorOperator&)>& more = {}) {
    const std::size_t result = addTensor(node.outputs[0], std::move(output),
                                         program_.tensors[inputs[0]].scalar, TensorRole::Activation);
    TensorOperator op{
        node.name.empty() ? node.outputs[0] : node.name, kind, std::move(inputs), result, false, {}, {}, {}};
    if (more) more(op);
    TensorProgram alone{"", program_.tensors, {op}, {}};
    for (const std::size_t input : op.inputs)
      if (alone.tensors[input].role == TensorRole::Activation) alone.tensors[input].role = TensorRole::Input;
    for (const Diagnostic& wrong : verify(alone))
      if (wrong.severity == Severity::Error && wrong.place.find("'" + op.name + "'") != std::string::npos)
        throw Unknown(wrong.cause);
    program_.operators.push_back(std::move(op));
    made_[node.outputs[0]] = result;
  }
  void note(const OnnxNode& node, const std::string& what) {
    report_.push_back({Severity::Note, place(node), what, "the number of operations is the same"});
  }
  static std::string place(const OnnxNode& node) { return "node '" + node.name + "' (" + node.op + ")"; }

  // Operators.

  void matmul(const OnnxNode& node) {
    if (node.inputs.size() != 2) throw Unknown("it does not have two inputs");
    const Shape a = shape(node.inputs[0]), b = shape(node.inputs[1]);
    if (a.size() < 2 || b.size() < 2) throw Unknown("one of its inputs is a vector");
    Shape result = a;
    result.back() = b.back();
    if (constant(node.inputs[1]) && b.size() == 2) {
      const std::size_t x = tensor(node.inputs[0]);
      return apply(node, Kind::Linear, {x, constantAs(node.inputs[1], {b[1], b[0]}, TensorRole::Weight)},
                   result);
    }
    apply(node, Kind::BatchedMatmul, {tensor(node.inputs[0]), tensor(node.inputs[1])}, result);
  }

  void gemm(const OnnxNode& node) {
    const auto flag = [&](const char* name) {
      return node.integers.contains(name) && node.integers.at(name) != 0;
    };
    const auto one = [&](const char* name) {
      return !node.numbers.contains(name) || node.numbers.at(name) == 1;
    };
    if (flag("transA") || !one("alpha") || !one("beta"))
      throw Unknown("transA, alpha and beta must be 0, 1 and 1");
    if (node.inputs.size() < 2 || !constant(node.inputs[1])) throw Unknown("its second input is no weight");
    const Shape a = shape(node.inputs[0]), b = shape(node.inputs[1]);
    if (a.size() != 2 || b.size() != 2) throw Unknown("its inputs are no matrices");
    const Shape weight = flag("transB") ? b : Shape{b[1], b[0]};
    std::vector<std::size_t> inputs{tensor(node.inputs[0]),
                                    constantAs(node.inputs[1], weight, TensorRole::Weight)};
    if (node.inputs.size() > 2 && !node.inputs[2].empty()) {
      if (!constant(node.inputs[2])) throw Unknown("its bias is no constant");
      inputs.push_back(constantAs(node.inputs[2], {weight[0]}, TensorRole::Weight));
    }
    apply(node, Kind::Linear, std::move(inputs), {a[0], weight[0]});
  }

  /// The smaller operand is repeated over leading dimensions; its own leading dimensions of 1 go.
  void pointwise(const OnnxNode& node) {
    if (node.inputs.size() != 2) throw Unknown("it does not have two inputs");
    std::string large = node.inputs[0], small = node.inputs[1];
    const auto elements = [](const Shape& s) { return boundedProduct(s).value_or(0); };
    Shape whole = shape(large), part = shape(small);
    if (constant(large) || (!constant(small) && elements(part) > elements(whole)))
      std::swap(large, small), std::swap(whole, part);
    if (constant(large)) throw Unknown("both inputs are constants");
    if (whole.empty()) throw Unknown("its input has no dimensions");
    const auto first = std::ranges::find_if(part, [](std::int64_t extent) { return extent != 1; });
    const Shape core = first == part.end() ? Shape{whole.back()} : Shape(first, part.end());
    const bool sum = node.op == "Add" || node.op == "Sub";
    if (node.op == "Sub" || node.op == "Div")
      note(node, node.op == "Sub" ? "taken as Add of the negative" : "taken as Mul by the inverse");
    const std::size_t x = tensor(large);
    std::size_t operand = 0;
    if (constant(small)) {
      operand = constantAs(small, core, TensorRole::Table);
    } else if (core == part || core.size() > part.size()) {
      if (core != part) throw Unknown("a single number that is computed is broadcast");
      operand = tensor(small);
    } else {
      OnnxNode view{"Reshape", node.name + " view", {small}, {node.name + " view"}, {}, {}, {}};
      apply(view, Kind::Reshape, {tensor(small)}, core);
      operand = made_.at(view.outputs[0]);
    }
    apply(node, sum ? Kind::Add : Kind::Mul, {x, operand}, whole);
  }

  void softmax(const OnnxNode& node) {
    const Shape whole = shape(node.inputs[0]);
    const auto rank = static_cast<std::int64_t>(whole.size());
    const auto axis = node.integers.find("axis");
    const std::int64_t over = axis != node.integers.end() ? axis->second : graph_.opset >= 13 ? -1 : 1;
    if (over != -1 && over != rank - 1) throw Unknown("it is not over the last dimension");
    apply(node, Kind::Softmax, {tensor(node.inputs[0])}, whole);
  }

  void activation(const OnnxNode& node) {
    apply(node, node.op == "Gelu" ? Kind::Gelu : Kind::Silu, {tensor(node.inputs[0])}, shape(node.inputs[0]));
  }

  void norm(const OnnxNode& node) {
    const Shape whole = shape(node.inputs[0]);
    const auto axis = node.integers.find("axis");
    if (whole.empty() || (axis != node.integers.end() && axis->second != -1 &&
                          axis->second != static_cast<std::int64_t>(whole.size()) - 1))
      throw Unknown("it is not over the last dimension");
    const bool layer = node.op == "LayerNormalization";
    std::vector<std::size_t> inputs{tensor(node.inputs[0])};
    for (std::size_t i = 1; i < (layer ? 3u : 2u); ++i) {
      if (i < node.inputs.size() && !node.inputs[i].empty()) {
        inputs.push_back(constantAs(node.inputs[i], {whole.back()}, TensorRole::Weight));
      } else {
        inputs.push_back(addTensor(node.name + (i == 1 ? " gain" : " bias"), {whole.back()},
                                   scalar(node.inputs[0]), TensorRole::Table));
      }
    }
    apply(node, layer ? Kind::LayerNorm : Kind::RmsNorm, std::move(inputs), whole);
  }

  void reshape(const OnnxNode& node) {
    const Shape from = shape(node.inputs[0]), to = reshaped(node, from);
    if (from == to) return pass(node);
    apply(node, Kind::Reshape, {tensor(node.inputs[0])}, to);
  }

  Shape reshaped(const OnnxNode& node, const Shape& from) const {
    const OnnxValue* const declared = value(node.outputs[0]);
    if (declared && declared->shape) return *declared->shape;
    const OnnxValue* const wanted = node.inputs.size() > 1 ? value(resolved(node.inputs[1])) : nullptr;
    if (node.op != "Reshape" || !wanted || !wanted->integers)
      throw std::invalid_argument("nobody gives the shape of '" + node.outputs[0] + "'");
    Shape to = *wanted->integers;
    Shape given;
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (to[i] == 0 && i < from.size()) to[i] = from[i];
      if (to[i] > 0) given.push_back(to[i]);
    }
    const auto elements = boundedProduct(from), known = boundedProduct(given);
    if (!elements || !known) throw Unknown("its shapes are too large");
    for (std::int64_t& extent : to)
      if (extent == -1) extent = *elements / *known;
    return to;
  }

  void transpose(const OnnxNode& node) {
    const Shape from = shape(node.inputs[0]);
    std::vector<std::size_t> permutation;
    if (const auto list = node.lists.find("perm"); list != node.lists.end()) {
      for (const std::int64_t dimension : list->second)
        permutation.push_back(static_cast<std::size_t>(dimension));
    } else {
      for (std::size_t d = from.size(); d-- > 0;) permutation.push_back(d);
    }
    Shape to;
    for (const std::size_t dimension : permutation) {
      if (dimension >= from.size()) throw Unknown("its permutation names a dimension that is not there");
      to.push_back(from[dimension]);
    }
    apply(node, Kind::Transpose, {tensor(node.inputs[0])}, to,
          [&](TensorOperator& op) { op.permutation = permutation; });
  }

  void pass(const OnnxNode& node) {
    if (resolved(node.inputs[0]) != node.outputs[0]) aliases_[node.outputs[0]] = resolved(node.inputs[0]);
  }

  // What is not understood.

  /// Operators that only compute shapes matter to nobody.
  bool shapeArithmetic(const OnnxNode& node) {
    const bool only =
        node.op == "Shape" || node.op == "Size" ||
        (!node.inputs.empty() &&
         std::ranges::any_of(node.inputs, [&](const std::string& in) { return shapes_.contains(in); }) &&
         std::ranges::all_of(node.inputs, [&](const std::string& in) {
           return in.empty() || shapes_.contains(in) || constant(in);
         }));
    if (only) shapes_.insert(node.outputs.begin(), node.outputs.end());
    return only;
  }

  void cut(const OnnxNode& node, const std::string& why) {
    report_.push_back({Severity::Warning, place(node), "it is cut out: " + why,
                       "its inputs leave the program and its results come in from outside; replace it by "
                       "operators that are known"});
    for (const std::string& input : node.inputs) leaves(input);
  }

  void leaves(const std::string& name) {
    const auto made = made_.find(resolved(name));
    if (made == made_.end() || program_.tensors[made->second].role != TensorRole::Activation) return;
    if (std::ranges::find(program_.results, made->second) == program_.results.end())
      program_.results.push_back(made->second);
  }

  OnnxGraph graph_;
  TensorProgram program_;
  Diagnostics report_;
  std::map<std::string, std::string> aliases_;
  std::map<std::string, std::size_t> made_;  ///< value -> tensor
  std::set<std::string> shapes_;             ///< values that are shapes
};

}  // namespace

Result<OnnxImport> importOnnx(std::string_view bytes, const std::string& name, const OnnxOptions& options) {
  Result<OnnxGraph> graph = readOnnx(bytes, name, options.dimensions);
  if (!graph) return graph.diagnostics();
  try {
    OnnxImport import = Converter(*std::move(graph)).convert();
    if (import.program.operators.empty()) {
      return Diagnostic{Severity::Error, name, "no operator of the model is understood",
                        "see engine/tensor/onnx.h for those that are"};
    }
    if (Diagnostics wrong = verify(import.program); hasErrors(wrong)) return wrong;
    return import;
  } catch (const std::invalid_argument& problem) {
    return Diagnostic{Severity::Error, name, problem.what(),
                      "infer the shapes before you save the model (onnx.shape_inference.infer_shapes), and "
                      "fix symbolic ones with --dimension"};
  }
}

}  // namespace sluice
