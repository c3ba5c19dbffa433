#pragma once
// ScenePresenter: brings a document onto the scene - model, layout, and the movement from one layout to the
// next. It shows a provisional layout at once and the final one when it is there. It keeps a copy of the
// document into which it writes what the user did until the owner sets the next one.

#include <QHash>
#include <QObject>
#include <QPointF>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/program/document.h"
#include "engine/program/operator_spec.h"
#include "widgets/canvas/scene_arranger.h"

class QVariantAnimation;

namespace sluice::ui {

class GraphScene;

class ScenePresenter : public QObject {
  Q_OBJECT

 public:
  ScenePresenter(const Catalog& catalog, GraphScene* scene, std::unique_ptr<GraphLayout> layout,
                 QObject* parent);

  const Document& document() const { return document_; }
  bool fresh() const { return fresh_; }  ///< no document has been set since reset()
  void setDocument(const Document& document, std::vector<SceneNodeGroup> groups);
  void reset();
  void rebuild();  ///< the same document once more

  /// What the layout is to be read in, from the next document on.
  void setRoom(LayoutRoom room) { arranger_.setRoom(room); }
  /// The same, for what is shown, too, unless a layout is on its way.
  void fitRoom(LayoutRoom room);

  /// What is shown as it is read in another room. Nothing where somebody has placed boxes, whose places
  /// mean something, or where it would take long.
  std::optional<Arrangement> inRoom(LayoutRoom room) const;
  /// The same of another model.
  std::optional<Arrangement> inRoom(const SceneModel& model, LayoutRoom room) const {
    return arranger_.inRoom(model, room);
  }
  SceneFolding folding() const;  ///< what is shown as one box

  /// A region, a folded group, or a node of a run of a large graph.
  bool hasInside(const QString& path) const;
  void toggle(const QString& path);

  /// Those that can be folded. One that was folded stays so as long as there is one with the same first node.
  /// Equal layers begin folded, and so do many equal regions, unless they were seen open before.
  void setNodeGroups(std::vector<SceneNodeGroup> groups);
  bool isFolded(std::size_t node_group) const;
  void fold(const std::vector<std::size_t>& node_groups, bool folded);
  void place(const QHash<QString, QPointF>& nodes);
  PositionHints positions() const;  ///< of all boxes, as Node::at would say them

  /// What is shown stays where it is, whatever the next documents are, until it is released; undo and redo
  /// find it there. Does nothing before the first final layout.
  void hold();
  /// A node that is held gets another path, and stays where it is seen.
  void follow(const std::string& from, const std::string& to);
  const HeldPrograms& held() const { return held_; }
  /// Shown with the next document, or by refresh(); until then nothing else is held.
  void setHeld(HeldPrograms held);
  void refresh();
  /// The next document is that of this program; the places of each are held by themselves.
  void setProgram(const std::string& program);
  bool stale() const { return stale_; }  ///< what is shown is not what is held

  bool layoutPending() const { return arranger_.pending(); }
  void cancelLayout();  ///< what is shown stays until the next rebuild()
  /// While nodes are dragged no layout pulls them away; the next rebuild() ends it.
  void pause();
  void animateNext() { animate_next_ = true; }  ///< the next change of places is shown as a movement
  bool willAnimate() const { return animate_next_; }
  bool animating() const;

 signals:
  void aboutToReplace();
  void replaced();                      ///< the picture is another one; looks and items are not made yet
  void arranged();                      ///< the final layout is on the scene
  void layoutProgressed(double share);  ///< while one is pending; 1: none is any more
  void regionToggled(const QString& path, bool collapsed);

 private:
  using GroupKey = std::pair<GroupKind, std::string>;
  static GroupKey keyOf(const SceneNodeGroup& group);
  bool beginsFolded(const SceneNodeGroup& group) const;
  bool adoptGroups(std::vector<SceneNodeGroup> groups);  ///< whether something is folded, or was
  void layoutDone();
  void present(SceneModel model, Arrangement arrangement);
  void finish(SceneModel model, Arrangement arrangement);
  void animateTo(SceneModel model, const Arrangement& to);
  void showFrame(const Arrangement& from, const Arrangement& to, double share);

  const Catalog& catalog_;
  GraphScene* scene_;
  SceneArranger arranger_;
  Document document_;
  std::set<std::string> unfolded_;  ///< runs of a large graph whose nodes are shown
  std::vector<SceneNodeGroup> node_groups_;
  std::set<GroupKey> folded_groups_;
  QVariantAnimation* movement_;
  bool animate_next_ = false, paused_ = false, fresh_ = true;
  HeldPrograms held_;
  std::string program_;
  std::optional<Arrangement> before_drag_;  ///< while paused
  bool stale_ = false;
};

}  // namespace sluice::ui
