#include "widgets/canvas/scene_arranger.h"

#include <algorithm>

#include "widgets/canvas/layered_layout.h"

namespace sluice::ui {

SceneArranger::SceneArranger(std::unique_ptr<GraphLayout> layout, QObject* parent)
    : QObject(parent), layout_(std::move(layout)) {
  connect(layout_.get(), &GraphLayout::finished, this, &SceneArranger::take);
}

std::optional<Arrangement> SceneArranger::ready(const SceneModel& model) {
  ArrangeOutcome outcome = arrange(model, [this](const LayoutGraph& graph) { return find(graph); });
  if (!outcome.complete) return std::nullopt;
  return std::move(outcome.arrangement);
}

Arrangement SceneArranger::provisional(const SceneModel& model, const PositionHints& hints) {
  std::list<LayoutResult> made;  // a list, because the lookup hands out pointers
  const auto lookup = [&](const LayoutGraph& graph) {
    if (const LayoutResult* known = find(graph)) return known;
    made.push_back(inRows(graph, layeredLayout(graph), room_));
    return static_cast<const LayoutResult*>(&made.back());
  };
  return arrange(model, lookup, hints).arrangement;
}

void SceneArranger::start(SceneModel model) {
  cancel();
  model_ = std::move(model);
  pending_ = true;
  step();
}

void SceneArranger::cancel() {
  ++generation_;
  pending_ = false;
  layout_->cancel();
}

const LayoutResult* SceneArranger::find(const LayoutGraph& graph) {
  const auto found =
      std::find_if(known_.begin(), known_.end(), [&](const Known& entry) { return entry.graph == graph; });
  if (found == known_.end()) return nullptr;
  known_.splice(known_.begin(), known_, found);
  if (found->room != room_) {
    found->room = room_;
    found->rows = inRows(found->graph, found->layout, room_);
  }
  return &found->rows;
}

void SceneArranger::step() {
  ArrangeOutcome outcome = arrange(model_, [this](const LayoutGraph& graph) { return find(graph); });
  if (outcome.complete) {
    pending_ = false;
    emit done();
    return;
  }
  asked_ = std::move(outcome.missing);
  layout_->start(asked_, ++generation_);
}

void SceneArranger::take(quint64 generation, const LayoutResult& result) {
  if (generation != generation_ || !pending_) return;  // the answer to an older question
  known_.push_front({asked_, result, room_, inRows(asked_, result, room_)});
  if (known_.size() > remembered) known_.pop_back();
  step();
}

}  // namespace sluice::ui
