#include "widgets/knobs/knob_proposal.h"

#include <algorithm>
#include <bit>

namespace sluice::ui {
namespace {

constexpr std::int64_t most = std::int64_t{1} << 40;  // of which divisors are looked for and powers shown
constexpr std::size_t most_divisors = 12;

/// The largest ones.
std::vector<std::int64_t> divisors(std::int64_t number, const Range& range) {
  std::vector<std::int64_t> found;
  for (std::int64_t low = 1; low <= number / low; ++low) {
    if (number % low != 0) continue;
    found.push_back(low);
    if (low != number / low) found.push_back(number / low);
  }
  std::erase_if(found, [&](std::int64_t each) { return !range.contains(each); });
  std::ranges::sort(found);
  if (found.size() > most_divisors) found.erase(found.begin(), found.end() - most_divisors);
  return found;
}

std::int64_t floorPower(std::int64_t number) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(number)));
}

}  // namespace

KnobKind proposedKind(std::int64_t around) {
  if (around < 1) return KnobKind::Range;
  return std::has_single_bit(static_cast<std::uint64_t>(around)) ? KnobKind::PowerOfTwo : KnobKind::List;
}

Knob proposedKnob(KnobKind kind, std::int64_t around, const Range& range) {
  Knob knob;
  knob.kind = kind;
  const std::int64_t middle = std::clamp(around, range.minimum, range.maximum);
  const std::int64_t positive = std::clamp(middle, std::int64_t{1}, most);
  knob.initial = middle;
  if (kind == KnobKind::List) {
    knob.list = divisors(positive, range);
    if (std::ranges::find(knob.list, middle) == knob.list.end()) knob.list.push_back(middle);
    std::ranges::sort(knob.list);
  } else if (kind == KnobKind::PowerOfTwo) {
    const std::int64_t power = floorPower(positive);
    const std::int64_t least = std::max<std::int64_t>(1, range.minimum);
    knob.initial = power;
    knob.minimum = power;
    knob.maximum = power;
    for (int times = 0; times < 2; ++times) {
      if (knob.minimum / 2 >= least) knob.minimum /= 2;
      if (knob.maximum * 2 <= range.maximum) knob.maximum *= 2;
    }
  } else if (kind == KnobKind::Range) {
    const std::int64_t half = std::clamp(middle, -most, most) / 2;
    const std::int64_t reach = std::max<std::int64_t>(4, half < 0 ? -half : half);
    knob.minimum = std::max(range.minimum, std::max(middle, -most) - (middle < 0 ? reach : half));
    knob.maximum = std::min(range.maximum, std::min(middle, most) + reach);
    knob.minimum = std::min(knob.minimum, middle);
    knob.maximum = std::max(knob.maximum, middle);
    constexpr std::int64_t wanted = 16;  // values, about
    knob.step = 1;
    while ((middle - knob.minimum) / knob.step + (knob.maximum - middle) / knob.step > wanted) knob.step *= 2;
    knob.minimum = middle - (middle - knob.minimum) / knob.step * knob.step;
  } else {
    knob.initial = 0;
  }
  return knob;
}

}  // namespace sluice::ui
