#pragma once
// The window's icons: drawings of one colour, tinted with the text colour of the theme.

#include <QIcon>
#include <QPalette>

namespace sluice::ui {

/// `name` is a file of resources/icons without ".svg".
QIcon themedIcon(const QString& name, const QPalette& palette);

}  // namespace sluice::ui
