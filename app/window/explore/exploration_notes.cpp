#include "app/window/explore/exploration_notes.h"

#include <algorithm>
#include <array>

#include "engine/explorer/tables.h"

namespace sluice::ui {
namespace {

struct Noted {
  PointState state;
  Code code;
  const char* fix;
};

constexpr std::array<Noted, 3> noted = {{
    {PointState::Deadlocked, "deadlock",
     "choose one of them: the Deadlock panel then shows what waits, and whether deeper FIFOs help"},
    {PointState::Infeasible, "memory-exceeded",
     "choose smaller tiles or depths, or raise the machine's on_chip_capacity"},
    {PointState::Failed, "run-failed", "choose one of them to see what went wrong"},
}};

}  // namespace

Diagnostics explorationNotes(std::span<const DesignPoint> points) {
  Diagnostics notes;
  for (const Noted& each : noted) {
    const auto is = [&](const DesignPoint& point) { return point.state == each.state; };
    const auto first = std::find_if(points.begin(), points.end(), is);
    if (first == points.end()) continue;
    const auto count = std::count_if(points.begin(), points.end(), is);
    notes.push_back(note(each.code, Location(Where::ExploredPoints, text(each.state)),
                         std::to_string(count) + " of " + std::to_string(points.size()) +
                             " points; the first: " + first->cause,
                         each.fix));
  }
  return notes;
}

std::optional<PointState> stateOfNote(const Location& place) {
  const LocationPart* const points = place.find(Where::ExploredPoints);
  for (const Noted& each : noted)
    if (points && points->name == text(each.state)) return each.state;
  return std::nullopt;
}

}  // namespace sluice::ui
