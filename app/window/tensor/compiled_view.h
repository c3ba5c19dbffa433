#pragma once
// CompiledView: what the window knows of tensor programs that the schedule has compiled, beyond the nodes and
// streams that they became: which kernels are on the device together, and the iterative tensor types of
// streams and converters. CompiledDesigns shows it on the canvas and in the inspector.

#include <QHash>
#include <QObject>
#include <optional>

#include "app/window/schedule/schedule_trace.h"
#include "widgets/canvas/node_groups.h"
#include "widgets/fifos/sizing_examples.h"
#include "widgets/inspector/tensor_types.h"

namespace sluice::ui {

class GraphCanvas;
class Inspector;
class ScheduleController;
class ShownProgram;
class TensorCommands;

struct CompiledView {
  QList<NodeGroup> groups;            ///< equal layers, then those of fusion, unless all are in one
  QHash<QString, TensorTypes> types;  ///< by the path of a converter or the origin of a stream
};

/// Nodes and streams are those of `shown` that the steps made; what later steps took away is left out.
CompiledView compiledView(const ScheduleTrace& trace, const Document& shown);

/// To size their FIFOs.
std::vector<SizingExample> designsOf(const ScheduleTrace& trace);

class CompiledDesigns : public QObject {
  Q_OBJECT

 public:
  struct Parts {
    ScheduleController* schedule;
    ShownProgram* shown;
    GraphCanvas* canvas;
    Inspector* inspector;
    TensorCommands* tensors;
  };
  CompiledDesigns(Parts parts, QObject* parent);

 private:
  void update();
  /// The page of tensor types begins with the program's, unless the user has others there.
  void openTypes();

  Parts parts_;
  std::shared_ptr<const ScheduleTrace> trace_;
  QHash<QString, TensorTypes> types_;  ///< of the shown program
  std::optional<TensorTypes> asked_;   ///< from the inspector
};

}  // namespace sluice::ui
