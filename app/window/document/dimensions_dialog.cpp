#include "app/window/document/dimensions_dialog.h"

#include <QDialogButtonBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

namespace sluice::ui {
namespace {

constexpr int most = 1 << 24, usual = 64;

}  // namespace

DimensionsDialog::DimensionsDialog(const QString& file, const std::vector<std::string>& names,
                                   QWidget* parent)
    : QDialog(parent) {
  setObjectName(QStringLiteral("dimensionsDialog"));
  setWindowTitle(tr("Import a Model"));
  auto* why =
      new QLabel(tr("%1 leaves these dimensions of its inputs open. A tensor program has fixed sizes.")
                     .arg(QFileInfo(file).fileName()));
  why->setWordWrap(true);
  auto* form = new QFormLayout;
  for (const std::string& name : names) {
    const QString label = QString::fromStdString(name);
    auto* field = new QSpinBox;
    field->setObjectName(QStringLiteral("dimension.") + label);
    field->setAccessibleName(tr("Extent of %1").arg(label));
    field->setRange(1, most);
    field->setValue(label.contains(QLatin1String("batch"), Qt::CaseInsensitive) ? 1 : usual);
    form->addRow(label, field);
    fields_[name] = field;
  }
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
  buttons->button(QDialogButtonBox::Ok)->setText(tr("&Import"));
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(why);
  layout->addLayout(form);
  layout->addWidget(buttons);
}

std::map<std::string, std::int64_t> DimensionsDialog::extents() const {
  std::map<std::string, std::int64_t> extents;
  for (const auto& [name, field] : fields_) extents[name] = field->value();
  return extents;
}

}  // namespace sluice::ui
