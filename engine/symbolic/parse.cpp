// Recursive-descent parser of expressions:
//   sum     = product { ('+' | '-') product }
//   product = factor { ('*' | '/') factor }
//   factor  = ('-' | '+') factor | primary [ '^' number ]
//   primary = number | name | name '(' sum { ',' sum } ')' | '(' sum ')'

#include <charconv>
#include <span>
#include <vector>

#include "engine/core/characters.h"
#include "engine/symbolic/expr.h"
#include "engine/symbolic/memo.h"

namespace sluice::inline symbolic {
namespace {

constexpr int maximum_depth = 200;  // so that no text can exhaust the stack
constexpr std::size_t maximum_length = 1 << 20;
constexpr std::size_t maximum_power = 300;  // characters of the base, times the exponent

/// What ceil and floor divide exactly. Anywhere else `below` is 1: a division is rounded down at once.
struct Fraction {
  Expr above;
  Expr below = Expr(1);
};

bool isSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool continuesName(char c) {
  return isLetter(c) || isDigit(c) || c == '.';
}
bool continuesCharacter(char c) {
  return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u;
}  // of UTF-8

class Parser {
 public:
  Parser(std::string_view text, const Location& place) : text_(text), place_(place) {}

  Result<Expr> parse() {
    if (text_.size() > maximum_length)
      return fail(0, "the expression is longer than 1 MiB", "split it into several", "too-many");
    if (peek() == '\0')
      return fail(at_, "the expression is empty", "write a number, a name, or a formula such as 2*B");
    SLUICE_TRY(Fraction result, sum(Division::Floor));
    if (at_ < text_.size()) return failAfterOperand();
    if (!isTractable(result.above))
      return fail(0, "multiplied out it has too many parts", "give some of its parts names of their own",
                  "too-many");
    return std::move(result.above);
  }

 private:
  enum class Division { Floor, Exact };

  /// Skips spaces; '\0' at the end.
  char peek() {
    while (at_ < text_.size() && isSpace(text_[at_])) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }

  Diagnostic fail(std::size_t position, std::string cause, std::string fix,
                  Code code = "expression-syntax") const {
    std::size_t column = 1;
    for (std::size_t i = 0; i < position; ++i) column += continuesCharacter(text_[i]) ? 0 : 1;
    return error(code, place_ / Location(Where::Column, column), std::move(cause), std::move(fix));
  }

  /// What stands here, as a diagnostic names it.
  std::string found() {
    if (peek() == '\0' && at_ >= text_.size()) return "the end";
    std::size_t end = at_ + 1;
    while (end < text_.size() && continuesCharacter(text_[end])) ++end;
    const std::string_view character = text_.substr(at_, end - at_);
    const auto code = static_cast<unsigned char>(character.front());
    if (code < 0x20 || code == 0x7F) return "control character " + std::to_string(code);
    return "'" + std::string(character) + "'";
  }

  Diagnostic failAfterOperand() {
    const std::string what = found();
    const char c = peek();
    if (c == ')') return fail(at_, "this ')' closes nothing", "remove it, or write the missing '('");
    if (c == ',')
      return fail(at_, "a ',' outside a function's arguments", "write max(a, b), or one expression only");
    if (c == '(')
      return fail(at_, "found '(' after a value",
                  "write '*' to multiply; the functions are ceil, floor, max and min");
    if (c == '.')
      return fail(at_, "found '.' after a number", "write whole numbers; expressions are integers");
    if (isLetter(c) || isDigit(c))
      return fail(at_, "expected an operator, found " + what, "write '*' to multiply: 2*N");
    return fail(at_, "expected an operator, found " + what,
                "use + - * / ^, names, numbers, ceil, floor, max and min");
  }

