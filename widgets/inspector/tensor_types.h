#pragma once
// TensorTypesBox: the iterative tensor types at the two ends of a stream or of a layout converter, in the
// inspector: their text, what the converter between them needs, and a button that draws both.

#include <QWidget>
#include <vector>

#include "engine/itensor/converter.h"

namespace sluice::ui {

struct TensorTypes {
  ITensor source, result;                            ///< what is sent and what is taken; the same for a FIFO
  std::vector<std::int64_t> shape;                   ///< of the tensor
  QString tensor;                                    ///< its name
  ConverterOrder order = ConverterOrder::OrderFree;  ///< that the converter was inferred in

  bool operator==(const TensorTypes&) const = default;
};

class TensorTypesBox : public QWidget {
  Q_OBJECT

 public:
  explicit TensorTypesBox(const TensorTypes& types, QWidget* parent = nullptr);

 signals:
  /// Draw them.
  void orderRequested();
};

}  // namespace sluice::ui
