#include "widgets/canvas/graph_canvas.h"

#include <QAction>
#include <QKeySequence>
#include <QScrollBar>
#include <QTimer>
#include <algorithm>
#include <utility>

#include "widgets/canvas/equal_regions.h"
#include "widgets/canvas/gestures/gesture.h"
#include "widgets/canvas/gestures/hover.h"
#include "widgets/canvas/graph_scene.h"
#include "widgets/canvas/graphviz_layout.h"
#include "widgets/canvas/layered_layout.h"
#include "widgets/canvas/scene_presenter.h"
#include "widgets/common/corner.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

std::unique_ptr<GraphLayout> makeLayout(const QString& helper) {
  if (helper.isEmpty()) return std::make_unique<LayeredLayout>();
  return std::make_unique<GraphvizLayout>(helper);
}

/// Labels and marks come when the program has been simulated, after it was fitted: what of them lies beyond
/// the view then is brought into it.
void refitForLabels(const GraphCanvas& canvas, CanvasCamera& camera) {
  if (!camera.fits()) return;
  const Picture& picture = canvas.graphScene()->picture();
  const QRectF view = canvas.viewportTransform().inverted().mapRect(QRectF(canvas.viewport()->rect()));
  for (std::size_t link = 0; link < picture.links.size(); ++link)
    if (const QRectF label = picture.labelRect(link); !label.isEmpty() && !view.contains(label))
      return camera.refit();
}

}  // namespace

GraphCanvas::GraphCanvas(Catalog catalog, const QString& layout_helper, QWidget* parent)
    : QGraphicsView(parent),
      catalog_(std::move(catalog)),
      scene_(new GraphScene(this)),
      presenter_(new ScenePresenter(catalog_, scene_, makeLayout(layout_helper), this)),
      selection_(scene_, nullptr),
      camera_(*this),
      hover_(std::make_unique<Hover>(*this)) {
  setObjectName("canvas");
  setScene(scene_);
  setFrameShape(QFrame::NoFrame);
  setTransformationAnchor(NoAnchor);
  setResizeAnchor(NoAnchor);
  setAlignment(Qt::AlignLeft | Qt::AlignTop);  // all placing is done by the camera, none by the view
  setViewportUpdateMode(SmartViewportUpdate);
  setOptimizationFlag(DontSavePainterState, false);
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  viewport()->setMouseTracking(true);
  setAccessibleName(tr("Program graph"));
  scene_->picture().theme = CanvasTheme::of(palette(), font());
  scene_->picture().plates_of = [this](const Picture& picture) { return plates(picture); };
  setAcceptDrops(true);
  makeActions();
  legend_ = new GroupLegend(this);  // not of the viewport, whose children scroll along
  connect(legend_, &GroupLegend::pressed, this, &GraphCanvas::toggleNodeGroup);
  connectParts();
  describeSelection();
}

GraphCanvas::~GraphCanvas() = default;

void GraphCanvas::connectParts() {
  for (const QScrollBar* bar : {horizontalScrollBar(), verticalScrollBar()})
    connect(bar, &QScrollBar::actionTriggered, this, [this] { camera_.stay(); });
  // A layer reaches further than the box that moves.
  connect(scene_, &QGraphicsScene::changed, this, [this] {
    if (std::ranges::any_of(layers_, [this](const auto* layer) { return shows(*layer); }))
      viewport()->update();
  });
  connect(presenter_, &ScenePresenter::aboutToReplace, this, [this] {
    hover_->forget();
    cancelGesture();
    camera_.remember();
  });
  connect(presenter_, &ScenePresenter::replaced, this, &GraphCanvas::pictureReplaced);
  connect(presenter_, &ScenePresenter::arranged, this, [this] {
    camera_.settle();
    emit viewChanged();
    emit arranged();
  });
  connect(presenter_, &ScenePresenter::layoutProgressed, this, &GraphCanvas::layoutProgressed);
  connect(presenter_, &ScenePresenter::regionToggled, this, &GraphCanvas::regionToggled);
  connect(&selection_, &CanvasSelection::picked, this, &GraphCanvas::nodeSelected);
  connect(&selection_, &CanvasSelection::streamPicked, this, &GraphCanvas::streamSelected);
  connect(&selection_, &CanvasSelection::cleared, this, &GraphCanvas::selectionCleared);
  connect(&selection_, &CanvasSelection::changed, this, &GraphCanvas::selectionChanged);
  connect(&selection_, &CanvasSelection::shown, this, &GraphCanvas::describeSelection);
  connect(&selection_, &CanvasSelection::changed, scene_, &GraphScene::placeLabels);  // its own comes first
}

