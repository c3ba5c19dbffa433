#include "widgets/canvas/scene_presenter.h"

#include <QVariantAnimation>
#include <algorithm>

#include "widgets/canvas/graph_scene.h"
#include "widgets/common/document_paths.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

constexpr int movement_time = 220;        // ms
constexpr std::size_t most_moving = 600;  // boxes that move smoothly; more jump

SceneRect between(const SceneRect& from, const SceneRect& to, double share) {
  const auto mix = [share](double a, double b) { return a + (b - a) * share; };
  return {mix(from.x, to.x), mix(from.y, to.y), mix(from.width, to.width), mix(from.height, to.height)};
}

}  // namespace

ScenePresenter::ScenePresenter(const Catalog& catalog, GraphScene* scene, std::unique_ptr<GraphLayout> layout,
                               QObject* parent)
    : QObject(parent),
      catalog_(catalog),
      scene_(scene),
      arranger_(std::move(layout)),
      movement_(new QVariantAnimation(this)) {
  movement_->setStartValue(0.0);
  movement_->setEndValue(1.0);
  movement_->setDuration(movement_time);
  movement_->setEasingCurve(QEasingCurve::InOutCubic);
  connect(&arranger_, &SceneArranger::done, this, &ScenePresenter::layoutDone);
  connect(&arranger_, &SceneArranger::progressed, this, &ScenePresenter::layoutProgressed);
}

void ScenePresenter::setDocument(const Document& document, std::vector<SceneNodeGroup> groups) {
  adoptGroups(std::move(groups));
  document_ = document;
  rebuild();
}

void ScenePresenter::reset() {
  arranger_.cancel();
  document_ = {};
  unfolded_.clear();
  node_groups_.clear();
  folded_groups_.clear();
  held_.clear();
  program_.clear();
  stale_ = false;
  present({}, {});
  fresh_ = true;
}

void ScenePresenter::rebuild() {
  paused_ = stale_ = false;
  before_drag_.reset();
  const HeldPlaces& held = held_[program_];
  const Picture& picture = scene_->picture();
  SceneModel model = sceneModel(
      document_, catalog_,
      [fonts = CanvasFonts(picture.theme.family)](const std::string& text, TextRole role) {
        return fonts.width(qt(text), role);
      },
      folding());
  arranger_.cancel();
  if (std::optional<Arrangement> known = arranger_.ready(model, held))
    return finish(std::move(model), std::move(*known));
  Arrangement provisional = arranger_.provisional(model, fresh_ ? PositionHints() : positions(), held);
  present(model, std::move(provisional));
  arranger_.start(std::move(model), held);
}

void ScenePresenter::pause() {
  paused_ = true;
  before_drag_ = scene_->picture().arrangement;
}

void ScenePresenter::hold() {
  if (fresh_ || stale_ || layoutPending() || (paused_ && !before_drag_)) return;
  if (movement_->state() == QAbstractAnimation::Running) movement_->setCurrentTime(movement_->duration());
  const Picture& picture = scene_->picture();
  held_[program_].take(picture.model, paused_ ? *before_drag_ : picture.arrangement);
}

void ScenePresenter::follow(const std::string& from, const std::string& to) {
  hold();
  const Picture& picture = scene_->picture();
  const auto origin = [&](const std::string& path) {  // of the graph that it stands in
    const std::size_t dot = path.rfind('.');
    const std::string graph = dot == std::string::npos ? "" : path.substr(0, dot);
    for (std::size_t id = 0; id < picture.model.groups.size(); ++id)
      if (picture.model.groups[id].path == graph) return picture.arrangement.origins[id];
    return LayoutPoint();
  };
  const LayoutPoint old_origin = origin(from), new_origin = origin(to);
  held_[program_].follow(from, to, {old_origin.x - new_origin.x, old_origin.y - new_origin.y});
}

void ScenePresenter::setHeld(HeldPrograms held) {
  held_ = std::move(held);
  stale_ = true;
}

void ScenePresenter::refresh() {
  if (stale_ && !fresh_) rebuild();
}

void ScenePresenter::setProgram(const std::string& program) {
  if (std::exchange(program_, program) != program) stale_ = true;
}

