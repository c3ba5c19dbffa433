#pragma once
// What dialogs of searches share: a row of a form whose label leads to a field in it, and room for text that
// changes.

#include <QFormLayout>
#include <QLabel>

namespace sluice::ui {

template <class Field>
void addRow(QFormLayout& form, const QString& text, Field* field, QWidget* buddy) {
  auto* label = new QLabel(text);
  label->setBuddy(buddy);
  form.addRow(label, field);
}

/// What is reported while the user types moves nothing below it.
inline void keepHeight(QLabel* label, int lines) {
  label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  label->setMinimumHeight(lines * label->fontMetrics().lineSpacing());
}

}  // namespace sluice::ui
