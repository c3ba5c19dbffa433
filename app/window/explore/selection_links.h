#pragma once
// SelectionLinks: one selection everywhere. A place of the program selected in canvas, diagnostics or
// timeline shows in all others; points that did not end because of it light up among the points, and points
// of one state light up the diagnostic that tells their cause.

#include <QObject>
#include <string>
#include <vector>

#include "app/window/shell/window_context.h"
#include "engine/core/location.h"
#include "engine/explorer/point.h"
#include "widgets/common/place_selection.h"

namespace sluice::ui {

class SelectionLinks : public QObject {
  Q_OBJECT

 public:
  explicit SelectionLinks(const WindowContext& context);

  PlaceSelection* place() { return &place_; }
  void jumpTo(const Location& place);

 private:
  void showInput(const Location& place);
  void showPlace();
  void showPointsOfPlace();
  void showPointsDiagnostic();
  void showPlaceOfPoints();
  void selectDiagnostic(int row);
  std::vector<std::string> nodesOfCause(const DesignPoint& point) const;
  bool isAbout(const DesignPoint& point, const std::string& node) const;

  const WindowContext context_;
  PlaceSelection place_;
  bool points_are_ours_ = false;  ///< the selected points follow the place; else the user chose them
  bool selecting_ = false;
};

}  // namespace sluice::ui
