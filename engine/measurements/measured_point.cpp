#include "engine/measurements/measured_point.h"

#include <algorithm>

#include "engine/program/spelling.h"

namespace sluice::inline measurements {

Result<MeasuredPoint> measuredPoint(std::shared_ptr<const Workload> workload, KnobValues knobs,
                                    const MeasuredRun& run, std::set<std::string>& ignored) {
  std::shared_ptr<Workload> changed;
  for (const auto& [name, value] : run.at) {
    const Document& document = workload->document;
    const auto knob = std::ranges::find(document.knobs, name, &Knob::name);
    if (knob != document.knobs.end()) {
      if (!knob->allows(value))
        return error("out-of-range", run.place,
                     std::to_string(value) + " is not a value of knob '" + name + "'",
                     "leave the run out, or give the knob this value");
      knobs[name] = value;
      continue;
    }
    const auto constant = document.constants.find(name);
    if (constant == document.constants.end()) {
      ignored.insert(name);
      continue;
    }
    if (constant->second.string())
      return error("wrong-type", run.place, "constant '" + name + "' follows from others",
                   "leave the column out");
    if (!changed) changed = std::make_shared<Workload>(*workload);
    changed->document.constants[name] = Value(value);
  }
  if (changed) workload = std::move(changed);
  return MeasuredPoint{std::move(workload), std::move(knobs)};
}

Diagnostics unusedColumns(const std::set<std::string>& ignored, const Document& document) {
  std::vector<std::string> known;
  for (const Knob& knob : document.knobs) known.push_back(knob.name);
  for (const auto& [name, value] : document.constants) known.push_back(name);
  Diagnostics told;
  for (const std::string& name : ignored) {
    const Location place = Location("the measurements") / Location("column '" + name + "'");
    const std::string cause = "it is neither a knob nor a constant, and is not heeded";
    if (closestSpellings(name, known).empty())
      told.push_back(
          note("unused-name", place, cause, "nothing need be done if it is no part of the program"));
    else
      told.push_back(warning("unused-name", place, cause, spellingFix(name, known, "leave it out")));
  }
  return told;
}

}  // namespace sluice::inline measurements
