#include "widgets/itensor/slice_selector.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>
#include <limits>

namespace sluice::ui {

SliceSelector::SliceSelector(QWidget* parent)
    : QWidget(parent), rows_(new QComboBox), columns_(new QComboBox) {
  setObjectName(QStringLiteral("sliceSelector"));
  rows_->setObjectName(QStringLiteral("sliceRows"));
  rows_->setAccessibleName(tr("The dimension drawn downwards"));
  columns_->setObjectName(QStringLiteral("sliceColumns"));
  columns_->setAccessibleName(tr("The dimension drawn across"));
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(new QLabel(tr("Down")));
  layout->addWidget(rows_);
  layout->addWidget(new QLabel(tr("across")));
  layout->addWidget(columns_);
  connect(rows_, &QComboBox::currentIndexChanged, this, [this] { choose(rows_, columns_); });
  connect(columns_, &QComboBox::currentIndexChanged, this, [this] { choose(columns_, rows_); });
  hide();
}

void SliceSelector::setShape(const std::vector<std::int64_t>& shape) {
  if (shape == shape_) return;
  const bool same_rank = shape.size() == shape_.size();
  shape_ = shape;
  setVisible(shape.size() > 2);
  if (!same_rank) {
    const QSignalBlocker quiet_rows(rows_), quiet_columns(columns_);
    rows_->clear();
    columns_->clear();
    for (std::size_t k = 0; k < shape.size(); ++k) {
      const QString name = tr("dimension %1").arg(k);
      rows_->addItem(name);
      columns_->addItem(name);
    }
    // The last two, as one writes matrices.
    rows_->setCurrentIndex(std::max(0, static_cast<int>(shape.size()) - 2));
    columns_->setCurrentIndex(static_cast<int>(shape.size()) - 1);
  }
  rebuildHeld();
}

void SliceSelector::choose(QComboBox* changed, QComboBox* other) {
  if (changed->currentIndex() == other->currentIndex()) {
    const QSignalBlocker quiet(other);
    other->setCurrentIndex((changed->currentIndex() + 1) % changed->count());
  }
  rebuildHeld();
  emit sliceChanged();
}

void SliceSelector::rebuildHeld() {
  delete held_;
  indices_.clear();
  held_ = new QWidget;
  auto* layout = new QHBoxLayout(held_);
  layout->setContentsMargins(0, 0, 0, 0);
  for (std::size_t k = 0; k < shape_.size(); ++k) {
    if (static_cast<int>(k) == rows_->currentIndex() || static_cast<int>(k) == columns_->currentIndex())
      continue;
    auto* spin = new QSpinBox;
    spin->setObjectName(QStringLiteral("sliceIndex%1").arg(k));
    spin->setAccessibleName(tr("Index in dimension %1").arg(k));
    spin->setRange(0,
                   static_cast<int>(std::min<std::int64_t>(shape_[k] - 1, std::numeric_limits<int>::max())));
    layout->addWidget(new QLabel(tr("dimension %1 at").arg(k)));
    layout->addWidget(spin);
    indices_.emplace_back(k, spin);
    connect(spin, &QSpinBox::valueChanged, this, &SliceSelector::sliceChanged);
  }
  this->layout()->addWidget(held_);
}

TensorSlice SliceSelector::slice() const {
  if (shape_.size() == 1) return {1, 0, {0}};  // one row
  if (shape_.size() < 2) return {};
  TensorSlice slice{static_cast<std::size_t>(rows_->currentIndex()),
                    static_cast<std::size_t>(columns_->currentIndex()),
                    {}};
  slice.at.assign(shape_.size(), 0);
  for (const auto& [dimension, spin] : indices_) slice.at[dimension] = spin->value();
  return slice;
}

}  // namespace sluice::ui
