#include "widgets/canvas/graph_canvas.h"

#include <QAccessible>
#include <QAction>
#include <QKeySequence>
#include <QScrollBar>
#include <QVariantAnimation>
#include <algorithm>
#include <cmath>

#include "widgets/canvas/canvas_gesture.h"
#include "widgets/canvas/canvas_layer.h"
#include "widgets/canvas/graph_scene.h"
#include "widgets/canvas/graphviz_layout.h"
#include "widgets/canvas/layered_layout.h"
#include "widgets/canvas/scene_arranger.h"

namespace sluice::ui {
namespace {

std::unique_ptr<GraphLayout> makeLayout(const QString& helper) {
  if (helper.isEmpty()) return std::make_unique<LayeredLayout>();
  return std::make_unique<GraphvizLayout>(helper);
}

std::string key(const QString& text) {
  return text.toStdString();
}
QString shown(const std::string& text) {
  return QString::fromStdString(text);
}

/// The node at a path, to write what the user did into our copy of the document.
Node* findNode(Graph& graph, const std::string& path) {
  const std::size_t dot = path.find('.');
  const auto found = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                  [&](const Node& node) { return node.name == path.substr(0, dot); });
  if (found == graph.nodes.end()) return nullptr;
  if (dot == std::string::npos) return &*found;
  return found->body ? findNode(found->body->body, path.substr(dot + 1)) : nullptr;
}

}  // namespace

GraphCanvas::GraphCanvas(Catalog catalog, const QString& layout_helper, QWidget* parent)
    : QGraphicsView(parent),
      catalog_(std::move(catalog)),
      scene_(new GraphScene(this)),
      arranger_(std::make_unique<SceneArranger>(makeLayout(layout_helper))),
      gesture_(std::make_unique<Gesture>()) {
  setObjectName("canvas");
  setScene(scene_);
  setFrameShape(QFrame::NoFrame);
  setTransformationAnchor(NoAnchor);
  setResizeAnchor(NoAnchor);
  setAlignment(Qt::AlignLeft | Qt::AlignTop);  // all placing is done here, none by the view
  setViewportUpdateMode(SmartViewportUpdate);
  setOptimizationFlag(DontSavePainterState, false);
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  viewport()->setMouseTracking(true);
  setAccessibleName(tr("Program graph"));
  scene_->picture().theme = CanvasTheme::of(palette(), font());
  for (const QScrollBar* bar : {horizontalScrollBar(), verticalScrollBar()}) {
    connect(bar, &QScrollBar::actionTriggered, this, [this] { keep_fit_ = false; });
  }
  setAcceptDrops(true);
  makeActions();
  legend_ = new GroupLegend(this);  // not of the viewport, whose children scroll along
  // A group's ground reaches further than the box that moves.
  connect(scene_, &QGraphicsScene::changed, this, [this] {
    const bool layered = std::any_of(layers_.begin(), layers_.end(), [this](const CanvasLayer* layer) {
      return !layer->bounds(scene_->picture()).isEmpty();
    });
    if (layered || !groups_.isEmpty()) viewport()->update();
  });
  describeSelection();
  connect(arranger_.get(), &SceneArranger::done, this, &GraphCanvas::layoutDone);
}

GraphCanvas::~GraphCanvas() = default;

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
  add("canvas.enterRegion", tr("Enter the region"), {QKeySequence(Qt::ALT | Qt::Key_Down)},
      &GraphCanvas::enterRegion);
  add("canvas.leaveRegion", tr("Leave the region"), {QKeySequence(Qt::ALT | Qt::Key_Up)},
      &GraphCanvas::leaveRegion);
  add("canvas.selectAll", tr("Select all nodes"), {QKeySequence(Qt::CTRL | Qt::Key_A)},
      &GraphCanvas::selectAllNodes);
  add("canvas.clearSelection", tr("Clear the selection"), {}, [this] { selectByUser({}, {}); });
}

void GraphCanvas::setDocument(const Document& document) {
  if (!fresh_ && document == document_) return;
  document_ = document;
  const std::size_t held = scene_->picture().model.visibleBox(key(selectedNode()));
  if (!anchor_ && !fresh_ && !animate_next_ && held != nowhere) {
    anchor_ = {selectedNode(), viewportTransform().map(scene_->picture().rect(held).topLeft())};
  }
  rebuild();
}

