#include "engine/tensor/programs/tensor_program_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "engine/core/characters.h"
#include "engine/itensor/itensor_text.h"

namespace sluice::inline tensor {

namespace {

constexpr std::array<std::pair<TensorRole, std::string_view>, 3> roles{
    {{TensorRole::Input, "input"}, {TensorRole::Weight, "weight"}, {TensorRole::Table, "table"}}};

std::string kindName(TensorOperatorKind kind) {
  std::string name(text(kind));
  std::ranges::replace(name, ' ', '_');
  return name;
}

/// The shortest text that reads as the same number.
std::string shortest(float number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

using WindowList = std::vector<std::int64_t> TensorWindow::*;
constexpr std::array<std::pair<std::string_view, WindowList>, 4> window_lists{
    {{"window", &TensorWindow::size},
     {"strides", &TensorWindow::strides},
     {"padding", &TensorWindow::padding},
     {"dilations", &TensorWindow::dilations}}};

class Printer {
 public:
  explicit Printer(const FoldedProgram& folded, const std::vector<std::string>& sizes = {},
                   const std::vector<std::string>& written = {})
      : folded_(folded), program_(folded.program) {
    for (const std::string& size : sizes) sizes_ += (sizes_.empty() ? "(" : ", ") + size;
    if (!sizes_.empty()) sizes_ += ")";
    auto next = written.begin();
    const auto number = [&](std::int64_t own) {
      return next == written.end() ? std::to_string(own) : *next++;
    };
    for (const TensorValue& tensor : program_.tensors) {
      extents_.emplace_back();
      for (const std::int64_t extent : tensor.shape) extents_.back() += number(extent) + "x";
    }
    for (const TensorOperator& op : program_.operators) begins_.push_back(number(op.begin));
    for (const FoldedLayers& layers : folded.layers) counts_.push_back(number(layers.count));
  }

  std::string print() const {
    std::string text = "program " + named('@', program_.name) + sizes_ + " {\n";
    const auto in_layer = [&](std::size_t tensor) {
      return std::ranges::any_of(folded_.layers,
                                 [&](const FoldedLayers& layers) { return layers.holds(tensor); });
    };
    for (std::size_t number = 0; number < program_.tensors.size(); ++number)
      if (!in_layer(number)) text += outside(number);
    auto layers = folded_.layers.begin();
    for (std::size_t op = 0; op < program_.operators.size(); ++op) {
      if (layers == folded_.layers.end() || op != layers->begin) {
        text += operation(op);
        continue;
      }
      text += indented(*layers);
      op += layers->length - 1;
      ++layers;
    }
    for (std::size_t i = 0; i < program_.results.size(); ++i)
      text += (i == 0 ? "  return " : ", ") + tensor(program_.results[i]);
    return text + (program_.results.empty() ? "}\n" : "\n}\n");
  }

 private:
  std::string indented(const FoldedLayers& layers) const {
    std::string last, taken, given, body;
    for (const CarriedTensor& carried : layers.carried) {
      const std::string comma = taken.empty() ? "" : ", ";
      last += comma + tensor(carried.last);
      taken += comma + tensor(carried.taken) + " = " + tensor(carried.initial);
      given += comma + tensor(carried.given);
    }
    for (std::size_t own = layers.tensors; own < layers.tensors + layers.owned; ++own)
      if (const std::string line = outside(own); !line.empty()) body += "  " + line;
    for (std::size_t op = layers.begin; op < layers.begin + layers.length; ++op) body += "  " + operation(op);
    return "  " + last + " = repeat " + counts_[static_cast<std::size_t>(&layers - folded_.layers.data())] +
           " (" + taken + ") {\n" + body + "    yield " + given + "\n  }\n";
  }

  std::string outside(std::size_t number) const {
    const TensorValue& tensor = program_.tensors[number];
    const auto role = std::ranges::find(roles, tensor.role, [](const auto& r) { return r.first; });
    if (role == roles.end()) return "";
    return "  " + named('%', tensor.name) + " = " + std::string(role->second) + type(number);
  }

  std::string tensor(std::size_t number) const { return named('%', program_.tensors[number].name); }

  std::string type(std::size_t number) const {
    return " tensor<" + extents_[number] + sluice::text(program_.tensors[number].scalar) + ">\n";
  }

  std::string operation(std::size_t number) const {
    const TensorOperator& op = program_.operators[number];
    std::string inputs, attributes;
    for (const std::size_t input : op.inputs) inputs += (inputs.empty() ? "" : ", ") + tensor(input);
    const auto attribute = [&](const std::string& content) {
      attributes += (attributes.empty() ? "" : ", ") + content;
    };
    if (op.name != program_.tensors[op.output].name) attribute("name = " + named('@', op.name));
    if (op.transposed_right) attribute("transposed_right");
    if (!op.permutation.empty()) attribute("permutation = " + numbers(op.permutation));
    if (op.epsilon != default_epsilon) attribute("epsilon = " + shortest(op.epsilon));
    if (op.number) attribute("number = " + shortest(*op.number));
    if (op.axis != 0) attribute("axis = " + std::to_string(op.axis));
    if (op.valid != 0) attribute("valid = " + std::to_string(op.valid));
    if (begins_[number] != "0") attribute("begin = " + begins_[number]);
    for (const auto& [name, member] : window_lists)
      if (!(op.window.*member).empty()) attribute(std::string(name) + " = " + numbers(op.window.*member));
    if (!op.before_steps.empty()) attribute("before = " + steps(op.before_steps));
    if (!op.after_steps.empty()) attribute("after = " + steps(op.after_steps));
    return "  " + tensor(op.output) + " = " + kindName(op.kind) + "(" + inputs + ")" +
           (attributes.empty() ? "" : " {" + attributes + "}") + type(op.output);
  }

  template <class Numbers>
  static std::string numbers(const Numbers& numbers) {
    std::string list;
    for (const auto number : numbers) list += (list.empty() ? "" : ", ") + std::to_string(number);
    return "[" + list + "]";
  }

  std::string steps(const std::vector<ElementwiseStep>& steps) const {
    std::string list;
    for (const ElementwiseStep& step : steps) {
      list += (list.empty() ? "" : ", ") + kindName(step.kind) +
              (step.operand  ? " " + tensor(*step.operand)
               : step.number ? " " + shortest(*step.number)
                             : "");
    }
    return "[" + list + "]";
  }

  const FoldedProgram& folded_;
  const TensorProgram& program_;
  std::string sizes_;                 ///< "(batch, seq)"
  std::vector<std::string> extents_;  ///< "64x1024x" of each tensor
  std::vector<std::string> begins_;   ///< of each operator
  std::vector<std::string> counts_;   ///< of layers
};

constexpr const char* form = "see engine/tensor/programs/tensor_program_text.h for the form";

class Parser {
 public:
  explicit Parser(TextReader& reader) : reader_(reader) {}

  FoldedProgram parse() {
    reader_.keyword("program", "begin with program @name {");
    program_.name = reader_.name('@');
    reader_.expect('{');
    while (!reader_.failed() && reader_.peek() == '%') definition();
    if (reader_.peek() == 'r') {
      reader_.keyword("return", "end with return %result");
      do program_.results.push_back(operand());
      while (reader_.accept(','));
    }
    reader_.expect('}');
    return {std::move(program_), std::move(layers_)};
  }

 private:
  std::size_t operand() {
    const std::string wanted = reader_.name('%');
    const auto tensor = numbers_.find(wanted);
    if (tensor != numbers_.end()) return tensor->second;
    reader_.fail("unknown-tensor", "no tensor '" + wanted + "' is defined before",
                 "define it in a line of its own, above its first use");
    return 0;
  }

  /// Of a tensor from now on, with the type of another one.
  std::size_t define(const std::string& name, std::optional<std::size_t> like = {}) {
    if (!numbers_.emplace(name, program_.tensors.size()).second)
      reader_.fail("duplicate-name", "tensor '" + name + "' is defined twice",
                   "give one of them another name");
    program_.tensors.push_back(like && *like < program_.tensors.size() ? program_.tensors[*like]
                                                                       : TensorValue{});
    program_.tensors.back().name = name;
    program_.tensors.back().role = TensorRole::Activation;
    return program_.tensors.size() - 1;
  }

  void definition() {
    std::vector<std::string> names;
    do names.push_back(reader_.name('%'));
    while (reader_.accept(','));
    reader_.expect('=');
    const std::string what = reader_.word();
    if (what == "repeat") return layers(names);
    if (names.size() > 1) reader_.fail("an operator gives one tensor", "write one name before '='");
    const std::string& name = names[0];
    const auto role =
        std::ranges::find(roles, std::string_view(what), [](const auto& r) { return r.second; });
    if (role == roles.end()) return operation(name, what);
    const std::size_t number = define(name);
    program_.tensors[number].role = role->first;
    type(program_.tensors[number]);
  }

  /// repeat 12 (%taken = %initial) { ... yield %given }
  void layers(const std::vector<std::string>& names) {
    if (in_layer_) return reader_.fail("layers stand in layers", "repeat one after the other");
    FoldedLayers layers;
    layers.count = static_cast<std::int64_t>(reader_.number());
    reader_.expect('(');
    do {
      const std::string taken = reader_.name('%');
      reader_.expect('=');
      const std::size_t initial = operand();
      layers.carried.push_back({initial, define(taken, initial), 0, 0});
    } while (reader_.accept(','));
    reader_.expect(')');
    reader_.expect('{');
    layers.begin = program_.operators.size(), layers.tensors = program_.tensors.size();
    in_layer_ = true;
    while (!reader_.failed() && reader_.peek() == '%') definition();
    in_layer_ = false;
    layers.length = program_.operators.size() - layers.begin;
    layers.owned = program_.tensors.size() - layers.tensors;
    reader_.keyword("yield", "end a layer with what it gives to the next one, yield %result");
    std::vector<std::size_t> given;
    do given.push_back(operand());
    while (reader_.accept(','));
    reader_.expect('}');
    if (given.size() != layers.carried.size() || names.size() != given.size() || layers.length == 0)
      return reader_.fail("the layer takes " + std::to_string(layers.carried.size()) + " tensors, yields " +
                              std::to_string(given.size()) + " and leaves " + std::to_string(names.size()) +
                              ", by " + std::to_string(layers.length) + " operators",
                          "take, yield and name as many, made by one operator or more");
    for (std::size_t i = 0; i < given.size(); ++i) {
      layers.carried[i].given = given[i];
      layers.carried[i].last = define(names[i], given[i]);
    }
    layers_.push_back(std::move(layers));
  }

  void operation(const std::string& name, const std::string& kind) {
    TensorOperator op;
    op.name = name;
    op.kind = this->kind(kind);
    reader_.expect('(');
    if (!reader_.accept(')')) {
      do op.inputs.push_back(operand());
      while (reader_.accept(','));
      reader_.expect(')');
    }
    if (reader_.accept('{')) {
      do attribute(op);
      while (reader_.accept(','));
      reader_.expect('}');
    }
    op.output = define(name);
    program_.operators.push_back(std::move(op));
    type(program_.tensors.back());
  }

  TensorOperatorKind kind(const std::string& name) {
    for (int i = 0; i < tensor_operator_kinds; ++i) {
      if (kindName(static_cast<TensorOperatorKind>(i)) == name) return static_cast<TensorOperatorKind>(i);
    }
    std::string known;
    for (int i = 0; i < tensor_operator_kinds; ++i)
      known += (i == 0 ? "" : ", ") + kindName(static_cast<TensorOperatorKind>(i));
    reader_.fail("unknown-operator", "there is no operator '" + name + "'",
                 "input, weight and table are tensors from outside; the operators are " + known);
    return {};
  }

  void attribute(TensorOperator& op) {
    const std::string what = reader_.word();
    if (what == "transposed_right") {
      op.transposed_right = true;
      return;
    }
    reader_.expect('=');
    if (what == "name") {
      op.name = reader_.name('@');
    } else if (what == "permutation") {
      list([&] { op.permutation.push_back(reader_.number()); });
    } else if (what == "epsilon") {
      op.epsilon = reader_.decimal();
    } else if (what == "number") {
      op.number = reader_.decimal();
    } else if (what == "axis") {
      op.axis = reader_.number();
    } else if (what == "valid") {
      op.valid = static_cast<std::int64_t>(reader_.number());
    } else if (what == "begin") {
      op.begin = static_cast<std::int64_t>(reader_.number());
    } else if (const auto* window = std::ranges::find(window_lists, std::string_view(what),
                                                      [](const auto& w) { return w.first; });
               window != window_lists.end()) {
      list([&] { (op.window.*(window->second)).push_back(static_cast<std::int64_t>(reader_.number())); });
    } else if (what == "before" || what == "after") {
      std::vector<ElementwiseStep>& steps = what == "before" ? op.before_steps : op.after_steps;
      list([&] {
        ElementwiseStep step;
        step.kind = kind(reader_.word());
        if (reader_.peek() == '%')
          step.operand = operand();
        else if (isDigit(reader_.peek()) || reader_.peek() == '-')
          step.number = reader_.decimal();
        steps.push_back(step);
      });
    } else {
      reader_.fail("unknown-parameter", "there is no attribute '" + what + "'",
                   "the attributes are name, transposed_right, permutation, epsilon, number, axis, begin, "
                   "valid, window, "
                   "strides, padding, dilations, before and after");
    }
  }

  template <class Element>
  void list(Element&& element) {
    reader_.expect('[');
    do element();
    while (reader_.accept(','));
    reader_.expect(']');
  }

  /// tensor<2x3xf32>
  void type(TensorValue& tensor) {
    reader_.keyword("tensor", "give the tensor's type, as in tensor<64x1024xi8>");
    reader_.expect('<');
    std::string_view rest = reader_.until('>');
    while (!rest.empty() && isDigit(rest[0])) {
      std::int64_t extent = 0;
      const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), extent);
      if (error != std::errc{} || stop == rest.data() + rest.size() || *stop != 'x') break;
      tensor.shape.push_back(extent);
      rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()) + 1);
    }
    const auto scalar = scalarNamed(rest);
    if (!scalar)
      return reader_.fail("unknown-choice", "'" + std::string(rest) + "' is no scalar type",
                          "write for example tensor<64x1024xi8>, with f32, bf16, i8, i4 ...");
    tensor.scalar = *scalar;
    reader_.expect('>');
  }

  TextReader& reader_;
  TensorProgram program_;
  std::vector<FoldedLayers> layers_;
  bool in_layer_ = false;
  std::map<std::string, std::size_t> numbers_;
};

}  // namespace

std::string text(const TensorProgram& program) {
  return text(FoldedProgram{program, {}});
}

std::string text(const FoldedProgram& program) {
  return Printer(program).print();
}

std::string text(const FoldedProgram& program, const std::vector<std::string>& sizes,
                 const std::vector<std::string>& numbers) {
  return Printer(program, sizes, numbers).print();
}

TensorProgram readTensorProgram(TextReader& reader) {
  const FoldedProgram program = Parser(reader).parse();
  if (reader.failed()) return {};
  Result<TensorProgram> whole = unfolded(program);
  if (whole) return *std::move(whole);
  reader.fail(whole.diagnostics().front());
  return {};
}

Result<TensorProgram> parseTensorProgram(std::string_view text, const Location& place,
                                         const std::stop_token& stop) {
  return readWhole<TensorProgram>(text, place, form, "program", readTensorProgram, stop);
}

}  // namespace sluice::inline tensor