  Result<Fraction> sum(Division division) {
    Fraction total;
    std::vector<Expr> whole;  // the terms without a divisor, added at once at the end
    for (bool negative = false;;) {
      SLUICE_TRY(Fraction term, product(division));
      if (negative) term.above = 0 - term.above;
      if (term.below == Expr(1))
        whole.push_back(term.above);
      else
        total = add(total, term);
      if (accept('+'))
        negative = false;
      else if (accept('-'))
        negative = true;
      else
        break;
    }
    return add(total, {sluice::sum(whole), Expr(1)});
  }

  static Fraction add(const Fraction& a, const Fraction& b) {
    if (a.below == b.below) return {a.above + b.above, a.below};
    return {a.above * b.below + b.above * a.below, a.below * b.below};
  }

  /// Factors that are multiplied with each other in the end, in pairs and pairs of pairs: one after the other
  /// would walk the growing product for each of them.
  struct Factors {
    explicit Factors(const Fraction& first) { multiply(first); }

    void multiply(const Fraction& by) {
      above.push_back(by.above);
      if (by.below != Expr(1)) below.push_back(by.below);
    }
    Fraction product() const { return {productOf(above), productOf(below)}; }

    static Expr productOf(std::vector<Expr> factors) {
      while (factors.size() > 1) {
        for (std::size_t i = 0; i + 1 < factors.size(); i += 2) factors[i / 2] = factors[i] * factors[i + 1];
        if (factors.size() % 2 == 1) factors[factors.size() / 2] = factors.back();
        factors.resize((factors.size() + 1) / 2);
      }
      return factors.empty() ? Expr(1) : factors.front();
    }

    std::vector<Expr> above, below;
  };

  Result<Fraction> product(Division division) {
    SLUICE_TRY(const Fraction first, factor(division));
    Factors factors(first);
    while (true) {
      const bool divide = peek() == '/';
      if (!accept('*') && !accept('/')) break;
      peek();
      const std::size_t start = at_;
      SLUICE_TRY(const Fraction right, factor(division));
      if (divide && right.above == Expr(0))
        return fail(start, "division by zero", "divide by something that is not 0", "overflow");
      if (!divide)
        factors.multiply(right);
      else if (division == Division::Floor)
        factors = Factors({floorDiv(factors.product().above, right.above), Expr(1)});
      else
        factors.multiply({right.below, right.above});
    }
    return factors.product();
  }

  Result<Fraction> factor(Division division) {
    if (depth_ >= maximum_depth) {
      return fail(at_, "nested more than " + std::to_string(maximum_depth) + " deep",
                  "remove parentheses or signs", "too-many");
    }
    ++depth_;
    Result<Fraction> result = peek() == '-' || peek() == '+' ? signedFactor(division) : power(division);
    --depth_;
    return result;
  }

  Result<Fraction> signedFactor(Division division) {
    const bool negative = text_[at_++] == '-';
    Result<Fraction> result = factor(division);
    if (result && negative) result->above = 0 - result->above;
    return result;
  }

  Result<Fraction> power(Division division) {
    peek();
    const std::size_t start = at_;
    Result<Fraction> base = primary(division);
    if (!base || !accept('^')) return base;
    peek();
    const std::size_t position = at_;
    if (!isDigit(peek()))
      return fail(position, "expected an exponent, found " + found(), "write a whole number, as in N^2");
    SLUICE_TRY(const std::int64_t exponent, number());
    const auto limit = static_cast<std::int64_t>(maximum_power / base->above.text().size());
    if (exponent > limit)
      return fail(start, "the power is too large", "use an exponent of at most " + std::to_string(limit),
                  "overflow");
    Fraction result{Expr(1), Expr(1)};
    for (std::int64_t i = 0; i < exponent; ++i) {
      result = {result.above * base->above, result.below * base->below};
    }
    return result;
  }

