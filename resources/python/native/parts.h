#pragma once
// The parts of the module sluice._engine, one file each.

#include <pybind11/pybind11.h>

namespace sluice::python {

/// What the engine has: operators(), transformations(), metrics(), strategies() ..., as lists of
/// dictionaries.
void addRegistries(pybind11::module_& module);
/// Document, Expression, and the types of unfinished programs.
void addPrograms(pybind11::module_& module);
/// Workload, Run, simulate(), explore(), compare().
void addRuns(pybind11::module_& module);
/// values(), of a Run.
void addValues(pybind11::module_& module);
/// design(), compile(), size_fifos(), unlock().
void addDesigns(pybind11::module_& module);

}  // namespace sluice::python
