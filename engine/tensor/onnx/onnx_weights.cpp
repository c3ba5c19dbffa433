#include "engine/tensor/onnx/onnx_weights.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "engine/core/cancelled.h"
#include "engine/tensor/onnx/onnx_converter.h"
#include "engine/tensor/onnx/onnx_inference.h"
#include "engine/tensor/onnx/onnx_model.h"
#include "engine/tensor/onnx/onnx_operators.h"
#include "engine/tensor/onnx/onnx_tensor_data.h"
#include "engine/tensor/programs/tensor_values.h"

namespace sluice::inline tensor {
namespace {

using nlohmann::json;
using Form = OnnxSource::Form;

constexpr std::int64_t most_bytes = std::int64_t{1} << 30;

float asFloat(double number) {
  if (std::isinf(number)) return static_cast<float>(number);
  constexpr double most = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(number, -most, most));
}

FloatTensor filled(const TensorValue& tensor, float number) {
  FloatTensor made{{tensor.shape.begin(), tensor.shape.end()}, {}};
  made.data.assign(static_cast<std::size_t>(elementCount(tensor)), number);
  return made;
}

FloatTensor causal(const TensorValue& tensor) {
  FloatTensor made = filled(tensor, 0);
  const std::size_t columns = made.shape.back(), rows = made.data.size() / columns;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = row + 1; column < columns; ++column)
      made.data[row * columns + column] = std::numeric_limits<float>::lowest();
  return made;
}

/// Empty: they do not fit.
std::optional<FloatTensor> inForm(const TensorValue& tensor, Form form, const std::vector<double>& elements) {
  if (elements.empty()) return {};
  FloatTensor made = filled(tensor, asFloat(elements.front()));
  if (elements.size() == 1) return made;
  if (elements.size() != made.data.size()) return {};
  const std::size_t columns = form == Form::Transposed ? made.shape.at(1) : 1;
  const std::size_t rows = made.data.size() / columns;
  for (std::size_t i = 0; i < made.data.size(); ++i)
    made.data[i] = asFloat(elements[i % columns * rows + i / columns]);
  return made;
}

/// What the program has of its own.
FloatTensor ownValues(const TensorValue& tensor, const OnnxSource& source) {
  if (source.form == Form::Causal) return causal(tensor);
  FloatTensor made = filled(tensor, asFloat(source.number));
  if (source.form == Form::Elements) made.data = source.elements;
  return made;
}

bool isOwn(Form form) {
  return form == Form::Number || form == Form::Causal || form == Form::Elements;
}

/// The constants of a model, and what follows from them.
class Constants {
 public:
  Constants(const json& graph, OnnxGraph values, std::filesystem::path folder)
      : graph_(std::move(values)), folder_(std::move(folder)) {
    store(graph, [](const std::string& name) { return name; });
    graph_.all.emplace();
    inferShapes(graph_);
    nodes_ = *std::move(graph_.all);
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      for (const std::string& output : nodes_[i].outputs) makers_[output] = i;
    graph_.most_elements = most_bytes / static_cast<std::int64_t>(sizeof(double));
  }

  bool isConstant(const std::string& value) const {
    const auto found = graph_.values.find(value);
    return found != graph_.values.end() && found->second.constant;
  }

  /// Empty: it is not known how they are computed.
  Result<std::optional<std::vector<double>>> elements(const std::string& value) {
    for (const std::size_t node : ancestors(value)) {
      for (const std::string& input : nodes_[node].inputs) {
        SLUICE_CHECK(load(input));
      }
      loaded_.insert(nodes_[node].outputs.begin(), nodes_[node].outputs.end());
      if (!infers(nodes_[node]) && !computes(nodes_[node])) return std::optional<std::vector<double>>();
    }
    SLUICE_CHECK(load(value));
    return graph_.values[value].elements;
  }

  /// Weights are many: they are read again where they are needed again.
  void forget() {
    for (const std::string& value : loaded_) graph_.values[value].elements.reset();
    loaded_.clear();
  }

