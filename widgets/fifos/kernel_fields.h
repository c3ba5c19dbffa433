#pragma once
// KernelFields: the numbers of a kernel's token curve: D, II, L, T. Three of them make the fourth: a latency
// that is typed gives the interval.

#include <QGroupBox>

#include "engine/tensor/sizing/token_curve.h"

class QLineEdit;
class QSpinBox;

namespace sluice::ui {

/// "2", "7/3".
QString intervalText(const Interval& interval);
/// The nearest value that a spin box can show: not negative, within an int.
int spinValue(std::int64_t value);

class KernelFields : public QGroupBox {
  Q_OBJECT

 public:
  /// `prefix` begins the fields' object names: "producerDelay", "producerInterval", ...
  KernelFields(const QString& title, const QString& prefix, QWidget* parent = nullptr);

  const TokenCurve& curve() const { return curve_; }
  /// Says nothing.
  void setCurve(const TokenCurve& curve);

 signals:
  void edited();

 private:
  QSpinBox* spin(const QString& name, const QString& what, int least);
  void readInterval();
  void readLatency(int cycles);
  void showCurve();

  TokenCurve curve_;
  QSpinBox *delay_, *latency_, *tokens_;
  QLineEdit* interval_;
};

}  // namespace sluice::ui
