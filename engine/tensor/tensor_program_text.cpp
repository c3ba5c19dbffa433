#include "engine/tensor/tensor_program_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "engine/tensor/itensor_text.h"

namespace sluice {

namespace {

constexpr std::size_t mostCharacters = 1 << 24;
constexpr std::array<std::pair<TensorRole, std::string_view>, 3> roles{
    {{TensorRole::Input, "input"}, {TensorRole::Weight, "weight"}, {TensorRole::Table, "table"}}};

std::string kindName(TensorOperatorKind kind) {
  std::string name(text(kind));
  std::ranges::replace(name, ' ', '_');
  return name;
}

bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

std::string named(char sigil, const std::string& name) {
  const bool identifier = !name.empty() && isLetter(name[0]) &&
                          std::ranges::all_of(name, [](char c) { return isLetter(c) || isDigit(c); });
  if (identifier) return sigil + name;
  std::string quoted = {sigil, '"'};
  for (const char c : name) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + '"';
}

class Printer {
 public:
  explicit Printer(const TensorProgram& program) : program_(program) {}

  std::string print() const {
    std::string text = "program " + named('@', program_.name) + " {\n";
    for (const TensorValue& tensor : program_.tensors) {
      const auto role = std::ranges::find(roles, tensor.role, [](const auto& r) { return r.first; });
      if (role != roles.end())
        text += "  " + named('%', tensor.name) + " = " + std::string(role->second) + type(tensor);
    }
    for (const TensorOperator& op : program_.operators) text += operation(op);
    for (std::size_t i = 0; i < program_.results.size(); ++i)
      text += (i == 0 ? "  return " : ", ") + tensor(program_.results[i]);
    return text + (program_.results.empty() ? "}\n" : "\n}\n");
  }

 private:
  std::string tensor(std::size_t number) const { return named('%', program_.tensors[number].name); }

  static std::string type(const TensorValue& tensor) {
    std::string text = " tensor<";
    for (const std::int64_t extent : tensor.shape) text += std::to_string(extent) + "x";
    return text + sluice::text(tensor.scalar) + ">\n";
  }

  std::string operation(const TensorOperator& op) const {
    std::string inputs, attributes;
    for (const std::size_t input : op.inputs) inputs += (inputs.empty() ? "" : ", ") + tensor(input);
    const auto attribute = [&](const std::string& content) {
      attributes += (attributes.empty() ? "" : ", ") + content;
    };
    if (op.name != program_.tensors[op.output].name) attribute("name = " + named('@', op.name));
    if (op.transposed_right) attribute("transposed_right");
    if (!op.permutation.empty()) {
      std::string list;
      for (const std::size_t from : op.permutation) list += (list.empty() ? "" : ", ") + std::to_string(from);
      attribute("permutation = [" + list + "]");
    }
    if (!op.before_steps.empty()) attribute("before = " + steps(op.before_steps));
    if (!op.after_steps.empty()) attribute("after = " + steps(op.after_steps));
    return "  " + tensor(op.output) + " = " + kindName(op.kind) + "(" + inputs + ")" +
           (attributes.empty() ? "" : " {" + attributes + "}") + type(program_.tensors[op.output]);
  }

  std::string steps(const std::vector<ElementwiseStep>& steps) const {
    std::string list;
    for (const ElementwiseStep& step : steps) {
      list += (list.empty() ? "" : ", ") + kindName(step.kind) +
              (step.operand ? " " + tensor(*step.operand) : "");
    }
    return "[" + list + "]";
  }

  const TensorProgram& program_;
};

/// After the first failure it stands at the end of the text, where every further step finds nothing, and only
/// that failure counts.
class Parser {
 public:
  Parser(std::string_view text, const std::string& place) : text_(text), place_(place) {}

  Result<TensorProgram> parse() {
    keyword("program");
    program_.name = name('@');
    expect('{');
    while (!failed_ && peek() == '%') definition();
    if (peek() == 'r') {
      keyword("return");
      do program_.results.push_back(operand());
      while (accept(','));
    }
    expect('}');
    if (!failed_ && peek() != '\0') fail("something follows the program", "leave one program in the text");
    if (failed_) return *failed_;
    Diagnostics wrong = verify(program_);
    for (Diagnostic& diagnostic : wrong) diagnostic.place = place_ + ": " + diagnostic.place;
    if (hasErrors(wrong)) return wrong;
    return std::move(program_);
  }

 private:
  void fail(std::string cause, std::string mend) {
    if (!failed_) {
      const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
      failed_ = Diagnostic{Severity::Error, place_ + ", line " + std::to_string(line), std::move(cause),
                           std::move(mend)};
    }
    at_ = text_.size();
  }