  Result<Fraction> primary(Division division) {
    const char c = peek();
    if (isDigit(c)) {
      SLUICE_TRY(const std::int64_t value, number());
      return Fraction{Expr(value), Expr(1)};
    }
    if (isLetter(c)) return nameOrCall();
    const std::size_t start = at_;
    if (accept('(')) {
      Result<Fraction> inner = sum(division);
      if (inner && !accept(')')) return unclosed(start);
      return inner;
    }
    return fail(start, "expected a number, a name or '(', found " + found(),
                "complete the expression here; operators stand between two values");
  }

  Result<std::int64_t> number() {
    const char* const begin = text_.data() + at_;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc{})
      return fail(at_, "the number is too large", "use a number up to 9223372036854775807", "overflow");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  Diagnostic unclosed(std::size_t open) {
    if (at_ < text_.size() && peek() != '\0') return failAfterOperand();
    return fail(open, "this '(' is never closed", "write the missing ')'");
  }

  Result<Fraction> nameOrCall() {
    const std::size_t start = at_;
    while (at_ < text_.size() && continuesName(text_[at_])) ++at_;
    const std::string name(text_.substr(start, at_ - start));
    if (peek() != '(') return Fraction{Expr::symbol(name), Expr(1)};
    const bool rounds = name == "ceil" || name == "floor";
    if (!rounds && name != "max" && name != "min") {
      return fail(start, "there is no function '" + name + "'",
                  "the functions are ceil, floor, max and min; write '*' to multiply", "unknown-name");
    }
    SLUICE_TRY(const std::vector<Fraction> arguments,
               callArguments(rounds ? Division::Exact : Division::Floor));
    return rounds ? rounded(name, arguments, start) : extremum(name, arguments, start);
  }

  Result<std::vector<Fraction>> callArguments(Division division) {
    const std::size_t open = at_;
    accept('(');
    std::vector<Fraction> arguments;
    do {
      SLUICE_TRY(Fraction argument, sum(division));
      arguments.push_back(std::move(argument));
    } while (accept(','));
    if (!accept(')')) return unclosed(open);
    return arguments;
  }

  Result<Fraction> rounded(const std::string& name, const std::vector<Fraction>& arguments,
                           std::size_t start) const {
    if (arguments.size() > 2)
      return fail(start, name + " takes one division, or two arguments", "write " + name + "(a/b)");
    Fraction inner = arguments.front();
    if (arguments.size() == 2) {
      const Fraction& divisor = arguments.back();
      if (divisor.above == Expr(0))
        return fail(start, "division by zero", "divide by something that is not 0", "overflow");
      inner = {inner.above * divisor.below, inner.below * divisor.above};
    }
    const Expr value =
        name == "ceil" ? ceilDiv(inner.above, inner.below) : floorDiv(inner.above, inner.below);
    return Fraction{value, Expr(1)};
  }

  Result<Fraction> extremum(const std::string& name, const std::vector<Fraction>& arguments,
                            std::size_t start) const {
    if (arguments.size() < 2)
      return fail(start, name + " needs at least two arguments", "write " + name + "(a, b)");
    Expr result = arguments.front().above;
    for (const Fraction& argument : std::span(arguments).subspan(1)) {
      result = name == "max" ? max(result, argument.above) : min(result, argument.above);
    }
    return Fraction{result, Expr(1)};
  }

  std::string_view text_;
  const Location& place_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<Expr> parseExpr(std::string_view text, const Location& place) {
  Memo& memo = Memo::ofThisThread();
  if (const Expr* known = memo.parsed(text)) return *known;
  Result<Expr> expr = Parser(text, place).parse();
  if (expr) memo.keepParsed(text, *expr);
  return expr;
}

std::string replaceSymbol(std::string_view expression, std::string_view name, std::string_view by) {
  std::string replaced;
  for (std::size_t at = 0; at < expression.size();) {
    std::size_t end = at + 1;
    if (continuesName(expression[at]))
      while (end < expression.size() && continuesName(expression[end])) ++end;
    const std::string_view token = expression.substr(at, end - at);
    replaced += token == name ? by : token;
    at = end;
  }
  return replaced;
}

}  // namespace sluice::inline symbolic
