#include "engine/tensor/onnx/onnx.h"

#include <algorithm>
#include <stdexcept>

#include "engine/core/cancelled.h"
#include "engine/itensor/itensor_text.h"
#include "engine/tensor/onnx/onnx_model.h"
#include "engine/tensor/onnx/onnx_names.h"
#include "engine/tensor/onnx/onnx_types.h"
#include "engine/tensor/programs/tensor_program_text.h"

namespace sluice::inline tensor {

namespace {

using Shape = std::vector<std::int64_t>;
using Kind = TensorOperatorKind;

/// Why an operator cannot be converted; it is cut out then.
struct Unknown : std::runtime_error {
  using std::runtime_error::runtime_error;
};

Shape withoutLeadingOnes(const Shape& shape) {
  return {std::ranges::find_if(shape, [](std::int64_t extent) { return extent != 1; }), shape.end()};
}

class Converter {
 public:
  Converter(OnnxGraph graph, std::stop_token stop) : graph_(std::move(graph)), stop_(std::move(stop)) {
    program_.name = graph_.name;
  }

  /// Throws MissingShape. At a stop request it is what there is so far.
  TensorProgram convert() {
    report_ = joinGroups(graph_, stop_);
    for (const OnnxNode& node : graph_.nodes)
      for (const std::string& input : node.inputs) ++uses_[input];
    for (const std::string& output : graph_.outputs) ++uses_[output];
    for (const OnnxNode& node : graph_.nodes) {
      if (stop_.stop_requested()) break;
      if (shapeArithmetic(node)) continue;
      const std::size_t operators = program_.operators.size();
      try {
        one(node);
      } catch (const Unknown& why) {
        program_.operators.resize(operators);  // what it alone reads goes with the other unused tensors
        cut(node, why.what());
      }
    }
    for (const std::string& output : graph_.outputs) leaves(output);
    TensorProgram whole = withoutUnusedTensors(program_);
    nameApart(whole);
    return whole;
  }

  /// Of a conversion, one that failed included.
  const Diagnostics& report() const { return report_; }

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
        {"Cast", &C::cast},           {"Dropout", &C::pass}};
    return table;
  }

  void one(const OnnxNode& node) {
    const auto handler = handlers().find(node.op);
    if (handler == handlers().end()) throw Unknown("there is no such operator here");
    if (node.inputs.empty() || node.inputs[0].empty() || node.outputs.empty() || node.outputs[0].empty())
      throw Unknown("it has no input or no output");
    for (std::size_t i = 1; i < node.outputs.size(); ++i)
      if (!node.outputs[i].empty() && uses_.contains(node.outputs[i]))
        throw Unknown("its result '" + node.outputs[i] + "' is read too");
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
    return known && known->constant;
  }
  Shape shape(const std::string& name) const {
    if (name.empty()) throw Unknown("an input is not given");
    const std::string own = resolved(name);
    if (const auto made = made_.find(own); made != made_.end()) return program_.tensors[made->second].shape;
    const OnnxValue* const known = value(own);
    if (known && known->shape) return *known->shape;
    throw MissingShape{own, "nobody gives its shape"};
  }
  /// Of the value's elements, as its readers see them: a cast may be left to them.
  Scalar scalar(const std::string& name) {
    if (const auto cast = casts_.find(name); cast != casts_.end()) return cast->second;
    const std::string own = resolved(name);
    if (const auto made = made_.find(own); made != made_.end()) return program_.tensors[made->second].scalar;
    const OnnxValue* const known = value(own);
    return scalarOf(own, known ? known->type : 0);
  }
  Scalar scalarOf(const std::string& name, std::int64_t type) {
    const OnnxType known = onnxType(type);
    if (!known.scalar)
      throw Unknown("'" + name + "' is of the type " + known.name + ", which tensors do not have here");
    if (!known.exact && inexact_.insert(type).second)
      report_.push_back(
          note("approximated", Location(Where::Tensor, name),
               "the type " + known.name + " is taken as " + text(*known.scalar) + ", here and elsewhere",
               "the sizes are the same"));
    return *known.scalar;
  }
  /// What a node makes: as a cast that was joined to it says, as the model declares it, or as what it reads.
  Scalar resultScalar(const OnnxNode& node) {
    if (const auto to = node.integers.find("to"); to != node.integers.end())
      return scalarOf(node.outputs[0], to->second);
    const OnnxValue* const declared = value(node.outputs[0]);
    return declared && declared->type != 0 ? scalarOf(node.outputs[0], declared->type)
                                           : scalar(node.inputs[0]);
  }

