// sluice-cli simulate --compute: runs the design point once more, computing its tensors.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "app/cli/command.h"
#include "app/cli/simulation_report.h"
#include "app/cli/table.h"
#include "engine/core/extents_text.h"
#include "engine/core/names_and_more.h"
#include "engine/interchange/numpy.h"
#include "engine/schedule/compiled_values.h"

namespace sluice::cli {

namespace {

/// A name such as "expert[3].up_load" is a file name, one with a '/' is not.
std::string fileName(std::string tensor) {
  std::replace(tensor.begin(), tensor.end(), '/', '_');
  return tensor + ".npy";
}

/// Who reads numbers must know that they are of no model.
std::string madeUpText(const std::vector<std::string>& names) {
  constexpr std::size_t most = 3;
  if (names.empty()) return {};
  return "Made up: the numbers in " + namesAndMore(names, most, "'") +
         " come from a formula, and so do all that follow from them (give arrays with --tensors; import "
         "MODEL "
         "--weights writes a model's own)\n";
}

}  // namespace

std::string tensorsText(const ComputedTensors& computed) {
  Table table({"tensor", "shape", "smallest", "largest", "mean"});
  std::string without_numbers;
  for (const auto& [name, tensor] : computed.tensors) {
    const std::string shape = extentsText(tensor.shape);
    std::vector<float> numbers = tensor.data;
    std::erase_if(numbers, [](float value) { return std::isnan(value); });
    if (numbers.size() < tensor.data.size())
      without_numbers += "Of '" + name + "' " + std::to_string(tensor.data.size() - numbers.size()) +
                         " elements are no numbers (NaN)\n";
    if (numbers.empty()) {
      table.row({name, shape, "", "", ""});
      continue;
    }
    const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
    double sum = 0;
    for (const float value : numbers) sum += value;
    table.row({name, shape, decimal(*low, 6), decimal(*high, 6),
               decimal(sum / static_cast<double>(numbers.size()), 6)});
  }
  std::ostringstream out;
  out << "\nComputed tensors\n";
  table.print(out);
  out << without_numbers << madeUpText(computed.made_up);
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

Result<ComputedTensors> computeTensors(const FlatGraph& graph, const Workload& workload,
                                       const KnobValues& knobs, const ComputeArguments& arguments,
                                       std::stop_token stop) {
  SLUICE_TRY(ComputeOptions options, computeOptions(arguments, std::move(stop)));
  ComputedTensors computed;
  options.made_up = &computed.made_up;
  SLUICE_TRY(computed.tensors,
             computeCompiled(graph, workload.document, workload.inputs, knobs, std::move(options)));
  if (!arguments.dump_npz.empty()) SLUICE_CHECK(saveTensors(arguments.dump_npz, computed.tensors));
  if (arguments.dump.empty()) return computed;
  for (const auto& [name, tensor] : computed.tensors) {
    SLUICE_CHECK(writeInto(arguments.dump, fileName(name), floatNpy(tensor)));
  }
  return computed;
}

}  // namespace sluice::cli