void ScenePresenter::fitRoom(LayoutRoom room) {
  setRoom(room);
  if (paused_ || fresh_ || layoutPending() || animating()) return;
  SceneModel model = scene_->picture().model;
  const HeldPlaces& held = held_[program_];
  const std::optional<Arrangement> known = arranger_.ready(model, held);
  if (!known) return arranger_.start(std::move(model), held);
  if (known->boxes != scene_->picture().arrangement.boxes) finish(std::move(model), *known);
}

std::optional<Arrangement> ScenePresenter::inRoom(LayoutRoom room) const {
  const SceneModel& model = scene_->looks().model;
  const auto placed = [](const SceneBox& box) { return box.at.has_value(); };
  if (std::ranges::any_of(model.boxes, placed)) return std::nullopt;
  return arranger_.inRoom(model, room);
}

void ScenePresenter::cancelLayout() {
  if (!layoutPending()) return;
  arranger_.cancel();
  paused_ = true;
  animate_next_ = false;
  emit arranged();
}

void ScenePresenter::layoutDone() {
  if (paused_) return;
  SceneModel model = scene_->picture().model;
  if (std::optional<Arrangement> known = arranger_.ready(model, held_[program_]))
    finish(std::move(model), std::move(*known));
}

void ScenePresenter::finish(SceneModel model, Arrangement arrangement) {
  if (std::exchange(animate_next_, false)) return animateTo(std::move(model), arrangement);
  present(std::move(model), std::move(arrangement));
  emit arranged();
}

void ScenePresenter::present(SceneModel model, Arrangement arrangement) {
  emit aboutToReplace();
  movement_->stop();
  scene_->picture().set(std::move(model), std::move(arrangement));
  const bool boxes = !scene_->picture().boxes.empty();
  emit replaced();
  if (boxes) fresh_ = false;
}

PositionHints ScenePresenter::positions() const {
  const Picture& picture = scene_->picture();
  PositionHints positions;
  for (std::size_t i = 0; i < picture.boxes.size(); ++i)
    positions[picture.model.boxes[i].path] = writtenPosition(picture.model, picture.arrangement, i, true);
  return positions;
}

bool ScenePresenter::hasInside(const QString& path) const {
  const SceneModel& model = scene_->picture().model;
  const std::size_t box = model.findBox(path.toStdString());
  return box != nowhere &&
         (model.boxes[box].kind != SceneBox::Kind::Operator || !model.boxes[box].run.empty());
}

void ScenePresenter::toggle(const QString& path) {
  const std::string name = path.toStdString();
  const SceneBox& box = scene_->picture().model.boxes[scene_->picture().model.findBox(name)];
  if (!box.node_group.empty()) {
    for (const SceneNodeGroup& group : node_groups_)
      if (group.name == box.node_group && std::ranges::find(group.nodes, name) != group.nodes.end())
        folded_groups_.erase(keyOf(group));
    return rebuild();
  }
  const std::string run = box.run;
  if (!run.empty()) {
    if (!unfolded_.insert(run).second) unfolded_.erase(run);
    return rebuild();
  }
  Node* node = findNode(document_, name);
  if (node == nullptr || !node->body) return;
  // What came since the last edit makes room for the region with all else.
  const HeldPlaces& held = held_[program_];
  if (!held.empty() && !held.holdsAll(scene_->picture().model)) hold();
  const bool collapsed = node->body->collapsed = !node->body->collapsed;
  rebuild();
  emit regionToggled(path, collapsed);
}

SceneFolding ScenePresenter::folding() const {
  SceneFolding folding{unfolded_, {}};
  for (std::size_t i = 0; i < node_groups_.size(); ++i)
    if (isFolded(i)) folding.groups.push_back(node_groups_[i]);
  return folding;
}

/// By which a group is known when its program is made anew: what it is, and its first node.
ScenePresenter::GroupKey ScenePresenter::keyOf(const SceneNodeGroup& group) {
  return {group.kind, group.nodes.empty() ? "" : group.nodes.front()};
}

