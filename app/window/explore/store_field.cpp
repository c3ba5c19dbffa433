#include "app/window/explore/store_field.h"

#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>

#include "app/window/shell/named.h"

namespace sluice::ui {

StoreField::StoreField(QWidget* parent) : QWidget(parent) {
  line_ = named(new QLineEdit, "searchStore", tr("Result store"));
  line_->setPlaceholderText(tr("none; a file that keeps every point, as results.db"));
  line_->setClearButtonEnabled(true);
  auto* choose = named(new QPushButton(tr("Bro&wse\u2026")), "searchBrowse", tr("Choose the result store"));
  choose->setAutoDefault(false);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(8);
  row->addWidget(line_);
  row->addWidget(choose);
  connect(choose, &QPushButton::clicked, this, &StoreField::browse);
  connect(line_, &QLineEdit::textChanged, this, &StoreField::changed);
}

QString StoreField::text() const {
  return line_->text().trimmed();
}

void StoreField::setText(const QString& text) {
  line_->setText(text);
}

std::filesystem::path StoreField::path(const std::filesystem::path& document) const {
  if (isEmpty()) return {};
  return document.parent_path() / QFile::encodeName(text()).toStdString();
}

/// An old store is added to, not overwritten.
void StoreField::browse() {
  QString file = QFileDialog::getSaveFileName(this, tr("Result Store"), line_->text(),
                                              tr("Result stores (*.db);;All files (*)"), nullptr,
                                              QFileDialog::DontConfirmOverwrite);
  if (file.isEmpty()) return;
  if (QFileInfo(file).suffix().isEmpty()) file += QStringLiteral(".db");
  line_->setText(file);
}

}  // namespace sluice::ui
