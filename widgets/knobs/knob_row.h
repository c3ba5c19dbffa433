#pragma once
// KnobRow: one knob as a slider over its allowed values, with the value beside it and a way back to the
// default.

#include <QWidget>

#include "engine/program/document.h"

class QComboBox;
class QSlider;
class QSpinBox;
class QToolButton;

namespace sluice::ui {

class KnobRow : public QWidget {
  Q_OBJECT

 public:
  explicit KnobRow(const Knob& knob, QWidget* parent = nullptr);

  const Knob& knob() const { return knob_; }
  std::int64_t value() const { return value_; }
  bool dragging() const;
  /// Shows a value; emits nothing. A value that is not allowed shows as the nearest one that is.
  void setValue(std::int64_t value);

 signals:
  void valueChanged(qint64 value);
  /// The mouse let go of the slider.
  void dragFinished();

 private:
  int steps() const;
  std::int64_t valueAt(int step) const;
  int nearestStep(std::int64_t value) const;
  void change(std::int64_t value);
  QWidget* makeEditor();
  void layOut(QWidget* editor);

  Knob knob_;
  std::vector<std::int64_t> values_;  ///< empty for a Range, which is computed
  std::int64_t value_;
  QSlider* slider_;
  QSpinBox* spin_ = nullptr;    ///< Range
  QComboBox* combo_ = nullptr;  ///< all other kinds
  QToolButton* reset_;
};

}  // namespace sluice::ui
