#include "app/window/shell/command_calls.h"

#include <QSettings>
#include <QWidget>

#include "app/window/shell/commands.h"
#include "widgets/commands/command_palette.h"

namespace sluice::ui {
namespace {

constexpr int remembered = 8;

QString recentKey() {
  return QStringLiteral("commands/recent");
}

}  // namespace

void openCommandPalette(Commands& commands, QWidget* window) {
  if (auto* open = window->findChild<CommandPalette*>()) open->close();
  QList<PaletteEntry> entries;
  for (QAction* action : commands.all())
    entries << PaletteEntry{action, Commands::plainText(*action), commands.menuOf(*action)};
  auto* palette = new CommandPalette(entries, window);
  palette->setRecent(QSettings().value(recentKey()).toStringList());
  QObject::connect(
      palette, &CommandPalette::chosen, window,
      [](QAction* action) {
        QStringList recent = QSettings().value(recentKey()).toStringList();
        recent.removeAll(action->objectName());
        recent.prepend(action->objectName());
        QSettings().setValue(recentKey(), QStringList(recent.mid(0, remembered)));
        action->trigger();
      },
      Qt::QueuedConnection);  // the palette has gone by then
  palette->open();
}

}  // namespace sluice::ui
