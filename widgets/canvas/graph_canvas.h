#pragma once
// GraphCanvas: the picture of a program. It shows a Document, and tells what the user points at; it never
// edits the document.
//
// The parts: ScenePresenter has the document and brings it onto the scene, CanvasSelection and CanvasCamera
// say what is selected and in view, a Gesture is what the mouse does (gestures/), and what is drawn below and
// over the graph is a list of CanvasLayer. The canvas itself passes events to them.
//
// The owner calls setDocument() after every edit (cheap: unchanged graphs are not laid out again) and sends
// back what the signals report: nodeMoved -> Node::at, regionToggled -> Region::collapsed. The document's own
// values win at the next setDocument().
//
// Keys. A node is named by its path, "gate" or "expert.gate" (FlatOperator::origin). A stream is named by its
// graph's path and the end that it feeds, "#gate.in" or "expert#gate.in" (FlatStream::origin). Labels, heat
// and marks of what a collapsed region hides show on its box.

#include <QGraphicsView>
#include <QHash>
#include <QPointF>
#include <QSet>
#include <QString>
#include <QStringList>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/program/document.h"
#include "engine/program/operator_spec.h"
#include "widgets/canvas/canvas_camera.h"
#include "widgets/canvas/canvas_link.h"
#include "widgets/canvas/canvas_selection.h"
#include "widgets/canvas/canvas_theme.h"
#include "widgets/canvas/cost_overlay.h"
#include "widgets/canvas/mark.h"
#include "widgets/canvas/node_groups.h"
#include "widgets/canvas/time_overlay.h"

class QAction;

namespace sluice::ui {

class Gesture;
class GraphScene;
class HeldPlaces;
class Hover;
class RenameField;
class ScenePresenter;
struct LayoutRoom;
struct PaperGraph;
struct Picture;

class GraphCanvas : public QGraphicsView {
  Q_OBJECT

 public:
  static constexpr double minimum_zoom = 0.02, maximum_zoom = 8.0;

  /// `layout_helper`: path of the program sluice-layout; empty or not startable: the built-in layered layout
  /// is used.
  explicit GraphCanvas(Catalog catalog, const QString& layout_helper = {}, QWidget* parent = nullptr);
  ~GraphCanvas() override;

  /// Shows the document at once, with a provisional place for new nodes; arranged() follows when the final
  /// layout is there. The first document (and any after reset()) is fitted into the view; later ones keep
  /// zoom, place and selection.
  void setDocument(const Document& document);
  void reset();  ///< empty canvas; the next document is a new one
  const Document& document() const;

  void setStreamLabels(
      const QHash<QString, QString>& by_origin);  ///< shapes, fill levels; '\n' makes two lines
  const QHash<QString, QString>& streamLabels() const { return labels_; }
  void setStreamHeat(const QHash<QString, double>& by_origin);  ///< 0..1: colour and width of the edge
  void setNodeHeat(const QHash<QString, double>& by_path);      ///< 0..1: the bar at the foot of the box
  void setMarks(const QHash<QString, Mark>& by_path_or_origin);
  void setTimeOverlay(const TimeOverlay& overlay);  ///< one moment of a run; empty: none
  const TimeOverlay& timeOverlay() const { return time_.overlay; }
  void setDeltaOverlay(const DeltaOverlay& overlay);  ///< one run against another; empty: none
  const DeltaOverlay& deltaOverlay() const { return delta_.overlay; }
  /// What each operator costs, shown by box; empty: none.
  void setCostOverlay(const CostOverlay& overlay);
  const DeltaOverlay& costsByBox() const { return cost_.overlay; }
  double costs() const;  ///< of all its boxes together, in the unit of the overlay
  /// What the active view is about: of what there is to be told, its badges are shown. A moment of a run goes
  /// before it; without one a deadlock before differences, and these before costs.
  void setTopic(Topic topic);
  Topic topic() const;  ///< what the badges tell of; Any: there are none
  void setNodeGroups(const QList<NodeGroup>& groups);
  /// Those that were set, and behind them the equal regions of the document.
  const QList<NodeGroup>& nodeGroups() const { return groups_.groups; }
  QSet<int> foldedGroups() const;   ///< those that are shown as one box
  void toggleNodeGroup(int group);  ///< no edit, as with a run of a large graph
  /// Folds those of fusion, or those that are equal, that are open; where all are folded opens them.
  void toggleAllNodeGroups(bool equal = false);
  /// Drawn below or over the graph; the owner keeps it alive and calls refreshLayers() when it would paint
  /// otherwise.
  void addLayer(const CanvasLayer* layer);
  void refreshLayers();

