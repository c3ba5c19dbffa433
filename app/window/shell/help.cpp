#include "app/window/shell/help.h"

#include <QDialogButtonBox>
#include <QMessageBox>
#include <QPushButton>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "app/window/shell/commands.h"
#include "app/window/shell/shortcut_editor.h"

namespace sluice::ui {

void showShortcuts(QWidget* window, Commands& commands) {
  auto* dialog = new QDialog(window);
  dialog->setObjectName(QStringLiteral("cheatSheet"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(QObject::tr("Keyboard shortcuts"));
  auto* sheet = new QTextBrowser;
  sheet->setAccessibleName(QObject::tr("Every command with its keys"));
  sheet->setHtml(commands.shortcutsHtml());
  sheet->setFrameShape(QFrame::NoFrame);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  QPushButton* edit = buttons->addButton(QObject::tr("Change the Keys\u2026"), QDialogButtonBox::ActionRole);
  edit->setObjectName(QStringLiteral("editShortcuts"));
  auto* layout = new QVBoxLayout(dialog);
  layout->addWidget(sheet);
  layout->addWidget(buttons);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  QObject::connect(edit, &QPushButton::clicked, dialog, [dialog, window, &commands] {
    dialog->close();
    (new ShortcutEditor(&commands, window))->open();
  });
  dialog->resize(760, 640);
  dialog->open();
}

void showAbout(QWidget* window) {
  QMessageBox::about(
      window, QObject::tr("About Sluice"),
      QObject::tr("<h3>Sluice %1</h3><p>Explores the design space of streaming tensor programs on spatial "
                  "dataflow accelerators.</p>")
          .arg(QStringLiteral(SLUICE_VERSION)));
}

}  // namespace sluice::ui
