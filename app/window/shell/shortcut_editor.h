#pragma once
// ShortcutEditor: the keys of every command of the table, to be changed. Changes count at once and are kept;
// a key that two commands share is shown at both.

#include <QDialog>

class QLabel;
class QKeySequenceEdit;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace sluice::ui {

class Commands;

class ShortcutEditor : public QDialog {
  Q_OBJECT

 public:
  explicit ShortcutEditor(Commands* commands, QWidget* parent = nullptr);

  QTreeWidget* list() const { return list_; }
  QKeySequenceEdit* keys() const { return keys_; }
  void choose(const QString& command_id);

 private:
  QWidget* buildEditor();
  void fill();
  void filter(const QString& text);
  void showCurrent();
  void showConflicts();
  void setKeys(const QList<QKeySequence>& keys);
  QAction* actionOf(const QTreeWidgetItem* item) const;
  QAction* current() const;

  Commands* commands_;
  QLineEdit* search_;
  QTreeWidget* list_;
  QKeySequenceEdit* keys_;
  QLabel* conflict_;
  QPushButton *clear_, *reset_;
};

}  // namespace sluice::ui