void GraphCanvas::makeActions() {
  const auto add = [this](const char* name, const QString& text, const QList<QKeySequence>& keys, auto slot) {
    auto* action = new QAction(text, this);
    action->setObjectName(name);
    action->setShortcuts(keys);
    action->setShortcutContext(Qt::WidgetShortcut);
    connect(action, &QAction::triggered, this, slot);
    addAction(action);
    actions_.append(action);
  };
  add("canvas.zoomIn", tr("Zoom in"),
      {QKeySequence(Qt::CTRL | Qt::Key_Plus), QKeySequence(Qt::CTRL | Qt::Key_Equal)}, &GraphCanvas::zoomIn);
  add("canvas.zoomOut", tr("Zoom out"), {QKeySequence(Qt::CTRL | Qt::Key_Minus)}, &GraphCanvas::zoomOut);
  add("canvas.fitAll", tr("Fit the whole graph"),
      {QKeySequence(Qt::Key_F), QKeySequence(Qt::CTRL | Qt::Key_0)}, &GraphCanvas::fitAll);
  add("canvas.fitSelection", tr("Fit the selection"), {QKeySequence(Qt::SHIFT | Qt::Key_F)},
      &GraphCanvas::fitSelection);
  add("canvas.toggleRegion", tr("Expand or collapse the region"), {},
      [this] { toggleRegion(selectedNode()); });
  add("canvas.foldGroups", tr("Fold or unfold the fusion groups"), {}, [this] { toggleAllNodeGroups(); });
  add("canvas.foldEqual", tr("Fold or unfold equal layers and regions"), {},
      [this] { toggleAllNodeGroups(true); });
  add("canvas.enterRegion", tr("Enter the region"), {QKeySequence(Qt::ALT | Qt::Key_Down)},
      &GraphCanvas::enterRegion);
  add("canvas.leaveRegion", tr("Leave the region"), {QKeySequence(Qt::ALT | Qt::Key_Up)},
      &GraphCanvas::leaveRegion);
  add("canvas.selectAll", tr("Select all nodes"), {QKeySequence(Qt::CTRL | Qt::Key_A)},
      &GraphCanvas::selectAllNodes);
  add("canvas.clearSelection", tr("Clear the selection"), {}, [this] { selection_.pick({}, {}); });
}

void GraphCanvas::setStrip(int height) {
  if (viewportMargins().top() != height) setViewportMargins(0, height, 0, 0);
}

void GraphCanvas::setDocument(const Document& document) {
  if (!presenter_->fresh() && !presenter_->stale() && document == presenter_->document()) return;
  if (!camera_.holds() && !presenter_->fresh() && !presenter_->willAnimate()) camera_.hold(selectedNode());
  if (presenter_->fresh()) presenter_->setRoom(camera_.room());
  QList<NodeGroup> equal = equalRegions(document);
  const bool same = equal == equal_;
  equal_ = std::move(equal);
  if (!same) groups_.groups = given_ + equal_;
  presenter_->setDocument(document, sceneGroups());
  if (!same) showLegend();
}

const Document& GraphCanvas::document() const {
  return presenter_->document();
}

void GraphCanvas::reset() {
  labels_.clear();
  stream_heat_.clear();
  node_heat_.clear();
  marks_.clear();
  given_.clear();
  equal_.clear();
  groups_.groups.clear();
  camera_.release();
  selection_.forget();
  presenter_->reset();
  showLegend();
  setZoom(1);  // of what begins empty
}

void GraphCanvas::pictureReplaced() {
  Picture& picture = scene_->picture();
  cost_.overlay = summedByBox(costs_, picture.model);
  dress(picture);
  scene_->rebuild();
  selection_.restore();
  camera_.follow(presenter_->fresh() && !picture.boxes.empty());
  viewport()->update();  // also where no item was
}

