#include "app/window/edit/place_edits.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "widgets/common/document_paths.h"

namespace sluice::ui {

Places aligned(const std::vector<PlacedBox>& boxes, Alignment alignment) {
  double left = std::numeric_limits<double>::infinity(), top = left, right = -left, bottom = -left;
  for (const PlacedBox& box : boxes) {
    left = std::min(left, box.at.x);
    right = std::max(right, box.at.x + box.width);
    top = std::min(top, box.at.y);
    bottom = std::max(bottom, box.at.y + box.height);
  }
  Places places;
  for (const PlacedBox& box : boxes) {
    Position at = box.at;
    switch (alignment) {
      case Alignment::Left:
        at.x = left;
        break;
      case Alignment::Centre:
        at.x = (left + right - box.width) / 2;
        break;
      case Alignment::Right:
        at.x = right - box.width;
        break;
      case Alignment::Top:
        at.y = top;
        break;
      case Alignment::Middle:
        at.y = (top + bottom - box.height) / 2;
        break;
      case Alignment::Bottom:
        at.y = bottom - box.height;
        break;
    }
    places[box.path] = at;
  }
  return places;
}

Places distributed(std::vector<PlacedBox> boxes, Direction direction) {
  Places places;
  if (boxes.size() < 3) return places;
  const auto coordinate = direction == Direction::Horizontal ? &Position::x : &Position::y;
  const auto length = direction == Direction::Horizontal ? &PlacedBox::width : &PlacedBox::height;
  const auto end = [&](const PlacedBox& box) { return box.at.*coordinate + box.*length; };
  std::stable_sort(boxes.begin(), boxes.end(), [&](const PlacedBox& a, const PlacedBox& b) {
    return a.at.*coordinate < b.at.*coordinate;
  });
  double inside = 0;
  for (const PlacedBox& box : boxes) inside += box.*length;
  const double room = end(boxes.back()) - boxes.front().at.*coordinate - inside;
  const double gap = room / static_cast<double>(boxes.size() - 1);
  double next = boxes.front().at.*coordinate;
  for (PlacedBox& box : boxes) {
    box.at.*coordinate = next;
    next += box.*length + gap;
    places[box.path] = box.at;
  }
  return places;
}

Places snapped(const std::vector<PlacedBox>& boxes, double grid) {
  Places places;
  for (const PlacedBox& box : boxes)
    places[box.path] = {std::round(box.at.x / grid) * grid, std::round(box.at.y / grid) * grid};
  return places;
}

void setPlaces(Document& document, const Places& places) {
  for (const auto& [path, at] : places)
    if (Node* node = findNode(document, path)) node->at = at;
}

void freePlaces(Document& document, const std::set<std::string>& nodes) {
  for (const std::string& path : nodes) {
    Node* node = findNode(document, path);
    if (node && !document.pinned.contains(path)) node->at.reset();
  }
}

}  // namespace sluice::ui