  std::size_t addTensor(const std::string& name, Shape shape, Scalar scalar, TensorRole role) {
    program_.tensors.push_back({name, std::move(shape), scalar, role});
    return program_.tensors.size() - 1;
  }
  /// The tensor of a value that is there: made before, or from outside.
  std::size_t tensor(const std::string& name) {
    const std::string own = resolved(name);
    const auto made = made_.find(own);
    if (made != made_.end()) return made->second;
    const TensorRole role = constant(own) ? TensorRole::Weight : TensorRole::Input;
    const std::size_t added = addTensor(own, shape(own), scalar(own), role);
    if (shapes_.contains(own))
      report_.push_back(
          note("unsupported-operator", Location(Where::Tensor, own),
               "it is computed from shapes alone, which is not followed; it comes in from outside",
               "fold constants before you export the model if it should be one"));
    return made_[own] = added;
  }
  /// A constant in another form than it is stored in.
  std::size_t constantAs(const std::string& name, const Shape& shape, TensorRole role) {
    const std::string own = resolved(name);
    const bool same = shape == this->shape(own);
    if (const auto made = made_.find(own); same && made != made_.end()) return made->second;
    if (const auto form = forms_.find({own, shape}); form != forms_.end()) return form->second;
    const std::size_t added =
        addTensor(same ? own : own + " as " + shapeText(shape), shape, scalar(own), role);
    return (same ? made_[own] : forms_[{own, shape}]) = added;
  }
  /// A constant of that shape, but for leading dimensions of 1, or a single number that is repeated.
  std::size_t broadcastConstant(const std::string& name, const Shape& shape, TensorRole role) {
    const Shape own = this->shape(name), core = withoutLeadingOnes(own);
    if (core.empty() && boundedProduct(shape) != 1) role = TensorRole::Table;
    if (!core.empty() && core != withoutLeadingOnes(shape))
      throw Unknown("its constant '" + name + "' is " + shapeText(own) + ", which is not repeated as " +
                    shapeText(shape));
    return constantAs(name, shape, role);
  }
  /// A value in another shape of the same elements.
  std::size_t viewed(const std::string& name, const Shape& shape) {
    if (shape == this->shape(name)) return tensor(name);
    if (constant(name)) return constantAs(name, shape, TensorRole::Weight);
    const std::size_t from = tensor(name);
    const std::string view = resolved(name) + " as " + shapeText(shape);
    return add({view, Kind::Reshape, {from}, 0, false, {}, {}, {}}, view, shape,
               program_.tensors[from].scalar);
  }

  // Operators of the program.

