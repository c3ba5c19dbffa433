#include "app/window/shell/shortcut_editor.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "app/window/shell/commands.h"

namespace sluice::ui {
namespace {

constexpr int id_role = Qt::UserRole;

QString keysText(const QList<QKeySequence>& keys) {
  QStringList list;
  for (const QKeySequence& key : keys) list << key.toString(QKeySequence::NativeText);
  return list.join(QStringLiteral(", "));
}

QString names(const QList<QAction*>& actions) {
  QStringList list;
  for (const QAction* action : actions) list << Commands::plainText(*action);
  return list.join(QStringLiteral(", "));
}

}  // namespace

ShortcutEditor::ShortcutEditor(Commands* commands, QWidget* parent)
    : QDialog(parent),
      commands_(commands),
      search_(new QLineEdit),
      list_(new QTreeWidget),
      keys_(new QKeySequenceEdit),
      conflict_(new QLabel),
      clear_(new QPushButton(tr("&No Key"))),
      reset_(new QPushButton(tr("&Default"))) {
  setObjectName(QStringLiteral("shortcutEditor"));
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Change the Keys"));
  search_->setPlaceholderText(tr("Search commands and keys"));
  search_->setAccessibleName(tr("Search commands and keys"));
  search_->setClearButtonEnabled(true);
  list_->setAccessibleName(tr("Commands and their keys"));
  list_->setColumnCount(3);
  list_->setHeaderLabels({tr("Command"), tr("Keys"), tr("Also on")});
  list_->setRootIsDecorated(true);
  list_->setUniformRowHeights(true);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close | QDialogButtonBox::RestoreDefaults);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(search_);
  layout->addWidget(list_, 1);
  layout->addWidget(buildEditor());
  layout->addWidget(conflict_);
  layout->addWidget(buttons);
  conflict_->setObjectName(QStringLiteral("shortcutConflict"));
  conflict_->setWordWrap(true);
  fill();
  connect(search_, &QLineEdit::textChanged, this, &ShortcutEditor::filter);
  connect(list_, &QTreeWidget::currentItemChanged, this, &ShortcutEditor::showCurrent);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(buttons->button(QDialogButtonBox::RestoreDefaults), &QPushButton::clicked, this, [this] {
    for (QAction* action : commands_->all()) commands_->setKeys(action, commands_->defaultKeys(*action));
    showCurrent();
    showConflicts();
  });
  resize(680, 620);
  showCurrent();
}

QWidget* ShortcutEditor::buildEditor() {
  auto* row = new QWidget;
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* label = new QLabel(tr("&Press the new key:"));
  label->setBuddy(keys_);
  keys_->setAccessibleName(tr("New key of the command"));
  layout->addWidget(label);
  layout->addWidget(keys_, 1);
  layout->addWidget(clear_);
  layout->addWidget(reset_);
  connect(keys_, &QKeySequenceEdit::editingFinished, this, [this] {
    if (current() && keys_->keySequence() != current()->shortcut()) setKeys({keys_->keySequence()});
  });
  connect(clear_, &QPushButton::clicked, this, [this] { setKeys({}); });
  connect(reset_, &QPushButton::clicked, this, [this] {
    if (current()) setKeys(commands_->defaultKeys(*current()));
  });
  return row;
}

void ShortcutEditor::fill() {
  QHash<QString, QTreeWidgetItem*> menus;
  for (const QAction* action : commands_->all()) {
    const QString title = commands_->menuOf(*action);
    QTreeWidgetItem*& menu = menus[title];
    if (!menu) menu = new QTreeWidgetItem(list_, {title});
    menu->setFlags(Qt::ItemIsEnabled);
    auto* item = new QTreeWidgetItem(menu, {Commands::plainText(*action)});
    item->setData(0, id_role, action->objectName());
    item->setToolTip(0, action->statusTip());
  }
  list_->expandAll();
  showConflicts();
  list_->header()->resizeSection(0, 300);
  list_->header()->resizeSection(1, 150);
}

QAction* ShortcutEditor::actionOf(const QTreeWidgetItem* item) const {
  const QString id = item ? item->data(0, id_role).toString() : QString();
  return id.isEmpty() ? nullptr : commands_->action(id);
}

QAction* ShortcutEditor::current() const {
  return actionOf(list_->currentItem());
}

void ShortcutEditor::choose(const QString& command_id) {
  for (QTreeWidgetItemIterator item(list_); *item; ++item)
    if ((*item)->data(0, id_role) == command_id) list_->setCurrentItem(*item);
}

void ShortcutEditor::filter(const QString& text) {
  for (int i = 0; i < list_->topLevelItemCount(); ++i) {
    QTreeWidgetItem* menu = list_->topLevelItem(i);
    int shown = 0;
    for (int k = 0; k < menu->childCount(); ++k) {
      QTreeWidgetItem* item = menu->child(k);
      const bool fits = item->text(0).contains(text, Qt::CaseInsensitive) ||
                        item->text(1).contains(text, Qt::CaseInsensitive);
      item->setHidden(!fits);
      shown += fits ? 1 : 0;
    }
    menu->setHidden(shown == 0);
  }
}

void ShortcutEditor::showCurrent() {
  const QAction* action = current();
  for (QWidget* each :
       {static_cast<QWidget*>(keys_), static_cast<QWidget*>(clear_), static_cast<QWidget*>(reset_)})
    each->setEnabled(action != nullptr);
  keys_->setKeySequence(action ? action->shortcut() : QKeySequence());
  if (!action) return conflict_->setText(tr("Choose a command to change its keys."));
  const QList<QAction*> others = commands_->conflicts(*action, action->shortcuts());
  conflict_->setText(others.isEmpty()
                         ? tr("No other command has this key.")
                         : tr("\u26A0 %1 has this key, too: neither will answer to it. Give one of them "
                              "another key.")
                               .arg(names(others)));
}

void ShortcutEditor::showConflicts() {
  for (QTreeWidgetItemIterator item(list_); *item; ++item) {
    const QAction* action = actionOf(*item);
    if (!action) continue;
    const QList<QAction*> others = commands_->conflicts(*action, action->shortcuts());
    (*item)->setText(1, keysText(action->shortcuts()));
    (*item)->setText(2, others.isEmpty() ? QString() : QStringLiteral("\u26A0 ") + names(others));
  }
}

void ShortcutEditor::setKeys(const QList<QKeySequence>& keys) {
  if (!current()) return;
  commands_->setKeys(current(), keys);
  showCurrent();
  showConflicts();
}

}  // namespace sluice::ui
