#pragma once
// TypingGuard: what is typed into a text is text. A key without Ctrl or Alt - a letter, a space, an arrow -
// calls no command while a field has the keyboard, even where a view around the field has such a command; nor
// while a menu is open, where letters choose.

#include <QObject>

namespace sluice::ui {

class TypingGuard : public QObject {
  Q_OBJECT

 public:
  /// Of the whole application, dialogs too.
  explicit TypingGuard(QObject* parent);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace sluice::ui