 private:
  /// Where its constants stand, and those of the branches in it.
  void store(const json& graph, const std::function<std::string(const std::string&)>& named) {
    for (const json& tensor : graph.at("initializer")) stored_[named(tensor.value("name", ""))] = &tensor;
    for (const json& node : graph.at("node")) {
      const std::string op = node.value("op_type", "");
      if (node.at("output").empty()) continue;
      const std::string output = named(node.at("output")[0].get<std::string>());
      for (const json& attribute : node.at("attribute")) {
        if (op == "Constant" && attribute.contains("t")) stored_[output] = &attribute.at("t");
        if (hasBodies(op) && attribute.contains("g"))
          store(attribute.at("g"), [&](const std::string& value) {
            return nameInBody(output, attribute.value("name", ""), value);
          });
      }
    }
  }

  bool isKnown(const std::string& value) const {
    const auto found = graph_.values.find(value);
    return value.empty() || (found != graph_.values.end() && found->second.elements);
  }

  /// By the rules that infer shapes, which compute most of what shapes follow from.
  bool infers(const OnnxNode& node) {
    const OnnxOperator* const known = onnxOperator(node.op);
    if (known == nullptr || known->infer == nullptr) return false;
    try {
      OnnxInference one(graph_, node);
      known->infer(one);
    } catch (const OnnxInference::NotInferred&) {
      return false;
    }
    return std::ranges::all_of(node.outputs, [&](const std::string& output) { return isKnown(output); });
  }

  /// By what the operator becomes in a program. The first input comes from outside at the latest where
  /// nothing is left to do without: a Clip of integers is a constant to those that see all of its inputs as
  /// such.
  bool computes(const OnnxNode& node) { return computes(node, false) || computes(node, true); }

  /// Of its inputs, numbers and lists of integers are constants in the program, too, all others come from
  /// outside, and the first one if it is to.
  bool computes(OnnxNode node, bool first_from_outside) {
    OnnxGraph one;
    one.opset = graph_.opset;
    std::map<std::string, std::vector<double>> inputs;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i].empty()) continue;
      OnnxValue value = graph_.values[node.inputs[i]];
      if (value.shape && elementsIn(*value.shape) == 0) value.elements.emplace();
      if (!value.elements || !value.shape) return false;
      const std::string name = node.inputs[i] = "input " + std::to_string(i);
      inputs[name] = *value.elements;
      const bool integers = value.type == onnx_int64 || value.type == onnx_int32 || value.type == onnx_bool;
      value.constant =
          !(first_from_outside && i == 0) &&
          (value.elements->size() < 2 || (integers && value.elements->size() <= most_onnx_elements));
      value.derived = false, value.stored = 0;
      if (!value.constant) value.elements.reset();
      one.values[name] = std::move(value);
    }
    std::map<std::string, std::string> outputs;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i].empty()) continue;
      const std::string name = "output " + std::to_string(i);
      const OnnxValue& value = graph_.values[node.outputs[i]];
      one.values[name].shape = value.shape, one.values[name].type = value.type;
      one.outputs.push_back(name);
      outputs[name] = std::exchange(node.outputs[i], name);
    }
    one.nodes.push_back(std::move(node));
    return computes(std::move(one), inputs, outputs);
  }

  bool computes(OnnxGraph graph, const std::map<std::string, std::vector<double>>& inputs,
                const std::map<std::string, std::string>& outputs) {
    constexpr std::int64_t most_operations = std::int64_t{1} << 32;
    OnnxConverter converter(std::move(graph), {});
    TensorProgram program;
    try {
      program = converter.convert();
    } catch (const MissingShape&) {
      return false;
    }
    if (!converter.coverage().cuts.empty() || operationCount(program) > most_operations) return false;
    TensorSet given;
    for (const TensorValue& tensor : program.tensors) {
      const auto source = converter.sources().find(tensor.name);
      if (tensor.role == TensorRole::Activation) continue;
      if (source == converter.sources().end()) return false;
      const auto input = inputs.find(source->second.value);
      if (!isOwn(source->second.form) && input == inputs.end()) return false;
      std::optional<FloatTensor> values = isOwn(source->second.form)
                                              ? ownValues(tensor, source->second)
                                              : inForm(tensor, source->second.form, input->second);
      if (!values) return false;
      given[tensor.name] = *std::move(values);
    }
    const Result<std::vector<FloatTensor>> computed = exactTensorValues(program, given);
    if (!computed) return false;
    for (std::size_t i = 0; i < computed->size(); ++i)
      if (const auto output = outputs.find(program.tensors[i].name); output != outputs.end())
        graph_.values[output->second].elements.emplace((*computed)[i].data.begin(),
                                                       (*computed)[i].data.end());
    return std::ranges::all_of(outputs, [&](const auto& output) { return isKnown(output.second); });
  }

  /// The nodes that the value follows from, as far as their results are not known, in the model's order.
  std::set<std::size_t> ancestors(const std::string& value) const {
    std::set<std::size_t> needed;
    std::vector<std::string> open{value};
    while (!open.empty()) {
      const std::string name = std::move(open.back());
      open.pop_back();
      const auto known = graph_.values.find(name);
      if (known != graph_.values.end() && known->second.elements) continue;
      const auto maker = makers_.find(name);
      if (maker == makers_.end() || !needed.insert(maker->second).second) continue;
      const std::vector<std::string>& inputs = nodes_[maker->second].inputs;
      open.insert(open.end(), inputs.begin(), inputs.end());
    }
    return needed;
  }

  Result<Done> load(const std::string& value) {
    const auto stored = stored_.find(value);
    if (stored == stored_.end() || graph_.values[value].elements) return Done{};
    std::optional<std::vector<double>> elements = tensorElements(*stored->second);
    if (isExternal(*stored->second)) {
      SLUICE_TRY(elements, externalElements(*stored->second, folder_, Location(Where::Tensor, value)));
    }
    graph_.values[value].elements = std::move(elements);
    loaded_.insert(value);
    return Done{};
  }

  OnnxGraph graph_;
  std::vector<OnnxNode> nodes_;  ///< those that are constant, too
  std::filesystem::path folder_;
  std::map<std::string, const json*> stored_;
  std::map<std::string, std::size_t> makers_;
  std::set<std::string> loaded_;  ///< read or computed since forget()
};

