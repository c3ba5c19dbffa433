#pragma once
// FifoFields: how a FIFO behaves in the cycles in which it matters, and with which intervals depths are
// computed.

#include <QWidget>

#include "engine/tensor/sizing/timed_graph.h"

class QCheckBox;
class QComboBox;

namespace sluice::ui {

class FifoFields : public QWidget {
  Q_OBJECT

 public:
  explicit FifoFields(Qt::Orientation orientation, QWidget* parent = nullptr);

  FifoBehaviour fifo() const;
  Equalisation equalisation() const;
  void set(const FifoBehaviour& fifo, Equalisation equalisation);

 signals:
  void edited();

 private:
  QCheckBox* box(const QString& text, const char* name, const QString& tip);

  QCheckBox *registered_, *held_, *push_while_popped_;
  QComboBox* equalisation_;
};

}  // namespace sluice::ui