void GraphCanvas::reset() {
  arranger_->cancel();
  document_ = {};
  labels_.clear();
  stream_heat_.clear();
  node_heat_.clear();
  marks_.clear();
  setNodeGroups({});
  anchor_.reset();
  selected_nodes_.clear();
  selected_stream_.clear();
  unfolded_.clear();
  present({}, {});
  fresh_ = true;
  describeSelection();
}

void GraphCanvas::rebuild() {
  const Picture& picture = scene_->picture();
  SceneModel model = sceneModel(
      document_, catalog_,
      [fonts = CanvasFonts(picture.theme.family)](const std::string& text, TextRole role) {
        return fonts.width(shown(text), role);
      },
      unfolded_);
  arranger_->cancel();
  std::optional<Arrangement> known = arranger_->ready(model);
  if (!known) {
    PositionHints hints;
    for (std::size_t i = 0; !fresh_ && i < picture.model.boxes.size(); ++i) {
      hints[picture.model.boxes[i].path] = writtenPosition(picture.model, picture.arrangement, i, true);
    }
    Arrangement provisional = arranger_->provisional(model, hints);
    present(model, std::move(provisional));
    arranger_->start(std::move(model));
    return;
  }
  finish(std::move(model), std::move(*known));
}

void GraphCanvas::layoutDone() {
  if (gesture_->mode == Gesture::Mode::Drag)
    return;  // do not pull the box away; the end of the drag arranges everything
  SceneModel model = scene_->picture().model;
  if (std::optional<Arrangement> known = arranger_->ready(model)) finish(std::move(model), std::move(*known));
}

void GraphCanvas::finish(SceneModel model, Arrangement arrangement) {
  if (std::exchange(animate_next_, false)) return animateTo(std::move(model), std::move(arrangement));
  present(std::move(model), std::move(arrangement));
  if (keep_fit_) fitAll();
  anchor_.reset();
  emit arranged();
}

void GraphCanvas::present(SceneModel model, Arrangement arrangement) {
  cancelGesture();
  if (movement_) movement_->stop();
  Picture& picture = scene_->picture();
  picture.set(std::move(model), std::move(arrangement));
  decorate();
  scene_->rebuild();
  QStringList nodes = selected_nodes_;
  nodes.removeIf([&](const QString& node) { return picture.model.visibleBox(key(node)) == nowhere; });
  const bool node_gone = !selected_nodes_.isEmpty() && nodes.isEmpty();
  const bool stream_gone = !selected_stream_.isEmpty() &&
                           picture.model.findLink(key(selected_stream_)) == nowhere &&
                           picture.model.visibleBox(key(selected_stream_)) == nowhere;
  if (node_gone || stream_gone)
    selectByUser({}, {});
  else
    choose(nodes, selected_stream_);
  updateScrollRange();
  if (fresh_ && !picture.boxes.empty()) {
    fitAll();
    keep_fit_ = true;
    fresh_ = false;
  }
  const std::size_t anchor = anchor_ ? picture.model.visibleBox(key(anchor_->first)) : nowhere;
  if (anchor != nowhere && !keep_fit_) scrollSo(picture.rect(anchor).topLeft(), anchor_->second);
}

void GraphCanvas::decorate() {
  Picture& picture = scene_->picture();
  picture.setLabels(labels_);
  picture.setHeat(stream_heat_, node_heat_);
  picture.setMarks(marks_);
}

void GraphCanvas::setStreamLabels(const QHash<QString, QString>& by_origin) {
  if (labels_ == by_origin) return;
  labels_ = by_origin;
  scene_->picture().setLabels(labels_);
  scene_->refresh();
}

void GraphCanvas::setNodeGroups(const QList<NodeGroup>& groups) {
  if (groups == groups_) return;
  groups_ = groups;
  legend_->setGroups(groups_, theme());
  viewport()->update();
}

void GraphCanvas::setStreamHeat(const QHash<QString, double>& by_origin) {
  stream_heat_ = by_origin;
  scene_->picture().setHeat(stream_heat_, node_heat_);
  scene_->refresh();
}

void GraphCanvas::setNodeHeat(const QHash<QString, double>& by_path) {
  node_heat_ = by_path;
  scene_->picture().setHeat(stream_heat_, node_heat_);
  scene_->refresh();
}

