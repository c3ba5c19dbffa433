// Sizes in the text of tensor programs: put in, and found from programs at several sizes.

#include "engine/tensor/programs/sized_text.h"

#include <algorithm>
#include <optional>
#include <set>

#include "engine/tensor/programs/size_expression.h"
#include "engine/tensor/programs/tensor_program_text.h"

namespace sluice::inline tensor {
namespace {

/// Where the names stand: between the brackets behind the program's name, before its body.
std::optional<std::pair<std::size_t, std::size_t>> headOf(std::string_view text) {
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') quoted = !quoted;
    if (text[at] == '\\' && quoted) ++at;
    if (quoted) continue;
    if (text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (text[at] == '{') return {};
    if (text[at] != '(') continue;
    const std::size_t end = text.find(')', at);
    if (end == std::string_view::npos) return {};
    return std::pair(at, end);
  }
  return {};
}

}  // namespace

std::vector<std::string> sizesIn(std::string_view text) {
  const auto head = headOf(text);
  std::vector<std::string> names;
  if (!head) return names;
  std::string name;
  for (const char c : text.substr(head->first + 1, head->second - head->first - 1)) {
    if (c == ',') {
      names.push_back(std::move(name));
      name.clear();
    } else if (c != ' ' && c != '\n') {
      name += c;
    }
  }
  names.push_back(std::move(name));
  return names;
}

Result<std::string> withSizes(std::string_view text, std::span<const std::int64_t> sizes,
                              const Location& place) {
  const std::vector<std::string> names = sizesIn(text);
  if (names.size() != sizes.size())
    return error("missing-value", place,
                 "it has " + std::to_string(names.size()) + " sizes, and " + std::to_string(sizes.size()) +
                     " are given",
                 "give the parameter sizes one number for each name behind the program's");
  NamedSizes known;
  for (std::size_t i = 0; i < names.size(); ++i) known[names[i]] = sizes[i];
  if (names.empty()) return std::string(text);
  const auto [head, head_end] = *headOf(text);
  std::string result(text.substr(0, head));
  bool quoted = false;
  for (std::size_t at = head_end + 1; at < text.size(); ++at) {
    if (text[at] == '"') quoted = !quoted;
    if (quoted || !text.substr(at).starts_with("$(")) {
      result += text[at];
      if (quoted && text[at] == '\\' && at + 1 < text.size()) result += text[++at];
      continue;
    }
    const std::size_t end = closingBracket(text, at + 1);
    const std::string_view inside = text.substr(at + 2, std::max(end, at + 2) - at - 2);
    const std::optional<std::int64_t> value = sizeOf(inside, known);
    if (!value)
      return error("expression-syntax", place,
                   "'" + std::string(text.substr(at, end + 1 - at)) + "' is no size",
                   "write sums and products of whole numbers and of the names behind the program's");
    result += std::to_string(*value);
    at = end;
  }
  return result;
}

namespace {

/// Every number of a program that may depend on sizes, in one order; the program without them.
struct Numbers {
  std::vector<std::int64_t> values;
  FoldedProgram rest;
};

Numbers numbersOf(FoldedProgram folded) {
  Numbers numbers;
  // Names may have extents in them; which tensor is meant, its number says.
  for (TensorValue& tensor : folded.program.tensors) {
    tensor.name.clear();
    for (std::int64_t& extent : tensor.shape) numbers.values.push_back(std::exchange(extent, 0));
  }
  for (TensorOperator& op : folded.program.operators) {
    op.name.clear();
    numbers.values.push_back(std::exchange(op.begin, 0));
  }
  numbers.rest = std::move(folded);
  return numbers;
}

/// factor * (product of the names) + more.
struct Fitted {
  std::int64_t factor = 0, more = 0;
  std::vector<std::string> names;