  char peek() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '/' && text_.substr(at_, 2) == "//")
        at_ = std::min(text_.find('\n', at_), text_.size() - 1);
      else if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
        return c;
    }
    return '\0';
  }
  bool accept(char c) {
    if (peek() != c || c == '\0') return false;
    ++at_;
    return true;
  }
  std::string found() {
    const char c = peek();
    return c == '\0' ? "the end" : std::string("'") + c + "'";
  }
  void expect(char c) {
    if (!accept(c))
      fail("'" + std::string(1, c) + "' is expected, not " + found(),
           "see engine/tensor/tensor_program_text.h for the form");
  }
  std::string word() {
    peek();
    const std::size_t begin = at_;
    while (at_ < text_.size() && (isLetter(text_[at_]) || isDigit(text_[at_]))) ++at_;
    if (at_ == begin)
      fail("a word is expected, not " + found(), "see engine/tensor/tensor_program_text.h for the form");
    return std::string(text_.substr(begin, at_ - begin));
  }
  void keyword(const std::string& wanted) {
    if (const std::string got = word(); got != wanted && !failed_)
      fail("'" + wanted + "' is expected, not '" + got + "'", "begin with program @name {");
  }
  std::string name(char sigil) {
    expect(sigil);
    if (peek() != '"') return word();
    ++at_;
    std::string name;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      name += text_[at_];
    }
    if (at_ == text_.size()) {
      fail("a quoted name does not end", "close it with a quotation mark");
      return name;
    }
    ++at_;
    return name;
  }
  std::size_t number() {
    peek();
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{}) return fail("a number is expected, not " + found(), "write a whole number"), 0;
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  std::size_t operand() {
    const std::string wanted = name('%');
    const auto tensor = numbers_.find(wanted);
    if (tensor != numbers_.end()) return tensor->second;
    fail("no tensor '" + wanted + "' is defined before",
         "define it in a line of its own, above its first use");
    return 0;
  }

  void definition() {
    const std::string name = this->name('%');
    if (numbers_.contains(name))
      fail("tensor '" + name + "' is defined twice", "give one of them another name");
    expect('=');
    const std::string what = word();
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
    expect('(');
    if (!accept(')')) {
      do op.inputs.push_back(operand());
      while (accept(','));
      expect(')');
    }
    if (accept('{')) {
      do attribute(op);
      while (accept(','));
      expect('}');
    }
    op.output = program_.tensors.size();
    program_.tensors.push_back({name, {}, {}, TensorRole::Activation});
    program_.operators.push_back(std::move(op));
  }

  TensorOperatorKind kind(const std::string& name) {
    for (int i = 0; i < tensorOperatorKinds; ++i) {
      if (kindName(static_cast<TensorOperatorKind>(i)) == name) return static_cast<TensorOperatorKind>(i);
    }
    std::string known;
    for (int i = 0; i < tensorOperatorKinds; ++i)
      known += (i == 0 ? "" : ", ") + kindName(static_cast<TensorOperatorKind>(i));
    fail("there is no operator '" + name + "'",
         "input, weight and table are tensors from outside; the operators are " + known);
    return {};
  }

  void attribute(TensorOperator& op) {
    const std::string what = word();
    if (what == "transposed_right") {
      op.transposed_right = true;
      return;
    }
    expect('=');
    if (what == "name") {
      op.name = name('@');
    } else if (what == "permutation") {
      list([&] { op.permutation.push_back(number()); });
    } else if (what == "before" || what == "after") {
      std::vector<ElementwiseStep>& steps = what == "before" ? op.before_steps : op.after_steps;
      list([&] {
        ElementwiseStep step;
        step.kind = kind(word());
        if (peek() == '%') step.operand = operand();
        steps.push_back(step);
      });
    } else {
      fail("there is no attribute '" + what + "'",
           "the attributes are name, transposed_right, permutation, before and after");
    }
  }

  template <class Element>
  void list(Element&& element) {
    expect('[');
    do element();
    while (accept(','));
    expect(']');
  }

  /// tensor<2x3xf32>
  void type(TensorValue& tensor) {
    keyword("tensor");
    expect('<');
    peek();
    const std::size_t end = std::min(text_.find('>', at_), text_.size());
    std::string_view rest = text_.substr(at_, end - at_);
    while (!rest.empty() && isDigit(rest[0])) {
      std::int64_t extent = 0;
      const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), extent);
      if (error != std::errc{} || stop == rest.data() + rest.size() || *stop != 'x') break;
      tensor.shape.push_back(extent);
      rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()) + 1);
    }
    const auto scalar = scalarNamed(rest);
    if (!scalar)
      return fail("'" + std::string(rest) + "' is no scalar type",
                  "write for example tensor<64x1024xi8>, with f32, bf16, i8, i4 ...");
    tensor.scalar = *scalar;
    at_ = end;
    expect('>');
  }

  std::string_view text_;
  const std::string& place_;
  std::size_t at_ = 0;
  std::optional<Diagnostic> failed_;
  TensorProgram program_;
  std::map<std::string, std::size_t> numbers_;
};

}  // namespace

std::string text(const TensorProgram& program) {
  return Printer(program).print();
}

Result<TensorProgram> parseTensorProgram(std::string_view text, const std::string& place) {
  if (text.size() > mostCharacters)
    return Diagnostic{Severity::Error, place, "the text has more than 16 MiB", "give one program"};
  return Parser(text, place).parse();
}

}  // namespace sluice
