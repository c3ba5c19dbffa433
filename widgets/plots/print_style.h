#pragma once
// PrintStyle: how a picture looks on paper. Lengths are points, 72 an inch.

#include <QString>

namespace sluice::ui {

/// Widths that journals and slides print.
inline constexpr int single_column = 240;  ///< 3.33 in
inline constexpr int double_column = 504;  ///< 7 in
inline constexpr int slide_width = 960;    ///< 13.33 in, the width of a 16:9 slide

struct PrintStyle {
  int width = single_column;
  int text = 8;
  QString font = {};       ///< family; empty: the usual one
  double line_width = 0;   ///< 0: as suits the text
  double marker_size = 0;  ///< likewise
  bool grey = false;       ///< series without colours
  bool grid = true;        ///< of plots
};

}  // namespace sluice::ui
