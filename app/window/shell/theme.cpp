#include "app/window/shell/theme.h"

#include <QApplication>
#include <QPainter>
#include <QProxyStyle>
#include <QSlider>
#include <QStyleFactory>
#include <QStyleOption>
#include <algorithm>

#include "widgets/plots/plot_theme.h"

namespace sluice::ui {
namespace {

struct Shades {
  QColor window, base, alternate, text, muted, button, border, highlight, link;
};

QPalette paletteOf(const Shades& shades) {
  QPalette palette;
  palette.setColor(QPalette::Window, shades.window);
  palette.setColor(QPalette::WindowText, shades.text);
  palette.setColor(QPalette::Base, shades.base);
  palette.setColor(QPalette::AlternateBase, shades.alternate);
  palette.setColor(QPalette::Text, shades.text);
  palette.setColor(QPalette::PlaceholderText, shades.muted);
  palette.setColor(QPalette::Button, shades.button);
  palette.setColor(QPalette::ButtonText, shades.text);
  palette.setColor(QPalette::BrightText, Qt::white);
  palette.setColor(QPalette::ToolTipBase, shades.base);
  palette.setColor(QPalette::ToolTipText, shades.text);
  palette.setColor(QPalette::Highlight, shades.highlight);
  palette.setColor(QPalette::HighlightedText, Qt::white);
  palette.setColor(QPalette::Link, shades.link);
  palette.setColor(QPalette::LinkVisited, shades.link);
  palette.setColor(QPalette::Light, shades.button.lighter(115));
  palette.setColor(QPalette::Midlight, shades.button.lighter(107));
  palette.setColor(QPalette::Mid, shades.border);
  palette.setColor(QPalette::Dark, shades.border.darker(115));
  palette.setColor(QPalette::Shadow, shades.border.darker(160));
  for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    palette.setColor(QPalette::Disabled, role, shades.muted);
  }
  palette.setColor(QPalette::Disabled, QPalette::Highlight, shades.border);
  return palette;
}

constexpr QRgb visible_line = 0xff7a828c;  // on dark ground

/// Fusion draws the lines around fields and the ticks of sliders darker than the window: on dark ground
/// nobody sees them. The window's colour is the only way to tell it another one.
template <typename Option>
Option withVisibleLines(const Option& option) {
  constexpr int as_fusion = 140;  // percent that it darkens by
  Option made = option;
  made.palette.setColor(QPalette::Window, QColor(visible_line).lighter(as_fusion));
  return made;
}

/// Buttons of dialogs have words and no pictures, as all others.
class WindowStyle : public QProxyStyle {
 public:
  WindowStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* result) const override {
    return hint == SH_DialogButtonBox_ButtonsHaveIcons ? 0
                                                       : QProxyStyle::styleHint(hint, option, widget, result);
  }
  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override {
    const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
    if (element != PE_FrameLineEdit || !frame || !isDark(option->palette))
      return QProxyStyle::drawPrimitive(element, option, painter, widget);
    const QStyleOptionFrame lined = withVisibleLines(*frame);
    QProxyStyle::drawPrimitive(element, &lined, painter, widget);
  }
  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                          const QWidget* widget) const override {
    const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option);
    if (control == CC_Slider && slider && isDark(option->palette))
      return drawSlider(*slider, painter, widget);
    if (!drawLined<QStyleOptionSpinBox>(CC_SpinBox, control, option, painter, widget) &&
        !drawLined<QStyleOptionComboBox>(CC_ComboBox, control, option, painter, widget))
      QProxyStyle::drawComplexControl(control, option, painter, widget);
  }

 private:
  /// Fusion takes its ticks from the dark edge of the highlight.
  void drawSlider(const QStyleOptionSlider& slider, QPainter* painter, const QWidget* widget) const {
    QStyleOptionSlider plain = withVisibleLines(slider);
    plain.subControls &= ~SC_SliderTickmarks;
    QProxyStyle::drawComplexControl(CC_Slider, &plain, painter, widget);
    if (!(slider.subControls & SC_SliderTickmarks) || slider.orientation != Qt::Horizontal) return;
    const int step = std::max({1, slider.tickInterval, slider.tickInterval > 0 ? 1 : slider.pageStep});
    const int room = pixelMetric(PM_SliderSpaceAvailable, &slider, widget);
    const int half = pixelMetric(PM_SliderLength, &slider, widget) / 2;
    const QRect area = slider.rect;
    painter->setPen(QColor(visible_line));
    for (int value = slider.minimum; value <= slider.maximum; value += step) {
      const int x = area.left() + half +
                    sliderPositionFromValue(slider.minimum, slider.maximum, value, room, slider.upsideDown);
      painter->drawLine(x, area.bottom() - 4, x, area.bottom() - 1);
    }
  }
  template <typename Option>
  bool drawLined(ComplexControl which, ComplexControl control, const QStyleOptionComplex* option,
                 QPainter* painter, const QWidget* widget) const {
    const auto* own = qstyleoption_cast<const Option*>(option);
    if (which != control || !own || !isDark(option->palette)) return false;
    const Option lined = withVisibleLines(*own);
    QProxyStyle::drawComplexControl(control, &lined, painter, widget);
    return true;
  }
};

}  // namespace

