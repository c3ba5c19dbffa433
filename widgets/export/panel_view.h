#pragma once
// What stands in a panel of a figure: a view of its own, set up as the panel asks.

#include <QStringList>
#include <array>
#include <functional>
#include <memory>
#include <optional>

#include "engine/explorer/evaluate.h"
#include "widgets/distributions/distribution_data.h"
#include "widgets/export/exportable.h"

class QWidget;

namespace sluice::ui {

class PointSelection;

/// Null where there is none.
struct PanelSource {
  PointSelection* selection = nullptr;  ///< of the explored points
  std::shared_ptr<const PointResult> run = {};
  std::optional<Diagnostic> refused = {};  ///< why there is no run
  const GraphCanvas* canvas = nullptr;
  PointSelection* designs = nullptr;                 ///< those that the designer has found
  std::vector<std::string> sought = {};              ///< the two objectives that they were found for
  std::array<std::optional<double>, 2> bounds = {};  ///< what no design can be beyond in them
  DistributionData traces = {};                      ///< under each of which the run's design was run
};

struct PanelPicture {
  Exportable view = {};
  std::optional<Diagnostic> why = {};  ///< there is nothing to draw
  bool stretches = false;              ///< looks as good when it is higher
  /// Of its smallest text, in points, in a place of that size; empty: as the figure asks, whatever the size.
  std::function<double(QSizeF)> text_size = {};
  std::function<QString(QSizeF)> left_out = {};  ///< what of it is not shown in a place of that size
  QStringList offered = {};                      ///< what FigurePanel::hidden or FigurePanel::rows may name
  std::shared_ptr<QWidget> widget = {};          ///< that `view` draws; null: one of somebody else
};

PanelPicture panelPicture(const FigurePanel& panel, const PanelSource& source);

}  // namespace sluice::ui