  /// The tensor that the operator writes. Throws Unknown where a program does not take it.
  std::size_t add(TensorOperator op, const std::string& result, Shape shape, Scalar scalar) {
    op.output = addTensor(result, std::move(shape), scalar, TensorRole::Activation);
    if (const auto wrong = wrongWith(op)) throw Unknown(*wrong);
    writers_[op.output] = op.kind;
    program_.operators.push_back(std::move(op));
    return program_.operators.back().output;
  }
  void apply(const OnnxNode& node, Kind kind, std::vector<std::size_t> inputs, Shape shape,
             std::vector<std::size_t> permutation = {}) {
    // What only moves elements leaves them as they are stored.
    const Scalar wanted = resultScalar(node);
    const Scalar stored = moves(kind) ? program_.tensors[inputs[0]].scalar : wanted;
    const std::string& result = node.outputs[0];
    made_[result] = add({node.name, kind, std::move(inputs), 0, false, std::move(permutation), {}, {}},
                        result, std::move(shape), stored);
    if (stored != wanted) casts_[result] = wanted;
  }
  static bool moves(Kind kind) { return kind == Kind::Reshape || kind == Kind::Transpose; }
  /// Of the operator by itself, with the tensors that it reads and writes: the program may be long.
  std::optional<std::string> wrongWith(TensorOperator op) const {
    TensorProgram alone;
    for (std::size_t& input : op.inputs) {
      alone.tensors.push_back(program_.tensors[input]);
      if (alone.tensors.back().role == TensorRole::Activation) alone.tensors.back().role = TensorRole::Input;
      input = alone.tensors.size() - 1;
    }
    alone.tensors.push_back(program_.tensors[op.output]);
    op.output = alone.tensors.size() - 1;
    alone.operators.push_back(std::move(op));
    for (const Diagnostic& wrong : verify(alone)) {
      if (wrong.severity != Severity::Error) continue;
      return wrong.place.beginsWith(Where::Tensor) ? text(wrong.place) + ": " + wrong.cause : wrong.cause;
    }
    return {};
  }

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
    // ONNX counts the batch dimensions of both from the last, a program from the first.
    Shape wide(a.size() > b.size() && b.size() > 2 ? a.size() - b.size() : 0, 1);
    wide.insert(wide.end(), b.begin(), b.end());
    const std::size_t x = tensor(node.inputs[0]);
    apply(node, Kind::BatchedMatmul, {x, viewed(node.inputs[1], wide)}, result);
  }

  void gemm(const OnnxNode& node) {
    const auto flag = [&](const char* name) {
      return node.integers.contains(name) && node.integers.at(name) != 0;
    };
    const auto one = [&](const char* name) {
      return !node.numbers.contains(name) || node.numbers.at(name) == 1;
    };
    const bool bias = node.inputs.size() > 2 && !node.inputs[2].empty();
    if (flag("transA") || !one("alpha") || (bias && !one("beta")))
      throw Unknown("transA, alpha and beta must be 0, 1 and 1");
    if (node.inputs.size() < 2 || !constant(node.inputs[1])) throw Unknown("its second input is no weight");
    const Shape a = shape(node.inputs[0]), b = shape(node.inputs[1]);
    if (a.size() != 2 || b.size() != 2) throw Unknown("its inputs are no matrices");
    const Shape weight = flag("transB") ? b : Shape{b[1], b[0]};
    std::vector<std::size_t> inputs{tensor(node.inputs[0]),
                                    constantAs(node.inputs[1], weight, TensorRole::Weight)};
    if (bias) {
      if (!constant(node.inputs[2])) throw Unknown("its bias is no constant");
      inputs.push_back(broadcastConstant(node.inputs[2], {weight[0]}, TensorRole::Weight));
    }
    apply(node, Kind::Linear, std::move(inputs), {a[0], weight[0]});
  }

  /// The smaller operand is repeated over leading dimensions; its own leading dimensions of 1 go.
  void pointwise(const OnnxNode& node) {
    if (node.inputs.size() != 2) throw Unknown("it does not have two inputs");
    if (node.integers.contains("axis"))
      throw Unknown("its axis is a way of broadcasting from before opset 7");
    const bool inverse = node.op == "Sub" || node.op == "Div";
    if (inverse && !constant(node.inputs[1]))
      throw Unknown(std::string("what it ") + (node.op == "Sub" ? "subtracts" : "divides by") +
                    " is computed, and programs only add and multiply");
    std::string large = node.inputs[0], small = node.inputs[1];
    Shape whole = shape(large), part = shape(small);
    if (constant(large) || (!constant(small) && size(part) > size(whole)))
      std::swap(large, small), std::swap(whole, part);
    if (constant(large)) throw Unknown("both inputs are constants");
    if (whole.empty()) throw Unknown("its input has no dimensions");
    // The result has as many dimensions as the operand with more of them.
    whole.insert(whole.begin(), part.size() > whole.size() ? part.size() - whole.size() : 0, 1);
    const std::size_t x = viewed(large, whole), operand = repeated(small, part, whole.back());
    const bool sum = node.op == "Add" || node.op == "Sub";
    apply(node, sum ? Kind::Add : Kind::Mul, {x, operand}, whole);
    if (inverse)
      report_.push_back(
          note("approximated", placeOf(node),
               node.op == "Sub" ? "taken as Add of the negative" : "taken as Mul by the inverse",
               "the number of operations is the same"));
  }
  /// Elements, then dimensions.
  static std::pair<std::int64_t, std::size_t> size(const Shape& shape) {
    return {boundedProduct(shape).value_or(0), shape.size()};
  }
  /// The smaller operand: a number stands for a row.
  std::size_t repeated(const std::string& small, const Shape& part, std::int64_t row) {
    Shape core = withoutLeadingOnes(part);
    const bool number = core.empty();
    if (number) core = {row};
    if (constant(small)) return broadcastConstant(small, core, TensorRole::Table);
    if (number && row != 1) throw Unknown("a single number that is computed is broadcast");
    return viewed(small, core);
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
    const auto form = node.texts.find("approximate");
    const bool by_tanh = form != node.texts.end() && form->second == "tanh";
    apply(node,
          node.op == "Silu" ? Kind::Silu
          : by_tanh         ? Kind::GeluTanh
                            : Kind::Gelu,
          {tensor(node.inputs[0])}, shape(node.inputs[0]));
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
      const std::string given = i < node.inputs.size() ? node.inputs[i] : "";
      if (given.empty()) {
        inputs.push_back(addTensor(node.outputs[0] + (i == 1 ? " gain" : " bias"), {whole.back()},
                                   scalar(node.inputs[0]), TensorRole::Table));
      } else {
        inputs.push_back(constant(given) ? broadcastConstant(given, {whole.back()}, TensorRole::Weight)
                                         : tensor(given));
      }
    }
    apply(node, layer ? Kind::LayerNorm : Kind::RmsNorm, std::move(inputs), whole);
    const auto epsilon = node.numbers.find("epsilon");
    if (epsilon != node.numbers.end())
      program_.operators.back().epsilon = static_cast<float>(epsilon->second);
  }

  void reshape(const OnnxNode& node) {
    const Shape from = shape(node.inputs[0]), to = reshaped(node, from);
    if (from == to) return pass(node);
    apply(node, Kind::Reshape, {tensor(node.inputs[0])}, to);
  }

  Shape reshaped(const OnnxNode& node, const Shape& from) const {
    const OnnxValue* const declared = value(node.outputs[0]);
    if (declared && declared->shape) return *declared->shape;
    const bool old = node.lists.contains("shape");  // before opset 5
    const OnnxValue* const wanted = node.inputs.size() > 1 ? value(resolved(node.inputs[1])) : nullptr;
    if (node.op != "Reshape" || (!old && (!wanted || !wanted->integers)))
      throw MissingShape{
          node.outputs[0],
          "nobody gives its shape" + (node.op == "Reshape" && wanted && !wanted->unread.empty()
                                          ? ", which '" + node.inputs[1] + "' holds: " + wanted->unread
                                          : "")};
    Shape to = old ? node.lists.at("shape") : *wanted->integers;
    const auto zero = node.integers.find("allowzero");
    const bool copies = zero == node.integers.end() || zero->second == 0;
    Shape given;
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (to[i] == 0 && copies && i < from.size()) to[i] = from[i];
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
    apply(node, Kind::Transpose, {tensor(node.inputs[0])}, to, permutation);
  }

  void pass(const OnnxNode& node) {
    const std::string &in = node.inputs[0], &out = node.outputs[0];
    aliases_[out] = resolved(in);
    if (const auto cast = casts_.find(in); cast != casts_.end()) casts_[out] = cast->second;
  }

  /// The operator that makes the value writes the other type if nothing else reads it; otherwise the cast is
  /// left to the readers.
  void cast(const OnnxNode& node) {
    const std::string& from = node.inputs[0];
    const auto to = node.integers.find("to");
    if (to == node.integers.end() || constant(from)) return pass(node);
    const Scalar wanted = scalarOf(node.outputs[0], to->second), given = scalar(from);
    pass(node);
    if (wanted == given) return;
    const auto made = made_.find(from);
    const auto writer = made == made_.end() ? writers_.end() : writers_.find(made->second);
    if (writer != writers_.end() && !moves(writer->second) && uses_.at(from) == 1) {
      program_.tensors[made->second].scalar = wanted;
      return;
    }
    casts_[node.outputs[0]] = wanted;
    report_.push_back(
        note("approximated", placeOf(node),
             "the cast from " + text(given) + " to " + text(wanted) + " is left to what reads it; '" +
                 resolved(from) + "' is stored, and leaves, in its own type",
             "change the tensor's type in the program if it should be stored as " + text(wanted)));
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
    report_.push_back(
        warning("unsupported-operator", placeOf(node), "it is cut out: " + why,
                "its inputs leave the program and its results come in from outside; replace it by "
                "operators that are known"));
    for (const std::string& input : node.inputs) leaves(input);
  }

  void leaves(const std::string& name) {
    const auto made = made_.find(resolved(name));
    if (made == made_.end() || program_.tensors[made->second].role != TensorRole::Activation) return;
    if (results_.insert(made->second).second) program_.results.push_back(made->second);
  }

  OnnxGraph graph_;
  std::stop_token stop_;
  TensorProgram program_;
  Diagnostics report_;
  std::map<std::string, std::size_t> uses_;  ///< readers of each value, the model's outputs included
  std::map<std::string, std::string> aliases_;
  std::map<std::string, Scalar> casts_;                         ///< value -> not the type it is stored in
  std::map<std::string, std::size_t> made_;                     ///< value -> tensor
  std::map<std::pair<std::string, Shape>, std::size_t> forms_;  ///< constants in other shapes
  std::map<std::size_t, Kind> writers_;                         ///< of activations
  std::set<std::size_t> results_;
  std::set<std::string> shapes_;    ///< values that are shapes
  std::set<std::int64_t> inexact_;  ///< types that are taken as others
};