QString nameOf(ThemeChoice choice) {
  switch (choice) {
    case ThemeChoice::Light:
      return QStringLiteral("light");
    case ThemeChoice::Dark:
      return QStringLiteral("dark");
    case ThemeChoice::System:
      break;
  }
  return QStringLiteral("system");
}

ThemeChoice themeFromName(const QString& name) {
  return name == QLatin1String("light")  ? ThemeChoice::Light
         : name == QLatin1String("dark") ? ThemeChoice::Dark
                                         : ThemeChoice::System;
}

QPalette lightPalette() {
  return paletteOf({.window = QColor(0xF4, 0xF5, 0xF7),
                    .base = QColor(0xFF, 0xFF, 0xFF),
                    .alternate = QColor(0xF7, 0xF8, 0xFA),
                    .text = QColor(0x1D, 0x22, 0x29),
                    .muted = QColor(0x6A, 0x73, 0x7D),
                    .button = QColor(0xF9, 0xFA, 0xFB),
                    .border = QColor(0xCF, 0xD4, 0xDA),
                    .highlight = QColor(0x1F, 0x6F, 0xB2),
                    .link = QColor(0x1F, 0x6F, 0xB2)});
}

QPalette darkPalette() {
  return paletteOf({.window = QColor(0x25, 0x28, 0x2C),
                    .base = QColor(0x1C, 0x1E, 0x22),
                    .alternate = QColor(0x22, 0x25, 0x29),
                    .text = QColor(0xE4, 0xE7, 0xEB),
                    .muted = QColor(0x96, 0x9E, 0xA8),
                    .button = QColor(0x30, 0x34, 0x39),
                    .border = QColor(0x41, 0x46, 0x4D),
                    .highlight = QColor(0x2F, 0x79, 0xB9),
                    .link = QColor(0x6C, 0xB6, 0xEB)});
}

void applyTheme(ThemeChoice choice, const QPalette& desktop) {
  const bool dark = choice == ThemeChoice::Dark || (choice == ThemeChoice::System && isDark(desktop));
  QApplication::setStyle(new WindowStyle);
  QApplication::setPalette(dark ? darkPalette() : lightPalette());
}

QString windowStyleSheet(const QPalette& palette) {
  QString sheet = QStringLiteral(R"(
    QMainWindow::separator { background: @border; width: 2px; height: 2px; }
    QMainWindow::separator:hover { background: @highlight; }
    QSplitter::handle { background: @border; }
    QDockWidget { titlebar-close-icon: url(:/icons/dock_close.svg); titlebar-normal-icon: url(:/icons/dock_float.svg); }
    QDockWidget::title { padding: 5px 8px; text-align: left; background: @window; border-bottom: 1px solid @border; }
    QToolBar { border: none; border-bottom: 1px solid @border; spacing: 2px; padding: 3px 8px; }
    QStatusBar { border-top: 1px solid @border; }
    QStatusBar::item { border: none; }
    QTabBar::tab { padding: 5px 9px; border: none; border-top: 2px solid transparent; color: @muted;
                   background: @window; }
    QTabBar::tab:selected { color: @text; border-top-color: @highlight; }
    QTabBar::tab:hover { color: @text; }
    QHeaderView::section { padding: 4px 8px; border: none; border-bottom: 1px solid @border; background: @window; }
    QCheckBox::indicator, QListWidget::indicator { width: 13px; height: 13px; border: 1px solid @muted; border-radius: 3px;
                           background: @base; }
    QCheckBox::indicator:checked, QListWidget::indicator:checked { background: @highlight; border-color: @highlight; image: url(:/icons/check.svg); }
    QCheckBox::indicator:focus { border-color: @highlight; }
    QListWidget::indicator:selected { border-color: white; }
    #perspectiveSwitch QToolButton { padding: 2px 9px; border: none; border-radius: 3px; }
    #perspectiveSwitch QToolButton:hover { background: @base; }
    #perspectiveSwitch QToolButton:checked { background: @highlight; color: white; }
    #diagnosticCounts[alarm="true"] { background: #b3261e; color: white; border-radius: 3px; padding: 1px 6px; }
    #programSwitch { background: @base; border: 1px solid @border; border-radius: 4px; }
    #programSwitch QToolButton { padding: 3px 10px; border: none; border-radius: 3px; }
    #programSwitch QToolButton:hover { background: @window; }
    #programSwitch QToolButton:checked { background: @highlight; color: white; }
    #commandPalette { background: @base; border: 1px solid @muted; border-radius: 6px; }
    QToolTip { padding: 4px; }
  )");
  const std::pair<const char*, QPalette::ColorRole> names[] = {
      {"@window", QPalette::Window},
      {"@base", QPalette::Base},
      {"@border", QPalette::Mid},
      {"@text", QPalette::Text},
      {"@muted", QPalette::PlaceholderText},
      {"@highlight", QPalette::Highlight},
  };
  for (const auto& [name, role] : names) sheet.replace(QLatin1String(name), palette.color(role).name());
  return sheet;
}

}  // namespace sluice::ui