void GraphCanvas::dress(Picture& picture) const {
  picture.setLabels(labels_);
  picture.setHeat(stream_heat_, node_heat_);
  picture.setMarks(shownMarks());
  if (topic() != Topic::Costs) return picture.setNotes(notes());
  DeltaLayer cost = cost_;  // of boxes that this picture may show folded
  cost.overlay = summedByBox(costs_, picture.model);
  picture.setNotes(cost.notes(theme()));
}

void GraphCanvas::setStreamLabels(const QHash<QString, QString>& by_origin) {
  if (labels_ == by_origin) return;
  labels_ = by_origin;
  scene_->looks().setLabels(labels_);
  scene_->refresh();
  QTimer::singleShot(0, this, [this] { refitForLabels(*this, camera_); });
  describeSelection();
}

void GraphCanvas::setStreamHeat(const QHash<QString, double>& by_origin) {
  if (stream_heat_ == by_origin) return;
  stream_heat_ = by_origin;
  scene_->looks().setHeat(stream_heat_, node_heat_);
  scene_->refresh();
}

void GraphCanvas::setNodeHeat(const QHash<QString, double>& by_path) {
  if (node_heat_ == by_path) return;
  node_heat_ = by_path;
  scene_->looks().setHeat(stream_heat_, node_heat_);
  scene_->refresh();
}

void GraphCanvas::setMarks(const QHash<QString, Mark>& by_path_or_origin) {
  if (marks_ == by_path_or_origin) return;
  marks_ = by_path_or_origin;
  showBadges();
  QTimer::singleShot(0, this, [this] { refitForLabels(*this, camera_); });
  describeSelection();
}

bool GraphCanvas::has(Topic topic) const {
  if (topic == Topic::Deadlock &&
      std::ranges::any_of(marks_, [](const Mark& mark) { return mark.kind == Mark::Kind::Deadlock; }))
    return true;
  return std::ranges::any_of(
      layers_, [topic](const auto* layer) { return layer->topic() == topic && !layer->empty(); });
}

Topic GraphCanvas::topic() const {
  if (has(Topic::Moment)) return Topic::Moment;
  for (const Topic topic : {wanted_, Topic::Deadlock, Topic::Differences, Topic::Costs})
    if (topic != Topic::Any && has(topic)) return topic;
  return Topic::Any;
}

/// The view of deadlocks goes to moments of the run, and keeps its wait cycles there.
bool GraphCanvas::tells(Topic asked) const {
  const Topic now = topic();
  return asked == Topic::Any || asked == now ||
         (asked == Topic::Deadlock && now == Topic::Moment && wanted_ == Topic::Deadlock);
}

void GraphCanvas::setTopic(Topic topic) {
  if (std::exchange(wanted_, topic) == topic) return;
  showBadges();
  refreshLayers();
}

Notes GraphCanvas::notes() const {
  switch (topic()) {
    case Topic::Moment:
      return time_.notes(theme());
    case Topic::Differences:
      return delta_.notes(theme());
    case Topic::Costs:
      return cost_.notes(theme());
    default:
      return {};
  }
}

QHash<QString, Mark> GraphCanvas::shownMarks() const {
  if (tells(Topic::Deadlock)) return marks_;
  QHash<QString, Mark> others = marks_;
  others.removeIf([](const auto& mark) { return mark->kind == Mark::Kind::Deadlock; });
  return others;
}

void GraphCanvas::showBadges() {
  scene_->looks().setMarks(shownMarks());
  scene_->looks().setNotes(notes());
  scene_->refresh();
  viewport()->update();
}

std::vector<SceneNodeGroup> GraphCanvas::sceneGroups() const {
  std::vector<SceneNodeGroup> made;
  for (const NodeGroup& group : nodeGroups()) {
    made.push_back({group.kind, static_cast<std::size_t>(group.count), group.name.toStdString(), {}});
    for (const QString& node : group.nodes) made.back().nodes.push_back(node.toStdString());
  }
  return made;
}

