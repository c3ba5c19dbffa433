// sluice._engine: the native module behind the package sluice, which alone uses it.

#include "engine/designer/designer.h"
#include "engine/explorer/search/strategies.h"
#include "engine/fifo/strategies/strategies.h"
#include "engine/operators/registry.h"
#include "engine/program/fields.h"
#include "engine/schedule/transformation.h"
#include "engine/workloads/workload_builder.h"
#include "native/conversions.h"
#include "native/parts.h"

namespace sluice::python {
namespace {

const char* kindOf(const ParameterSpec& spec) {
  switch (spec.kind) {
    case ParameterKind::Integer:
      return "integer";
    case ParameterKind::Boolean:
      return "boolean";
    case ParameterKind::Choice:
      return "choice";
    case ParameterKind::IntegerList:
      return "integers";
    case ParameterKind::Input:
      return "input";
    case ParameterKind::Text:
      return "text";
    case ParameterKind::Orders:
      return "orders";
  }
  return "";
}

const char* kindOf(const ArgumentSpec& spec) {
  switch (spec.kind) {
    case ArgumentKind::Integer:
      return "integer";
    case ArgumentKind::Integers:
      return "integers";
    case ArgumentKind::Choice:
      return "choice";
    case ArgumentKind::Texts:
      return "texts";
    default:
      return "text";
  }
}

template <class Spec>
py::dict fieldOf(const Spec& spec, const std::string& unit) {
  py::dict entry;
  entry["name"] = spec.name;
  entry["kind"] = kindOf(spec);
  entry["default"] = spec.initial ? toPython(*spec.initial) : py::none();
  entry["needed"] = !spec.initial;
  entry["choices"] = listOf(spec.choices);
  entry["help"] = spec.help;
  entry["unit"] = unit;
  return entry;
}

py::list portsOf(const std::vector<PortSpec>& ports) {
  py::list list;
  for (const PortSpec& port : ports) {
    py::dict entry;
    entry["name"] = port.name;
    entry["width"] = port.width;
    entry["help"] = port.help;
    list.append(entry);
  }
  return list;
}

py::list operators() {
  py::list list;
  for (const OperatorSpec* spec : registeredSpecs()) {
    py::dict entry;
    entry["kind"] = spec->kind;
    entry["category"] = spec->category;
    entry["summary"] = spec->summary;
    entry["paper"] = spec->paper;
    py::list parameters;
    for (const ParameterSpec& parameter : spec->parameters)
      parameters.append(fieldOf(parameter, parameter.unit));
    entry["parameters"] = parameters;
    entry["inputs"] = portsOf(spec->inputs);
    entry["outputs"] = portsOf(spec->outputs);
    entry["shape"] = spec->rules.shape;
    entry["cost"] = spec->rules.cost;
    entry["timing"] = spec->rules.timing;
    list.append(entry);
  }
  return list;
}

py::list transformations() {
  py::list list;
  for (const Transformation* transformation : registeredTransformations()) {
    const TransformationSpec& spec = transformation->spec;
    py::dict entry;
    entry["name"] = spec.name;
    entry["summary"] = spec.summary;
    entry["paper"] = spec.paper;
    entry["effect"] = spec.effect;
    py::list arguments;
    for (const ArgumentSpec& argument : spec.arguments) arguments.append(fieldOf(argument, ""));
    entry["arguments"] = arguments;
    list.append(entry);
  }
  return list;
}

py::list metrics() {
  py::list list;
  for (const MetricSpec* metric : registeredMetrics()) {
    py::dict entry;
    entry["name"] = metric->name;
    entry["title"] = metric->title;
    entry["unit"] = metric->unit;
    entry["whole"] = metric->isWhole();
    entry["smaller_is_better"] = metric->smaller_is_better;
    entry["needs_technology"] = metric->priced != nullptr;
    list.append(entry);
  }
  return list;
}

py::dict named(const char* name, const char* summary) {
  py::dict entry;
  entry["name"] = name;
  entry["summary"] = summary;
  return entry;
}

py::list searchStrategies() {
  py::list list;
  for (const Strategy& strategy : strategies()) list.append(named(strategy.name, strategy.summary));
  return list;
}

py::list waysToSize() {
  py::list list;
  for (const DepthStrategy& strategy : depthStrategies()) list.append(named(strategy.name, strategy.summary));
  return list;
}

py::list workloadList() {
  py::list list;
  for (const WorkloadBuilder* builder : registeredWorkloads()) {
    py::dict entry = named(builder->name.c_str(), builder->summary.c_str());
    py::dict sizes, models;
    for (const SizeSpec& size : builder->sizes) sizes[py::str(size.name)] = size.initial;
    for (const auto& [model, values] : builder->models) {
      py::dict own;
      for (const auto& [name, value] : values) own[py::str(name)] = value;
      models[py::str(model)] = own;
    }
    entry["sizes"] = sizes;
    entry["models"] = models;
    list.append(entry);
  }
  return list;
}

py::list machineSettings() {
  py::list list;
  for (const Field<Machine>& field : fields<Machine>()) {
    py::dict entry;
    entry["name"] = std::string(field.key);
    entry["help"] = std::string(field.help.empty() ? field.label : field.help);
    entry["unit"] = std::string(field.unit);
    entry["range"] = field.range == any_number ? py::object(py::none())
                                               : py::make_tuple(field.range.minimum, field.range.maximum);
    list.append(entry);
  }
  return list;
}

/// Refused becomes a sluice.Error, which is written in Python.
void raise(const Refused& refused) {
  const py::object type = py::module_::import("sluice._errors").attr("Error");
  const py::object told =
      py::module_::import("sluice._errors").attr("diagnostics_of")(toPython(refused.diagnostics));
  PyErr_SetObject(type.ptr(), type(told).ptr());
}

}  // namespace

void addRegistries(py::module_& module) {
  module.def("operators", operators);
  module.def("transformations", transformations);
  module.def("metrics", metrics);
  module.def("strategies", searchStrategies);
  module.def("depth_strategies", waysToSize);
  module.def("workloads", workloadList);
  module.def("machine_settings", machineSettings);
}

}  // namespace sluice::python

PYBIND11_MODULE(_engine, module) {
  namespace parts = sluice::python;
  pybind11::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const parts::Refused& refused) {
      parts::raise(refused);
    }
  });
  module.attr("version") = SLUICE_VERSION;
  parts::addRegistries(module);
  parts::addPrograms(module);
  parts::addRuns(module);
  parts::addValues(module);
  parts::addDesigns(module);
}
