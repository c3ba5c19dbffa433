#include "engine/tensor/onnx/onnx_converter.h"

#include <algorithm>

#include "engine/itensor/itensor_text.h"
#include "engine/tensor/onnx/onnx_names.h"
#include "engine/tensor/onnx/onnx_operators.h"
#include "engine/tensor/onnx/onnx_types.h"
#include "engine/tensor/programs/known_blocks.h"

namespace sluice::inline tensor {

namespace {

bool moves(TensorOperatorKind kind) {
  switch (kind) {
    case TensorOperatorKind::Reshape:
    case TensorOperatorKind::Transpose:
    case TensorOperatorKind::Slice:
    case TensorOperatorKind::Concat:
    case TensorOperatorKind::Expand:
      return true;
    default:
      return false;
  }
}

}  // namespace

OnnxShape withoutLeadingOnes(const OnnxShape& shape) {
  return {std::ranges::find_if(shape, [](std::int64_t extent) { return extent != 1; }), shape.end()};
}

OnnxConverter::OnnxConverter(OnnxGraph graph, std::stop_token stop)
    : graph_(std::move(graph)), stop_(std::move(stop)) {
  program_.name = graph_.name;
}

TensorProgram OnnxConverter::convert() {
  coverage_.nodes = graph_.written;
  report_ = inferShapes(graph_, stop_);
  if (hasErrors(report_)) return program_;
  const Diagnostics joined = joinGroups(graph_, stop_);
  report_.insert(report_.end(), joined.begin(), joined.end());
  for (const OnnxNode& node : graph_.nodes) {
    for (const std::string& input : node.inputs) ++uses_[input];
    for (const std::string& value : node.captured) ++uses_[value];
  }
  for (const std::string& output : graph_.outputs) ++uses_[output];
  for (const OnnxNode& node : graph_.nodes) {
    if (stop_.stop_requested()) break;
    const OnnxWork work = workOf(graph_, node);
    coverage_.count(work);
    const std::size_t operators = program_.operators.size();
    try {
      one(node);
    } catch (const OnnxUnknown& why) {
      program_.operators.resize(operators);  // what it alone reads goes with the other unused tensors
      for (const std::string& output : node.outputs) made_.erase(output), aliases_.erase(output);
      cut(node, work, why.what());
    }
  }
  for (const std::string& output : graph_.outputs) leaves(output);
  nameResults();
  TensorProgram whole = withKnownBlocks(withoutUnusedTensors(program_));
  coverage_.pieces = piecesOf(whole);
  nameAll(whole);
  return whole;
}

/// What leaves under a name of the model has that name, also where the operator that made it had another one.
void OnnxConverter::nameResults() {
  const std::set<std::string> names(graph_.outputs.begin(), graph_.outputs.end());
  for (const std::string& output : graph_.outputs) {
    const auto made = made_.find(resolved(output));
    if (made == made_.end() || !results_.contains(made->second)) continue;
    std::string& name = program_.tensors[made->second].name;
    if (!names.contains(name)) name = output;
  }
}

void OnnxConverter::nameAll(TensorProgram& program) {
  std::vector<std::string> names;
  for (const TensorValue& tensor : program.tensors) names.push_back(tensor.name);
  nameApart(program);
  OnnxSources renamed;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (const auto source = sources_.find(names[i]);
        source != sources_.end() && program.tensors[i].role != TensorRole::Activation)
      renamed[program.tensors[i].name] = source->second;
  sources_ = std::move(renamed);
}

void OnnxConverter::one(const OnnxNode& node) {
  const OnnxOperator* const known = onnxOperator(node.op);
  if (known == nullptr || known->convert == nullptr) throw OnnxUnknown("there is no such operator here");
  if (node.inputs.empty() || node.inputs[0].empty() || node.outputs.empty() ||
      (node.outputs[0].empty() && !known->several))
    throw OnnxUnknown("it has no input or no output");
  for (std::size_t i = 1; i < node.outputs.size() && !known->several; ++i)
    if (!node.outputs[i].empty() && uses_.contains(node.outputs[i]))
      throw OnnxUnknown("its result '" + node.outputs[i] + "' is read too");
  known->convert(*this, node);
}

// ---- values

std::string OnnxConverter::resolved(std::string name) const {
  for (auto alias = aliases_.find(name); alias != aliases_.end(); alias = aliases_.find(name))
    name = alias->second;
  return name;
}

const OnnxValue* OnnxConverter::value(const std::string& name) const {
  const auto found = graph_.values.find(name);
  return found == graph_.values.end() ? nullptr : &found->second;
}

bool OnnxConverter::constant(const std::string& name) const {
  const OnnxValue* const known = value(resolved(name));
  return known && known->constant;
}

std::optional<double> OnnxConverter::number(const std::string& name) const {
  const OnnxValue* const known = value(resolved(name));
  return known && known->constant ? known->number() : std::nullopt;
}

std::optional<OnnxShape> OnnxConverter::integers(const std::string& name) const {
  const OnnxValue* const known = value(resolved(name));
  return known && known->constant ? known->integers() : std::nullopt;
}

std::optional<OnnxShape> OnnxConverter::list(const OnnxNode& node, const std::string& attribute,
                                             std::size_t input) const {
  if (const auto list = node.lists.find(attribute); list != node.lists.end()) return list->second;
  if (input >= node.inputs.size() || node.inputs[input].empty()) return {};
  std::optional<OnnxShape> given = integers(node.inputs[input]);
  if (!given) throw OnnxUnknown("its " + attribute + " are computed");
  return given;
}

std::size_t OnnxConverter::readers(const std::string& name) const {
  const auto found = uses_.find(name);
  return found == uses_.end() ? 0 : found->second;
}

std::optional<OnnxConverter::Kind> OnnxConverter::writerOf(const std::string& name) const {
  const auto made = made_.find(resolved(name));
  const auto writer = made == made_.end() ? writers_.end() : writers_.find(made->second);
  return writer == writers_.end() ? std::nullopt : std::optional(writer->second);
}

OnnxShape OnnxConverter::shape(const std::string& name) const {
  if (name.empty()) throw OnnxUnknown("an input is not given");
  const std::string own = resolved(name);
  if (const auto made = made_.find(own); made != made_.end()) return program_.tensors[made->second].shape;
  const OnnxValue* const known = value(own);
  if (known && known->shape) return *known->shape;
  std::string why = known && !known->unread.empty() ? ": " + known->unread : std::string();
  const auto maker = std::ranges::find_if(graph_.nodes, [&](const OnnxNode& node) {
    return std::ranges::find(node.outputs, own) != node.outputs.end();
  });
  if (why.empty() && maker == graph_.nodes.end())
    throw MissingShape{own, "its shape is not known: it is no input and no constant, and no node gives it",
                       "the model lacks it: export the model again, with its weights"};
  if (why.empty() && onnxOperator(maker->op) == nullptr)
    why = ": " + maker->op + ", which makes it, is not known, and the model declares no shape of it";
  throw MissingShape{own, "its shape is not known" + why};
}

Scalar OnnxConverter::scalar(const std::string& name) {
  if (const auto cast = casts_.find(name); cast != casts_.end()) return cast->second;
  const std::string own = resolved(name);
  if (const auto made = made_.find(own); made != made_.end()) return program_.tensors[made->second].scalar;
  const OnnxValue* const known = value(own);
  if (known && known->constant && known->stored != 0) return scalarOf(own, known->stored);
  return scalarOf(own, known ? known->type : 0);
}

Scalar OnnxConverter::scalarOf(const std::string& name, std::int64_t type) {
  const OnnxType known = onnxType(type);
  if (!known.scalar)
    throw OnnxUnknown("'" + name + "' is of the type " + known.name + ", which tensors do not have here");
  if (!known.exact && inexact_.insert(type).second)
    report_.push_back(
        note("approximated", Location(Where::Tensor, name),
             "the type " + known.name + " is taken as " + text(*known.scalar) + ", here and elsewhere",
             "the sizes are the same"));
  return *known.scalar;
}

/// What a node makes: as a cast that was joined to it says, as the model declares it, or as what it reads.
Scalar OnnxConverter::resultScalar(const OnnxNode& node, std::size_t output) {
  if (const auto to = node.integers.find("to"); to != node.integers.end())
    return scalarOf(node.outputs[output], to->second);
  const OnnxValue* const declared = value(node.outputs[output]);
  return declared && declared->type != 0 ? scalarOf(node.outputs[output], declared->type)
                                         : scalar(node.inputs[0]);
}

std::size_t OnnxConverter::addTensor(const std::string& name, OnnxShape shape, Scalar scalar,
                                     TensorRole role) {
  program_.tensors.push_back({name, std::move(shape), scalar, role});
  return program_.tensors.size() - 1;
}

std::size_t OnnxConverter::fromOutside(const std::string& wanted, OnnxShape shape, Scalar scalar,
                                       TensorRole role, const OnnxSource& source) {
  OnnxSource own = source;
  if (own.form == OnnxSource::Form::Same || own.form == OnnxSource::Form::Transposed)
    own.number = number(own.value).value_or(0);
  std::string name = wanted;
  for (std::size_t n = 2; !sources_.try_emplace(name, own).second; ++n)
    name = wanted + " " + std::to_string(n);
  return addTensor(name, std::move(shape), scalar, role);
}

std::size_t OnnxConverter::ownTable(const std::string& name, OnnxShape shape, Scalar scalar, double number) {
  return fromOutside(name, std::move(shape), scalar, TensorRole::Table,
                     {name, OnnxSource::Form::Number, number});
}

std::size_t OnnxConverter::ownTable(const std::string& name, OnnxShape shape, Scalar scalar,
                                    std::vector<float> elements) {
  return fromOutside(name, std::move(shape), scalar, TensorRole::Table,
                     {name, OnnxSource::Form::Elements, 0, std::move(elements)});
}

std::size_t OnnxConverter::ownWeight(const std::string& name, OnnxShape shape, Scalar scalar) {
  return fromOutside(name, std::move(shape), scalar, TensorRole::Weight, {name, OnnxSource::Form::Unknown});
}

std::size_t OnnxConverter::causalMask(const std::string& name, OnnxShape shape, Scalar scalar) {
  return fromOutside(name, std::move(shape), scalar, TensorRole::Table, {name, OnnxSource::Form::Causal});
}

std::size_t OnnxConverter::tensor(const std::string& name) {
  const std::string own = resolved(name);
  const auto made = made_.find(own);
  if (made != made_.end()) return made->second;
  const OnnxValue* const known = value(own);
  const bool derived = known && known->derived && known->stored == 0;
  const TensorRole role = derived         ? TensorRole::Table
                          : constant(own) ? TensorRole::Weight
                                          : TensorRole::Input;
  const std::size_t added = fromOutside(own, shape(own), scalar(own), role, {own});
  if (derived) derived_.insert(own);
  return made_[own] = added;
}

std::size_t OnnxConverter::constantAs(const std::string& name, const OnnxShape& shape, TensorRole role,
                                      bool transposed) {
  const std::string own = resolved(name);
  if (value(own) && value(own)->derived && value(own)->stored == 0) {
    role = TensorRole::Table;
    derived_.insert(own);
  }
  if (transposed) {
    const auto form = transposes_.find(own);
    if (form != transposes_.end()) return form->second;
    return transposes_[own] = fromOutside(own + " transposed", shape, scalar(own), role,
                                          {own, OnnxSource::Form::Transposed});
  }
  const bool same = shape == this->shape(own);
  if (const auto made = made_.find(own); same && made != made_.end()) return made->second;
  if (const auto form = forms_.find({own, shape}); form != forms_.end()) return form->second;
  const std::size_t added =
      fromOutside(same ? own : own + " as " + shapeText(shape), shape, scalar(own), role, {own});
  return (same ? made_[own] : forms_[{own, shape}]) = added;
}

std::size_t OnnxConverter::broadcastConstant(const std::string& name, const OnnxShape& shape,
                                             TensorRole role) {
  const OnnxShape own = this->shape(name), core = withoutLeadingOnes(own);
  if (core.empty() && boundedProduct(shape) != 1) role = TensorRole::Table;
  if (!core.empty() && core != withoutLeadingOnes(shape))
    throw OnnxUnknown("its constant '" + name + "' is " + shapeText(own) + ", which is not repeated as " +
                      shapeText(shape));
  return constantAs(name, shape, role);
}

std::size_t OnnxConverter::viewed(const std::string& name, const OnnxShape& shape) {
  if (shape == this->shape(name)) return tensor(name);
  if (constant(name)) return constantAs(name, shape, TensorRole::Weight);
  return reshaped(tensor(name), shape, resolved(name) + " as " + shapeText(shape));
}

std::size_t OnnxConverter::repeated(const std::string& name, const OnnxShape& whole,
                                    const std::string& result) {
  const OnnxShape own = shape(name);
  if (own.empty() == whole.empty() && own.size() <= whole.size() &&
      std::equal(own.rbegin(), own.rend(), whole.rbegin()))
    return constant(name) ? broadcastConstant(name, own, TensorRole::Table) : tensor(name);
  OnnxShape core = withoutLeadingOnes(own);
  if (core.size() > whole.size())
    throw OnnxUnknown("'" + name + "' is " + shapeText(own) + ", which is not repeated as " +
                      shapeText(whole));
  if (core.empty()) core = {whole.back()};
  if (std::equal(core.rbegin(), core.rend(), whole.rbegin()))
    return constant(name) ? broadcastConstant(name, core, TensorRole::Table)
           : withoutLeadingOnes(own) == core
               ? viewed(name, core)
               : expanded(viewed(name, OnnxShape(core.size(), 1)), core, result + " repeated");
  const std::size_t part = viewed(name, core);
  return expanded(part, OnnxShape(whole.end() - static_cast<std::ptrdiff_t>(core.size()), whole.end()),
                  result + " repeated");
}

// ---- operators

std::size_t OnnxConverter::add(TensorOperator op, const std::string& result, OnnxShape shape, Scalar scalar) {
  if (op.name.empty()) op.name = result;
  op.output = addTensor(result, std::move(shape), scalar, TensorRole::Activation);
  if (const auto wrong = wrongWith(op)) throw OnnxUnknown(*wrong);
  writers_[op.output] = op.kind;
  program_.operators.push_back(std::move(op));
  return program_.operators.back().output;
}

std::size_t OnnxConverter::step(TensorOperator op, const std::string& result, OnnxShape shape) {
  const Scalar scalar = program_.tensors[op.inputs.at(0)].scalar;
  return add(std::move(op), result, std::move(shape), scalar);
}

std::size_t OnnxConverter::reshaped(std::size_t tensor, const OnnxShape& shape, const std::string& result) {
  if (at(tensor).shape == shape) return tensor;
  return step({result, Kind::Reshape, {tensor}, 0, false, {}, {}, {}}, result, shape);
}

std::size_t OnnxConverter::transposed(std::size_t tensor, const std::vector<std::size_t>& permutation,
                                      const std::string& result) {
  if (std::ranges::is_sorted(permutation)) return tensor;
  OnnxShape shape;
  for (const std::size_t from : permutation) shape.push_back(at(tensor).shape.at(from));
  return step({result, Kind::Transpose, {tensor}, 0, false, permutation, {}, {}}, result, shape);
}

std::size_t OnnxConverter::sliced(std::size_t tensor, std::size_t axis, std::int64_t begin,
                                  std::int64_t count, const std::string& result) {
  OnnxShape shape = at(tensor).shape;
  if (count == shape.at(axis)) return tensor;
  shape[axis] = count;
  TensorOperator op{result, TensorOperatorKind::Slice, {tensor}, 0, false, {}, {}, {}};
  op.axis = axis;
  op.begin = begin;
  return step(std::move(op), result, shape);
}

std::size_t OnnxConverter::expanded(std::size_t tensor, const OnnxShape& shape, const std::string& result) {
  if (at(tensor).shape == shape) return tensor;
  OnnxShape wide(shape.size() - std::min(shape.size(), at(tensor).shape.size()), 1);
  wide.insert(wide.end(), at(tensor).shape.begin(), at(tensor).shape.end());
  const std::size_t source = reshaped(tensor, wide, at(tensor).name + " as " + shapeText(wide));
  if (wide == shape) return source;
  return step({result, Kind::Expand, {source}, 0, false, {}, {}, {}}, result, shape);
}

void OnnxConverter::apply(const OnnxNode& node, TensorOperator op, OnnxShape shape, std::size_t output) {
  // What only moves elements leaves them as they are stored.
  const Scalar wanted = resultScalar(node, output);
  const Scalar stored = moves(op.kind) && !op.inputs.empty() ? program_.tensors[op.inputs[0]].scalar : wanted;
  const std::string& result = node.outputs[output];
  op.name = output == 0 ? node.name : result;
  made_[result] = add(std::move(op), result, std::move(shape), stored);
  if (stored != wanted) casts_[result] = wanted;
}

void OnnxConverter::give(const OnnxNode& node, std::size_t tensor, std::size_t output) {
  const std::string& result = node.outputs[output];
  made_[result] = tensor;
  const Scalar wanted = resultScalar(node, output);
  if (program_.tensors[tensor].scalar != wanted) casts_[result] = wanted;
}

std::optional<std::string> OnnxConverter::wrongWith(TensorOperator op) const {
  // Of the operator by itself, with the tensors that it reads and writes: the program may be long.
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

void OnnxConverter::pass(const OnnxNode& node) {
  const std::string &in = node.inputs[0], &out = node.outputs[0];
  aliases_[out] = resolved(in);
  if (const auto cast = casts_.find(in); cast != casts_.end()) casts_[out] = cast->second;
}

/// The operator that makes the value writes the other type if nothing else reads it; otherwise the cast is
/// left to the readers.
void OnnxConverter::cast(const OnnxNode& node) {
  const std::string& from = node.inputs[0];
  const auto to = node.integers.find("to");
  if (to == node.integers.end() || constant(from)) return pass(node);
  const Scalar wanted = scalarOf(node.outputs[0], to->second), given = scalar(from);
  pass(node);
  if (wanted == given) return;
  const auto made = made_.find(from);
  const auto writer = made == made_.end() ? writers_.end() : writers_.find(made->second);
  if (writer != writers_.end() && !moves(writer->second) && readers(from) == 1) {
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

// ---- what is not understood

void OnnxConverter::cut(const OnnxNode& node, const OnnxWork& work, const std::string& why) {
  report_.push_back(
      warning("unsupported-operator", placeOf(node), "it is cut out: " + why,
              "its inputs leave the program and its results come in from outside; replace it by "
              "operators that are known"));
  coverage_.cut(node, work, why);
  for (const std::string& input : node.inputs) leaves(input);
  for (const std::string& value : node.captured) leaves(value);
}

void OnnxConverter::leaves(const std::string& name) {
  const auto made = made_.find(resolved(name));
  if (made == made_.end() || program_.tensors[made->second].role != TensorRole::Activation) return;
  if (results_.insert(made->second).second) program_.results.push_back(made->second);
}

}  // namespace sluice::inline tensor