  std::int64_t at(const std::map<std::string, std::int64_t>& sizes) const {
    std::int64_t value = factor;
    for (const std::string& name : names) value *= sizes.at(name);
    return value + more;
  }
  std::string text() const {
    std::string product = factor == 1 ? "" : std::to_string(factor);
    for (const std::string& name : names) product += (product.empty() ? "" : "*") + name;
    if (more > 0) product += " + " + std::to_string(more);
    if (more < 0) product += " - " + std::to_string(-more);
    return "$(" + product + ")";
  }
};

/// `own` at the first sizes, `others` where one size is another.
std::optional<Fitted> fitted(std::int64_t own, std::span<const std::int64_t> others,
                             const SizedProgram& first, std::span<const SizedProgram> varied) {
  Fitted fit;
  std::int64_t whole = 1;
  for (std::size_t i = 0; i < varied.size(); ++i) {
    if (others[i] == own) continue;
    const auto changed = std::ranges::find_if(
        varied[i].sizes, [&](const auto& size) { return first.sizes.at(size.first) != size.second; });
    fit.names.push_back(changed->first);
    whole *= first.sizes.at(changed->first);
    const std::int64_t steps = changed->second - first.sizes.at(changed->first);
    if ((others[i] - own) % steps != 0) return {};
    fit.factor = (others[i] - own) / steps;
  }
  if (fit.names.empty()) return Fitted{0, own, {}};
  if (fit.names.size() > 1) {
    if (own % whole != 0) return {};
    fit.factor = own / whole;
  }
  fit.more = own - fit.factor * whole;
  return fit;
}

/// The text with these numbers; how many layers there are is one more size.
SizedText withCount(const FoldedProgram& program, std::map<std::string, std::int64_t> sizes,
                    std::vector<std::string> numbers) {
  const bool open = program.layers.size() == 1 && !sizes.contains(layer_count);
  if (open) sizes[layer_count] = program.layers[0].count;
  for (const FoldedLayers& layers : program.layers)
    numbers.push_back(open ? std::string("$(") + layer_count + ")" : std::to_string(layers.count));
  std::vector<std::string> names;
  for (const auto& [name, size] : sizes) names.push_back(name);
  SizedText sized{text(program, names, numbers), std::move(sizes)};
  for (const FoldedLayers& layers : program.layers) {
    sized.layers = layers.count;
    sized.layer_operators = static_cast<std::int64_t>(layers.length);
  }
  return sized;
}

/// Of the programs as `form` gives them: folded or not.
template <class Form>
SizedText textOf(const SizedProgram& first, std::span<const SizedProgram> varied, const SizedProgram& check,
                 const Form& form) {
  const FoldedProgram program = form(first.program);
  const Numbers own = numbersOf(program), checked = numbersOf(form(check.program));
  std::vector<Numbers> others;
  for (const SizedProgram& one : varied) others.push_back(numbersOf(form(one.program)));
  const auto is_other = [&](const Numbers& one) { return one.rest != own.rest; };
  if (is_other(checked) || std::ranges::any_of(others, is_other)) return {};
  std::vector<std::string> texts;
  std::vector<std::int64_t> at_others;
  for (std::size_t i = 0; i < own.values.size(); ++i) {
    at_others.clear();
    for (const Numbers& other : others) at_others.push_back(other.values[i]);
    const std::optional<Fitted> fit = fitted(own.values[i], at_others, first, varied);
    if (!fit || fit->at(check.sizes) != checked.values[i]) return {};
    texts.push_back(fit->names.empty() ? std::to_string(own.values[i]) : fit->text());
  }
  return withCount(program, first.sizes, std::move(texts));
}

}  // namespace

SizedText sizedText(const TensorProgram& program) {
  const FoldedProgram once = folded(program);
  std::vector<std::string> texts;
  for (const std::int64_t value : numbersOf(once).values) texts.push_back(std::to_string(value));
  return withCount(once, {}, std::move(texts));
}

SizedText sizedText(const SizedProgram& first, std::span<const SizedProgram> varied,
                    const SizedProgram& check) {
  SizedText found = textOf(first, varied, check, folded);
  if (!found.text.empty()) return found;
  return textOf(first, varied, check, [](const TensorProgram& program) {
    return FoldedProgram{program, {}};
  });
}

}  // namespace sluice::inline tensor
