// Expressions as text and as LaTeX. GiNaC's own order of terms follows the order in which symbols were made;
// here terms and factors are sorted by how they read, so that the same expression prints the same in every
// run.

#include <algorithm>
#include <cctype>
#include <ostream>
#include <tuple>

#include "engine/core/characters.h"
#include "engine/symbolic/tree.h"

namespace sluice::inline symbolic {
namespace {

using Kind = Tree::Kind;
enum class Style { Text, Latex };

std::string render(const Tree& tree, Style style);

/// The digits at `from`, without leading zeros.
std::string_view numberAt(std::string_view text, std::size_t from, std::size_t& end) {
  for (end = from; end < text.size() && isDigit(text[end]);) ++end;
  while (from + 1 < end && text[from] == '0') ++from;
  return text.substr(from, end - from);
}

/// As one would file names: case counts last, and n_2 comes before n_10.
bool readsBefore(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (isDigit(a[i]) && isDigit(b[j])) {
      const std::string_view x = numberAt(a, i, i), y = numberAt(b, j, j);
      if (x != y) return std::pair(x.size(), x) < std::pair(y.size(), y);
      continue;
    }
    const int x = std::tolower(static_cast<unsigned char>(a[i++]));
    const int y = std::tolower(static_cast<unsigned char>(b[j++]));
    if (x != y) return x < y;
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;
}

/// A name's last part is its subscript: n_0, seq_len.
std::string latexName(const std::string& name) {
  const auto escaped = [](std::string_view part) {
    std::string result;
    for (const char c : part) result += c == '_' ? "\\_" : std::string(1, c);
    return part.size() > 1 ? "\\mathit{" + result + "}" : result;
  };
  const std::size_t line = name.rfind('_');
  if (line == std::string::npos || line == 0 || line + 1 == name.size()) return escaped(name);
  const std::string_view subscript = std::string_view(name).substr(line + 1);
  const bool digits = std::all_of(subscript.begin(), subscript.end(), isDigit);
  return escaped(std::string_view(name).substr(0, line)) + "_{" +
         (digits ? std::string(subscript) : escaped(subscript)) + "}";
}

std::string parenthesised(const std::string& inner) {
  return "(" + inner + ")";
}

/// A factor, the base of a power, or what stands before or after the bar of a division.
std::string renderFactor(const Tree& tree, Style style) {
  if (tree.kind == Kind::Sum) return parenthesised(render(tree, style));
  if (tree.kind != Kind::Power) return render(tree, style);
  const std::string base = renderFactor(tree.operands.front(), style);
  const std::string exponent = std::to_string(tree.exponent);
  return base + (style == Style::Text ? "^" + exponent : "^{" + exponent + "}");
}

/// A term of a sum, taken apart.
struct Term {
  bool negative = false;
  std::string size;  ///< the number before the factors, without its sign; empty for 1
  std::string key;   ///< the factors as text; empty for a plain number
  std::string body;  ///< the factors in the style asked for

  std::string unsignedText(Style style) const {
    if (body.empty()) return size.empty() ? "1" : size;
    return size.empty() ? body : size + (style == Style::Text ? "*" : " ") + body;
  }
};

Term termOf(const Tree& tree, Style style) {
  struct Factor {
    bool compound;
    std::string key, body;
  };
  Term term;
  std::vector<Factor> factors;
  const auto add = [&](const Tree& factor) {
    if (factor.kind == Kind::Number) {
      term.negative = factor.name.starts_with('-');
      term.size = factor.name.substr(term.negative ? 1 : 0);
      if (term.size == "1") term.size.clear();
      return;
    }
    const Tree& base = factor.kind == Kind::Power ? factor.operands.front() : factor;
    std::string key = renderFactor(factor, Style::Text);
    std::string body = style == Style::Text ? key : renderFactor(factor, style);
    factors.push_back({base.kind != Kind::Symbol, std::move(key), std::move(body)});
  };
  if (tree.kind == Kind::Product) {
    for (const Tree& factor : tree.operands) add(factor);
  } else {
    add(tree);
  }
  std::sort(factors.begin(), factors.end(), [](const Factor& a, const Factor& b) {  // symbols first
    return a.compound != b.compound ? b.compound : readsBefore(a.key, b.key);
  });
  for (const Factor& factor : factors) {
    if (!term.key.empty()) term.key += "*", term.body += style == Style::Text ? "*" : " ";
    term.key += factor.key;
    term.body += factor.body;
  }
  return term;
}

std::string renderSum(const Tree& tree, Style style) {
  std::vector<Term> terms;
  terms.reserve(tree.operands.size());
  for (const Tree& operand : tree.operands) terms.push_back(termOf(operand, style));
  std::sort(terms.begin(), terms.end(),
            [](const Term& a, const Term& b) {  // a sum begins without a sign if it can
              const auto rank = [](const Term& term) { return std::pair(term.negative, term.key.empty()); };
              return rank(a) != rank(b) ? rank(a) < rank(b) : readsBefore(a.key, b.key);
            });
  std::string result;
  for (const Term& term : terms) {
    if (!result.empty())
      result += term.negative ? " - " : " + ";
    else if (term.negative)
      result += "-";
    result += term.unsignedText(style);
  }
  return result;
}

std::string renderDivision(const Tree& tree, Style style) {
  const Tree& divisor = tree.operands.at(1);
  std::string below = renderFactor(divisor, style);
  if (divisor.kind == Kind::Product) below = parenthesised(below);
  const std::string inner = renderFactor(tree.operands.at(0), style) + "/" + below;
  const bool up = tree.kind == Kind::CeilDiv;
  if (style == Style::Text) return (up ? "ceil" : "floor") + parenthesised(inner);
  return up ? "\\lceil " + inner + " \\rceil" : "\\lfloor " + inner + " \\rfloor";
}

std::string renderExtremum(const Tree& tree, Style style) {
  std::vector<std::pair<std::string, std::string>> arguments;  // key and body
  for (const Tree& operand : tree.operands)
    arguments.emplace_back(render(operand, Style::Text), render(operand, style));
  std::sort(arguments.begin(), arguments.end(),
            [](const auto& a, const auto& b) { return readsBefore(a.first, b.first); });
  std::string inner;
  for (const auto& [key, body] : arguments) inner += (inner.empty() ? "" : ", ") + body;
  return std::string(style == Style::Text ? "" : "\\") + (tree.kind == Kind::Max ? "max" : "min") +
         parenthesised(inner);
}

std::string render(const Tree& tree, Style style) {
  switch (tree.kind) {
    case Kind::Number:
      return tree.name;
    case Kind::Symbol:
      return style == Style::Text ? tree.name : latexName(tree.name);
    case Kind::Sum:
      return renderSum(tree, style);
    case Kind::Power:
      return renderFactor(tree, style);
    case Kind::Product: {
      const Term term = termOf(tree, style);
      return (term.negative ? "-" : "") + term.unsignedText(style);
    }
    case Kind::CeilDiv:
    case Kind::FloorDiv:
      return renderDivision(tree, style);
    case Kind::Max:
    case Kind::Min:
      return renderExtremum(tree, style);
  }
  return {};
}

}  // namespace

std::string Expr::text() const {
  return render(*toTree(*this), Style::Text);
}
std::string Expr::latex() const {
  return render(*toTree(*this), Style::Latex);
}
std::ostream& operator<<(std::ostream& out, const Expr& expr) {
  return out << expr.text();
}

}  // namespace sluice::inline symbolic
