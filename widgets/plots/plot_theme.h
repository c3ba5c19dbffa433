#pragma once
// PlotTheme: the colours and sizes of every chart. Series colours are Okabe and Ito's, told apart by people
// with any colour vision; a marker shape and a dash go with each, because colour is never the only cue.

#include <QColor>
#include <QFont>
#include <QPalette>

#include "widgets/plots/print_style.h"

namespace sluice::ui {

/// On paper, in points: printers lose thinner ones.
inline constexpr double thinnest_stroke = 0.5;

/// A style for one series. `marker` is a QCPScatterStyle::ScatterShape.
struct SeriesStyle {
  QColor colour;
  Qt::PenStyle dash = Qt::SolidLine;
  int marker = 0;
};

struct PlotTheme {
  QColor background, text, muted, axis, grid;
  QColor frontier, dominated, infeasible, failed, current;
  QFont font;
  double line_width = 1;  ///< 1 on screen: QCustomPlot is 40 to 380 times slower above
  double axis_width = 1;
  double marker_size = 7;
  bool dark = false;
  bool on_paper = false;  ///< no cursors, no hover marks
  bool grey = false;      ///< series without colours
  bool with_grid = true;

  /// Follows the palette (light or dark by the brightness of its base colour) and the widget's font.
  static PlotTheme screen(const QPalette& palette, const QFont& font);
  /// White paper, sizes in points for a painter whose unit is the point; everything grows with the text.
  static PlotTheme print(const PrintStyle& style = {});

  SeriesStyle series(int number) const;
  /// `colour` mixed into the background: what a translucent fill would look like, without its cost.
  QColor tinted(const QColor& colour, double amount) const;
};

bool isDark(const QPalette& palette);

}  // namespace sluice::ui