void GraphCanvas::setNodeGroups(const QList<NodeGroup>& groups) {
  if (given_ == groups) return;
  viewport()->update();
  given_ = groups;
  groups_.groups = given_ + equal_;
  presenter_->setNodeGroups(sceneGroups());
  showLegend();
  camera_.refit();  // beside the legend
}

void GraphCanvas::showLegend() {
  legend_->setGroups(nodeGroups(), foldedGroups(), theme());
}

void GraphCanvas::placeLegend() {
  if (legend_->isHidden()) return;
  for (const Qt::Corner corner : {Qt::BottomLeftCorner, Qt::BottomRightCorner, Qt::TopRightCorner}) {
    keepInCorner(legend_, corner);
    if (!camera_.coversABox(*legend_)) return;
  }
  keepInCorner(legend_, Qt::BottomLeftCorner);
}

QSet<int> GraphCanvas::foldedGroups() const {
  QSet<int> folded;
  for (int group = 0; group < nodeGroups().size(); ++group)
    if (presenter_->isFolded(static_cast<std::size_t>(group))) folded << group;
  return folded;
}

void GraphCanvas::foldGroups(const QList<int>& groups, bool folded) {
  if (groups.isEmpty()) return;
  presenter_->fold({groups.begin(), groups.end()}, folded);
  showLegend();
}

void GraphCanvas::toggleNodeGroup(int group) {
  foldGroups({group}, !foldedGroups().contains(group));
}

void GraphCanvas::toggleAllNodeGroups(bool equal) {
  const QSet<int> folded = foldedGroups();
  QList<int> all;
  for (int group = 0; group < nodeGroups().size(); ++group)
    if ((nodeGroups()[group].kind != GroupKind::Fusion) == equal) all << group;
  const bool fold =
      std::any_of(all.begin(), all.end(), [&folded](int group) { return !folded.contains(group); });
  foldGroups(all, fold);
  fitAll();
}

void GraphCanvas::setTimeOverlay(const TimeOverlay& overlay) {
  if (time_.overlay == overlay) return;
  time_.overlay = overlay;
  showBadges();
}

void GraphCanvas::setDeltaOverlay(const DeltaOverlay& overlay) {
  if (delta_.overlay == overlay) return;
  delta_.overlay = overlay;
  showBadges();
}

void GraphCanvas::setCostOverlay(const CostOverlay& overlay) {
  if (costs_ == overlay) return;
  costs_ = overlay;
  cost_.overlay = summedByBox(costs_, scene_->picture().model);
  showBadges();
}

double GraphCanvas::costs() const {
  double sum = 0;
  for (auto cost = costs_.costs.begin(); cost != costs_.costs.end(); ++cost)
    if (scene_->picture().model.visibleBox(cost.key().toStdString()) != nowhere) sum += *cost;
  return sum;
}

void GraphCanvas::addLayer(const CanvasLayer* layer) {
  layers_.append(layer);
}

void GraphCanvas::refreshLayers() {
  showBadges();  // a layer that has something to tell now may go before others
  camera_.updateScrollRange();
  viewport()->update();
}

std::vector<Plate> GraphCanvas::plates(const Picture& picture) const {
  std::vector<Plate> all;
  for (const CanvasLayer* layer : layers_) {
    if (!shows(*layer) || (picture.theme.on_paper && !layer->exported())) continue;
    const std::vector<Plate> plates = layer->plates(picture);
    all.insert(all.end(), plates.begin(), plates.end());
  }
  return all;
}

void GraphCanvas::paintLayers(QPainter& painter, const Picture& picture, CanvasLayer::Level level,
                              bool on_paper) const {
  for (const CanvasLayer* layer : layers_)
    if (layer->level() == level && shows(*layer) && (layer->exported() || !on_paper))
      layer->paint(painter, picture);
  if (level == CanvasLayer::Level::Over) paintPlates(painter, picture);
}

QRectF GraphCanvas::contentRect() const {
  return contentOf(scene_->picture());
}

QRectF GraphCanvas::contentOf(const Picture& picture) const {
  QRectF content = picture.contentRect();
  if (content.isEmpty()) return content;
  for (const CanvasLayer* layer : layers_)
    if (layer->exported() && shows(*layer)) content |= layer->bounds(picture);
  return content;
}