bool ScenePresenter::beginsFolded(const SceneNodeGroup& group) const {
  if (group.kind != GroupKind::EqualRegions) return group.kind == GroupKind::EqualLayers;
  // Where an edit makes regions equal, nothing closes under the hand that made it.
  const bool seen = !fresh_ && findNode(document_, group.nodes.front()) != nullptr;
  return group.count >= SceneNodeGroup::many_regions && !seen;
}

bool ScenePresenter::adoptGroups(std::vector<SceneNodeGroup> groups) {
  if (groups == node_groups_) return false;
  std::set<GroupKey> known, folded;
  for (const SceneNodeGroup& group : node_groups_) known.insert(keyOf(group));
  node_groups_ = std::move(groups);
  for (const SceneNodeGroup& group : node_groups_)
    if (folded_groups_.contains(keyOf(group)) || (!known.contains(keyOf(group)) && beginsFolded(group)))
      folded.insert(keyOf(group));
  if (folded_groups_.empty() && folded.empty()) return false;
  folded_groups_ = std::move(folded);
  return true;
}

void ScenePresenter::setNodeGroups(std::vector<SceneNodeGroup> groups) {
  if (adoptGroups(std::move(groups)) && !fresh_) rebuild();
}

bool ScenePresenter::isFolded(std::size_t node_group) const {
  return folded_groups_.contains(keyOf(node_groups_[node_group]));
}

void ScenePresenter::fold(const std::vector<std::size_t>& node_groups, bool folded) {
  for (const std::size_t group : node_groups) {
    if (folded)
      folded_groups_.insert(keyOf(node_groups_[group]));
    else
      folded_groups_.erase(keyOf(node_groups_[group]));
  }
  rebuild();
}

void ScenePresenter::place(const QHash<QString, QPointF>& nodes) {
  hold();
  const Picture& picture = scene_->picture();
  for (auto at = nodes.begin(); at != nodes.end(); ++at) {
    const std::size_t box = picture.model.findBox(at.key().toStdString());
    if (box != nowhere && !held_[program_].empty())
      held_[program_].put(picture.model, picture.arrangement, box, {at->x(), at->y()});
  }
  for (auto at = nodes.begin(); at != nodes.end(); ++at)
    if (Node* node = findNode(document_, at.key().toStdString())) node->at = Position{at->x(), at->y()};
  rebuild();
}

bool ScenePresenter::animating() const {
  return animate_next_ || movement_->state() == QAbstractAnimation::Running;
}

/// From what is on the screen to what is to be shown; boxes that are new appear at their place.
void ScenePresenter::animateTo(SceneModel model, const Arrangement& to) {
  const Picture& picture = scene_->picture();
  Arrangement from = to;
  for (std::size_t box = 0; box < model.boxes.size(); ++box) {
    const std::size_t old = picture.model.findBox(model.boxes[box].path);
    if (old != nowhere) from.boxes[box] = picture.arrangement.boxes[old];
  }
  const bool smooth = model.boxes.size() <= most_moving;
  present(std::move(model), smooth ? from : to);
  const auto arrive = [this, to] {
    showFrame(to, to, 1);
    emit arranged();
  };
  if (!smooth) return arrive();
  movement_->disconnect(this);
  connect(movement_, &QVariantAnimation::valueChanged, this,
          [this, from, to](const QVariant& share) { showFrame(from, to, share.toDouble()); });
  connect(movement_, &QVariantAnimation::finished, this, arrive);
  movement_->start();
}

void ScenePresenter::showFrame(const Arrangement& from, const Arrangement& to, double share) {
  Picture& picture = scene_->picture();
  if (to.boxes.size() != picture.boxes.size()) return;  // another program by now
  picture.arrangement = to;
  for (std::size_t box = 0; share < 1 && box < to.boxes.size(); ++box)
    picture.arrangement.boxes[box] = between(from.boxes[box], to.boxes[box], share);
  for (std::size_t link = 0; link < picture.links.size(); ++link) {
    const SceneLink& stream = picture.model.links[link];
    if (share < 1)
      picture.arrangement.links[link] = directCurve(linkStart(picture.model, picture.arrangement, stream),
                                                    linkEnd(picture.model, picture.arrangement, stream));
    picture.trace(link);
  }
  scene_->refresh();
}

}  // namespace sluice::ui
