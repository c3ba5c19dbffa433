#include "widgets/canvas/gestures/rename_field.h"

#include <QKeyEvent>

namespace sluice::ui {

RenameField::RenameField(const QString& name, QWidget* parent) : QLineEdit(name, parent) {
  setObjectName(QStringLiteral("renameField"));
  selectAll();
  connect(this, &QLineEdit::editingFinished, this, [this] { end(true); });
}

/// Keeps its keys from the canvas around it, which would act on Return, too.
void RenameField::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape)
    cancel();
  else
    QLineEdit::keyPressEvent(event);
  event->accept();
}

void RenameField::end(bool take) {
  if (std::exchange(ended_, true)) return;  // losing the focus ends it once more
  const QString name = text().trimmed();
  const bool changed = isModified();
  deleteLater();
  emit ended();
  if (take && changed) emit renamed(name);
}

}  // namespace sluice::ui
