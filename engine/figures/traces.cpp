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

namespace sluice::figures {
namespace {

/// Tokens per expert of the sets, counted in the public traces of the STeP artifact
/// (dyn_tiling/expert_routing).
const std::map<std::string, std::vector<std::int64_t>>& countsOf() {
  static const std::map<std::string, std::vector<std::int64_t>> counts{
      {"mixtral_b64", {13, 10, 17, 14, 17, 10, 24, 23}},
      {"mixtral_b1024", {236, 219, 279, 215, 164, 414, 301, 220}},
      {"qwen_b64", {5,  0,  1, 0, 0, 3, 3,  0, 0, 15, 0, 0,  7,  0, 9,  4, 0,  1,  0, 0,  0, 0, 1,  0, 1,  7,
                    18, 1,  0, 0, 0, 0, 10, 0, 2, 0,  3, 0,  14, 0, 0,  1, 20, 13, 2, 0,  7, 0, 0,  0, 0,  3,
                    7,  23, 1, 0, 4, 0, 6,  1, 0, 5,  5, 24, 0,  0, 0,  0, 17, 4,  0, 1,  0, 0, 32, 6, 13, 0,
                    2,  4,  0, 0, 0, 0, 0,  2, 0, 29, 0, 0,  0,  0, 0,  0, 0,  0,  1, 20, 0, 3, 18, 0, 6,  10,
                    42, 0,  0, 7, 0, 0, 0,  0, 0, 0,  6, 6,  24, 0, 13, 0, 4,  0,  0, 7,  4, 1, 0,  3}},
      {"qwen_b1024",
       {0,  1,   0,  0, 11, 0,   5,  326, 88,  201, 0, 304, 34,  25,  50,  335, 45, 363, 617, 0, 203, 0,
        1,  1,   42, 2, 12, 4,   1,  76,  101, 0,   0, 41,  0,   2,   2,   32,  0,  30,  74,  1, 3,   204,
        22, 697, 0,  1, 0,  0,   37, 42,  9,   4,   0, 175, 0,   66,  9,   0,   40, 0,   1,   0, 0,   100,
        1,  0,   0,  0, 1,  0,   17, 406, 0,   201, 6, 116, 275, 94,  73,  1,   1,  814, 107, 0, 0,   0,
        0,  6,   1,  5, 0,  1,   20, 0,   0,   0,   7, 0,   4,   4,   403, 29,  0,  4,   0,   0, 60,  10,
        22, 5,   0,  0, 30, 228, 0,  231, 0,   95,  0, 77,  0,   188, 147, 0,   0,  62}}};
  return counts;
}

struct LengthStatistics {
  std::size_t batch, start;
  double mean, deviation, minimum, maximum;
};

/// Of the Azure LLM inference trace's conversation requests; population deviation
/// (engine/figures/README.md 1.2).
constexpr LengthStatistics lengthStatistics[] = {
    {16, 2805, 1735.12, 1410.36, 371, 4623}, {16, 821, 1295.25, 1409.24, 91, 4119},
    {16, 985, 1247.12, 1407.90, 167, 4122},  {16, 3349, 1190.69, 955.78, 181, 4079},
    {16, 3275, 1284.44, 955.78, 169, 4080},  {16, 3181, 1381.44, 955.53, 9, 4076},
    {16, 3799, 966.94, 465.34, 317, 2255},   {16, 2477, 919.12, 464.34, 298, 2202},
    {16, 1063, 694.06, 464.09, 91, 1320},    {64, 961, 1385.52, 1446.21, 126, 4145},
    {64, 3239, 1382.34, 1363.30, 42, 5020},  {64, 1727, 1387.53, 1329.93, 7, 6445},
    {64, 4007, 1057.86, 988.62, 109, 4088},  {64, 3123, 1257.75, 987.87, 16, 4974},
    {64, 733, 938.28, 987.87, 181, 4096},    {64, 2019, 1018.17, 504.71, 22, 2739},
    {64, 4185, 922.38, 489.60, 91, 2740},    {64, 271, 870.56, 473.86, 2, 2522},
    {80, 981, 1417.03, 1404.43, 165, 4122},  {80, 3227, 1359.17, 1325.86, 42, 5069},
    {80, 815, 1289.69, 1301.96, 91, 4132},   {80, 4687, 1139.20, 981.22, 11, 4782},
    {80, 3989, 1132.74, 981.21, 109, 4090},  {80, 1891, 1274.41, 981.14, 11, 4091},
    {80, 4181, 968.95, 558.72, 91, 2888},    {80, 135, 874.99, 528.41, 26, 4082},
    {80, 2025, 1025.09, 526.31, 16, 2739}};

/// Log-normal quantiles, shifted and stretched to the mean and deviation asked for, kept in the range, in an
/// order that depends on the start only.
IntTensor syntheticLengths(const LengthStatistics& wanted) {
  std::vector<double> values(wanted.batch);
  const double spread = std::sqrt(std::log(1 + std::pow(wanted.deviation / wanted.mean, 2)));
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
    const double scale = wanted.deviation / std::sqrt(square);
    for (double& value : values)
      value = std::clamp(wanted.mean + (value - mean) * scale, wanted.minimum, wanted.maximum);
  }
  SplitMix64(wanted.start).shuffle(std::span(values));
  IntTensor tensor{{values.size()}, {}};
  for (const double value : values) tensor.data.push_back(std::llround(value));
  return tensor;
}

Input& inputOf(Document& document, InputKind kind) {
  for (Input& input : document.inputs)
    if (input.kind == kind) return input;
  throw std::logic_error("the workload has no input for this trace");
}

/// Whether a file name ends in _START_END.npy; however many zeros its numbers begin with.
bool spansRequests(const std::string& stem, std::size_t first, std::size_t last) {
  const auto endsInNumber = [](std::string_view& text, std::size_t wanted) {
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
  return endsInNumber(rest, last) && endsInNumber(rest, first);
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
  Result<IntTensor> tensor = loadNumpy(*std::min_element(found.begin(), found.end()));
  if (!tensor) return tensor.diagnostics();
  return std::optional<IntTensor>(*std::move(tensor));
}

}  // namespace

Result<FigureInputs> Traces::bindRouting(Document& document, const std::string& set) {
  const std::string name = set + "/*.npz";
  Result<std::optional<IntTensor>> real = load(folder_, [&](const std::filesystem::path& file) {
    return file.extension() == ".npz" && file.parent_path().filename() == set;
  });
  if (!real) return real.diagnostics();
  Input& routing = inputOf(document, InputKind::Routing);
  if (*real) {
    routing.data = **std::move(real);
    routing.counts.clear();
    return FigureInputs{{name}, {}};
  }
  routing.counts = countsOf().at(set);
  return FigureInputs{{}, {name}};
}

Result<FigureInputs> Traces::bindLengths(Document& document, std::size_t batch, std::size_t start) {
  const std::size_t last = start + batch - 1;
  char name[64];  // as the published files are called
  std::snprintf(name, sizeof name, "conv_stdev*_%04zu_%04zu.npy", start, last);
  Result<std::optional<IntTensor>> real = load(folder_, [&](const std::filesystem::path& file) {
    return file.extension() == ".npy" && file.generic_string().find("conv_stdev") != std::string::npos &&
           spansRequests(file.stem().string(), start, last);
  });
  if (!real) return real.diagnostics();
  Input& lengths = inputOf(document, InputKind::Lengths);
  if (*real) {
    lengths.data = **std::move(real);
    return FigureInputs{{name}, {}};
  }
  const auto statistics = std::find_if(
      std::begin(lengthStatistics), std::end(lengthStatistics),
      [&](const LengthStatistics& known) { return known.batch == batch && known.start == start; });
  if (statistics == std::end(lengthStatistics)) throw std::logic_error("no statistics of this trace");
  lengths.data = syntheticLengths(*statistics);
  return FigureInputs{{}, {name}};
}

}  // namespace sluice::figures