void GraphCanvas::setMarks(const QHash<QString, Mark>& by_path_or_origin) {
  marks_ = by_path_or_origin;
  scene_->picture().setMarks(marks_);
  scene_->refresh();
  describeSelection();
}

bool GraphCanvas::layoutPending() const {
  return arranger_->pending();
}

QHash<QString, QPointF> GraphCanvas::nodePositions() const {
  QHash<QString, QPointF> positions;
  const Picture& picture = scene_->picture();
  for (std::size_t i = 0; i < picture.boxes.size(); ++i) {
    if (picture.model.boxes[i].folded > 0) continue;
    const Position at = writtenPosition(picture.model, picture.arrangement, i, true);
    positions[shown(picture.model.boxes[i].path)] = {at.x, at.y};
  }
  return positions;
}

const CanvasTheme& GraphCanvas::theme() const {
  return scene_->picture().theme;
}

QRectF GraphCanvas::contentRect() const {
  QRectF content = scene_->picture().contentRect();
  if (content.isEmpty()) return content;
  for (const CanvasLayer* layer : layers_) content |= layer->bounds(scene_->picture());
  return content;
}

void GraphCanvas::addLayer(const CanvasLayer* layer) {
  layers_.append(layer);
}

void GraphCanvas::refreshLayers() {
  updateScrollRange();
  viewport()->update();
}

void GraphCanvas::render(QPainter* painter, const QRectF& target) const {
  CanvasTheme paper = CanvasTheme::light(theme().family);
  paper.canvas = Qt::white;
  render(painter, target, paper);
}

void GraphCanvas::render(QPainter* painter, const QRectF& target, const CanvasTheme& theme) const {
  Picture picture = scene_->picture();
  picture.theme = theme;
  for (BoxLook& look : picture.boxes) look.selected = look.hovered = false;
  for (LinkLook& look : picture.links) look.selected = look.hovered = false;
  const QRectF content = contentRect();
  if (content.isEmpty()) return;
  const double scale = std::min(target.width() / content.width(), target.height() / content.height());
  painter->save();
  painter->translate(target.center());
  painter->scale(scale, scale);
  painter->translate(-content.center());
  paintNodeGroups(*painter, picture, groups_);
  paintGraph(*painter, picture, Detail::Full);
  for (const CanvasLayer* layer : layers_) layer->paint(*painter, picture);
  painter->restore();
}

QPointF GraphCanvas::nodeCenter(const QString& path) const {
  const std::size_t box = scene_->picture().model.findBox(key(path));
  return box == nowhere ? QPointF() : scene_->picture().titleRect(box).center();
}

QPointF GraphCanvas::streamPoint(const QString& origin) const {
  const std::size_t link = scene_->picture().model.findLink(key(origin));
  return link == nowhere ? QPointF() : scene_->picture().links[link].middle;
}

void GraphCanvas::select(const QString& node, const QString& stream) {
  choose(node.isEmpty() ? QStringList() : QStringList(node), stream);
}

void GraphCanvas::choose(const QStringList& nodes, const QString& stream) {
  const bool other = nodes != selected_nodes_ || stream != selected_stream_;
  selected_nodes_ = nodes;
  selected_stream_ = stream;
  Picture& picture = scene_->picture();
  const std::size_t link = stream.isEmpty() ? nowhere : picture.model.findLink(key(stream));
  std::vector<bool> chosen(picture.boxes.size() + 1, false);  // the last: nowhere
  const auto mark = [&](const QString& name) {
    chosen[std::min(picture.model.visibleBox(key(name)), picture.boxes.size())] = true;
  };
  for (const QString& node : nodes) mark(node);
  if (link == nowhere && !stream.isEmpty()) mark(stream);
  for (std::size_t i = 0; i < picture.boxes.size(); ++i) {
    if (std::exchange(picture.boxes[i].selected, chosen[i]) != chosen[i]) scene_->refreshBox(i);
  }
  for (std::size_t i = 0; i < picture.links.size(); ++i) {
    if (std::exchange(picture.links[i].selected, i == link) != (i == link)) scene_->refreshLink(i);
  }
  describeSelection();
  if (other) emit selectionChanged();
}

