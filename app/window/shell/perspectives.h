#pragma once
// Perspectives: arrangements of the views, each for one kind of work. A row says which views are open, at
// which side, and how much of the window they get; all others are closed, and in the View menu.

#include <vector>

namespace sluice::ui {

enum class Area;

/// Views at one place, as tabs; the first is in front. Places of one side follow each other: those at the
/// left and right from top to bottom, those at the bottom from left to right.
struct DockPlace {
  Area side;
  std::vector<const char*> views;
  int weight = 1;  ///< its part of the side
};

/// How much a side gets: a share of the window, and never less than it takes to be of use.
struct SideSize {
  double share = 0;
  int least = 0;  ///< pixels
};

struct Perspective {
  const char* id;     ///< of its command: "perspective.build"
  const char* title;  ///< "Build"
  const char* text;   ///< of its command
  const char* keys;
  const char* tooltip;
  bool bottom_is_wide;  ///< the bottom reaches below the sides
  SideSize left, right, bottom;
  std::vector<DockPlace> places;
};

/// In the order of menus; the first is that of a new window.
const std::vector<Perspective>& perspectives();
/// Null: there is none with this id.
const Perspective* findPerspective(const char* id);

}  // namespace sluice::ui
