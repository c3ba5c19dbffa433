#include "widgets/inspector/value_text.h"

#include <algorithm>
#include <charconv>

#include "engine/symbolic/expr.h"

namespace sluice::ui {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

Result<Value> parseInteger(const ParameterSpec& spec, const std::string& text,
                           const std::vector<std::string>& names) {
  const Location place(Where::Parameter, spec.name);
  if (text.empty())
    return error("missing-value", place, "a value is missing", "type a number or an expression");
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem == std::errc() && stop == end) {
    if (spec.range.contains(number)) return Value(number);
    const bool small = number < spec.range.minimum;
    return error("out-of-range", place, text + (small ? " is too small" : " is too large"),
                 small ? "use at least " + std::to_string(spec.range.minimum)
                       : "use at most " + std::to_string(spec.range.maximum));
  }
  SLUICE_TRY(const Expr expression, parseExpr(text, place));
  for (const std::string& symbol : expression.symbols()) {
    if (std::find(names.begin(), names.end(), symbol) != names.end()) continue;
    return error("unknown-symbol", place / Location(Where::Symbol, symbol),
                 "there is no knob or constant '" + symbol + "'",
                 names.empty() ? "type a number" : "use one of " + joined(names));
  }
  return Value(text);
}

/// "a, ceil(b, c), d" -> its parts: commas inside parentheses belong to a function.
std::vector<std::string> splitList(const QString& text) {
  std::vector<std::string> parts;
  QString part;
  int depth = 0;
  for (const QChar c : text) {
    depth += c == QLatin1Char('(') ? 1 : c == QLatin1Char(')') ? -1 : 0;
    if (c == QLatin1Char(',') && depth == 0) {
      parts.push_back(part.trimmed().toStdString());
      part.clear();
    } else {
      part += c;
    }
  }
  if (!part.trimmed().isEmpty() || !parts.empty()) parts.push_back(part.trimmed().toStdString());
  return parts;
}

}  // namespace

Result<Value> parseValue(const ParameterSpec& spec, const QString& text,
                         const std::vector<std::string>& names) {
  QString plain = text.trimmed();
  if (spec.kind == ParameterKind::Text) return Value(plain.toStdString());
  if (spec.kind != ParameterKind::IntegerList) return parseInteger(spec, plain.toStdString(), names);
  if (plain.startsWith(QLatin1Char('[')) && plain.endsWith(QLatin1Char(']')))
    plain = plain.mid(1, plain.size() - 2);
  std::vector<Value> list;
  for (const std::string& part : splitList(plain)) {
    SLUICE_TRY(Value element, parseInteger(spec, part, names));
    list.push_back(std::move(element));
  }
  return Value(std::move(list));
}

}  // namespace sluice::ui