void GraphCanvas::render(QPainter* painter, const QRectF& target) const {
  CanvasTheme paper = CanvasTheme::light(theme().family);
  paper.canvas = Qt::white;
  render(painter, target, paper);
}

void GraphCanvas::render(QPainter* painter, const QRectF& target, const CanvasTheme& theme) const {
  if (!contentRect().isEmpty()) paintInto(*painter, target, scene_->picture().onPaper(theme));
}

bool GraphCanvas::layoutPending() const {
  return presenter_->layoutPending();
}

void GraphCanvas::cancelLayout() {
  presenter_->cancelLayout();
}

void GraphCanvas::holdPlaces() {
  presenter_->hold();
}

void GraphCanvas::followPlace(const QString& from, const QString& to) {
  presenter_->follow(from.toStdString(), to.toStdString());
}

const HeldPrograms& GraphCanvas::heldPlaces() const {
  return presenter_->held();
}

void GraphCanvas::setHeldPlaces(HeldPrograms held) {
  presenter_->setHeld(std::move(held));
}

void GraphCanvas::refreshPlaces() {
  presenter_->refresh();
}

void GraphCanvas::setProgramName(const QString& program) {
  presenter_->setProgram(program.toStdString());
}

void GraphCanvas::animateNextLayout() {
  presenter_->animateNext();
}

bool GraphCanvas::animating() const {
  return presenter_->animating();
}

const CanvasTheme& GraphCanvas::theme() const {
  return scene_->looks().theme;
}

QHash<QString, QPointF> GraphCanvas::nodePositions() const {
  const SceneModel& model = scene_->picture().model;
  QHash<QString, QPointF> positions;
  for (const auto& [path, at] : presenter_->positions())
    if (model.boxes[model.findBox(path)].folded == 0) positions[qt(path)] = {at.x, at.y};
  return positions;
}

QHash<QString, QSizeF> GraphCanvas::nodeSizes() const {
  QHash<QString, QSizeF> sizes;
  for (const SceneBox& box : scene_->picture().model.boxes)
    sizes[qt(box.path)] = {box.folded_width, box.folded_height};
  return sizes;
}

std::pair<QString, QPointF> GraphCanvas::placeAt(const QPointF& scene_point) const {
  const Picture& picture = scene_->picture();
  if (picture.model.groups.empty()) return {{}, scene_point};
  const std::size_t group = groupAt(picture.model, picture.arrangement, toLayout(scene_point));
  const Position at = writtenPoint(picture.model, picture.arrangement, group, toLayout(scene_point));
  return {qt(picture.model.groups[group].path), {at.x, at.y}};
}

QPointF GraphCanvas::nodeCenter(const QString& path) const {
  const std::size_t box = scene_->picture().model.findBox(path.toStdString());
  return box == nowhere ? QPointF() : scene_->picture().titleRect(box).center();
}

QPointF GraphCanvas::streamPoint(const QString& origin) const {
  const std::size_t link = scene_->picture().model.findLink(origin.toStdString());
  return link == nowhere ? QPointF() : scene_->picture().links[link].middle;
}

QPointF GraphCanvas::portPoint(const QString& node, const QString& port, bool output) const {
  const Picture& picture = scene_->picture();
  const std::size_t box = picture.model.findBox(node.toStdString());
  if (box == nowhere) return {};
  const auto& ports = output ? picture.model.boxes[box].outputs : picture.model.boxes[box].inputs;
  for (std::size_t i = 0; i < ports.size(); ++i)
    if (qt(ports[i].name) == port)
      return toPoint(sluice::ui::portPoint(picture.model, picture.arrangement, {box, i, output}));
  return {};
}

double GraphCanvas::zoom() const {
  return transform().m11();
}

void GraphCanvas::setZoom(double factor) {
  camera_.zoomAbout(factor, QRectF(viewport()->rect()).center());
}

void GraphCanvas::fitSelection() {
  const QRectF rect = selection_.bounds();
  if (!rect.isNull()) camera_.fit(rect.adjusted(-60, -60, 60, 60));
}

}  // namespace sluice::ui
