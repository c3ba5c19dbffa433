#include "widgets/itensor/type_facts.h"

#include <QFormLayout>
#include <QLabel>

#include "engine/itensor/canonical.h"
#include "engine/itensor/coverage.h"
#include "engine/itensor/itensor_text.h"
#include "widgets/common/diagnostic_text.h"
#include "widgets/common/quantity.h"
#include "widgets/inspector/page.h"

namespace sluice::ui {
namespace {

QString sizeText(std::int64_t bits) {
  return bits % 8 == 0 ? bytesText(bits / 8) : QObject::tr("%1 bits").arg(bits);
}

QString coverageText(const ITensor& type, std::span<const std::int64_t> shape) {
  const Result<Coverage> covered = coverage(type, shape);
  if (!covered) return inlineText(covered.diagnostics().front());
  QString words = QObject::tr("%1: %2 of %3 elements sent")
                      .arg(QString::fromStdString(text(covered->kind())))
                      .arg(covered->covered)
                      .arg(covered->elements);
  if (covered->least_visits == covered->most_visits && covered->most_visits > 1)
    words += QObject::tr(", each %1 times").arg(covered->most_visits);
  else if (covered->most_visits > 1)
    words += QObject::tr(", %1 to %2 times").arg(covered->least_visits).arg(covered->most_visits);
  if (covered->outside > 0) words += QObject::tr("; %1 outside").arg(covered->outside);
  return words;
}

QString revisitText(const ITensor& type) {
  const std::vector<std::size_t> loops = reuseLoops(type);
  if (loops.empty()) return QObject::tr("once: no loop sends anything again");
  QStringList names;
  for (const std::size_t d : loops) names << QStringLiteral("d%1").arg(d);
  return QObject::tr("%1 times, by %2").arg(revisitFactor(type)).arg(names.join(QStringLiteral(", ")));
}

}  // namespace

TypeFacts::TypeFacts(QWidget* parent) : QWidget(parent) {
  auto* form = sectionForm();
  form->setContentsMargins(8, 8, 8, 8);
  form->setVerticalSpacing(3);
  setLayout(form);
  coverage_ = row(tr("Coverage"), "coverage");
  tokens_ = row(tr("Tokens"), "tokens");
  token_size_ = row(tr("Token"), "tokenSize");
  stream_ = row(tr("Stream"), "stream");
  revisit_ = row(tr("Sent"), "revisit");
  tensor_ = row(tr("Reaches over"), "tensor");
  tiling_ = row(tr("Tiling"), "tiling");
  canonical_ = row(tr("Canonical"), "canonical");
}

QLabel* TypeFacts::row(const QString& title, const char* name) {
  QLabel* label = valueLabel(QString::fromLatin1(name));
  label->setAccessibleName(title);
  static_cast<QFormLayout*>(layout())->addRow(title, label);
  return label;
}

void TypeFacts::setType(const ITensor* type, const std::optional<std::vector<std::int64_t>>& shape) {
  for (QLabel* label : {tokens_, token_size_, stream_, tensor_, coverage_, revisit_, tiling_, canonical_})
    label->setText(QStringLiteral("\u2013"));
  if (!type) return;
  tokens_->setText(exactNumber(static_cast<std::uint64_t>(tokenCount(*type))));
  token_size_->setText(
      tr("%1, %2").arg(QString::fromStdString(elementText(*type)), sizeText(tokenBits(*type))));
  stream_->setText(sizeText(volumeBits(*type)));
  const auto inferred = inferredShape(*type);
  tensor_->setText(inferred ? QString::fromStdString(shapeText(*inferred))
                            : tr("offsets that do not begin at 0"));
  revisit_->setText(revisitText(*type));
  tiling_->setText(isRegularTiling(*type)          ? tr("regular: every step is the tile")
                   : isProjectedPermutation(*type) ? tr("loops of their own, but steps are not the tile")
                                                   : tr("offsets that are no loops of their own"));
  canonical_->setText(QString::fromStdString(sluice::text(canonicalForm(*type))));
  if (shape) coverage_->setText(coverageText(*type, *shape));
}

QString TypeFacts::value(const QString& name) const {
  const auto* label = findChild<QLabel*>(name);
  return label ? label->text() : QString();
}

}  // namespace sluice::ui
