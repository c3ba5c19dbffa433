#pragma once
// Knobs as the builders write them.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/program/document.h"

namespace sluice::inline workloads {

inline Knob knobOf(KnobKind kind, std::string name, std::int64_t initial, std::string help) {
  Knob knob;
  knob.kind = kind;
  knob.name = std::move(name);
  knob.initial = initial;
  knob.help = std::move(help);
  return knob;
}

inline Knob listKnob(std::string name, std::vector<std::int64_t> values, std::int64_t initial,
                     std::string help) {
  Knob knob = knobOf(KnobKind::List, std::move(name), initial, std::move(help));
  knob.list = std::move(values);
  return knob;
}

/// `initial` is the position of the choice.
inline Knob choiceKnob(std::string name, std::vector<std::string> choices, std::int64_t initial,
                       std::string help) {
  Knob knob = knobOf(KnobKind::Choice, std::move(name), initial, std::move(help));
  knob.choices = std::move(choices);
  return knob;
}

inline Knob powerKnob(std::string name, std::int64_t least, std::int64_t most, std::int64_t initial,
                      std::string help) {
  Knob knob = knobOf(KnobKind::PowerOfTwo, std::move(name), initial, std::move(help));
  knob.minimum = least;
  knob.maximum = most;
  return knob;
}

inline std::vector<std::int64_t> powersUpTo(std::int64_t least, std::int64_t most) {
  std::vector<std::int64_t> powers;
  for (std::int64_t power = least; power <= std::max(most, least); power *= 2) powers.push_back(power);
  return powers;
}

/// The divisors of a number that are at least `least`, or the number itself if it is smaller.
inline std::vector<std::int64_t> divisorsDownTo(std::int64_t number, std::int64_t least) {
  std::vector<std::int64_t> divisors;
  for (std::int64_t d = std::min(number, least); d <= number; ++d)
    if (number % d == 0) divisors.push_back(d);
  return divisors;
}

/// The divisors of a number that are at most `most`.
inline std::vector<std::int64_t> divisorsUpTo(std::int64_t number, std::int64_t most) {
  std::vector<std::int64_t> divisors;
  for (std::int64_t d = 1; d <= std::min(number, most); ++d)
    if (number % d == 0) divisors.push_back(d);
  return divisors;
}

}  // namespace sluice::inline workloads
