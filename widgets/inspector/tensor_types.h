#pragma once
// TensorTypesBox: the iterative tensor types at the two ends of a stream or of a layout converter, in the
// inspector: their text, what the converter between them needs, and a button that draws both.

#include <QWidget>
#include <optional>
#include <vector>

#include "engine/explorer/evaluate.h"
#include "engine/itensor/converter.h"

namespace sluice::ui {

struct TensorTypes {
  ITensor source, result;                            ///< what is sent and what is taken; the same for a FIFO
  std::vector<std::int64_t> shape;                   ///< of the tensor
  QString tensor;                                    ///< its name; empty: none
  ConverterOrder order = ConverterOrder::OrderFree;  ///< that the converter was inferred in

  bool operator==(const TensorTypes&) const = default;
};

/// The order of a stream, if it has one, and the two of a node that turns one into another: what the graph
/// itself says.
std::optional<TensorTypes> typesOfStream(const SymbolicResult& symbolic, const std::string& origin);
std::optional<TensorTypes> typesOfNode(const SymbolicResult& symbolic, const std::string& path);

class TensorTypesBox : public QWidget {
  Q_OBJECT

 public:
  explicit TensorTypesBox(const TensorTypes& types, QWidget* parent = nullptr);

 signals:
  /// Draw them.
  void orderRequested();
};

}  // namespace sluice::ui
