// From a name to the number of the document that is fitted.

#include <algorithm>
#include <charconv>

#include "engine/measurements/calibration.h"
#include "engine/measurements/fit_document.h"
#include "engine/program/fields.h"
#include "engine/program/spelling.h"

namespace sluice::inline measurements {
namespace {

constexpr std::string_view machine_prefix = "machine.";
/// Of constants, which have no range of their own: simulated time and sizes stay far below 2^63.
constexpr Range constants{1, std::int64_t{1} << 40};

Location placeOf(const std::string& text) {
  return Location(Where::Option, "--fit " + text);
}

Diagnostic isExpression(const std::string& text, const Value& value) {
  return error("wrong-type", placeOf(text),
               "it is the expression '" + sluice::text(value) + "', not a number",
               "fit the constants that it is made of");
}

/// Nothing: the machine has no number of that name.
Result<std::optional<FitParameter>> ofMachine(const Machine& machine, const std::string& name,
                                              const std::string& text) {
  for (const Field<Machine>& field : fields<Machine>()) {
    const auto member = field.as<Value>();
    if (!member || field.key != name) continue;
    const std::int64_t* number = (machine.*member).integer();
    if (!number) return isExpression(text, machine.*member);
    return std::optional(
        FitParameter{name, FitParameter::Kind::Machine, WholeParameter{*number, field.range, {}}});
  }
  if (machine.hbm_model == HbmModel::Node) return std::optional<FitParameter>();
  for (const Field<Dram>& field : fields<Dram>()) {
    const auto member = field.as<std::uint64_t>();
    if (!member || field.key != name) continue;
    auto number = static_cast<std::int64_t>(Dram::preset(machine.hbm_model).*member);
    if (const auto own = machine.hbm_timing.find(name); own != machine.hbm_timing.end()) {
      if (!own->second.integer()) return isExpression(text, own->second);
      number = *own->second.integer();
    }
    return std::optional(
        FitParameter{name, FitParameter::Kind::Timing, WholeParameter{number, field.range, {}}});
  }
  return std::optional<FitParameter>();
}

Result<std::optional<FitParameter>> ofProgram(const Document& document, const KnobValues& knobs,
                                              const std::string& name, const std::string& text) {
  if (const auto found = document.constants.find(name); found != document.constants.end()) {
    const std::int64_t* number = found->second.integer();
    if (!number) return isExpression(text, found->second);
    return std::optional(
        FitParameter{name, FitParameter::Kind::Constant, WholeParameter{*number, constants, {}}});
  }
  const auto knob = std::ranges::find(document.knobs, name, &Knob::name);
  if (knob == document.knobs.end()) return std::optional<FitParameter>();
  std::vector<std::int64_t> values = knob->values();
  std::sort(values.begin(), values.end());
  if (values.empty()) return std::optional<FitParameter>();
  const Range range(values.front(), values.back());
  return std::optional(
      FitParameter{name, FitParameter::Kind::Knob, WholeParameter{knobs.at(name), range, std::move(values)}});
}

std::vector<std::string> namesOf(const Document& document) {
  std::vector<std::string> names;
  for (const auto& [name, value] : document.constants)
    if (value.integer()) names.push_back(name);
  for (const Knob& knob : document.knobs) names.push_back(knob.name);
  for (const Field<Machine>& field : fields<Machine>())
    if (field.as<Value>()) names.emplace_back(field.key);
  return names;
}

/// "LEAST:MOST"; they may be in the wrong order.
std::optional<Range> rangeOf(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  Range range(0, 0);
  const auto number = [](std::string_view part, std::int64_t& into) {
    const auto [end, failed] = std::from_chars(part.data(), part.data() + part.size(), into);
    return failed == std::errc() && end == part.data() + part.size();
  };
  if (!number(text.substr(0, colon), range.minimum) || !number(text.substr(colon + 1), range.maximum))
    return std::nullopt;
  return range;
}

Result<Done> bound(FitParameter& parameter, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return Done{};
  const auto range = rangeOf(std::string_view(text).substr(equals + 1));
  WholeParameter& number = parameter.number;
  if (!range)
    return error("invalid-option", placeOf(text), "the bounds are not understood",
                 "write NAME=LEAST:MOST, as in " + parameter.name + "=1:100");
  if (range->minimum > range->maximum) {
    const std::string least = std::to_string(range->maximum), most = std::to_string(range->minimum);
    return error("invalid-option", placeOf(text),
                 "the least of the bounds, " + most + ", is above the most, " + least,
                 "write " + text.substr(0, equals) + "=" + least + ":" + most);
  }
  if (!number.range.contains(range->minimum) || !number.range.contains(range->maximum) ||
      !range->contains(number.start))
    return error("out-of-range", placeOf(text),
                 "the bounds must hold " + std::to_string(number.start) +
                     ", the number that it is now, and lie within " + sluice::text(number.range),
                 "give other bounds");
  number.range = *range;
  std::erase_if(number.values, [&](std::int64_t value) { return !range->contains(value); });
  return Done{};
}

}  // namespace

Result<FitParameter> fitParameter(const Document& document, const KnobValues& knobs,
                                  const std::string& text) {
  std::string name = text.substr(0, text.find('='));
  const bool machine = name.starts_with(machine_prefix);
  if (machine) name = name.substr(machine_prefix.size());
  std::optional<FitParameter> found;
  if (!machine) {
    SLUICE_TRY(found, ofProgram(document, knobs, name, text));
  }
  if (!found) {
    SLUICE_TRY(found, ofMachine(document.machine, name, text));
  }
  if (!found)
    return error("unknown-name", placeOf(text),
                 "the file has no constant, knob or number of the machine '" + name + "'",
                 spellingFix(name, namesOf(document), "name one that it has"));
  SLUICE_CHECK(bound(*found, text));
  return *std::move(found);
}

void setNumbers(const std::vector<FitParameter>& parameters, const WholePoint& point, Document& document,
                KnobValues& knobs) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string& name = parameters[i].name;
    switch (parameters[i].kind) {
      case FitParameter::Kind::Machine:
        for (const Field<Machine>& field : fields<Machine>())
          if (field.key == name) document.machine.*field.as<Value>() = Value(point[i]);
        break;
      case FitParameter::Kind::Timing:
        document.machine.hbm_timing[name] = Value(point[i]);
        break;
      case FitParameter::Kind::Constant:
        document.constants[name] = Value(point[i]);
        break;
      case FitParameter::Kind::Knob:
        knobs[name] = point[i];
        for (Knob& knob : document.knobs)
          if (knob.name == name) knob.initial = point[i];
        break;
    }
  }
}

}  // namespace sluice::inline measurements
