#pragma once
// Figure: a page of panels for a paper or a slide, as a document keeps it: what each panel shows, and how all
// of it looks. It holds no numbers of a run: they are computed anew whenever it is drawn. Lengths are points,
// 72 an inch.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sluice::inline program {

/// Knob name -> value. A design point.
using KnobValues = std::map<std::string, std::int64_t>;

/// The views that a panel can show, by the names of `sluice-cli export --chart`.
enum class PanelView : std::uint8_t {
  Pareto,
  Parallel,
  Sensitivity,
  Fifo,
  Timeline,
  Graph,
  Designs,
  Energy,
  Distribution,
  Boxes,
  Experts
};
/// What the numbers along an axis count in: "MB" is mega, "Cycles (thousands)" is kilo.
enum class UnitPrefix : std::uint8_t { Fitting, One, Kilo, Mega, Giga, Tera };
enum class LegendPlace : std::uint8_t { Above, Inside, None };
enum class FigurePalette : std::uint8_t { Colour, Grey };

/// The part of an axis that is shown.
struct Bounds {
  double from = 0, to = 1;
  bool operator==(const Bounds&) const = default;
};

struct FigurePanel {
  PanelView view = PanelView::Pareto;
  std::int64_t span = 1;                 ///< columns that it takes
  std::int64_t height = 0;               ///< of its picture; 0: as its view asks
  std::string title = {}, caption = {};  ///< above the picture, and below beside its letter
  /// What an axis is of: metrics or knobs of a Pareto plot, the metric of a distribution (x) or of boxes (y),
  /// the order of experts (x); empty: the usual.
  std::string x = {}, y = {};
  bool log_x = false, log_y = false;
  UnitPrefix x_unit = UnitPrefix::Fitting, y_unit = UnitPrefix::Fitting;
  std::optional<Bounds> x_range = {}, y_range = {};  ///< absent: what there is
  std::string x_label = {}, y_label = {};            ///< empty: the plot's own
  LegendPlace legend = LegendPlace::Above;
  std::vector<std::string> hidden = {};  ///< series of a Pareto plot, axes of parallel coordinates
  std::vector<std::string> rows =
      {};                 ///< FIFOs of the occupancy; rows of the timeline; empty: its own choice
  KnobValues knobs = {};  ///< of the design that it shows; what is left out has its default

  bool operator==(const FigurePanel&) const = default;
};

struct Figure {
  std::string name = {};  ///< unique in the document
  std::int64_t width = 240, text = 8;
  std::int64_t columns = 1;  ///< of the grid that the panels fill row by row
  bool letters = true;       ///< (a), (b) ... below the panels
  std::string font = {};     ///< family; empty: the usual one
  double line_width = 0;     ///< 0: as suits the text
  double marker_size = 0;    ///< likewise
  FigurePalette palette = FigurePalette::Colour;
  bool grid = true;
  std::vector<FigurePanel> panels = {};

  bool operator==(const Figure&) const = default;
};

}  // namespace sluice::inline program
