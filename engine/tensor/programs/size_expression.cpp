// Sums and products of sizes, read from text.

#include "engine/tensor/programs/size_expression.h"

#include <charconv>

#include "engine/core/characters.h"

namespace sluice::inline tensor {
namespace {

constexpr std::int64_t largest_size = std::int64_t{1} << 53;
constexpr int deepest = 100;  ///< brackets in brackets

/// Sums of products of numbers, names and brackets. Null: it is none, or too large.
class Expression {
 public:
  Expression(std::string_view text, const NamedSizes& sizes) : text_(text), sizes_(sizes) {}

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
  const NamedSizes& sizes_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::int64_t> sizeOf(std::string_view text, const NamedSizes& sizes) {
  const std::optional<std::int64_t> value = Expression(text, sizes).value();
  return value && *value >= 0 && *value <= largest_size ? value : std::nullopt;
}

std::size_t closingBracket(std::string_view text, std::size_t at) {
  for (int open = 0; at < text.size(); ++at) {
    open += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (open == 0) return at;
  }
  return text.size();
}

std::optional<std::string> withExpressions(
    std::string_view text, const std::function<std::optional<std::int64_t>(std::string_view)>& value) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!text.substr(at).starts_with("$(")) {
      result += text[at];
      continue;
    }
    const std::size_t end = closingBracket(text, at + 1);
    const std::optional<std::int64_t> found =
        end < text.size() ? value(text.substr(at + 2, end - at - 2)) : std::nullopt;
    if (!found) return {};
    result += std::to_string(*found);
    at = end;
  }
  return result;
}

}  // namespace sluice::inline tensor
