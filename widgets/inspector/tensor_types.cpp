#include "widgets/inspector/tensor_types.h"

#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/itensor/canonical.h"
#include "engine/itensor/converter_explanation.h"
#include "engine/itensor/itensor_text.h"
#include "engine/operators/order.h"
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

TensorTypes typesBetween(const ITensor& source, const ITensor& result) {
  TensorTypes types{source, result, {}, {}};
  for (std::size_t k = 0; k < source.rank(); ++k)
    types.shape.push_back(std::max<std::int64_t>(offsetRange(source, k).end, 1));
  return types;
}

}  // namespace

std::optional<TensorTypes> typesOfStream(const SymbolicResult& symbolic, const std::string& origin) {
  const auto& streams = symbolic.graph.streams;
  const auto found = std::ranges::find(streams, origin, &FlatStream::origin);
  const auto index = static_cast<std::size_t>(found - streams.begin());
  if (index >= symbolic.inference.streams.size()) return std::nullopt;
  const StreamOrder& order = symbolic.inference.streams[index].order;
  return order ? std::optional(typesBetween(*order, *order)) : std::nullopt;
}

std::optional<TensorTypes> typesOfNode(const SymbolicResult& symbolic, const std::string& path) {
  const auto found = std::ranges::find(symbolic.graph.operators, path, &FlatOperator::origin);
  if (found == symbolic.graph.operators.end() || found->inputs.size() != 1) return std::nullopt;
  const StreamOrder source = takenOrder(*found, 0), result = givenOrder(*found, 0);
  if (!source || !result || sameStream(*source, *result)) return std::nullopt;
  return typesBetween(*source, *result);
}

TensorTypesBox::TensorTypesBox(const TensorTypes& types, QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("tensorTypes"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(6);
  layout->addWidget(sectionTitle(tr("Iterative tensor")));
  QFormLayout* form = sectionForm();
  const QString shape = qt(shapeText(types.shape));
  row(*form, tr("Tensor"), "tensorOfTypes",
      types.tensor.isEmpty() ? shape : tr("%1, %2").arg(types.tensor, shape));
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
