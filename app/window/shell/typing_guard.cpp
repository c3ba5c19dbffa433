#include "app/window/shell/typing_guard.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QTextEdit>

namespace sluice::ui {
namespace {

bool takesText(const QObject* watched) {
  if (const auto* line = qobject_cast<const QLineEdit*>(watched)) return !line->isReadOnly();
  if (const auto* text = qobject_cast<const QTextEdit*>(watched)) return !text->isReadOnly();
  if (const auto* text = qobject_cast<const QPlainTextEdit*>(watched)) return !text->isReadOnly();
  if (const auto* number = qobject_cast<const QAbstractSpinBox*>(watched)) return !number->isReadOnly();
  const auto* choice = qobject_cast<const QComboBox*>(watched);
  return choice && choice->isEditable();
}

/// Letters, and what moves in a text or takes some of it away. Return, Esc and Tab end or leave a text, and
/// function keys have nothing to do with it.
bool belongsToText(const QKeyEvent& key) {
  if (key.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return false;
  switch (key.key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Home:
    case Qt::Key_End:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
    case Qt::Key_Backspace:
    case Qt::Key_Delete:
      return true;
    default:
      return !key.text().isEmpty() && key.text().front().isPrint();
  }
}

/// While a menu is open, or the keyboard is in the menu bar, letters choose from it.
bool menuListens(const QObject* watched) {
  return qobject_cast<const QMenuBar*>(watched) || qobject_cast<const QMenu*>(watched) ||
         qobject_cast<const QMenu*>(QApplication::activePopupWidget());
}

}  // namespace

TypingGuard::TypingGuard(QObject* parent) : QObject(parent) {
  QApplication::instance()->installEventFilter(this);
}

bool TypingGuard::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride || !belongsToText(*static_cast<QKeyEvent*>(event)) ||
      !(takesText(watched) || menuListens(watched)))
    return false;
  event->accept();
  return true;
}

}  // namespace sluice::ui
