#include "widgets/fifos/kernel_fields.h"

#include <QFormLayout>
#include <QLineEdit>
#include <QRegularExpressionValidator>
#include <QSignalBlocker>
#include <QSpinBox>
#include <limits>
#include <numeric>

namespace sluice::ui {
namespace {

constexpr int largest_count = 1'000'000;

}  // namespace

int spinValue(std::int64_t value) {
  return static_cast<int>(std::clamp<std::int64_t>(value, 0, std::numeric_limits<int>::max()));
}

QString intervalText(const Interval& interval) {
  return interval.tokens == 1 ? QString::number(interval.cycles)
                              : QStringLiteral("%1/%2").arg(interval.cycles).arg(interval.tokens);
}

KernelFields::KernelFields(const QString& title, const QString& prefix, QWidget* parent)
    : QGroupBox(title, parent), interval_(new QLineEdit) {
  delay_ = spin(prefix + QStringLiteral("Delay"), tr("%1: initial delay").arg(title), 0);
  latency_ = spin(prefix + QStringLiteral("Latency"), tr("%1: latency").arg(title), 0);
  latency_->setMaximum(std::numeric_limits<int>::max());
  tokens_ = spin(prefix + QStringLiteral("Tokens"), tr("%1: tokens").arg(title), 1);
  interval_->setObjectName(prefix + QStringLiteral("Interval"));
  interval_->setAccessibleName(tr("%1: initiation interval").arg(title));
  interval_->setToolTip(tr("Cycles from token to token: a number, or a fraction such as 7/3"));
  interval_->setValidator(new QRegularExpressionValidator(
      QRegularExpression(QStringLiteral("[1-9][0-9]{0,8}(/[1-9][0-9]{0,8})?")), interval_));
  delay_->setToolTip(tr("Cycles from the kernel's start to its first token"));
  latency_->setToolTip(tr("Cycles from the kernel's start to its last token; it gives the interval"));
  tokens_->setToolTip(tr("Tokens of one execution"));
  auto* form = new QFormLayout(this);
  form->setVerticalSpacing(4);
  form->addRow(tr("Initial delay D"), delay_);
  form->addRow(tr("Interval II"), interval_);
  form->addRow(tr("Latency L"), latency_);
  form->addRow(tr("Tokens T"), tokens_);
  connect(delay_, &QSpinBox::valueChanged, this, [this](int cycles) {
    curve_.initial_delay = cycles;
    showCurve();
    emit edited();
  });
  connect(tokens_, &QSpinBox::valueChanged, this, [this](int tokens) {
    curve_.tokens = tokens;
    showCurve();
    emit edited();
  });
  connect(latency_, &QSpinBox::valueChanged, this, &KernelFields::readLatency);
  connect(interval_, &QLineEdit::textEdited, this, &KernelFields::readInterval);
  connect(interval_, &QLineEdit::editingFinished, this, &KernelFields::showCurve);
  showCurve();
}

QSpinBox* KernelFields::spin(const QString& name, const QString& what, int least) {
  auto* made = new QSpinBox;
  made->setObjectName(name);
  made->setAccessibleName(what);
  made->setRange(least, largest_count);
  made->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
  return made;
}

void KernelFields::setCurve(const TokenCurve& curve) {
  curve_ = curve;
  showCurve();
}

void KernelFields::readInterval() {
  if (!interval_->hasAcceptableInput()) return;
  const QStringList parts = interval_->text().split(QLatin1Char('/'));
  const std::int64_t cycles = parts[0].toLongLong(), tokens = parts.size() > 1 ? parts[1].toLongLong() : 1;
  const std::int64_t common = std::gcd(cycles, tokens);
  curve_.interval = {cycles / common, tokens / common};
  const QSignalBlocker quiet(latency_);
  latency_->setValue(spinValue(latency(curve_)));
  emit edited();
}

/// The interval at which the last token comes then.
void KernelFields::readLatency(int cycles) {
  const std::int64_t rest = std::max<std::int64_t>(1, cycles - curve_.initial_delay);
  if (curve_.tokens > 1) {
    const std::int64_t common = std::gcd(rest, curve_.tokens - 1);
    curve_.interval = {rest / common, (curve_.tokens - 1) / common};
  }
  showCurve();
  emit edited();
}

void KernelFields::showCurve() {
  const QSignalBlocker quiet_delay(delay_), quiet_latency(latency_), quiet_tokens(tokens_);
  delay_->setValue(spinValue(curve_.initial_delay));
  tokens_->setValue(spinValue(curve_.tokens));
  latency_->setMinimum(spinValue(curve_.initial_delay));
  latency_->setValue(spinValue(latency(curve_)));
  latency_->setEnabled(curve_.tokens > 1);
  if (!interval_->hasFocus() || interval_->text().isEmpty())
    interval_->setText(intervalText(curve_.interval));
}

}  // namespace sluice::ui
