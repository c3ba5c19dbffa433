#include "widgets/fifos/fifo_fields.h"

#include <QCheckBox>
#include <QComboBox>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "widgets/common/flow_layout.h"

namespace sluice::ui {

FifoFields::FifoFields(Qt::Orientation orientation, QWidget* parent)
    : QWidget(parent), equalisation_(new QComboBox) {
  registered_ = box(tr("Re&gistered"), "fifoRegistered",
                    tr("A token can be popped one cycle after it was pushed, not in the same cycle"));
  held_ = box(tr("Slot &held while processed"), "fifoHeld",
              tr("A slot is free only when the consumer has finished its token"));
  push_while_popped_ = box(tr("&Push while full and popped"), "fifoPush",
                           tr("A full FIFO takes a token in the cycle in which another one leaves"));
  equalisation_->setObjectName(QStringLiteral("equalisation"));
  equalisation_->setAccessibleName(tr("Intervals"));
  equalisation_->addItem(tr("Normal"), static_cast<int>(Equalisation::Normal));
  equalisation_->addItem(tr("Conservative"), static_cast<int>(Equalisation::Conservative));
  equalisation_->setToolTip(
      tr("Normal: each kernel's own interval.\nConservative: all kernels stretched to the longest latency."));
  QLayout* layout = nullptr;
  if (orientation == Qt::Vertical)
    layout = new QVBoxLayout(this);
  else
    layout = new FlowLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  for (QCheckBox* check : {registered_, held_, push_while_popped_}) layout->addWidget(check);
  layout->addWidget(equalisation_);
  connect(equalisation_, &QComboBox::currentIndexChanged, this, &FifoFields::edited);
}

QCheckBox* FifoFields::box(const QString& text, const char* name, const QString& tip) {
  auto* made = new QCheckBox(text);
  made->setObjectName(QString::fromLatin1(name));
  made->setToolTip(tip);
  connect(made, &QCheckBox::toggled, this, &FifoFields::edited);
  return made;
}

FifoBehaviour FifoFields::fifo() const {
  return {registered_->isChecked() ? 1 : 0, held_->isChecked(), push_while_popped_->isChecked()};
}

Equalisation FifoFields::equalisation() const {
  return static_cast<Equalisation>(equalisation_->currentData().toInt());
}

void FifoFields::set(const FifoBehaviour& fifo, Equalisation equalisation) {
  const QSignalBlocker quiet(this);
  registered_->setChecked(fifo.hop_latency > 0);
  held_->setChecked(fifo.slot_held_while_processed);
  push_while_popped_->setChecked(fifo.push_while_popped);
  equalisation_->setCurrentIndex(equalisation_->findData(static_cast<int>(equalisation)));
}

}  // namespace sluice::ui