/// Empty: it is not known how they are computed.
Result<std::optional<FloatTensor>> valuesOf(const TensorValue& tensor, const OnnxSource& source,
                                            Constants& constants) {
  if (isOwn(source.form)) return std::optional(ownValues(tensor, source));
  if (source.form == Form::Unknown) return std::optional<FloatTensor>();
  SLUICE_TRY(const std::optional<std::vector<double>> elements, constants.elements(source.value));
  std::optional<FloatTensor> made = elements ? inForm(tensor, source.form, *elements) : std::nullopt;
  constants.forget();
  return made;
}

/// Takes the tensor's bytes off what is left for all.
Result<Done> checkSize(const TensorValue& tensor, std::int64_t& left) {
  const Location place(Where::Tensor, tensor.name);
  const std::int64_t elements = elementCount(tensor), size = sizeof(float);
  if (elements > most_bytes / size)
    return error("file-too-large", place, "it has more than 1 GiB in float32",
                 "split it before you export the model");
  if ((left -= elements * size) < 0)
    return error("file-too-large", place, "with it the weights have more than 64 GiB in float32",
                 "import a model with fewer layers where values matter");
  return Done{};
}

const OnnxSource* sourceOf(const OnnxTables& tables, std::size_t tensor) {
  const TensorValue& value = tables.program.tensors[tensor];
  const auto found = tables.sources.find(value.name);
  return value.role == TensorRole::Activation || found == tables.sources.end() ? nullptr : &found->second;
}

bool isDerived(const OnnxTables& tables, const OnnxSource& source) {
  return !isOwn(source.form) && std::ranges::find(tables.derived, source.value) != tables.derived.end();
}

