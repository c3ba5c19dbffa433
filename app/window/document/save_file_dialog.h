#pragma once
// Asks for the name of a file to write.

#include <QString>

class QWidget;

namespace sluice::ui {

/// Empty where the user cancels. A name without a suffix gets that of the chosen filter.
/// `filters`: "PDF (*.pdf);;PNG (*.png)".
QString chooseFileToSave(QWidget* parent, const QString& title, const QString& suggested,
                         const QString& filters);

}  // namespace sluice::ui
