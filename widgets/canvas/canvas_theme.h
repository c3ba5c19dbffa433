#pragma once
// The colours of the canvas, light and dark. Hues are Okabe and Ito's, which people with any colour vision
// can tell apart; whatever a colour says is also said by a shape, a dash or a word.

#include <QColor>
#include <QFont>
#include <QPalette>
#include <string>

#include "widgets/canvas/mark.h"

namespace sluice::ui {

struct CanvasTheme {
  bool is_dark = false;
  bool on_paper = false;  ///< no buttons, no bars
  QColor canvas, grid;    ///< the background and its dots
  QColor box, box_border, frame, frame_border;
  QColor text, muted;  ///< names; kinds, parameters and labels
  QColor edge, selection;
  QColor error, warning, deadlock;
  QColor on_mark;  ///< the sign on a mark's badge
  QString family;  ///< of the font

  static CanvasTheme light(const QString& family);
  static CanvasTheme dark(const QString& family);
  /// Light or dark as the palette's base is, with its highlight colour.
  static CanvasTheme of(const QPalette& palette, const QFont& font);

  QColor category(const std::string& category) const;  ///< of an operator's palette group; grey if unknown
  QColor heat(double level) const;                     ///< 0 (the colour of an edge) .. 1 (hot)
  QColor mark(Mark::Kind kind) const;
};

QColor blend(const QColor& from, const QColor& to, double share);
/// Contrast of two opaque colours after WCAG: 1..21.
double contrast(const QColor& a, const QColor& b);

}  // namespace sluice::ui
