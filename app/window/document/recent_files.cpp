#include "app/window/document/recent_files.h"

#include <QFileInfo>
#include <QSettings>

namespace sluice::ui {
namespace {

constexpr int most = 10;
const auto key = QStringLiteral("recentFiles");

}  // namespace

RecentFiles::RecentFiles(QWidget* parent) : QMenu(tr("Open &Recent"), parent) {
  setObjectName(QStringLiteral("recentFiles"));
  setToolTipsVisible(true);
  rebuild();
}

QStringList RecentFiles::files() const {
  return QSettings().value(key).toStringList();
}

void RecentFiles::add(const std::filesystem::path& file) {
  const QString path = QString::fromStdString(file.string());
  QStringList list = files();
  list.removeAll(path);
  list.prepend(path);
  QSettings().setValue(key, QStringList(list.mid(0, most)));
  rebuild();
}

void RecentFiles::rebuild() {
  clear();
  for (const QString& file : files()) {
    QAction* action = addAction(QFileInfo(file).fileName());
    action->setToolTip(file);
    connect(action, &QAction::triggered, this, [this, file] { emit fileChosen(file); });
  }
  setEnabled(!actions().isEmpty());
  if (isEmpty()) return;
  addSeparator();
  connect(addAction(tr("&Clear List")), &QAction::triggered, this, [this] {
    QSettings().remove(key);
    rebuild();
  });
}

}  // namespace sluice::ui