void GraphCanvas::selectByUser(const QString& node, const QString& stream) {
  const QStringList nodes = node.isEmpty() ? QStringList() : QStringList(node);
  if (nodes == selected_nodes_ && stream == selected_stream_) return;
  choose(nodes, stream);
  if (!node.isEmpty())
    emit nodeSelected(node);
  else if (!stream.isEmpty())
    emit streamSelected(stream);
  else
    emit selectionCleared();
}

void GraphCanvas::toggleByUser(const QString& node) {
  QStringList nodes = selected_nodes_;
  if (!nodes.removeOne(node)) nodes << node;
  choose(nodes, {});
  if (nodes.isEmpty())
    emit selectionCleared();
  else
    emit nodeSelected(nodes.last());
}

void GraphCanvas::selectNode(const QString& path) {
  const std::size_t box = scene_->picture().model.visibleBox(key(path));
  if (box == nowhere) return clearSelection();
  // The last of several is selected already: the others stay.
  if (selectedNode() != path) select(path, {});
  reveal(scene_->picture().titleRect(box));
}

void GraphCanvas::selectNodes(const QStringList& paths) {
  QStringList nodes = paths;
  nodes.removeIf(
      [this](const QString& node) { return scene_->picture().model.visibleBox(key(node)) == nowhere; });
  choose(nodes, {});
  if (!nodes.isEmpty())
    reveal(scene_->picture().titleRect(scene_->picture().model.visibleBox(key(nodes.last()))));
}

void GraphCanvas::selectStream(const QString& origin) {
  const Picture& picture = scene_->picture();
  const std::size_t link = picture.model.findLink(key(origin));
  const std::size_t box = link == nowhere ? picture.model.visibleBox(key(origin)) : nowhere;
  if (link == nowhere && box == nowhere) return clearSelection();
  select(QString(), origin);
  if (box != nowhere) return reveal(picture.titleRect(box));
  const QPointF middle = picture.links[link].middle;
  reveal(QRectF(middle, QSizeF(1, 1)).adjusted(-40, -20, 40, 20));
}

void GraphCanvas::clearSelection() {
  select(QString(), {});
}

QString GraphCanvas::selectedNode() const {
  return selected_nodes_.isEmpty() ? QString() : selected_nodes_.last();
}
QString GraphCanvas::selectedStream() const {
  return selected_stream_;
}

void GraphCanvas::describeSelection() {
  const Picture& picture = scene_->picture();
  const std::size_t link = picture.model.findLink(key(selected_stream_));
  const std::size_t box = picture.model.findBox(key(selectedNode()));
  QString text = tr("Nothing selected. Arrow keys walk along the streams, Tab from node to node.");
  std::optional<Mark> mark;
  if (box != nowhere) {
    const SceneBox& node = picture.model.boxes[box];
    text = tr("Node %1, %2, %3 inputs, %4 outputs")
               .arg(selectedNode(), shown(node.title))
               .arg(node.inputs.size())
               .arg(node.outputs.size());
    if (selected_nodes_.size() > 1)
      text =
          tr("%n nodes selected, the last: %1", nullptr, static_cast<int>(selected_nodes_.size())).arg(text);
    mark = picture.boxes[box].mark;
  } else if (link != nowhere) {
    text = tr("Stream %1").arg(shown(picture.model.links[link].name));
    if (!picture.links[link].label.isEmpty()) text += ", " + picture.links[link].label.join(", ");
    mark = picture.links[link].mark;
  } else if (!selected_nodes_.isEmpty() || !selected_stream_.isEmpty()) {
    text = tr("%1, inside a collapsed region").arg(selectedNode() + selected_stream_);
  }
  if (mark) text += ". " + mark->tooltip;
  if (text == accessibleDescription()) return;
  setAccessibleDescription(text);
  QAccessibleEvent event(this, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&event);
}

void GraphCanvas::toggleRegion(const QString& path) {
  Node* node = findNode(document_.program, key(path));
  const std::size_t box = scene_->picture().model.findBox(key(path));
  if (node == nullptr || box == nowhere) return;
  const std::string run = scene_->picture().model.boxes[box].run;
  if (!node->body && run.empty()) return;
  anchor_ = {path, viewportTransform().map(scene_->picture().rect(box).topLeft())};
  keep_fit_ = false;
  if (!run.empty()) {
    if (!unfolded_.insert(run).second) unfolded_.erase(run);
    return rebuild();
  }
  node->body->collapsed = !node->body->collapsed;
  const bool collapsed = node->body->collapsed;
  rebuild();
  emit regionToggled(path, collapsed);
}

