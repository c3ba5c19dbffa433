#pragma once
// PaperGraph: a program's graph as it goes on paper. Nobody can zoom in there, so what cannot be read in full
// in a column leaves something out, one step after the other, and says what: the shapes of streams, all but
// the names of operators, what is inside of regions and groups, at last what is inside of chains and runs.

#include <functional>
#include <optional>
#include <vector>

#include "widgets/canvas/picture.h"
#include "widgets/canvas/row_layout.h"
#include "widgets/canvas/wrapped_picture.h"

namespace sluice::ui {

inline constexpr double smallest_on_paper = 6.5;  ///< points; people read no smaller text there

/// What is left out; each step also leaves out what those before it do.
enum class PaperStep { Nothing, Shapes, Parameters, Groups, Chains, Runs };

struct PaperGraph {
  Picture picture;
  std::optional<WrappedPicture> pieces;  ///< instead: what was placed by hand, cut into rows
  QRectF area;                           ///< of the picture, with labels and layers
  double scale = 1;                      ///< points for a unit of the scene
  double height = 0;                     ///< points
  PaperStep step = PaperStep::Nothing;
  bool moved = false;  ///< boxes are not where they were placed by hand

  double textSize() const { return usual_text * scale; }
  bool readable() const { return textSize() >= smallest_on_paper; }
  /// "names only, chains folded"; empty where nothing is left out.
  QString note() const;
};

/// What a paper graph is made of: the graph on the screen, and how another model of it is arranged and
/// dressed.
struct PaperSource {
  const Picture& shown;
  const Document& document;
  const Catalog& catalog;
  SceneFolding folding;                ///< as it is shown
  std::vector<SceneNodeGroup> groups;  ///< all that can be folded
  /// The picture in one piece, or cut, as it is shown; in no more than the room, and so many rows.
  std::function<PaperGraph(QSizeF room, std::size_t rows)> whole;
  std::function<std::optional<Arrangement>(const SceneModel&, LayoutRoom)> arrange;
  std::function<void(Picture&)> dress;            ///< labels, heat, marks, notes
  std::function<QRectF(const Picture&)> painted;  ///< with what layers and labels take
};

/// The first step that can be read within the room, in points; else the one that comes closest.
PaperGraph paperGraph(const PaperSource& source, QSizeF room);

}  // namespace sluice::ui
