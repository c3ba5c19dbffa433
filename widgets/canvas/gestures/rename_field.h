#pragma once
// RenameField: a node's name is being edited in place. Return or a click elsewhere takes the name, Esc keeps
// the old one; either way the field goes.

#include <QLineEdit>

namespace sluice::ui {

class RenameField : public QLineEdit {
  Q_OBJECT

 public:
  RenameField(const QString& name, QWidget* parent);
  void cancel() { end(false); }

 signals:
  void ended();
  void renamed(const QString& name);  ///< to another name

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void end(bool take);
  bool ended_ = false;
};

}  // namespace sluice::ui