bool sameNumber(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

bool sameNumbers(const std::vector<float>& a, const std::vector<float>& b) {
  return std::ranges::equal(a, b, sameNumber);
}

/// The values of those of the tensors that follow from shapes and constants, as far as they are known.
TensorSet derivedValues(std::string_view bytes, const std::filesystem::path& folder, const OnnxTables& tables,
                        const std::vector<std::size_t>& tensors, const std::stop_token& stop) {
  TensorSet values;
  OnnxSources sources;
  for (const std::size_t tensor : tensors)
    sources[tables.program.tensors[tensor].name] = *sourceOf(tables, tensor);
  const auto take = [&](const std::string& name, FloatTensor made) -> Result<Done> {
    values[name] = std::move(made);
    return Done{};
  };
  if (!sources.empty())
    (void)onnxWeights(bytes, folder, tables.program, sources, tables.dimensions, take, stop);
  return values;
}

}  // namespace

std::vector<std::string> tablesOfOtherShapes(const OnnxTables& a, const OnnxTables& b) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(a.program.tensors.size(), b.program.tensors.size()); ++i) {
    const TensorValue& tensor = a.program.tensors[i];
    const OnnxSource* const source = sourceOf(a, i);
    if (source != nullptr && (isOwn(source->form) || isDerived(a, *source)) &&
        tensor.shape != b.program.tensors[i].shape)
      names.push_back(tensor.name);
  }
  return names;
}

std::string tableOfOtherValues(std::string_view bytes, const std::filesystem::path& folder,
                               const OnnxTables& a, const OnnxTables& b, const std::stop_token& stop) {
  std::vector<std::size_t> derived;
  for (std::size_t i = 0; i < std::min(a.program.tensors.size(), b.program.tensors.size()); ++i) {
    const OnnxSource *const own = sourceOf(a, i), *const other = sourceOf(b, i);
    if (own == nullptr || other == nullptr || a.program.tensors[i].shape != b.program.tensors[i].shape)
      continue;
    if (own->form != other->form || !sameNumber(own->number, other->number) ||
        !sameNumbers(own->elements, other->elements))
      return a.program.tensors[i].name;
    if (isDerived(a, *own)) derived.push_back(i);
  }
  const TensorSet own = derivedValues(bytes, folder, a, derived, stop),
                  others = derivedValues(bytes, folder, b, derived, stop);
  for (const std::size_t i : derived) {
    const auto mine = own.find(a.program.tensors[i].name), other = others.find(b.program.tensors[i].name);
    if (mine != own.end() && other != others.end() && !sameNumbers(mine->second.data, other->second.data))
      return a.program.tensors[i].name;
  }
  return {};
}

Result<OnnxWeights> onnxWeights(std::string_view bytes, const std::filesystem::path& folder,
                                const TensorProgram& program, const OnnxSources& sources,
                                const std::map<std::string, std::int64_t>& dimensions, const TensorSink& take,
                                const std::stop_token& stop) {
  const Location place(Where::File, folder.string());
  SLUICE_TRY(const json model, readOnnxModel(bytes, place, static_cast<std::size_t>(most_bytes), stop));
  SLUICE_TRY(OnnxGraph graph, readOnnx(bytes, place, dimensions, stop));
  Constants constants(model.at("graph"), std::move(graph), folder);
  OnnxWeights weights;
  std::int64_t left = 64 * most_bytes;
  for (const TensorValue& tensor : program.tensors) {
    const auto source = sources.find(tensor.name);
    if (tensor.role == TensorRole::Activation || source == sources.end()) continue;
    if (stop.stop_requested()) return cancelledDiagnostic();
    const Form form = source->second.form;
    if (form != Form::Unknown && !isOwn(form) && !constants.isConstant(source->second.value)) continue;
    SLUICE_CHECK(checkSize(tensor, left));
    SLUICE_TRY(std::optional<FloatTensor> made, valuesOf(tensor, source->second, constants));
    if (made) {
      SLUICE_CHECK(take(tensor.name, *std::move(made)));
      ++weights.tensors;
      continue;
    }
    weights.report.push_back(note("missing-data", Location(Where::Tensor, tensor.name),
                                  "its values are computed in a way that is not followed",
                                  "give them with --tensors where values matter"));
  }
  return weights;
}

}  // namespace sluice::inline tensor
