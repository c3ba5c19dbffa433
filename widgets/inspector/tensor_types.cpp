#include "widgets/inspector/tensor_types.h"

#include <QPushButton>
#include <QVBoxLayout>

#include "engine/itensor/canonical.h"
#include "engine/itensor/converter_explanation.h"
#include "engine/itensor/itensor_text.h"
#include "widgets/common/diagnostic_text.h"
#include "widgets/common/qt_text.h"
#include "widgets/inspector/page.h"

namespace sluice::ui {
namespace {

QLabel* row(QFormLayout& form, const QString& title, const char* name, const QString& text) {
  QLabel* value = valueLabel(QString::fromLatin1(name));
  value->setText(text);
  form.addRow(title, value);
  return value;
}

}  // namespace

TensorTypesBox::TensorTypesBox(const TensorTypes& types, QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("tensorTypes"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(6);
  layout->addWidget(sectionTitle(tr("Iterative tensor")));
  QFormLayout* form = sectionForm();
  row(*form, tr("Tensor"), "tensorOfTypes", tr("%1, %2").arg(types.tensor, qt(shapeText(types.shape))));
  const bool same = sameStream(types.source, types.result);
  row(*form, same ? tr("Order") : tr("From"), "sourceType", qt(sluice::text(types.source)));
  if (!same) {
    row(*form, tr("To"), "resultType", qt(sluice::text(types.result)));
    const Result<Converter> converter = inferConverter(types.source, types.result, types.shape, types.order);
    row(*form, tr("Converter"), "converterReason",
        converter ? qt(sluice::explanation(*converter, types.source, types.result))
                  : inlineText(converter.diagnostics().front()));
  }
  layout->addLayout(form);
  auto* draw = new QPushButton(tr("Show the &Order"));
  draw->setObjectName(QStringLiteral("showOrder"));
  draw->setToolTip(tr("Draw the order in which the tensor's tiles come"));
  layout->addWidget(draw);
  connect(draw, &QPushButton::clicked, this, &TensorTypesBox::orderRequested);
}

}  // namespace sluice::ui
