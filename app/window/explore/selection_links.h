#pragma once
// SelectionLinks: one selection everywhere. A place of the program selected in canvas, diagnostics or
// timeline shows in all others; deadlocked points whose cause names it light up among the points, and points
// of one state light up the diagnostic that tells their cause.

#include <QObject>

#include "app/window/shell/window_context.h"
#include "engine/core/location.h"
#include "widgets/common/place_selection.h"

namespace sluice::ui {

class SelectionLinks : public QObject {
  Q_OBJECT

 public:
  explicit SelectionLinks(const WindowContext& context);

  PlaceSelection* place() { return &place_; }
  void jumpTo(const Location& place);

 private:
  void showPlace();
  void showPointsOfPlace();
  void showPointsDiagnostic();
  void showPlaceOfPoints();
  void selectDiagnostic(int row);

  const WindowContext context_;
  PlaceSelection place_;
  bool points_are_ours_ = false;  ///< the selected points follow the place; else the user chose them
  bool selecting_ = false;
};

}  // namespace sluice::ui
