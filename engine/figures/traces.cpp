// The traces that bind the figures' workloads: the papers' own files where the user has them; otherwise
// synthetic ones with the same statistics (engine/figures/README.md 1): the same tokens per expert in another
// order, key-value lengths of the same mean, deviation and range.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "engine/core/random.h"
#include "engine/figures/experiment.h"
#include "engine/interchange/numpy.h"

namespace sluice::inline figures {
namespace {

/// Log-normal quantiles, shifted and stretched to the mean and deviation asked for, kept in the range, in an
/// order that depends on the start only.
IntTensor syntheticLengths(std::size_t batch, std::size_t start) {
  const PublishedTable table = publishedTable("kv_lengths");
  const PublishedRow& row =
      rowWith(table, {{"batch", std::to_string(batch)}, {"start", std::to_string(start)}});
  const double wanted_mean = row.number("mean"), deviation = row.number("deviation");
  const double minimum = row.number("minimum"), maximum = row.number("maximum");
  std::vector<double> values(batch);
  const double spread = std::sqrt(std::log(1 + std::pow(deviation / wanted_mean, 2)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double p = (static_cast<double>(i) + 0.5) / static_cast<double>(values.size());
    values[i] =
        std::exp(spread * std::log(p / (1 - p)) / 1.702);  // the logistic stands in for the normal quantile
  }
  for (int round = 0; round < 20; ++round) {  // clamping moves both; a few rounds settle
    double mean = 0, square = 0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    for (const double value : values)
      square += (value - mean) * (value - mean) / static_cast<double>(values.size());
    const double scale = deviation / std::sqrt(square);
    for (double& value : values) value = std::clamp(wanted_mean + (value - mean) * scale, minimum, maximum);
  }
  SplitMix64(start).shuffle(std::span(values));
  IntTensor tensor{{values.size()}, {}};
  for (const double value : values) tensor.data.push_back(std::llround(value));
  return tensor;
}

/// Whether a file name ends in _START_END.npy; however many zeros its numbers begin with.
bool spansRequests(const std::string& stem, std::size_t first, std::size_t last) {
  const auto ends_in_number = [](std::string_view& text, std::size_t wanted) {
    const std::size_t bar = text.rfind('_');
    if (bar == std::string_view::npos) return false;
    const std::string_view digits = text.substr(bar + 1);
    std::size_t number = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || stop != digits.data() + digits.size()) return false;
    text = text.substr(0, bar);
    return number == wanted;
  };
  std::string_view rest = stem;
  return ends_in_number(rest, last) && ends_in_number(rest, first);
}

/// The first by name of the files in the folder and its subfolders; nothing if there is none.
Result<std::optional<IntTensor>> load(const std::filesystem::path& folder,
                                      const std::function<bool(const std::filesystem::path&)>& wanted) {
  std::error_code ignored;
  std::vector<std::filesystem::path> found;
  if (!folder.empty())
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, ignored))
      if (wanted(entry.path())) found.push_back(entry.path());
  if (found.empty()) return std::optional<IntTensor>();
  SLUICE_TRY(IntTensor tensor, loadNumpy(*std::min_element(found.begin(), found.end())));
  return std::optional<IntTensor>(std::move(tensor));
}

}  // namespace

Result<FigureInputs> Traces::bindRouting(Input& input, const std::string& set) {
  const std::string name = set + "/*.npz";
  const auto wanted = [&](const std::filesystem::path& file) {
    return file.extension() == ".npz" && file.parent_path().filename() == set;
  };
  SLUICE_TRY(std::optional<IntTensor> real, load(folder_, wanted));
  if (real) {
    input.data = *std::move(real);
    input.counts.clear();
    return FigureInputs{{name}, {}};
  }
  input.counts = rowWith(publishedTable("expert_tokens"), {{"model", set}}).integers("tokens");
  return FigureInputs{{}, {name}};
}

Result<FigureInputs> Traces::bindLengths(Input& input, std::size_t batch, std::size_t start) {
  const std::size_t last = start + batch - 1;
  char name[64];  // as the published files are called
  std::snprintf(name, sizeof name, "conv_stdev*_%04zu_%04zu.npy", start, last);
  const auto wanted = [&](const std::filesystem::path& file) {
    return file.extension() == ".npy" && file.generic_string().find("conv_stdev") != std::string::npos &&
           spansRequests(file.stem().string(), start, last);
  };
  SLUICE_TRY(std::optional<IntTensor> real, load(folder_, wanted));
  if (real) {
    input.data = *std::move(real);
    return FigureInputs{{name}, {}};
  }
  input.data = syntheticLengths(batch, start);
  return FigureInputs{{}, {name}};
}

}  // namespace sluice::inline figures