  /// Path, or empty; of several the one selected last.
  QString selectedNode() const { return selection_.node(); }
  QStringList selectedNodes() const { return selection_.nodes(); }
  QString selectedStream() const { return selection_.stream(); }  ///< origin, or empty
  double zoom() const;
  bool layoutPending() const;  ///< a layout is being computed; arranged() will come
  void cancelLayout();         ///< what is shown stays until the next edit
  /// Why a stream may not be drawn so, or nothing if it may. Without a rule none can be drawn.
  using LinkRule = std::function<QString(const LinkWish&)>;
  void setLinkRule(LinkRule rule) { link_rule_ = std::move(rule); }
  const LinkRule& linkRule() const { return link_rule_; }
  /// Operators of this format, each dragged as the name of its kind, may be dropped.
  static constexpr auto operator_mime = "application/x-sluice-operator";

  /// What is shown now stays where it is, whatever the next documents are: the owner calls it before an edit.
  /// reset() lets it go, and so does setHeldPlaces(), which is shown with the next document or
  /// refreshPlaces().
  void holdPlaces();
  void followPlace(const QString& from, const QString& to);  ///< a node that gets another path
  const std::map<std::string, HeldPlaces>& heldPlaces() const;
  void setHeldPlaces(std::map<std::string, HeldPlaces> held);
  void refreshPlaces();
  /// Which of several programs that are shown by turns the next document is: each has its own held places.
  void setProgramName(const QString& program);
  /// The next change of places is shown as a movement.
  void animateNextLayout();
  bool animating() const;
  /// Where every visible node is, as Node::at would say it; lets the owner freeze a layout into the document.
  QHash<QString, QPointF> nodePositions() const;

  /// Zoom in, zoom out, fit all, fit selection, expand/collapse region, clear selection: for menus and the
  /// command palette. They have shortcuts that work while the canvas has the focus, and object names
  /// "canvas.zoomIn" and so on.
  QList<QAction*> canvasActions() const { return actions_; }

  /// The sizes of the visible boxes, by path; of an expanded region its size when collapsed.
  QHash<QString, QSizeF> nodeSizes() const;
  /// The graph that a scene point lies in, and the place there, as Node::at would say it.
  std::pair<QString, QPointF> placeAt(const QPointF& scene_point) const;

  QRectF contentRect() const;  ///< of everything drawn, in scene units (points)
  /// Paints all content into `target`, as vectors, in full detail, without selection and background, keeping
  /// the aspect ratio. The first is meant for paper: dark on white.
  void render(QPainter* painter, const QRectF& target) const;
  void render(QPainter* painter, const QRectF& target, const CanvasTheme& theme) const;
  /// On a page of that width, in points: in rows where one would be too small to be read, and with less of it
  /// where that is not enough.
  PaperGraph onPaper(double width) const;
  PaperGraph onPaper(QSizeF room) const;
  void paintForPrint(QPainter& painter, const QSizeF& size) const;
  void paintForPrint(QPainter& painter, const QSizeF& size, const PaperGraph& graph) const;
  double paperHeight(double width) const;
  double paperScale(double width) const;  ///< points for a scene unit
  const CanvasTheme& theme() const;

  GraphScene* graphScene() const { return scene_; }  ///< where things are, for tests and overviews
  /// Scene points to click: the middle of a node's box (a frame: its title bar), and a point on a stream's
  /// curve.
  QPointF nodeCenter(const QString& path) const;
  QPointF streamPoint(const QString& origin) const;
  QPointF portPoint(const QString& node, const QString& port, bool output) const;
  QString tipAt(const QPoint& viewport_position) const;  ///< what hovering there tells, as rich text

  /// Pixels above the graph that it leaves free, for what stands there.
  void setStrip(int height);
  void placeLegend();  ///< in a corner where it covers no box, if there is one

  // For gestures.
  CanvasSelection& selection() { return selection_; }
  CanvasCamera& camera() { return camera_; }
  const CanvasCamera& camera() const { return camera_; }
  ScenePresenter& presenter() { return *presenter_; }

 public slots:
  // Selecting by call emits no signal and scrolls only as far as needed. What is hidden in a collapsed region
  // shows as that region.
  void selectNode(const QString& path);
  void selectNodes(const QStringList& paths);
  void selectStream(const QString& origin);
  void clearSelection() { selection_.set({}, {}); }
  void setZoom(double factor);  ///< about the middle of the view
  void zoomIn() { setZoom(zoom() * 1.25); }
  void zoomOut() { setZoom(zoom() / 1.25); }
  void fitAll() { camera_.fitAll(); }
  void fitSelection();
  /// Also unfolds a group, or a run of a large graph, or folds the one that the node was unfolded from; no
  /// edit.
  void toggleRegion(const QString& path);
  /// Expands the selected region, or the one around the selection, and fits it into the view.
  void enterRegion();
  /// Selects the region around the selection, and fits what is around it into the view.
  void leaveRegion();
  void selectAllNodes();  ///< of the graph that the selected node stands in
  void beginRename();     ///< a field at the selected node's name; renameRequested() follows

