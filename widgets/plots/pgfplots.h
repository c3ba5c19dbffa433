#pragma once
// A plot as pgfplots source: its numbers, axes and legend, drawn by LaTeX in the document's own fonts. The
// numbers are those of the plot, in full.

#include <QSizeF>
#include <QString>

namespace sluice::ui {

class Plot;
struct PrintStyle;

/// `size` in points. What stands on hidden axes - a row along an edge - keeps its place.
QString pgfPlot(Plot& plot, QSizeF size, const PrintStyle& style);

}  // namespace sluice::ui
