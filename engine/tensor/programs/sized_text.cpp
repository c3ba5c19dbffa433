// Sizes in the text of tensor programs: put in, and found from programs at several sizes.

#include "engine/tensor/programs/sized_text.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "engine/core/characters.h"
#include "engine/tensor/programs/tensor_program_text.h"

namespace sluice::inline tensor {
namespace {

constexpr std::int64_t largest_size = std::int64_t{1} << 53;
constexpr int deepest = 100;  ///< brackets in brackets

using Sizes = std::map<std::string, std::int64_t, std::less<>>;

/// Sums of products of numbers, names and brackets. Null: it is none, or too large.
class Expression {
 public:
  Expression(std::string_view text, const Sizes& sizes) : text_(text), sizes_(sizes) {}

  std::optional<std::int64_t> value() {
    const std::optional<std::int64_t> found = sum(0);
    skip();
    return at_ == text_.size() ? found : std::nullopt;
  }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool accept(char c) {
    skip();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::optional<std::int64_t> sum(int depth) {
    std::optional<std::int64_t> total = product(depth);
    while (total) {
      const bool plus = accept('+');
      if (!plus && !accept('-')) break;
      const std::optional<std::int64_t> next = product(depth);
      std::int64_t result = 0;
      if (!next || (plus ? __builtin_add_overflow(*total, *next, &result)
                         : __builtin_sub_overflow(*total, *next, &result)))
        return {};
      total = result;
    }
    return total;
  }

  std::optional<std::int64_t> product(int depth) {
    std::optional<std::int64_t> total = factor(depth);
    while (total && accept('*')) {
      const std::optional<std::int64_t> next = factor(depth);
      std::int64_t result = 0;
      if (!next || __builtin_mul_overflow(*total, *next, &result)) return {};
      total = result;
    }
    return total;
  }

  std::optional<std::int64_t> factor(int depth) {
    if (depth > deepest) return {};
    if (accept('(')) {
      const std::optional<std::int64_t> inside = sum(depth + 1);
      return accept(')') ? inside : std::nullopt;
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && (isDigit(text_[at_]) || isLetter(text_[at_]) || text_[at_] == '_')) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (const auto size = sizes_.find(word); size != sizes_.end()) return size->second;
    std::int64_t number = 0;
    const auto [end, wrong] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (word.empty() || wrong != std::errc{} || end != word.data() + word.size()) return {};
    return number;
  }

  std::string_view text_;
  const Sizes& sizes_;
  std::size_t at_ = 0;
};

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

/// The bracket that closes the one at `at`; the end of the text where there is none.
std::size_t closing(std::string_view text, std::size_t at) {
  for (int open = 0; at < text.size(); ++at) {
    open += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (open == 0) return at;
  }
  return text.size();
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
  Sizes known;
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
    const std::size_t end = closing(text, at + 1);
    const std::string_view inside = text.substr(at + 2, std::max(end, at + 2) - at - 2);
    const std::optional<std::int64_t> value = Expression(inside, known).value();
    if (!value || *value < 0 || *value > largest_size)
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
  TensorProgram rest;
};

Numbers numbersOf(TensorProgram program) {
  Numbers numbers;
  // Names may have extents in them; which tensor is meant, its number says.
  for (TensorValue& tensor : program.tensors) {
    tensor.name.clear();
    for (std::int64_t& extent : tensor.shape) numbers.values.push_back(std::exchange(extent, 0));
  }
  for (TensorOperator& op : program.operators) {
    op.name.clear();
    numbers.values.push_back(std::exchange(op.begin, 0));
  }
  numbers.rest = std::move(program);
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

}  // namespace

std::string sizedText(const SizedProgram& first, std::span<const SizedProgram> varied,
                      const SizedProgram& check) {
  const Numbers own = numbersOf(first.program), checked = numbersOf(check.program);
  std::vector<Numbers> others;
  for (const SizedProgram& one : varied) others.push_back(numbersOf(one.program));
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
  std::vector<std::string> names;
  for (const auto& [name, size] : first.sizes) names.push_back(name);
  return text(first.program, names, texts);
}

}  // namespace sluice::inline tensor