void GraphCanvas::finishDrag() {
  const Picture& picture = scene_->picture();
  QHash<QString, QPointF> places;
  for (const auto& [box, start] : gesture_->dragged) {
    const Position at = writtenPosition(picture.model, picture.arrangement, box, false);
    const QString path = shown(picture.model.boxes[box].path);
    if (Node* node = findNode(document_.program, key(path))) node->at = at;
    places[path] = {at.x, at.y};
  }
  rebuild();
  if (places.size() == 1)
    emit nodeMoved(places.begin().key(), places.begin().value());
  else
    emit nodesMoved(places);
}

double GraphCanvas::zoom() const {
  return transform().m11();
}

void GraphCanvas::setZoom(double factor) {
  zoomAbout(factor, QRectF(viewport()->rect()).center());
}
void GraphCanvas::zoomIn() {
  setZoom(zoom() * 1.25);
}
void GraphCanvas::zoomOut() {
  setZoom(zoom() / 1.25);
}

void GraphCanvas::zoomAbout(double factor, const QPointF& viewport_point) {
  factor = std::clamp(factor, minimumZoom, maximumZoom);
  keep_fit_ = false;
  const QPointF kept = viewportTransform().inverted().map(viewport_point);
  setTransform(QTransform::fromScale(factor, factor));
  updateScrollRange();
  scrollSo(kept, viewport_point);
  emit zoomChanged(factor);
}

/// One screen of room around the content, so that any point of it can be brought anywhere, and the scroll
/// bars still mean something.
void GraphCanvas::updateScrollRange() {
  const QPointF center = viewportTransform().inverted().map(QRectF(viewport()->rect()).center());
  const double width = viewport()->width() / zoom(), height = viewport()->height() / zoom();
  setSceneRect(contentRect().adjusted(-width, -height, width, height));
  scrollSo(center, QRectF(viewport()->rect()).center());
}

void GraphCanvas::scrollSo(const QPointF& scene_point, const QPointF& viewport_point) {
  const QPointF off = viewportTransform().map(scene_point) - viewport_point;
  horizontalScrollBar()->setValue(horizontalScrollBar()->value() + static_cast<int>(std::lround(off.x())));
  verticalScrollBar()->setValue(verticalScrollBar()->value() + static_cast<int>(std::lround(off.y())));
}

void GraphCanvas::fit(const QRectF& rect) {
  if (rect.isEmpty()) return;
  constexpr double margin = 24, largest = 1.25;  // a graph of three boxes need not fill the window
  const double width = std::max(1.0, viewport()->width() - 2 * margin),
               height = std::max(1.0, viewport()->height() - 2 * margin);
  zoomAbout(std::min({width / rect.width(), height / rect.height(), largest}),
            QRectF(viewport()->rect()).center());
  scrollSo(rect.center(), QRectF(viewport()->rect()).center());
}

void GraphCanvas::fitAll() {
  const bool following = keep_fit_;
  fit(contentRect());
  keep_fit_ = following;
}

void GraphCanvas::fitSelection() {
  const Picture& picture = scene_->picture();
  const std::size_t link = picture.model.findLink(key(selected_stream_));
  QRectF rect = link == nowhere ? QRectF() : picture.links[link].path.boundingRect();
  for (const QString& name : selected_nodes_ + QStringList(selected_stream_)) {
    const std::size_t box = link == nowhere ? picture.model.visibleBox(key(name)) : nowhere;
    if (box != nowhere) rect = rect.united(picture.rect(box));
  }
  if (!rect.isNull()) fit(rect.adjusted(-60, -60, 60, 60));
}

/// Scrolls by no more than it takes to see the rectangle.
void GraphCanvas::reveal(const QRectF& rect) {
  const QRectF seen = viewportTransform().mapRect(rect);
  const QRectF room = QRectF(viewport()->rect()).adjusted(24, 24, -24, -24);
  if (room.contains(seen)) return;
  const double x = std::clamp(seen.left(), room.left(), std::max(room.left(), room.right() - seen.width()));
  const double y = std::clamp(seen.top(), room.top(), std::max(room.top(), room.bottom() - seen.height()));
  scrollSo(rect.topLeft(), {x, y});
}

}  // namespace sluice::ui
