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
  explicit Printer(const TensorProgram& program, const std::vector<std::string>& sizes = {},
                   const std::vector<std::string>& written = {})
      : program_(program) {
    for (const std::string& size : sizes) sizes_ += (sizes_.empty() ? "(" : ", ") + size;
    if (!sizes_.empty()) sizes_ += ")";
    auto next = written.begin();
    const auto number = [&](std::int64_t own) {
      return next == written.end() ? std::to_string(own) : *next++;
    };
    for (const TensorValue& tensor : program.tensors) {
      extents_.emplace_back();
      for (const std::int64_t extent : tensor.shape) extents_.back() += number(extent) + "x";
    }
    for (const TensorOperator& op : program.operators) begins_.push_back(number(op.begin));
  }

  std::string print() const {
    std::string text = "program " + named('@', program_.name) + sizes_ + " {\n";
    for (std::size_t number = 0; number < program_.tensors.size(); ++number) {
      const TensorValue& tensor = program_.tensors[number];
      const auto role = std::ranges::find(roles, tensor.role, [](const auto& r) { return r.first; });
      if (role != roles.end())
        text += "  " + named('%', tensor.name) + " = " + std::string(role->second) + type(number);
    }
    for (std::size_t op = 0; op < program_.operators.size(); ++op) text += operation(op);
    for (std::size_t i = 0; i < program_.results.size(); ++i)
      text += (i == 0 ? "  return " : ", ") + tensor(program_.results[i]);
    return text + (program_.results.empty() ? "}\n" : "\n}\n");
  }

 private:
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

  const TensorProgram& program_;
  std::string sizes_;                 ///< "(batch, seq)"
  std::vector<std::string> extents_;  ///< "64x1024x" of each tensor
  std::vector<std::string> begins_;   ///< of each operator
};

constexpr const char* form = "see engine/tensor/programs/tensor_program_text.h for the form";

class Parser {
 public:
  explicit Parser(TextReader& reader) : reader_(reader) {}

  TensorProgram parse() {
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
    return std::move(program_);
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

  void definition() {
    const std::string name = reader_.name('%');
    if (numbers_.contains(name))
      reader_.fail("duplicate-name", "tensor '" + name + "' is defined twice",
                   "give one of them another name");
    reader_.expect('=');
    const std::string what = reader_.word();
    const auto role =
        std::ranges::find(roles, std::string_view(what), [](const auto& r) { return r.second; });
    if (role == roles.end()) {
      operation(name, what);
    } else {
      program_.tensors.push_back({name, {}, {}, role->first});
    }
    type(program_.tensors.back());
    numbers_[name] = program_.tensors.size() - 1;
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
    op.output = program_.tensors.size();
    program_.tensors.push_back({name, {}, {}, TensorRole::Activation});
    program_.operators.push_back(std::move(op));
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
  std::map<std::string, std::size_t> numbers_;
};

}  // namespace

std::string text(const TensorProgram& program) {
  return Printer(program).print();
}

std::string text(const TensorProgram& program, const std::vector<std::string>& sizes,
                 const std::vector<std::string>& numbers) {
  return Printer(program, sizes, numbers).print();
}

TensorProgram readTensorProgram(TextReader& reader) {
  return Parser(reader).parse();
}

Result<TensorProgram> parseTensorProgram(std::string_view text, const Location& place,
                                         const std::stop_token& stop) {
  return readWhole<TensorProgram>(text, place, form, "program", readTensorProgram, stop);
}

}  // namespace sluice::inline tensor
