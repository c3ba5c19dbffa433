#pragma once
// What crosses between the engine and Python: values, knobs, diagnostics, points. A refused Result becomes
// the exception sluice.Error.

#include <pybind11/pybind11.h>

#include <string>

#include "engine/core/float_tensor.h"
#include "engine/core/result.h"
#include "engine/explorer/explore.h"
#include "engine/program/document.h"

namespace sluice::python {

namespace py = pybind11;

/// Diagnostics on their way to Python, where they are a sluice.Error.
struct Refused : std::exception {
  explicit Refused(Diagnostics told) : diagnostics(std::move(told)) {}
  const char* what() const noexcept override { return "refused"; }
  Diagnostics diagnostics;
};

/// The value of a Result; throws Refused.
template <class T>
T taken(Result<T> result) {
  if (!result) throw Refused(std::move(result).diagnostics());
  return *std::move(result);
}

py::object toPython(const Value& value);
py::dict toPython(const Values& values);
/// Whole numbers, bool, text, lists of these; anything with `__index__` is a number. Throws py::type_error
/// for other things.
Value valueFrom(const py::handle& object);

/// {"severity", "code", "place", "location", "cause", "fix", "related", "fixes"} of each.
py::list toPython(const Diagnostics& diagnostics);

/// Choices as their texts.
py::dict toPython(const Document& document, const KnobValues& knobs);
/// The document's defaults, but for those that are given: numbers, or texts of choices. Throws Refused.
KnobValues knobsFrom(const Document& document, const py::dict& given);

/// Of an argument that has one of these values; throws Refused where `given` is none of them.
std::size_t choiceOf(const std::string& argument, const std::string& given,
                     const std::vector<std::string>& choices);

/// "cycles<=1e6" and the like. Throws Refused.
std::vector<Constraint> constraintsFrom(const std::vector<std::string>& texts);

/// {"knobs", "state", "level", "cause", "metrics", "wall_seconds"}; what is not known is left out of the
/// metrics.
py::dict toPython(const Document& document, const DesignPoint& point);

/// {name: (shape, bytes of float32)}
py::dict toPython(const TensorSet& tensors);

/// {"transformation", "arguments", "enabled"}.
py::dict toPython(const ScheduleStep& step);
py::list toPython(const std::vector<ScheduleStep>& schedule);

template <class Sequence>
py::list listOf(const Sequence& items) {
  py::list list;
  for (const auto& item : items) list.append(py::cast(item));
  return list;
}

}  // namespace sluice::python