/// All in this file; and whatever the model's names are, they can be shown.
Diagnostics shown(Diagnostics diagnostics, const Location& file) {
  const auto in_file = [&](const Location& place) {
    Location whole = place.beginsWith(Where::File) ? Location() : file;
    for (const LocationPart& part : place.parts())
      whole /= Location(part.kind, part.number, printable(part.name), printable(part.detail));
    return whole;
  };
  for (Diagnostic& one : diagnostics) {
    one.place = in_file(one.place), one.cause = printable(one.cause);
    for (Location& other : one.related) other = in_file(other);
  }
  return diagnostics;
}

/// The program reads as it is written.
Diagnostics mistakes(const TensorProgram& program) {
  if (program.operators.empty())
    return {error("unsupported-operator", {}, "no operator of the model is understood",
                  "see engine/tensor/onnx/onnx.h for those that are")};
  const Result<TensorProgram> read = parseTensorProgram(text(program), {});
  return read ? Diagnostics{} : read.diagnostics();
}

}  // namespace

Result<OnnxImport> importOnnx(std::string_view bytes, const std::string& name, const OnnxOptions& options) {
  const Location file(Where::File, name);
  Result<OnnxGraph> graph = readOnnx(bytes, file, options.dimensions, options.stop);
  if (!graph)
    return isCancelled(graph.diagnostics()) ? graph.diagnostics() : shown(graph.diagnostics(), file);
  Converter converter(*std::move(graph), options.stop);
  Diagnostics wrong;
  try {
    TensorProgram program = converter.convert();
    if (options.stop.stop_requested()) return cancelledDiagnostic();
    wrong = mistakes(program);
    if (options.stop.stop_requested()) return cancelledDiagnostic();
    if (wrong.empty()) return OnnxImport{std::move(program), shown(converter.report(), file)};
  } catch (const MissingShape& missing) {
    wrong = {error("dynamic-extent", Location(Where::Tensor, missing.value), missing.cause,
                   "infer the shapes before you save the model (onnx.shape_inference.infer_shapes), and fix "
                   "symbolic ones with --dimension")};
  }
  // What was cut out on the way is often the reason.
  wrong.insert(wrong.end(), converter.report().begin(), converter.report().end());
  return shown(std::move(wrong), file);
}

}  // namespace sluice::inline tensor
