#include "widgets/itensor/itensor_page.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSlider>
#include <QSplitter>
#include <QToolButton>

#include "engine/itensor/itensor_text.h"
#include "widgets/common/diagnostic_text.h"
#include "widgets/itensor/converter_view.h"
#include "widgets/itensor/itensor_examples.h"
#include "widgets/itensor/itensor_pane.h"
#include "widgets/itensor/slice_selector.h"
#include "widgets/itensor/tensor_grid.h"
#include "widgets/itensor/type_field.h"

namespace sluice::ui {

ITensorPage::ITensorPage(QWidget* parent)
    : QWidget(parent),
      source_(new ITensorPane(tr("Source"))),
      result_(new ITensorPane(tr("Result"))),
      converter_(new ConverterView),
      tensor_(new QLineEdit),
      tensor_message_(new QLabel),
      parting_text_(new QLabel),
      count_(new QLabel),
      compared_(new QCheckBox(tr("&Compare with a second type"))),
      slice_(new SliceSelector),
      slider_(new QSlider(Qt::Horizontal)) {
  setObjectName(QStringLiteral("itensorPage"));
  source_->setObjectName(QStringLiteral("sourcePane"));
  result_->setObjectName(QStringLiteral("resultPane"));
  auto* parts = new QSplitter(Qt::Horizontal);
  parts->setHandleWidth(1);
  parts->setChildrenCollapsible(false);
  for (QWidget* part :
       {static_cast<QWidget*>(source_), static_cast<QWidget*>(converter_), static_cast<QWidget*>(result_)})
    parts->addWidget(part);
  parts->setSizes({470, 280, 470});
  parts->setStretchFactor(0, 1);
  parts->setStretchFactor(2, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(buildTop());
  layout->addWidget(parts, 1);
  transport_ = buildTransport();
  layout->addWidget(transport_);
  for (ITensorPane* pane : {source_, result_}) {
    connect(pane, &ITensorPane::typeChanged, this, &ITensorPage::readAll);
    connect(pane, &ITensorPane::exampleChosen, tensor_, &QLineEdit::setText);
    connect(pane, &ITensorPane::tokenChosen, this,
            [this](qint64 token) { slider_->setValue(static_cast<int>(token)); });
  }
  connect(tensor_, &QLineEdit::textChanged, this, &ITensorPage::readAll);
  connect(slice_, &SliceSelector::sliceChanged, this, &ITensorPage::readAll);
  connect(compared_, &QCheckBox::toggled, this, &ITensorPage::setCompared);
  connect(slider_, &QSlider::valueChanged, this, &ITensorPage::showPosition);
  connect(&player_, &QTimer::timeout, this, [this] {
    slider_->setValue(slider_->value() + stride_);
    if (slider_->value() == slider_->maximum()) togglePlay();
  });
  const auto examples = itensorExamples();
  setTypes(QString::fromLatin1(examples[1].type), QString::fromLatin1(examples[2].type),
           QString::fromLatin1(examples[1].tensor));
  setCompared(true);
}

QWidget* ITensorPage::buildTop() {
  tensor_->setObjectName(QStringLiteral("tensorShape"));
  tensor_->setAccessibleName(tr("Shape of the tensor"));
  tensor_->setPlaceholderText(tr("as far as the type reaches"));
  tensor_->setMinimumWidth(150);
  tensor_->setMaximumWidth(220);
  tensor_message_->setObjectName(QStringLiteral("tensorMessage"));
  tensor_message_->setMinimumWidth(1);  // a long message must not widen the window
  compared_->setObjectName(QStringLiteral("compareTypes"));
  auto* label = new QLabel(tr("Te&nsor"));
  label->setBuddy(tensor_);
  auto* row = new QWidget;
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(10, 8, 10, 6);
  layout->addWidget(label);
  layout->addWidget(tensor_);
  layout->addWidget(slice_);
  layout->addWidget(tensor_message_, 1);
  layout->addWidget(compared_);
  return row;
}

QToolButton* ITensorPage::stepButton(const char* name, const QString& sign, const QString& title,
                                     void (ITensorPage::*step)()) {
  auto* button = new QToolButton;
  button->setObjectName(QString::fromLatin1(name));
  button->setText(sign);
  button->setToolTip(title);
  button->setAccessibleName(title);
  button->setAutoRaise(true);
  button->setFocusPolicy(Qt::TabFocus);
  connect(button, &QToolButton::clicked, this, step);
  return button;
}

QWidget* ITensorPage::buildTransport() {
  slider_->setObjectName(QStringLiteral("tokenSlider"));
  slider_->setAccessibleName(tr("Token"));
  count_->setObjectName(QStringLiteral("tokenCount"));
  parting_text_->setObjectName(QStringLiteral("partingText"));
  play_ = stepButton("playTokens", QStringLiteral("\u25b6"), tr("Play (P)"), &ITensorPage::togglePlay);
  part_ = stepButton("goToParting", tr("\u2260 Go there"),
                     tr("To the first token in which the two differ (D)"), &ITensorPage::goToParting);
  auto* row = new QWidget;
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(10, 6, 10, 8);
  layout->setSpacing(4);
  layout->addWidget(
      stepButton("firstToken", QStringLiteral("|\u25c2"), tr("First token (Home)"), &ITensorPage::first));
  layout->addWidget(stepButton("previousToken", QStringLiteral("\u25c2"), tr("Previous token (Left)"),
                               &ITensorPage::previous));
  layout->addWidget(play_);
  layout->addWidget(
      stepButton("nextToken", QStringLiteral("\u25b8"), tr("Next token (Right)"), &ITensorPage::next));
  layout->addWidget(
      stepButton("lastToken", QStringLiteral("\u25b8|"), tr("Last token (End)"), &ITensorPage::last));
  layout->addWidget(slider_, 1);
  layout->addWidget(count_);
  layout->addSpacing(12);
  layout->addWidget(parting_text_);
  layout->addWidget(part_);
  return row;
}

void ITensorPage::setTypes(const QString& source, const QString& result, const QString& tensor) {
  tensor_->setText(tensor);
  source_->setTypeText(source);
  result_->setTypeText(result);
  setCompared(compared_->isChecked());
  set_ = written();
}

QStringList ITensorPage::written() const {
  return {source_->field()->text(), result_->field()->text(), tensor_->text()};
}

bool ITensorPage::isAsSet() const {
  return written() == set_;
}

void ITensorPage::setCompared(bool compared) {
  const QSignalBlocker quiet(compared_);
  compared_->setChecked(compared);
  result_->setVisible(compared);
  converter_->setVisible(compared);
  readAll();
}

/// Empty: as far as the source's type reaches.
void ITensorPage::readShape() {
  const std::string written = tensor_->text().trimmed().toStdString();
  tensor_message_->clear();
  shape_.reset();
  if (!written.empty()) {
    const auto read = parseTensorShape(written, "tensor");
    if (read)
      shape_ = *read;
    else
      tensor_message_->setText(inlineText(read.diagnostics().front()));
    tensor_message_->setToolTip(tensor_message_->text());
  } else if (const ITensor* type = source_->type()) {
    shape_ = inferredShape(*type);
  }
}

void ITensorPage::readAll() {
  readShape();
  if (shape_) slice_->setShape(*shape_);
  const TensorSlice slice = slice_->slice();
  source_->show(shape_, slice);
  const bool compared = compared_->isChecked();
  if (compared) {
    result_->show(shape_, slice);
    converter_->setTypes(source_->type(), result_->type(), shape_, slice);
  }
  const bool both = compared && source_->type() && result_->type();
  parting_ = both ? partingOf(*source_->type(), *result_->type()) : std::nullopt;
  showParting();
  const QSignalBlocker quiet(slider_);
  slider_->setRange(0, static_cast<int>(std::max<std::int64_t>(1, steps()) - 1));
  slider_->setPageStep(std::max(1, slider_->maximum() / 10));
  stride_ = std::max(1, slider_->maximum() / 400);
  showPosition(slider_->value());
}

/// Positions there are to step through.
std::int64_t ITensorPage::steps() const {
  std::int64_t most = 1;
  if (source_->type()) most = tokenCount(*source_->type());
  if (compared_->isChecked() && result_->type()) most = std::max(most, tokenCount(*result_->type()));
  return std::min(most, most_walked_tokens);
}

void ITensorPage::showParting() {
  const bool both = compared_->isChecked() && source_->type() && result_->type();
  const std::optional<std::int64_t> marked =
      parting_ && parting_->found ? std::optional(parting_->token) : std::nullopt;
  source_->setMarked(marked);
  result_->setMarked(marked);
  part_->setVisible(marked.has_value());
  if (!both) return parting_text_->clear();
  if (!parting_) return parting_text_->setText(tr("the same stream"));
  parting_text_->setText(parting_->found ? tr("they part at token %1").arg(parting_->token)
                                         : tr("the first %1 tokens agree").arg(parting_->token));
}

void ITensorPage::showPosition(int token) {
  source_->setPosition(token);
  if (compared_->isChecked()) result_->setPosition(token);
  const QString count = tr("%1 of %2").arg(token).arg(steps());
  // As wide as it will get, so that the slider does not move under the mouse.
  count_->setMinimumWidth(count_->fontMetrics().horizontalAdvance(tr("%1 of %2").arg(steps()).arg(steps())));
  count_->setText(count);
}

QList<QWidget*> ITensorPage::stepWidgets() const {
  return {source_->grid(), result_->grid(), transport_};
}

std::int64_t ITensorPage::position() const {
  return slider_->value();
}

void ITensorPage::first() {
  slider_->setValue(0);
}

void ITensorPage::previous() {
  slider_->setValue(slider_->value() - 1);
}

void ITensorPage::next() {
  slider_->setValue(slider_->value() + 1);
}

void ITensorPage::last() {
  slider_->setValue(slider_->maximum());
}

void ITensorPage::togglePlay() {
  if (player_.isActive()) {
    player_.stop();
  } else {
    if (slider_->value() == slider_->maximum()) first();
    player_.start(std::clamp(12'000 / std::max(1, slider_->maximum()), 30, 400));
  }
  play_->setText(player_.isActive() ? QStringLiteral("\u275a\u275a") : QStringLiteral("\u25b6"));
  play_->setToolTip(player_.isActive() ? tr("Pause (P)") : tr("Play (P)"));
  play_->setAccessibleName(play_->toolTip());
}

void ITensorPage::goToParting() {
  if (parting_ && parting_->found) slider_->setValue(static_cast<int>(parting_->token));
}

}  // namespace sluice::ui
