#include "app/window/document/save_file_dialog.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QRegularExpression>

namespace sluice::ui {

QString chooseFileToSave(QWidget* parent, const QString& title, const QString& suggested,
                         const QString& filters) {
  static const QRegularExpression pattern(QStringLiteral("\\*(\\.\\w+)"));
  QString filter;
  const QString file = QFileDialog::getSaveFileName(parent, title, suggested, filters, &filter);
  if (file.isEmpty() || !QFileInfo(file).suffix().isEmpty()) return file;
  return file + pattern.match(filter.isEmpty() ? filters : filter).captured(1);
}

}  // namespace sluice::ui
