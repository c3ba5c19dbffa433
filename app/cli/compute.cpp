// sluice-cli simulate --compute: runs the design point once more, computing its tensors.

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "app/cli/command.h"
#include "app/cli/simulation_report.h"
#include "app/cli/table.h"
#include "engine/interchange/numpy.h"
#include "engine/schedule/compiled_values.h"

namespace sluice::cli {

namespace {

/// A name such as "expert[3].up_load" is a file name, one with a '/' is not.
std::string fileName(std::string tensor) {
  std::replace(tensor.begin(), tensor.end(), '/', '_');
  return tensor + ".npy";
}

}  // namespace

std::string tensorsText(const TensorSet& tensors) {
  Table table({"tensor", "shape", "smallest", "largest", "mean"});
  for (const auto& [name, tensor] : tensors) {
    std::string shape;
    for (const std::size_t extent : tensor.shape)
      shape += (shape.empty() ? "" : " x ") + std::to_string(extent);
    if (tensor.data.empty()) {
      table.row({name, shape, "", "", ""});
      continue;
    }
    const auto [low, high] = std::minmax_element(tensor.data.begin(), tensor.data.end());
    double sum = 0;
    for (const float value : tensor.data) sum += value;
    table.row({name, shape, decimal(*low, 6), decimal(*high, 6),
               decimal(sum / static_cast<double>(tensor.data.size()), 6)});
  }
  std::ostringstream out;
  out << "\nComputed tensors\n";
  table.print(out);
  return out.str();
}

Result<ComputeOptions> computeOptions(const ComputeArguments& arguments, std::stop_token stop) {
  ComputeOptions options;
  options.precision = arguments.precision == "bfloat16" ? Precision::BFloat16 : Precision::Float32;
  options.stop = std::move(stop);
  for (const std::string& file : arguments.tensors) {
    SLUICE_TRY(TensorSet tensors, loadTensors(file));
    for (auto& [name, tensor] : tensors) options.tensors[name] = std::move(tensor);
  }
  return options;
}

Result<TensorSet> computeTensors(const FlatGraph& graph, const Workload& workload, const KnobValues& knobs,
                                 const ComputeArguments& arguments, std::stop_token stop) {
  SLUICE_TRY(ComputeOptions options, computeOptions(arguments, std::move(stop)));
  Result<TensorSet> computed =
      computeCompiled(graph, workload.document, workload.inputs, knobs, std::move(options));
  if (computed && !arguments.dump_npz.empty()) {
    SLUICE_CHECK(saveTensors(arguments.dump_npz, *computed));
  }
  if (!computed || arguments.dump.empty()) return computed;
  for (const auto& [name, tensor] : *computed) {
    SLUICE_CHECK(writeInto(arguments.dump, fileName(name), floatNpy(tensor)));
  }
  return computed;
}

}  // namespace sluice::cli
