#include "widgets/plots/plot_theme.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/plots/plot.h"

namespace sluice::ui {
namespace {

const QColor okabeOrange(0xE6, 0x9F, 0x00);
const QColor okabeSky(0x56, 0xB4, 0xE9);
const QColor okabeGreen(0x00, 0x9E, 0x73);
const QColor okabeYellow(0xF0, 0xE4, 0x42);
const QColor okabeBlue(0x00, 0x72, 0xB2);
const QColor okabeVermillion(0xD5, 0x5E, 0x00);
const QColor okabePurple(0xCC, 0x79, 0xA7);

void colourByBrightness(PlotTheme& theme) {
  theme.frontier = theme.dark ? okabeSky : okabeBlue;
  theme.infeasible = okabeOrange;
  theme.failed = okabeVermillion;
  theme.current = theme.dark ? QColor(Qt::white) : QColor(Qt::black);
  theme.dominated = theme.muted;
  if (!theme.grey) return;
  theme.frontier = Qt::black;
  theme.infeasible = QColor(0x50, 0x50, 0x50);
  theme.failed = QColor(0x30, 0x30, 0x30);
}

}  // namespace

bool isDark(const QPalette& palette) {
  return palette.color(QPalette::Base).lightness() < 128;
}

PlotTheme PlotTheme::screen(const QPalette& palette, const QFont& font) {
  PlotTheme theme;
  theme.dark = isDark(palette);
  theme.background = palette.color(QPalette::Base);
  theme.text = palette.color(QPalette::Text);
  theme.muted = theme.tinted(theme.text, 0.55);
  theme.axis = theme.tinted(theme.text, 0.45);
  theme.grid = theme.tinted(theme.text, 0.12);
  theme.font = font;
  colourByBrightness(theme);
  return theme;
}

PlotTheme PlotTheme::print(const PrintStyle& style) {
  PlotTheme theme;
  theme.background = Qt::white;
  theme.text = Qt::black;
  theme.muted = QColor(0x70, 0x70, 0x70);
  theme.axis = Qt::black;
  theme.grid = QColor(0xE8, 0xE8, 0xE8);
  theme.font = QFont(style.font.isEmpty() ? QStringLiteral("DejaVu Sans") : style.font);
  theme.font.setPixelSize(style.text);  // the painter's unit is the point, so this is exact
  const double scale = style.text / 8.0;
  theme.line_width = style.line_width > 0 ? style.line_width : std::max(0.65, 0.8 * scale);
  theme.axis_width = std::max(thinnest_stroke, 0.5 * scale);
  theme.marker_size = style.marker_size > 0 ? style.marker_size : 4.2 * scale;
  theme.on_paper = true;
  theme.grey = style.grey;
  theme.with_grid = style.grid;
  colourByBrightness(theme);
  return theme;
}

SeriesStyle PlotTheme::series(int number) const {
  static const std::array<QColor, 6> light = {okabeBlue,   okabeVermillion, okabeGreen,
                                              okabePurple, okabeOrange,     okabeSky};
  static const std::array<QColor, 6> bright = {okabeSky,    okabeOrange, okabeGreen,
                                               okabePurple, okabeYellow, okabeVermillion};
  static constexpr std::array<Qt::PenStyle, 4> dashes = {Qt::SolidLine, Qt::DashLine, Qt::DashDotLine,
                                                         Qt::DotLine};
  static constexpr std::array<int, 5> markers = {QCPScatterStyle::ssDisc, QCPScatterStyle::ssSquare,
                                                 QCPScatterStyle::ssTriangle, QCPScatterStyle::ssDiamond,
                                                 QCPScatterStyle::ssPlus};
  const auto index = static_cast<std::size_t>(number);
  static const std::array<QColor, 6> greys = {Qt::black,
                                              QColor(0x78, 0x78, 0x78),
                                              QColor(0x40, 0x40, 0x40),
                                              QColor(0x90, 0x90, 0x90),
                                              QColor(0x20, 0x20, 0x20),
                                              QColor(0x60, 0x60, 0x60)};
  const auto& colours = grey ? greys : dark ? bright : light;
  return {colours[index % colours.size()], dashes[index % dashes.size()], markers[index % markers.size()]};
}

QColor PlotTheme::tinted(const QColor& colour, double amount) const {
  const auto mix = [amount](int over, int under) {
    return static_cast<int>(std::lround(amount * over + (1 - amount) * under));
  };
  return QColor(mix(colour.red(), background.red()), mix(colour.green(), background.green()),
                mix(colour.blue(), background.blue()));
}

}  // namespace sluice::ui
