#pragma once
// Exportable: a view as it goes on paper - a paint function and a size, both in points - and the data behind
// it. Whatever can be seen in the window is exported through one of these.

#include <QSizeF>
#include <QString>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "widgets/canvas/paper_graph.h"
#include "widgets/plots/print_style.h"

class QCPPainter;  // a QPainter; widgets/plots/plot.h has it

namespace sluice::ui {

class GraphCanvas;
class ParallelView;
class Plot;
class SensitivityView;
class TensorGrid;
class TimelineView;

struct Exportable {
  QString name;   ///< of its files: "pareto"
  QString title;  ///< for people
  std::function<double(const PrintStyle&)> height;
  /// Paints into (0, 0, size), always in the print theme; vectors stay vectors.
  std::function<void(QCPPainter&, QSizeF size, const PrintStyle&)> paint;
  std::function<QString()> csv;  ///< the data, as a table with a header line
  /// The same as pgfplots source; left out, what is painted is written as TikZ.
  std::function<QString(QSizeF size, const PrintStyle&)> pgf;
  /// Why its cycles may be believed (trustLine): files say it in their description.
  QString trust = {};

  QSizeF size(const PrintStyle& style) const { return {static_cast<double>(style.width), height(style)}; }
};

/// The view must outlive what is made of it. `aspect`: height over width.
Exportable exportable(Plot& plot, const QString& name, const QString& title, double aspect = 0.625);
Exportable exportable(ParallelView& view);
/// As high as its rows need.
Exportable exportable(SensitivityView& view);
/// The order in which a type sends its tensor, up to the token where the view stands.
Exportable exportable(const TensorGrid& grid, const QString& title);
/// The same, of the run that it shows; nothing without one.
Exportable exportable(const TimelineView& view);
/// The graph of the canvas on paper; what has been made for a room is kept.
class CanvasPaper {
 public:
  explicit CanvasPaper(const GraphCanvas& canvas) : canvas_(canvas) {}
  const GraphCanvas& canvas() const { return canvas_; }
  const PaperGraph& in(double width);
  const PaperGraph& in(QSizeF room);  ///< where that is high enough as it is where nothing limits its height

 private:
  const GraphCanvas& canvas_;
  std::map<std::pair<double, double>, PaperGraph> made_;
};
/// As high as the graph needs: in rows, and with less of it, where its text would be too small.
Exportable exportable(const GraphCanvas& canvas);
Exportable exportable(std::shared_ptr<CanvasPaper> paper);

/// Several views as one figure, row by row, each with its letter: (a), (b) ... Where `columns` beside each
/// other would be too narrow for the labels of a plot there are fewer: at 3.33 in with 8 pt one, at 7 in two.
Exportable composed(std::vector<Exportable> parts, int columns);
int figureColumns(int wanted, std::size_t parts, const PrintStyle& style);
/// What the user has to know of such a figure before it is written; empty if nothing.
QString figureNote(int wanted, std::size_t parts, const PrintStyle& style);

}  // namespace sluice::ui
