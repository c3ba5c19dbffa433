#include "engine/emitters/fitting_knobs.h"

#include <algorithm>
#include <chrono>

#include "engine/core/stopwatch.h"
#include "engine/explorer/tables.h"
#include "engine/schedule/compile_tensors.h"
#include "engine/tensor/placement/block_bound.h"
#include "engine/tensor/placement/compiled_placement.h"

namespace sluice::inline emitters {
namespace {

constexpr std::size_t most_tries = 6, most_of_all = 24;  ///< of one knob, of all
constexpr std::chrono::seconds most_time(60);

bool fits(const Document& document, const InputSet& inputs, const KnobValues& knobs, const Platform& platform,
          const std::stop_token& stop) {
  Result<TensorCompilation> compilation = tensorCompilation(document, inputs, knobs, stop);
  if (!compilation) return false;
  PlacementOptions placement;
  placement.dies.stop = stop;
  return static_cast<bool>(placeCompiled(std::move(compilation->compiled), compilation->options,
                                         BoundOptions{}.products_per_dsp, platform, placement));
}

/// The other values, the nearest by their places first; of two as near the one before.
std::vector<std::int64_t> othersOf(const Knob& knob, std::int64_t value) {
  const std::vector<std::int64_t> values = knob.values();
  const auto own = std::ranges::find(values, value) - values.begin();
  std::vector<std::int64_t> others;
  const auto size = static_cast<std::ptrdiff_t>(values.size());
  for (std::ptrdiff_t far = 1; far < size && others.size() < most_tries; ++far)
    for (const std::ptrdiff_t at : {own - far, own + far})
      if (at >= 0 && at < size) others.push_back(values[static_cast<std::size_t>(at)]);
  return others;
}

}  // namespace

std::vector<FittingKnob> fittingKnobs(const Document& document, const InputSet& inputs,
                                      const KnobValues& knobs, const Platform& platform,
                                      const std::stop_token& stop) {
  const Clock::time_point start = Clock::now();
  std::vector<FittingKnob> fitting;
  std::size_t tries = 0;
  for (const Knob& knob : document.knobs) {
    for (const std::int64_t value : othersOf(knob, knobs.at(knob.name))) {
      if (stop.stop_requested() || ++tries > most_of_all || Clock::now() - start > most_time) return fitting;
      KnobValues changed = knobs;
      changed[knob.name] = value;
      if (!fits(document, inputs, changed, platform, stop)) continue;
      fitting.push_back({knob.name, value});
      break;
    }
  }
  return fitting;
}

Diagnostics withFittingKnobs(Diagnostics problems, const Document& document, const InputSet& inputs,
                             const KnobValues& knobs, const Platform& platform, const std::stop_token& stop) {
  const auto about_room = [](const Diagnostic& each) {
    return each.code == "does-not-fit" || each.code == "infeasible-placement";
  };
  if (!std::ranges::any_of(problems, about_room)) return problems;
  std::string found;
  for (const FittingKnob& each : fittingKnobs(document, inputs, knobs, platform, stop)) {
    const auto knob = std::ranges::find(document.knobs, each.knob, &Knob::name);
    found += (found.empty() ? "it fits with " : ", or with ") + each.knob + "=" + knobText(*knob, each.value);
  }
  if (!found.empty()) problems.front().fix = found + "; or " + problems.front().fix;
  return problems;
}

}  // namespace sluice::inline emitters
