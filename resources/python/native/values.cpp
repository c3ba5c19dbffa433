// The functional mode: what a run computes, from arrays of Python's and as arrays.

#include "engine/operators/functional.h"
#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"
#include "engine/schedule/compile_tensors.h"
#include "engine/schedule/compiled_values.h"
#include "native/attend.h"
#include "native/conversions.h"
#include "native/parts.h"
#include "native/run.h"

namespace sluice::python {

py::dict toPython(const TensorSet& tensors) {
  py::dict found;
  for (const auto& [name, tensor] : tensors) {
    const auto* const bytes = reinterpret_cast<const char*>(tensor.data.data());
    found[py::str(name)] =
        py::make_tuple(py::tuple(listOf(tensor.shape)), py::bytes(bytes, tensor.data.size() * sizeof(float)));
  }
  return found;
}

namespace {

FloatTensor tensorFrom(const py::buffer& buffer) {
  const py::buffer_info info = buffer.request();
  if (info.itemsize != 4 || info.format != "f" || !PyBuffer_IsContiguous(info.view(), 'C'))
    throw py::type_error("expected a contiguous array of float32");
  FloatTensor tensor;
  for (const py::ssize_t extent : info.shape) tensor.shape.push_back(static_cast<std::size_t>(extent));
  const auto* const values = static_cast<const float*>(info.ptr);
  tensor.data.assign(values, values + info.size);
  return tensor;
}

py::tuple values(const Run& run, const py::dict& given, const std::string& precision) {
  ComputeOptions options;
  constexpr Precision precisions[] = {Precision::Float32, Precision::BFloat16};
  options.precision = precisions[choiceOf("precision", precision, {"float32", "bfloat16"})];
  for (const auto& [name, array] : given)
    options.tensors[py::str(name).cast<std::string>()] = tensorFrom(array.cast<py::buffer>());
  std::optional<Result<TensorSet>> result;
  std::vector<std::string> made_up;
  options.made_up = &made_up;
  const py::object interruption = attend(py::none(), [&](const std::stop_token& stop, Told&) {
    options.stop = stop;
    result = computeCompiled(run.result.symbolic.graph, run.workload->document, run.workload->inputs,
                             run.knobs, std::move(options));
  });
  if (!interruption.is_none() && !*result) return py::make_tuple(py::none(), listOf(made_up), interruption);
  return py::make_tuple(toPython(taken(*std::move(result))), listOf(made_up), interruption);
}

/// Name -> shape of what the tensor programs of a document have from outside.
py::dict outsideTensors(const Document& document) {
  py::dict found;
  const FlatGraph graph = taken(elaborate(document, defaultKnobs(document), builtInCatalog()));
  for (const FlatOperator& op : graph.operators) {
    if (!definitionOf(op).holds_program) continue;
    for (const TensorValue& tensor : taken(tensorProgramOf(op)).tensors)
      if (tensor.role != TensorRole::Activation) found[py::str(tensor.name)] = listOf(tensor.shape);
  }
  return found;
}

}  // namespace

void addValues(py::module_& module) {
  module.def("values", values);
  module.def("outside_tensors", outsideTensors);
}

}  // namespace sluice::python