 signals:
  void nodeSelected(const QString& path);
  void streamSelected(const QString& origin);
  void selectionCleared();
  void regionToggled(const QString& path, bool collapsed);
  void nodeMoved(const QString& path, const QPointF& at);  ///< dragged; `at` is meant for Node::at
  void nodesMoved(const QHash<QString, QPointF>& places);  ///< several were dragged at once
  void linkRequested(const sluice::ui::LinkWish& wish);
  /// Dropped at a place of a graph (Node::at), or on a stream, where `stream` is not empty.
  void operatorDropped(const QString& kind, const QString& graph, const QPointF& at, const QString& stream);
  void renameRequested(const QString& path, const QString& name);
  void selectionChanged();                  ///< by the user or by call
  void viewChanged();                       ///< zoomed, scrolled, or other boxes
  void nodeActivated(const QString& path);  ///< double click or Return on an operator
  void contextMenuRequested(const QString& node_path, const QString& stream_origin,
                            const QPoint& global_position);
  void zoomChanged(double factor);
  void arranged();                      ///< the final layout of the last document is on the screen
  void layoutProgressed(double share);  ///< while one is pending; 1: none is any more

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void keyReleaseEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  bool focusNextPrevChild(bool next) override;
  void paintEvent(QPaintEvent* event) override;
  void drawBackground(QPainter* painter, const QRectF& rect) override;
  void drawForeground(QPainter* painter, const QRectF& rect) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragMoveEvent(QDragMoveEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;

 private:
  /// As it goes on paper; nothing where it is cut into pieces.
  std::optional<Picture> inOnePiece(LayoutRoom room) const;
  PaperGraph wholeOnPaper(QSizeF room, std::size_t rows) const;
  void dress(Picture& picture) const;  ///< with labels, heat, marks and notes
  QRectF contentOf(const Picture& picture) const;
  QRectF paintedRect(const Picture& picture) const;  ///< with what layers and labels take
  void paintInto(QPainter& painter, const QRectF& target, const Picture& picture) const;
  void makeActions();
  void connectParts();
  void pictureReplaced();
  void describeSelection();
  void reveal(std::size_t box, std::size_t link);
  void goTo(std::size_t box, std::size_t link);
  void walkTo(int key);
  void openSelected();
  /// Begins what the left button does here.
  void press(const QPoint& position, bool toggles);
  std::unique_ptr<Gesture> takeGesture();
  void cancelGesture();
  std::vector<Plate> plates(const Picture& picture) const;
  void paintLayers(QPainter& painter, const Picture& picture, CanvasLayer::Level level, bool on_paper) const;
  std::vector<SceneNodeGroup> sceneGroups() const;
  Notes notes() const;
  bool has(Topic topic) const;
  bool tells(Topic topic) const;
  bool shows(const CanvasLayer& layer) const { return !layer.empty() && tells(layer.topic()); }
  QHash<QString, Mark> shownMarks() const;
  void showBadges();
  void showLegend();
  void foldGroups(const QList<int>& groups, bool folded);

  const Catalog catalog_;
  GraphScene* scene_;
  ScenePresenter* presenter_;
  CanvasSelection selection_;
  CanvasCamera camera_;
  QList<QAction*> actions_;
  QHash<QString, QString> labels_;
  QHash<QString, double> stream_heat_, node_heat_;
  QHash<QString, Mark> marks_;
  Topic wanted_ = Topic::Any;  ///< by the active view
  QList<NodeGroup> given_, equal_;
  NodeGroupLayer groups_;  ///< both
  TimeLayer time_;
  CostOverlay costs_;
  DeltaLayer delta_{Topic::Differences}, cost_{Topic::Costs};
  QList<const CanvasLayer*> layers_{&groups_, &time_, &delta_, &cost_};
  GroupLegend* legend_ = nullptr;
  LinkRule link_rule_;
  std::unique_ptr<Gesture> gesture_;  ///< none: the mouse hovers
  std::unique_ptr<Hover> hover_;
  RenameField* rename_ = nullptr;
  Qt::MouseButton button_ = Qt::NoButton;  ///< that the gesture began with
  bool space_ = false;                     ///< the space key is held: the left button pans
};

}  // namespace sluice::ui
