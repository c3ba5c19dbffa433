#include "widgets/inspector/value_text.h"

#include <QRegularExpression>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "engine/core/quantity_text.h"
#include "engine/itensor/itensor_text.h"
#include "engine/symbolic/expr.h"

namespace sluice::ui {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

/// "4096", or with a unit, which expressions do not have: "50 MB", "4 KiB".
std::optional<std::int64_t> wholeNumber(const std::string& text, const std::string& unit) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem == std::errc() && stop == end) return number;
  constexpr double most = 9007199254740992;  // whole numbers up to here are exact
  const std::optional<TypedQuantity> typed = parseQuantity(text);
  const bool whole = typed && std::floor(typed->value) == typed->value && std::abs(typed->value) <= most;
  if (!whole || (!typed->unit.empty() && typed->unit != unit)) return std::nullopt;
  return static_cast<std::int64_t>(typed->value);
}

Result<Value> parseInteger(const ParameterSpec& spec, const std::string& text,
                           const std::vector<std::string>& names) {
  const Location place(Where::Parameter, spec.name);
  if (text.empty())
    return error("missing-value", place, "a value is missing", "type a number or an expression");
  if (const std::optional<std::int64_t> number = wholeNumber(text, spec.unit)) {
    if (spec.range.contains(*number)) return Value(*number);
    const bool small = *number < spec.range.minimum;
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

/// How long the separator of a list is that stands here; 0: none does. "16, 64", "16x64", "16 x 64" and
/// "16 64" are the same; what is an operand, as the x of "2 x", is none.
qsizetype separatorAt(const QString& text, qsizetype at, const QString& part, bool x_is_name) {
  static const QRegularExpression marked(QStringLiteral("\\s*[,\u00d7]\\s*"));
  static const QRegularExpression crossed(QStringLiteral("[xX]\\s*(?=[\\w(])"));
  static const QRegularExpression crossed_apart(QStringLiteral("\\s+[xX]\\s+(?=[\\w(])"));
  static const QRegularExpression space(QStringLiteral("(?<=[\\w)])\\s+(?=\\w)"));
  const auto length = [&](const QRegularExpression& pattern) {
    return pattern
        .match(text, at, QRegularExpression::NormalMatch, QRegularExpression::AnchorAtOffsetMatchOption)
        .capturedLength();
  };
  if (const qsizetype found = length(marked)) return found;
  bool number = false;
  part.toLongLong(&number);
  if (number && !text.at(at).isSpace())
    if (const qsizetype found = length(crossed)) return found;
  if (!x_is_name)
    if (const qsizetype found = length(crossed_apart)) return found;
  return length(space);
}

/// "a, ceil(b, c), d" -> its parts: commas inside parentheses belong to a function.
std::vector<std::string> splitList(const QString& text, const std::vector<std::string>& names) {
  const bool x_is_name = std::any_of(names.begin(), names.end(),
                                     [](const std::string& name) { return name == "x" || name == "X"; });
  std::vector<std::string> parts;
  QString part;
  int depth = 0;
  for (qsizetype at = 0; at < text.size();) {
    if (const qsizetype skipped = depth == 0 ? separatorAt(text, at, part, x_is_name) : 0) {
      parts.push_back(part.trimmed().toStdString());
      part.clear();
      at += skipped;
      continue;
    }
    const QChar c = text.at(at++);
    depth += c == QLatin1Char('(') ? 1 : c == QLatin1Char(')') ? -1 : 0;
    part += c;
  }
  if (!part.trimmed().isEmpty() || !parts.empty()) parts.push_back(part.trimmed().toStdString());
  return parts;
}

/// "itensor<4xf32, ...>, , itensor<...>" -> its parts: a comma within a type is none between types.
Result<Value> parseOrders(const ParameterSpec& spec, const std::string& text) {
  std::vector<Value> orders;
  std::string part;
  int depth = 0;
  const auto finish = [&]() -> Result<Done> {
    const std::string written = QString::fromStdString(part).trimmed().toStdString();
    part.clear();
    if (!written.empty()) SLUICE_CHECK(parseITensor(written, Location(Where::Parameter, spec.name)));
    orders.emplace_back(written);
    return Done{};
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool arrow = c == '>' && at > 0 && text[at - 1] == '-';
    if (c == '<' || c == '[' || c == '(') ++depth;
    if ((c == '>' && !arrow) || c == ']' || c == ')') --depth;
    if (c != ',' || depth > 0)
      part += c;
    else
      SLUICE_CHECK(finish());
  }
  if (!part.empty() || !orders.empty()) SLUICE_CHECK(finish());
  return Value(std::move(orders));
}

}  // namespace

Result<Value> parseValue(const ParameterSpec& spec, const QString& text,
                         const std::vector<std::string>& names) {
  QString plain = text.trimmed();
  if (spec.kind == ParameterKind::Text) return Value(plain.toStdString());
  const bool list_of_any = spec.kind == ParameterKind::IntegerList || spec.kind == ParameterKind::Orders;
  if (!list_of_any) return parseInteger(spec, plain.toStdString(), names);
  if (plain.startsWith(QLatin1Char('[')) && plain.endsWith(QLatin1Char(']')))
    plain = plain.mid(1, plain.size() - 2).trimmed();
  if (spec.kind == ParameterKind::Orders) return parseOrders(spec, plain.toStdString());
  std::vector<Value> list;
  for (const std::string& part : splitList(plain, names)) {
    SLUICE_TRY(Value element, parseInteger(spec, part, names));
    list.push_back(std::move(element));
  }
  return Value(std::move(list));
}

}  // namespace sluice::ui
