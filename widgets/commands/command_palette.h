#pragma once
// CommandPalette: type a few letters of any command, press Return. It lists actions; which there are is told
// by its owner. It is a part of its parent's window and no window of its own: to that, a window manager need
// not give the keyboard.

#include <QFrame>
#include <QList>
#include <QPointer>
#include <QStringList>

class QAction;
class QLineEdit;
class QListWidget;

namespace sluice::ui {

struct PaletteEntry {
  QAction* action = nullptr;
  QString title, place;  ///< "Undo", "Edit"
};

class CommandPalette : public QFrame {
  Q_OBJECT

 public:
  CommandPalette(QList<PaletteEntry> entries, QWidget* parent);

  /// Over its parent, with the keyboard in its field; deleted when it closes.
  void open();
  QLineEdit* field() const { return field_; }
  QListWidget* list() const { return list_; }
  /// What was called last comes first while nothing is typed: object names of the actions.
  void setRecent(const QStringList& names);

 signals:
  /// The palette is closed already, and the focus is back where it was.
  void chosen(QAction* action);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  bool takeKey(int key);
  void leave();
  void fill();
  void run();

  const QList<PaletteEntry> entries_;
  QStringList recent_;
  QLineEdit* field_;
  QListWidget* list_;
  QPointer<QWidget> before_;  ///< had the keyboard
};

}  // namespace sluice::ui
