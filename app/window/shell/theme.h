#pragma once
// The look of the whole window: one style on every desktop, two palettes of our own.

#include <QPalette>
#include <QString>

namespace sluice::ui {

enum class ThemeChoice { System, Light, Dark };

QString nameOf(ThemeChoice choice);  ///< "system", "light", "dark"
ThemeChoice themeFromName(const QString& name);

QPalette lightPalette();
QPalette darkPalette();
/// Sets style and palette of the application; `desktop` is the palette it started with.
void applyTheme(ThemeChoice choice, const QPalette& desktop);
/// Panels, tabs, toolbars and check boxes, quieter than the style draws them, in the palette's colours.
QString windowStyleSheet(const QPalette& palette);

}  // namespace sluice::ui
