#pragma once
// Where nodes stand: aligning, distributing, snapping, and giving places back to automatic layout.
// Places are those of Node::at, so all nodes are of one graph.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/program/document.h"

namespace sluice::ui {

using Places = std::map<std::string, Position>;

struct PlacedBox {
  std::string path;
  Position at;
  double width = 0, height = 0;
};

enum class Alignment { Left, Centre, Right, Top, Middle, Bottom };
enum class Direction { Horizontal, Vertical };

/// All on one line: that of the outermost edge, or of the middle of all.
Places aligned(const std::vector<PlacedBox>& boxes, Alignment alignment);
/// The same gap between each two neighbours; the first and the last stay.
Places distributed(std::vector<PlacedBox> boxes, Direction direction);
Places snapped(const std::vector<PlacedBox>& boxes, double grid);

void setPlaces(Document& document, const Places& places);
/// Automatic layout finds new places for these nodes; those that are pinned stay.
void freePlaces(Document& document, const std::set<std::string>& nodes);

}  // namespace sluice::ui
