#include "widgets/canvas/scene_arranger.h"

#include <algorithm>

#include "widgets/canvas/layered_layout.h"
#include "widgets/canvas/rough_layout.h"

namespace sluice::ui {
namespace {

constexpr int tick = 100;                // ms
constexpr double share_of_layout = 0.3;  // of the time that a graph takes; the rest goes into its rows

}  // namespace

SceneArranger::SceneArranger(std::unique_ptr<GraphLayout> layout, QObject* parent)
    : QObject(parent), layout_(std::move(layout)) {
  connect(layout_.get(), &GraphLayout::finished, this, &SceneArranger::take);
  ticks_.setInterval(tick);
  connect(&ticks_, &QTimer::timeout, this, &SceneArranger::tellProgress);
}

std::optional<Arrangement> SceneArranger::ready(const SceneModel& model, const HeldPlaces& held) {
  ArrangeOutcome outcome = arrange(
      model, [this](const LayoutGraph& graph) { return find(graph); }, {}, &held);
  if (!outcome.complete) return std::nullopt;
  return std::move(outcome.arrangement);
}

Arrangement SceneArranger::provisional(const SceneModel& model, const PositionHints& hints,
                                       const HeldPlaces& held) {
  std::list<LayoutResult> made;  // a list, because the lookup hands out pointers
  const auto lookup = [&](const LayoutGraph& graph) {
    if (const LayoutResult* found = find(graph)) return found;
    if (const Known* other_room = known(graph)) return &other_room->rows;
    made.push_back(isQuick(graph) ? inRows(graph, layeredLayout(graph), room_) : roughLayout(graph, room_));
    return static_cast<const LayoutResult*>(&made.back());
  };
  return arrange(model, lookup, hints, &held).arrangement;
}

std::optional<Arrangement> SceneArranger::inRoom(const SceneModel& model, LayoutRoom room) const {
  std::list<LayoutResult> made;
  const auto lookup = [&](const LayoutGraph& graph) -> const LayoutResult* {
    if (!isQuick(graph)) return nullptr;
    const auto known = std::ranges::find(known_, graph, &Known::graph);
    made.push_back(inRows(graph, known == known_.end() ? layeredLayout(graph) : known->layout, room));
    return &made.back();
  };
  ArrangeOutcome outcome = arrange(model, lookup);
  if (!outcome.complete) return std::nullopt;
  return std::move(outcome.arrangement);
}

void SceneArranger::start(SceneModel model, const HeldPlaces& held) {
  cancel();
  held_ = held;
  model_ = std::move(model);
  setPending(true);
  step();
}

void SceneArranger::cancel() {
  ++generation_;
  setPending(false);
  lane_.forget();
  layout_->cancel();
}

void SceneArranger::setPending(bool pending) {
  pending_ = pending;
  if (pending) {
    before_ = 0;
    ticks_.start();
  } else if (ticks_.isActive()) {
    ticks_.stop();
    emit progressed(1);
  }
}

void SceneArranger::tellProgress() {
  const double part = steps_.done ? share_of_layout + (1 - share_of_layout) * steps_.done->load()
                                  : share_of_layout * layout_->done();
  emit progressed(std::min(before_ + part_ * part, 0.99));
}

SceneArranger::Known* SceneArranger::known(const LayoutGraph& graph) {
  const auto found =
      std::find_if(known_.begin(), known_.end(), [&](const Known& entry) { return entry.graph == graph; });
  if (found == known_.end()) return nullptr;
  known_.splice(known_.begin(), known_, found);
  return &*found;
}

const LayoutResult* SceneArranger::find(const LayoutGraph& graph) {
  Known* entry = known(graph);
  if (entry == nullptr) return nullptr;
  if (entry->room != room_) {
    if (!entry->quick) return nullptr;
    entry->room = room_;
    entry->rows = inRows(entry->graph, entry->layout, room_);
  }
  return &entry->rows;
}

void SceneArranger::step() {
  ArrangeOutcome outcome = arrange(
      model_, [this](const LayoutGraph& graph) { return find(graph); }, {}, &held_);
  if (outcome.complete) {
    setPending(false);
    emit done();
    return;
  }
  part_ = 1 / static_cast<double>(model_.groups.size());
  before_ = static_cast<double>(outcome.arranged) * part_;
  steps_.done.reset();
  if (const Known* other_room = known(outcome.missing)) return breakIntoRows(*other_room);
  asked_ = std::move(outcome.missing);
  layout_->start(asked_, ++generation_);
}

void SceneArranger::take(quint64 generation, const LayoutResult& result) {
  if (generation != generation_ || !pending_) return;  // the answer to an older question
  breakIntoRows({asked_, result, room_, {}, isQuick(asked_)});
}

void SceneArranger::breakIntoRows(Known entry) {
  entry.room = room_;
  if (entry.quick) {
    entry.rows = inRows(entry.graph, entry.layout, room_);
    return remember(std::move(entry));
  }
  steps_.done = std::make_shared<std::atomic<double>>(0);
  const auto made = std::make_shared<Known>(std::move(entry));
  const auto answer = [this, made, generation = ++generation_] {
    const auto take_rows = [this, made, generation] {
      if (generation == generation_ && pending_) remember(std::move(*made));
    };
    QMetaObject::invokeMethod(this, take_rows, Qt::QueuedConnection);
  };
  lane_.ask(
      [made, answer, steps = steps_](const std::stop_token& stop) mutable {
        steps.stop = stop;
        made->rows = inRows(made->graph, made->layout, made->room, steps);
        answer();
      },
      [made, answer](const Diagnostic&) {  // there was no memory for them
        made->rows = made->layout;
        answer();
      });
}

void SceneArranger::remember(Known entry) {
  std::erase_if(known_, [&](const Known& other) { return other.graph == entry.graph; });
  known_.push_front(std::move(entry));
  while (known_.size() > std::max(remembered, model_.groups.size())) known_.pop_back();
  step();
}

}  // namespace sluice::ui
