#include "widgets/canvas/canvas_walk.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sluice::ui {
namespace {

class Walker {
 public:
  Walker(const SceneModel& model, const Arrangement& arrangement)
      : model_(model), arrangement_(arrangement) {}

  Place fromBox(std::size_t box, Step step) const {
    if (step == Step::Up || step == Step::Down) return {neighbour(box, step), nowhere};
    const bool forward = step == Step::Right;
    std::size_t best = nowhere;
    for (const std::size_t id : model_.groups[model_.boxes[box].group].links) {
      const SceneEnd& near = forward ? model_.links[id].from : model_.links[id].to;
      if (near.box != box) continue;
      if (best == nowhere || near.port < (forward ? model_.links[best].from : model_.links[best].to).port)
        best = id;
    }
    return best == nowhere ? Place{box, nowhere} : Place{nowhere, best};
  }

  Place fromLink(std::size_t link, Step step) const {
    if (step == Step::Up || step == Step::Down) return {nowhere, sibling(link, step)};
    const bool forward = step == Step::Right;
    const SceneLink& here = model_.links[link];
    const SceneEnd& far = forward ? here.to : here.from;
    const std::size_t through = continuation(here, far, forward);
    return through == nowhere ? Place{far.box, nowhere} : Place{nowhere, through};
  }

 private:
  /// A link that goes on at the other side of a frame's port.
  std::size_t continuation(const SceneLink& here, const SceneEnd& at, bool forward) const {
    const bool leaves = model_.groups[here.group].frame == at.box;
    const std::size_t inside = model_.boxes[at.box].inside;
    if (!leaves && inside == nowhere) return nowhere;
    for (const std::size_t id : model_.groups[leaves ? model_.boxes[at.box].group : inside].links) {
      const SceneEnd& near = forward ? model_.links[id].from : model_.links[id].to;
      if (near.box == at.box && near.port == at.port) return id;
    }
    return nowhere;
  }

  /// The next link above or below that starts at the same box; if there is but one, that ends at the same
  /// box.
  std::size_t sibling(std::size_t link, Step step) const {
    const SceneLink& here = model_.links[link];
    for (const auto end : {&SceneLink::from, &SceneLink::to}) {
      std::vector<std::size_t> together;
      for (const std::size_t id : model_.groups[here.group].links) {
        if ((model_.links[id].*end).box == (here.*end).box) together.push_back(id);
      }
      if (together.size() < 2) continue;
      std::stable_sort(together.begin(), together.end(),
                       [&](std::size_t a, std::size_t b) { return middle(a) < middle(b); });
      const auto at = std::find(together.begin(), together.end(), link);
      if (step == Step::Up) return at == together.begin() ? link : *(at - 1);
      return at + 1 == together.end() ? link : *(at + 1);
    }
    return link;
  }

  double middle(std::size_t link) const {
    const std::vector<LayoutPoint>& curve = arrangement_.links[link];
    return curve.front().y + curve.back().y;
  }

  std::size_t neighbour(std::size_t box, Step step) const {
    const SceneRect& here = arrangement_.boxes[box];
    std::size_t best = box;
    double nearest = std::numeric_limits<double>::infinity();
    for (const std::size_t other : model_.groups[model_.boxes[box].group].boxes) {
      const SceneRect& there = arrangement_.boxes[other];
      const double dy =
          (there.y + there.height / 2 - here.y - here.height / 2) * (step == Step::Down ? 1 : -1);
      const double distance = dy + 2 * std::abs(there.x + there.width / 2 - here.x - here.width / 2);
      if (other == box || dy <= 0 || distance >= nearest) continue;
      nearest = distance;
      best = other;
    }
    return best;
  }

  const SceneModel& model_;
  const Arrangement& arrangement_;
};

}  // namespace

Place walk(const SceneModel& model, const Arrangement& arrangement, Place from, Step step) {
  const Walker walker(model, arrangement);
  if (from.box != nowhere) return walker.fromBox(from.box, step);
  if (from.link != nowhere) return walker.fromLink(from.link, step);
  return {model.boxes.empty() ? nowhere : 0, nowhere};
}

}  // namespace sluice::ui
