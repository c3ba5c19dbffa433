#pragma once
// ArrangeController: where nodes stand - automatic layout, aligning, distributing, pinning - and what helps
// to find one's way on the canvas: the overview, the find bar.

#include <QObject>

#include "app/window/edit/edit_controller.h"
#include "app/window/edit/place_edits.h"
#include "widgets/canvas/pin_layer.h"

namespace sluice::ui {

class FindBar;
class Minimap;

class ArrangeController : public QObject {
  Q_OBJECT

 public:
  ArrangeController(const WindowContext& context, const EditController* edits);

  FindBar* findBar() const { return find_; }
  Minimap* minimap() const { return minimap_; }
  /// Lays out all nodes, or only these, as one step for undo.
  void layOut(const std::set<std::string>& nodes);

 signals:
  void refused(const sluice::Diagnostic& why);

 private:
  void addCommands();
  void connectOverview();
  void connectFind();
  void fillFind();
  void updateEnabled();
  /// The selected nodes as they stand on the canvas.
  Result<std::vector<PlacedBox>> boxes() const;
  void place(const QString& label, const std::function<Places(const std::vector<PlacedBox>&)>& where);
  void pin(bool pinned);
  void showPins();

  const WindowContext context_;
  const EditController* edits_;
  PinLayer pins_;
  FindBar* find_;
  Minimap* minimap_;
};

}  // namespace sluice::ui
