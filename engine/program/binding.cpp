#include "engine/program/binding.h"

#include <algorithm>

#include "engine/program/fix_edit.h"
#include "engine/program/spelling.h"

namespace sluice::inline program {
namespace {

std::vector<std::string> keysOf(const std::map<std::string, Expr>& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

/// "must be one of 8, 16, 32" or "must be from 1 to 8 in steps of 2".
std::string allowedText(const Knob& knob) {
  if (knob.kind == KnobKind::Range) {
    return "from " + std::to_string(knob.minimum) + " to " + std::to_string(knob.maximum) + " in steps of " +
           std::to_string(knob.step);
  }
  std::string line;
  const std::vector<std::int64_t> values = knob.values();
  constexpr std::size_t most = 20;
  for (std::size_t i = 0; i < std::min(values.size(), most); ++i)
    line += (i > 0 ? ", " : "") + std::to_string(values[i]);
  return "one of " + line + (values.size() > most ? ", ..." : "");
}

}  // namespace

void DiagnosticSink::add(Code code, Location place, std::string cause, std::string fix,
                         std::vector<Location> related, std::vector<FixEdit> fixes) {
  Diagnostic diagnostic = error(code, std::move(place), std::move(cause), std::move(fix));
  diagnostic.related = std::move(related);
  diagnostic.fixes = std::move(fixes);
  add({std::move(diagnostic)});
}

void DiagnosticSink::add(const Diagnostics& diagnostics) {
  constexpr std::size_t most = 100;
  for (const Diagnostic& each : diagnostics)
    if (diagnostics_.size() < most && seen_.emplace(each.place, each.cause).second)
      diagnostics_.push_back(each);
}

bool Binding::reserved(const std::string& name) {
  return name == "ceil" || name == "floor" || name == "max" || name == "min";
}

Binding::Binding(const Document& document, const KnobValues& knobs, DiagnosticSink& sink) : sink_(sink) {
  addKnobs(document, knobs);
  addConstants(document);
}

void Binding::addKnobs(const Document& document, const KnobValues& knobs) {
  for (const Knob& knob : document.knobs) {
    const Location place(Where::Knob, knob.name);
    if (!isIdentifier(knob.name) || reserved(knob.name)) {
      sink_.add("invalid-name", place, "this name cannot be used in expressions",
                "names are made of letters, digits and _; ceil, floor, max and min are functions");
    }
    if (!knobs_.emplace(knob.name, &knob).second)
      sink_.add("duplicate-name", place, "there are two knobs of this name",
                "give one of the two another name");
    const std::uint64_t size = knob.size();
    const bool range = knob.kind == KnobKind::Range || knob.kind == KnobKind::PowerOfTwo;
    if (range && knob.minimum > knob.maximum) {
      sink_.add(
          "out-of-range", place,
          "minimum " + std::to_string(knob.minimum) + " is above maximum " + std::to_string(knob.maximum),
          "lower the minimum or raise the maximum");
    } else if (size == 0) {
      sink_.add("missing-value", place, "it has no value at all",
                "check minimum, maximum, step or the list of values");
    }
    if (size > Knob::max_values) {
      sink_.add(
          "too-many", place,
          "it has " + std::to_string(size) + " values; " + std::to_string(Knob::max_values) + " are the most",
          "use a larger step, or a knob of kind PowerOfTwo");
    }
    if (size > 0 && !knob.allows(knob.initial)) {
      sink_.add("out-of-range", place,
                "its default " + std::to_string(knob.initial) + " is not one of its values",
                "a default must be " + allowedText(knob));
    }
    const auto given = knobs.find(knob.name);
    const std::int64_t value = given == knobs.end() ? knob.initial : given->second;
    if (size > 0 && given != knobs.end() && !knob.allows(value)) {
      sink_.add("out-of-range", place, "the value " + std::to_string(value) + " is not allowed",
                "the value must be " + allowedText(knob));
    }
    names_[knob.name] = Expr::symbol(knob.name);
    knob_values_[knob.name] = value;
    chosen_[knob.name] = value;
  }
  for (const auto& [name, value] : knobs) {
    if (knobs_.contains(name)) continue;
    sink_.add("unknown-name", Location(Where::Knob, name),
              "a value is given for it, but the document has no such knob",
              spellingFix(name, keysOf(names_), "the document has no knobs"));
  }
}

void Binding::addConstants(const Document& document) {
  for (const auto& [name, value] : document.constants) {
    const Location place(Where::Constant, name);
    if (!isIdentifier(name) || reserved(name)) {
      sink_.add("invalid-name", place, "this name cannot be used in expressions",
                "names are made of letters, digits and _; ceil, floor, max and min are functions");
    }
    if (knobs_.contains(name))
      sink_.add("duplicate-name", place, "there is a knob of the same name",
                "give one of the two another name", {Location(Where::Knob, name)});
  }
  std::vector<std::string> chain;
  for (const auto& [name, value] : document.constants)
    if (!knobs_.contains(name)) resolveConstant(name, document.constants, chain);
}

/// Depth first; `chain` holds the constants that are being resolved, so that a cycle is reported in full.
bool Binding::resolveConstant(const std::string& name, const std::map<std::string, Value>& constants,
                              std::vector<std::string>& chain) {
  if (broken_.contains(name)) return false;
  if (names_.contains(name)) return true;
  const Location place(Where::Constant, name);
  constexpr std::size_t longest_chain = 1000;
  if (chain.size() > longest_chain) {
    sink_.add("too-many", place, "constants refer to each other in a chain of more than 1000",
              "put numbers in some of them");
    return false;
  }
  if (const auto start = std::find(chain.begin(), chain.end(), name); start != chain.end()) {
    std::string cycle;
    std::vector<Location> others;
    for (auto each = start; each != chain.end(); ++each) {
      cycle += *each + " -> ";
      if (*each != name) others.push_back(Location(Where::Constant, *each));
    }
    sink_.add("recursive-definition", place, "it refers to itself: " + cycle + name,
              "give one of them a value of its own", std::move(others));
    return false;
  }
  chain.push_back(name);
  const std::optional<Expr> written = parse(constants.at(name), place);
  bool whole = written.has_value();
  if (written) {
    for (const std::string& symbol : written->symbols()) {
      if (names_.contains(symbol)) continue;
      if (constants.contains(symbol)) {
        whole = resolveConstant(symbol, constants, chain) && whole;
        continue;
      }
      std::vector<std::string> known = keysOf(names_);
      for (const auto& [other, value] : constants)
        if (other != name) known.push_back(other);
      sink_.add(
          "unknown-symbol", place,
          "'" + text(constants.at(name)) + "' uses '" + symbol + "', which is neither a constant nor a knob",
          spellingFix(symbol, known, "add a constant or a knob named '" + symbol + "'"));
      whole = false;
    }
  }
  chain.pop_back();
  if (!whole) {
    broken_.insert(name);
    return false;
  }
  const std::optional<Expr> expression = withConstants(*written, place);
  if (expression) names_[name] = constants_[name] = *expression;
  if (expression && evaluate(*expression, text(constants.at(name)), "", place)) return true;
  broken_.insert(name);
  return false;
}

std::optional<Expr> Binding::withConstants(const Expr& written, Place place) {
  Expr expression = written.substitute(constants_);
  if (isTractable(expression)) return expression;
  sink_.add("too-many", place, "it has too many parts once the constants are put in",
            "put numbers in some of the constants that it uses");
  return std::nullopt;
}

std::optional<Expr> Binding::parse(const Value& value, Place place) {
  if (const auto* number = value.integer()) return Expr(*number);
  const auto* written = value.string();
  if (!written) {
    sink_.add("wrong-type", place, "expected a whole number or an expression, found " + text(value),
              "write for example 4 or \"E/2\"");
    return std::nullopt;
  }
  Result<Expr> parsed = parseExpr(*written, {});
  if (parsed) return *std::move(parsed);
  sink_.add(parseExpr(*written, place).diagnostics());
  return std::nullopt;
}

std::optional<BoundInteger> Binding::evaluate(const Expr& expression, const std::string& written,
                                              const std::string& where, Place place) {
  const std::optional<std::int64_t> value = expression.value(knob_values_);
  if (value) return BoundInteger{*value, expression};
  sink_.add("overflow", place,
            "'" + written + "' has no value" + where + ": it divides by zero or does not fit in 64 bits",
            "check the constants and knobs it uses");
  return std::nullopt;
}

std::optional<OpenInteger> Binding::open(const Value& value, std::span<const std::string> indices,
                                         Place place) {
  if (const auto* number = value.integer()) return OpenInteger{*number, {}, BoundInteger{*number, *number}};
  if (const auto* written = value.string()) {
    if (const auto known = opened_.find(*written); known != opened_.end()) return known->second;
  }
  std::optional<Expr> parsed = parse(value, place);
  if (!parsed) return std::nullopt;
  const auto is_index = [&](const std::string& name) {
    return std::find(indices.begin(), indices.end(), name) != indices.end();
  };
  bool perInstance = false;
  for (const std::string& symbol : parsed->symbols()) {
    if (broken_.contains(symbol)) return std::nullopt;  // told at the constant
    if (is_index(symbol)) {
      perInstance = true;
    } else if (!names_.contains(symbol)) {
      std::vector<std::string> known = keysOf(names_);
      for (const std::string& index : indices)
        if (!index.empty()) known.push_back(index);
      sink_.add("unknown-symbol", place,
                "'" + text(value) + "' uses '" + symbol + "', which is neither a constant nor a knob",
                spellingFix(symbol, known, "add a constant or a knob named '" + symbol + "'"), {},
                symbolFixes(place, symbol, known));
      return std::nullopt;
    }
  }
  const std::optional<Expr> expression = withConstants(*parsed, place);
  if (!expression) return std::nullopt;
  OpenInteger integer{*expression, text(value), std::nullopt};
  if (perInstance) return integer;
  integer.bound = evaluate(integer.expression, integer.written, "", place);
  if (!integer.bound) return std::nullopt;
  opened_.emplace(integer.written, integer);
  return integer;
}

std::optional<BoundInteger> Binding::close(const OpenInteger& integer, std::span<const std::string> indices,
                                           std::span<const std::int64_t> instance, const Range& range,
                                           Place place) {
  std::optional<BoundInteger> bound = integer.bound;
  std::string where;
  if (!bound) {
    std::map<std::string, Expr> values;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (indices[i].empty()) continue;
      values[indices[i]] = instance[i];
      where += (where.empty() ? " for " : ", ") + indices[i] + " = " + std::to_string(instance[i]);
    }
    bound = evaluate(integer.expression.substitute(values), integer.written, where, place);
  }
  if (!bound || range.contains(bound->value)) return bound;
  const bool below = bound->value < range.minimum;
  const std::string end = std::to_string(below ? range.minimum : range.maximum);
  const std::string written = integer.written.empty() ? "" : "'" + integer.written + "' = ";
  sink_.add("out-of-range", place,
            written + std::to_string(bound->value) + where + (below ? " is below " : " is above ") + end,
            (below ? "give at least " : "give at most ") + end);
  return std::nullopt;
}

std::optional<std::string> Binding::choice(const std::string& written, Place place) {
  if (!written.starts_with("=")) return written;
  const std::string name = written.substr(1);
  std::vector<std::string> choiceKnobs;
  for (const auto& [known, knob] : knobs_)
    if (knob->kind == KnobKind::Choice) choiceKnobs.push_back(known);
  const auto knob = knobs_.find(name);
  if (knob == knobs_.end()) {
    sink_.add("unknown-name", place, "'" + written + "' names the knob '" + name + "', which does not exist",
              spellingFix(name, choiceKnobs, "add a knob of kind Choice named '" + name + "'"));
    return std::nullopt;
  }
  if (knob->second->kind != KnobKind::Choice) {
    sink_.add("wrong-type", place, "the knob '" + name + "' holds numbers, but a text is needed here",
              "use a knob of kind Choice");
    return std::nullopt;
  }
  const std::int64_t position = chosen_.at(name);
  if (!knob->second->allows(position)) return std::nullopt;  // told at the knob
  return knob->second->choices[static_cast<std::size_t>(position)];
}

}  // namespace sluice::inline program
