#include "widgets/knobs/knob_row.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QSpinBox>
#include <QToolButton>
#include <algorithm>
#include <limits>

#include "engine/explorer/tables.h"

namespace sluice::ui {
namespace {

int toInt(std::int64_t value) {
  constexpr std::int64_t low = std::numeric_limits<int>::min(), high = std::numeric_limits<int>::max();
  return static_cast<int>(std::clamp(value, low, high));
}

}  // namespace

KnobRow::KnobRow(const Knob& knob, QWidget* parent)
    : QWidget(parent),
      knob_(knob),
      values_(knob.kind == KnobKind::Range ? std::vector<std::int64_t>() : knob.values()),
      value_(knob.initial),
      slider_(new QSlider(Qt::Horizontal)),
      reset_(new QToolButton) {
  const QString name = QString::fromStdString(knob.name);
  setObjectName(QStringLiteral("knob.") + name);
  if (!knob.help.empty()) setToolTip(QString::fromStdString(knob.help));
  slider_->setObjectName(QStringLiteral("slider.") + name);
  slider_->setAccessibleName(name);
  slider_->setRange(0, std::max(0, steps() - 1));
  slider_->setPageStep(std::max(1, steps() / 10));
  if (steps() <= 40) slider_->setTickPosition(QSlider::TicksBelow);
  slider_->setTickInterval(1);
  slider_->setEnabled(steps() > 1);
  reset_->setObjectName(QStringLiteral("reset.") + name);
  reset_->setText(QStringLiteral("\u21ba"));
  reset_->setAutoRaise(true);
  reset_->setToolTip(tr("Back to the default, %1").arg(QString::fromStdString(knobText(knob, knob.initial))));
  reset_->setAccessibleName(tr("Reset %1").arg(name));
  layOut(makeEditor());
  setValue(knob.initial);
  connect(slider_, &QSlider::valueChanged, this, [this](int step) { change(valueAt(step)); });
  connect(slider_, &QSlider::sliderReleased, this, &KnobRow::dragFinished);
  connect(reset_, &QToolButton::clicked, this, [this] { change(knob_.initial); });
}

QWidget* KnobRow::makeEditor() {
  const QString name = QString::fromStdString(knob_.name);
  if (knob_.kind == KnobKind::Range) {
    spin_ = new QSpinBox;
    spin_->setRange(toInt(knob_.minimum), toInt(knob_.maximum));
    spin_->setSingleStep(toInt(std::max<std::int64_t>(1, knob_.step)));
    spin_->setKeyboardTracking(false);
    spin_->setAlignment(Qt::AlignRight);
    connect(spin_, &QSpinBox::valueChanged, this, [this](int value) { change(valueAt(nearestStep(value))); });
  } else {
    combo_ = new QComboBox;
    for (const std::int64_t value : values_) combo_->addItem(QString::fromStdString(knobText(knob_, value)));
    connect(combo_, &QComboBox::currentIndexChanged, this, [this](int step) { change(valueAt(step)); });
  }
  QWidget* editor = spin_ ? static_cast<QWidget*>(spin_) : combo_;
  editor->setObjectName(QStringLiteral("value.") + name);
  editor->setAccessibleName(tr("Value of %1").arg(name));
  editor->setMinimumWidth(76);
  return editor;
}

void KnobRow::layOut(QWidget* editor) {
  auto* label = new QLabel(QString::fromStdString(knob_.name));
  label->setBuddy(slider_);
  auto* layout = new QGridLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setHorizontalSpacing(4);
  layout->setVerticalSpacing(2);
  layout->addWidget(label, 0, 0);
  layout->addWidget(editor, 0, 1);
  layout->addWidget(reset_, 0, 2);
  layout->addWidget(slider_, 1, 0, 1, 3);
  layout->setColumnStretch(0, 1);
}

int KnobRow::steps() const {
  if (knob_.kind != KnobKind::Range) return static_cast<int>(values_.size());
  if (knob_.maximum < knob_.minimum) return 0;
  return toInt((knob_.maximum - knob_.minimum) / std::max<std::int64_t>(1, knob_.step) + 1);
}

std::int64_t KnobRow::valueAt(int step) const {
  if (knob_.kind == KnobKind::Range) return knob_.minimum + step * std::max<std::int64_t>(1, knob_.step);
  if (step < 0 || static_cast<std::size_t>(step) >= values_.size()) return value_;
  return values_[static_cast<std::size_t>(step)];
}

int KnobRow::nearestStep(std::int64_t value) const {
  if (knob_.kind == KnobKind::Range) {
    const std::int64_t step = std::max<std::int64_t>(1, knob_.step);
    return std::clamp(toInt((value - knob_.minimum + step / 2) / step), 0, std::max(0, steps() - 1));
  }
  const auto distance = [value](std::int64_t other) { return other > value ? other - value : value - other; };
  const auto found = std::min_element(values_.begin(), values_.end(), [&](std::int64_t a, std::int64_t b) {
    return distance(a) < distance(b);
  });
  return static_cast<int>(found - values_.begin());
}

bool KnobRow::dragging() const {
  return slider_->isSliderDown();
}

void KnobRow::setValue(std::int64_t value) {
  value_ = value;
  const QSignalBlocker quiet_slider(slider_);
  slider_->setValue(nearestStep(value));
  if (spin_) {
    const QSignalBlocker quiet(spin_);
    spin_->setValue(toInt(value));
  }
  if (combo_) {
    const QSignalBlocker quiet(combo_);
    combo_->setCurrentIndex(nearestStep(value));
  }
  reset_->setEnabled(value != knob_.initial);
}

void KnobRow::change(std::int64_t value) {
  if (value == value_) {
    setValue(value);  // a typed value that is not allowed jumps back
    return;
  }
  setValue(value);
  emit valueChanged(value);
}

}  // namespace sluice::ui
