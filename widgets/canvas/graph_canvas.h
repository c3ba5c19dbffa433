#pragma once
// GraphCanvas: the picture of a program. It shows a Document, and tells what the user points at; it never
// edits the document.
//
// The owner calls setDocument() after every edit (cheap: unchanged graphs are not laid out again) and sends
// back what the signals report: nodeMoved -> Node::at, regionToggled -> Region::collapsed. The document's own
// values win at the next setDocument().
//
// Keys. A node is named by its path, "gate" or "expert.gate" (FlatOperator::origin). A stream is named by its
// graph's path and its position there, "#4" or "expert#4" (FlatStream::origin). Labels, heat and marks of
// what a collapsed region hides show on its box.

#include <QGraphicsView>
#include <QHash>
#include <QPointF>
#include <QString>
#include <memory>
#include <optional>
#include <utility>

#include "engine/program/document.h"
#include "engine/program/operator_spec.h"
#include "widgets/canvas/canvas_theme.h"
#include "widgets/canvas/delta_overlay.h"
#include "widgets/canvas/mark.h"
#include "widgets/canvas/node_groups.h"
#include "widgets/canvas/time_overlay.h"

class QAction;

namespace sluice::ui {

class CanvasLayer;
class GraphScene;
class SceneArranger;
struct Arrangement;
struct SceneModel;

class GraphCanvas : public QGraphicsView {
  Q_OBJECT

 public:
  static constexpr double minimumZoom = 0.02, maximumZoom = 8.0;

  /// `layout_helper`: path of the program sluice-layout; empty or not startable: the built-in layered layout
  /// is used.
  explicit GraphCanvas(Catalog catalog, const QString& layout_helper = {}, QWidget* parent = nullptr);
  ~GraphCanvas() override;

  /// Shows the document at once, with a provisional place for new nodes; arranged() follows when the final
  /// layout is there. The first document (and any after reset()) is fitted into the view; later ones keep
  /// zoom, place and selection.
  void setDocument(const Document& document);
  void reset();  ///< empty canvas; the next document is a new one
  const Document& document() const { return document_; }

  void setStreamLabels(
      const QHash<QString, QString>& by_origin);                ///< shapes, fill levels; '\n' makes two lines
  void setStreamHeat(const QHash<QString, double>& by_origin);  ///< 0..1: colour and width of the edge
  void setNodeHeat(const QHash<QString, double>& by_path);      ///< 0..1: the bar at the foot of the box
  void setMarks(const QHash<QString, Mark>& by_path_or_origin);
  void setTimeOverlay(const TimeOverlay& overlay);  ///< one moment of a run; empty: none
  const TimeOverlay& timeOverlay() const { return time_; }
  void setDeltaOverlay(const DeltaOverlay& overlay);  ///< one run against another; empty: none
  const DeltaOverlay& deltaOverlay() const { return delta_; }
  void setNodeGroups(const QList<NodeGroup>& groups);
  const QList<NodeGroup>& nodeGroups() const { return groups_; }
  /// Drawn over the graph; the owner keeps it alive and calls refreshLayers() when it would paint otherwise.
  void addLayer(const CanvasLayer* layer);
  void refreshLayers();

  QString selectedNode() const;    ///< path, or empty
  QString selectedStream() const;  ///< origin, or empty
  double zoom() const;
  bool layoutPending() const;  ///< a layout is being computed; arranged() will come
  /// Where every visible node is, as Node::at would say it; lets the owner freeze a layout into the document.
  QHash<QString, QPointF> nodePositions() const;

  /// Zoom in, zoom out, fit all, fit selection, expand/collapse region, clear selection: for menus and the
  /// command palette. They have shortcuts that work while the canvas has the focus, and object names
  /// "canvas.zoomIn" and so on.
  QList<QAction*> canvasActions() const { return actions_; }

  QRectF contentRect() const;  ///< of everything drawn, in scene units (points)
  /// Paints all content into `target`, as vectors, in full detail, without selection and background, keeping
  /// the aspect ratio. The first is meant for paper: dark on white.
  void render(QPainter* painter, const QRectF& target) const;
  void render(QPainter* painter, const QRectF& target, const CanvasTheme& theme) const;
  const CanvasTheme& theme() const;

  GraphScene* graphScene() const { return scene_; }  ///< where things are, for tests and overviews
  /// Scene points to click: the middle of a node's box (a frame: its title bar), and a point on a stream's
  /// curve.
  QPointF nodeCenter(const QString& path) const;
  QPointF streamPoint(const QString& origin) const;
  QString tipAt(const QPoint& viewport_position) const;  ///< what hovering there tells, as rich text

 public slots:
  // Selecting by call emits no signal and scrolls only as far as needed. What is hidden in a collapsed region
  // shows as that region.
  void selectNode(const QString& path);
  void selectStream(const QString& origin);
  void clearSelection();
  void setZoom(double factor);  ///< about the middle of the view
  void zoomIn();
  void zoomOut();
  void fitAll();
  void fitSelection();
  void toggleRegion(const QString& path);

 signals:
  void nodeSelected(const QString& path);
  void streamSelected(const QString& origin);
  void selectionCleared();
  void regionToggled(const QString& path, bool collapsed);
  void nodeMoved(const QString& path, const QPointF& at);  ///< dragged; `at` is meant for Node::at
  void nodeActivated(const QString& path);                 ///< double click or Return on an operator
  void contextMenuRequested(const QString& node_path, const QString& stream_origin,
                            const QPoint& global_position);
  void zoomChanged(double factor);
  void arranged();  ///< the final layout of the last document is on the screen

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
  void drawBackground(QPainter* painter, const QRectF& rect) override;
  void drawForeground(QPainter* painter, const QRectF& rect) override;

 private:
  struct Gesture;
  void makeActions();
  void rebuild();
  void present(SceneModel model, Arrangement arrangement);
  void layoutDone();
  void finish(SceneModel model, Arrangement arrangement);
  void decorate();
  void select(const QString& node, const QString& stream);
  void selectByUser(const QString& node, const QString& stream);
  void describeSelection();
  void reveal(const QRectF& rect);
  void zoomAbout(double factor, const QPointF& viewport_point);
  void updateScrollRange();
  void scrollSo(const QPointF& scene_point, const QPointF& viewport_point);
  void fit(const QRectF& rect);
  void pick(const QPoint& position);
  void drag(const QPoint& position);
  void hover(const QPoint& position);
  void walkTo(int key);
  void goTo(std::size_t box, std::size_t link);
  void finishDrag(std::size_t box);
  QString nodeTip(std::size_t box) const;
  QString linkTip(std::size_t link) const;

  const Catalog catalog_;
  Document document_;
  GraphScene* scene_ = nullptr;
  std::unique_ptr<SceneArranger> arranger_;
  std::unique_ptr<Gesture> gesture_;
  QList<QAction*> actions_;
  QHash<QString, QString> labels_;
  QHash<QString, double> stream_heat_, node_heat_;
  QHash<QString, Mark> marks_;
  TimeOverlay time_;
  DeltaOverlay delta_;
  QList<NodeGroup> groups_;
  QList<const CanvasLayer*> layers_;
  GroupLegend* legend_ = nullptr;
  QString selected_node_, selected_stream_;
  std::optional<std::pair<QString, QPointF>>
      anchor_;         ///< a node that stays where it is on the screen while the layout changes
  bool fresh_ = true;  ///< the next document is fitted into the view
  bool fit_when_shown_ = true;
  bool keep_fit_ =
      false;  ///< not zoomed, panned or dragged since the first fit: layouts and resizes fit again
};

}  // namespace sluice::ui
