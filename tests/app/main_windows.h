#pragma once
// The window of a test, as the program opens it, and what a user does in its file dialogs.

#include <QApplication>
#include <QFileDialog>
#include <QTest>
#include <QTimer>
#include <functional>
#include <memory>

#include "app/window/shell/main_window.h"

namespace sluice::ui {

/// On the screen; with a size, it has that from the beginning.
inline std::unique_ptr<MainWindow> makeWindow(const QSize& size = {}) {
  auto made = std::make_unique<MainWindow>(QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice-layout"));
  if (size.isValid()) made->resize(size);
  made->show();
  return made;
}

/// When the file dialog that comes next is open, acts in it and accepts it.
inline void inFileDialog(QObject* test, const std::function<void(QFileDialog*)>& act) {
  auto* look = new QTimer(test);
  QObject::connect(look, &QTimer::timeout, test, [look, act] {
    auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
    if (!dialog) return;
    look->deleteLater();
    act(dialog);
    static_cast<QDialog*>(dialog)->accept();
  });
  look->start(50);
}

}  // namespace sluice::ui
