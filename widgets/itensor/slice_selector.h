#pragma once
// SliceSelector: which two dimensions of a tensor of more than two are drawn, and where the others are held.

#include <QWidget>
#include <vector>

#include "widgets/itensor/access_picture.h"

class QComboBox;
class QSpinBox;

namespace sluice::ui {

class SliceSelector : public QWidget {
  Q_OBJECT

 public:
  explicit SliceSelector(QWidget* parent = nullptr);

  /// Hides itself where there is nothing to choose.
  void setShape(const std::vector<std::int64_t>& shape);
  TensorSlice slice() const;

 signals:
  void sliceChanged();

 private:
  void choose(QComboBox* changed, QComboBox* other);
  void rebuildHeld();

  std::vector<std::int64_t> shape_;
  QComboBox *rows_, *columns_;
  QWidget* held_ = nullptr;
  std::vector<std::pair<std::size_t, QSpinBox*>> indices_;  ///< of the dimensions not drawn
};

}  // namespace sluice::ui
