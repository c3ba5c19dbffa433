#include "app/window/shell/perspectives.h"

#include <algorithm>
#include <string_view>

#include "app/window/shell/view_spec.h"

namespace sluice::ui {

namespace {

Perspective buildPerspective() {
  return {
      .id = "perspective.build",
      .title = "Build",
      .text = "Perspective: &Build",
      .keys = "Alt+1",
      .tooltip = "Edit the program and see at once what it does",
      .bottom_is_wide = false,
      .left = {0.17, 250},
      .right = {0.20, 280},
      .bottom = {0.38, 250},
      .places = {{Area::Left, {"knob", "operator"}, 5},
                 {Area::Left, {"schedule", "design"}, 3},
                 {Area::Right, {"inspector", "deadlock"}},
                 {Area::Bottom, {"pareto", "points", "parallel", "sensitivity", "hypervolume", "choose"}, 12},
                 {Area::Bottom, {"occupancy", "energy", "diagnostics"}, 8}}};
}

Perspective explorePerspective() {
  return {.id = "perspective.explore",
          .title = "Explore",
          .text = "Perspective: &Explore",
          .keys = "Alt+2",
          .tooltip = "Look at all points of the design space: chart, axes and table at once",
          .bottom_is_wide = true,
          .left = {0.16, 240},
          .right = {0.42, 480},
          .bottom = {0.42, 240},
          .places = {{Area::Left, {"knob"}},
                     {Area::Right, {"pareto", "distribution", "choose", "sensitivity", "hypervolume"}},
                     {Area::Bottom, {"parallel"}, 3},
                     {Area::Bottom, {"points"}, 2}}};
}

Perspective timePerspective() {
  return {.id = "perspective.time",
          .title = "Time",
          .text = "Perspective: &Time",
          .keys = "Alt+3",
          .tooltip = "Follow one run: timeline, FIFOs and canvas at one moment",
          .bottom_is_wide = true,
          .left = {},
          .right = {0.32, 340},
          .bottom = {0.58, 300},
          .places = {{Area::Right, {"occupancy", "energy", "inspector"}}, {Area::Bottom, {"timeline"}}}};
}

Perspective deadlockPerspective() {
  return {.id = "perspective.deadlock",
          .title = "Deadlock",
          .text = "Perspective: &Deadlock",
          .keys = "Alt+4",
          .tooltip = "Find out who waits for whom, and what frees them",
          .bottom_is_wide = false,
          .left = {0.18, 260},
          .right = {0.28, 380},
          .bottom = {0.26, 200},
          .places = {{Area::Left, {"inspector", "knob"}},
                     {Area::Right, {"deadlock"}},
                     {Area::Bottom, {"diagnostics", "occupancy"}}}};
}

Perspective tensorPerspective() {
  return {.id = "perspective.tensor",
          .title = "Tensor",
          .text = "Perspective: Te&nsor",
          .keys = "Alt+5",
          .tooltip = "Transform a tensor program and look at its types; the Tensor menu has more",
          .bottom_is_wide = false,
          .left = {0.22, 300},
          .right = {0.27, 360},
          .bottom = {0.26, 200},
          .places = {{Area::Left, {"schedule", "design"}, 3},
                     {Area::Left, {"knob"}, 2},
                     {Area::Right, {"inspector"}},
                     {Area::Bottom, {"diagnostics", "occupancy"}}}};
}

Perspective comparePerspective() {
  return {.id = "perspective.compare",
          .title = "Compare",
          .text = "Perspective: &Compare",
          .keys = "Alt+6",
          .tooltip = "Lay two runs side by side",
          .bottom_is_wide = true,
          .left = {0.18, 250},
          .right = {0.22, 280},
          .bottom = {0.6, 360},
          .places = {{Area::Left, {"knob"}}, {Area::Right, {"inspector"}}, {Area::Bottom, {"compare"}}}};
}

}  // namespace

const std::vector<Perspective>& perspectives() {
  static const std::vector<Perspective> all = {buildPerspective(),  explorePerspective(),
                                               timePerspective(),   deadlockPerspective(),
                                               tensorPerspective(), comparePerspective()};
  return all;
}

const Perspective* findPerspective(const char* id) {
  const auto found = std::ranges::find_if(
      perspectives(), [id](const Perspective& each) { return std::string_view(each.id) == id; });
  return found == perspectives().end() ? nullptr : &*found;
}

}  // namespace sluice::ui
