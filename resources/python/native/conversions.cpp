#include "native/conversions.h"

#include <algorithm>

#include "engine/explorer/tables.h"
#include "engine/program/spelling.h"

namespace sluice::python {
namespace {

const char* wordOf(Severity severity) {
  return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "note";
}

py::list partsOf(const Location& location) {
  py::list parts;
  for (const LocationPart& part : location.parts()) {
    py::dict entry;
    entry["kind"] = std::string(locationWord(part.kind));
    if (!part.name.empty()) entry["name"] = part.name;
    if (part.number > 0) entry["number"] = part.number;
    parts.append(entry);
  }
  return parts;
}

py::dict entryOf(const Diagnostic& diagnostic) {
  py::dict entry;
  entry["severity"] = wordOf(diagnostic.severity);
  entry["code"] = diagnostic.code;
  entry["place"] = text(diagnostic.place);
  entry["location"] = partsOf(diagnostic.place);
  entry["cause"] = diagnostic.cause;
  entry["fix"] = diagnostic.fix;
  py::list related;
  for (const Location& place : diagnostic.related) related.append(text(place));
  entry["related"] = related;
  return entry;
}

std::int64_t knobValue(const Knob& knob, const py::handle& object) {
  const Location place(Where::Knob, knob.name);
  if (knob.kind == KnobKind::Choice && py::isinstance<py::str>(object)) {
    const auto choice = std::ranges::find(knob.choices, object.cast<std::string>());
    if (choice != knob.choices.end()) return choice - knob.choices.begin();
    throw Refused({error("out-of-range", place, "'" + object.cast<std::string>() + "' is not a value of it",
                         spellingFix(object.cast<std::string>(), knob.choices, "it has no choices"))});
  }
  const Value value = [&] {
    const auto refuse = [&] {
      return Refused({error("not-an-integer", place, "its value is " + py::repr(object).cast<std::string>(),
                            "give a whole number of at most 63 bits, or of a Choice the text")});
    };
    try {
      return valueFrom(object);
    } catch (const py::type_error&) {
      throw refuse();
    } catch (const py::error_already_set&) {  // OverflowError
      throw refuse();
    }
  }();
  if (!value.integer()) {
    throw Refused(
        {error("not-an-integer", place, "its value is " + text(value) + ", which is no whole number",
               "give a whole number, or of a Choice the text")});
  }
  return *value.integer();
}

}  // namespace

py::object toPython(const Value& value) {
  if (const std::int64_t* number = value.integer()) return py::int_(*number);
  if (const bool* truth = value.boolean()) return py::bool_(*truth);
  if (const std::string* words = value.string()) return py::str(*words);
  py::list list;
  for (const Value& each : *value.list()) list.append(toPython(each));
  return list;
}

py::dict toPython(const Values& values) {
  py::dict dict;
  for (const auto& [name, value] : values) dict[py::str(name)] = toPython(value);
  return dict;
}

Value valueFrom(const py::handle& object) {
  if (PyBool_Check(object.ptr())) return Value(object.ptr() == Py_True);
  if (py::isinstance<py::str>(object)) return Value(object.cast<std::string>());
  if (PyIndex_Check(object.ptr())) {
    const py::object number = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
    if (!number) throw py::error_already_set();
    const std::int64_t value = PyLong_AsLongLong(number.ptr());
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();  // OverflowError
    return Value(value);
  }
  if (py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object)) {
    std::vector<Value> list;
    for (const py::handle each : object) list.push_back(valueFrom(each));
    return Value(std::move(list));
  }
  throw py::type_error("expected a whole number, True or False, a text, or a list of these, found " +
                       py::repr(object).cast<std::string>());
}

py::list toPython(const Diagnostics& diagnostics) {
  py::list list;
  for (const Diagnostic& each : diagnostics) list.append(entryOf(each));
  return list;
}

py::dict toPython(const Document& document, const KnobValues& knobs) {
  py::dict dict;
  for (const Knob& knob : document.knobs) {
    const auto value = knobs.find(knob.name);
    if (value == knobs.end()) continue;
    dict[py::str(knob.name)] = knob.kind == KnobKind::Choice
                                   ? py::object(py::str(knobText(knob, value->second)))
                                   : py::object(py::int_(value->second));
  }
  return dict;
}

KnobValues knobsFrom(const Document& document, const py::dict& given) {
  KnobValues knobs = defaultKnobs(document);
  Diagnostics wrong;
  for (const auto& [key, object] : given) {
    const auto name = py::str(key).cast<std::string>();
    const auto knob = std::ranges::find(document.knobs, name, &Knob::name);
    if (knob == document.knobs.end()) {
      std::vector<std::string> names;
      for (const Knob& known : document.knobs) names.push_back(known.name);
      wrong.push_back(error("unknown-name", Location(Where::Knob, name),
                            "the program has no knob of that name",
                            spellingFix(name, names, "the program has no knobs")));
      continue;
    }
    knobs[name] = knobValue(*knob, object);
  }
  if (!wrong.empty()) throw Refused(wrong);
  return knobs;
}

py::dict toPython(const Document& document, const DesignPoint& point) {
  py::dict metrics;
  for (const MetricSpec* metric : registeredMetrics()) {
    const std::optional<MetricValue> value = exactMetric(point, *metric);
    if (value)
      metrics[py::str(metric->name)] = std::visit([](auto number) { return py::cast(number); }, *value);
  }
  py::dict entry;
  entry["knobs"] = toPython(document, point.knobs);
  entry["state"] = text(point.state);
  entry["level"] = text(point.fidelity);
  entry["cause"] = point.cause;
  entry["metrics"] = metrics;
  entry["wall_seconds"] = point.wall_seconds;
  return entry;
}

py::dict toPython(const ScheduleStep& step) {
  py::dict entry;
  entry["transformation"] = step.transformation;
  entry["arguments"] = toPython(step.arguments);
  if (!step.enabled) entry["enabled"] = false;
  return entry;
}

py::list toPython(const std::vector<ScheduleStep>& schedule) {
  py::list steps;
  for (const ScheduleStep& step : schedule) steps.append(toPython(step));
  return steps;
}

std::size_t choiceOf(const std::string& argument, const std::string& given,
                     const std::vector<std::string>& choices) {
  const auto choice = std::ranges::find(choices, given);
  if (choice == choices.end())
    throw Refused({error("unknown-name", Location(Where::Argument, argument),
                         "'" + given + "' is not a value of it", spellingFix(given, choices, ""))});
  return static_cast<std::size_t>(choice - choices.begin());
}

std::vector<Constraint> constraintsFrom(const std::vector<std::string>& texts) {
  std::vector<Constraint> constraints;
  for (const std::string& each : texts) constraints.push_back(taken(parseConstraint(each)));
  return constraints;
}

}  // namespace sluice::python
