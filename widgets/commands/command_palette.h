#pragma once
// CommandPalette: type a few letters of any command, press Return. It lists actions; which there are is told
// by its owner.

#include <QDialog>
#include <QList>
#include <QStringList>

class QAction;
class QLineEdit;
class QListWidget;

namespace sluice::ui {

struct PaletteEntry {
  QAction* action = nullptr;
  QString title, place;  ///< "Undo", "Edit"
};

class CommandPalette : public QDialog {
  Q_OBJECT

 public:
  explicit CommandPalette(QList<PaletteEntry> entries, QWidget* parent = nullptr);

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
  void fill();
  void run();

  const QList<PaletteEntry> entries_;
  QStringList recent_;
  QLineEdit* field_;
  QListWidget* list_;
};

}  // namespace sluice::ui
