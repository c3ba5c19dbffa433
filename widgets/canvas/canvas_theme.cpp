#include "widgets/canvas/canvas_theme.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sluice::ui {
namespace {

// Okabe and Ito, "Color Universal Design".
constexpr QRgb orange = 0xffe69f00, sky = 0xff56b4e9, green = 0xff009e73, yellow = 0xfff0e442,
               blue = 0xff0072b2, vermillion = 0xffd55e00, purple = 0xffcc79a7;

double luminance(const QColor& color) {
  const auto linear = [](double channel) {
    return channel <= 0.03928 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

constexpr double readable_mark = 3.05;  // contrast, a little more than WCAG asks of signs

}  // namespace

QColor blend(const QColor& from, const QColor& to, double share) {
  const auto mix = [share](double a, double b) { return static_cast<float>(a + (b - a) * share); };
  return QColor::fromRgbF(mix(from.redF(), to.redF()), mix(from.greenF(), to.greenF()),
                          mix(from.blueF(), to.blueF()));
}

double contrast(const QColor& a, const QColor& b) {
  const auto [dim, bright] = std::minmax({luminance(a), luminance(b)});
  return (bright + 0.05) / (dim + 0.05);
}

CanvasTheme CanvasTheme::light(const QString& family) {
  CanvasTheme theme;
  theme.canvas = QColor(0xf7f8fa);
  theme.grid = QColor(0xdfe3e8);
  theme.box = QColor(0xffffff);
  theme.box_border = QColor(0xc3cad4);
  theme.frame = QColor(0xeef1f6);
  theme.frame_border = QColor(0xaab4c2);
  theme.text = QColor(0x1b2430);
  theme.muted = QColor(0x586475);
  theme.edge = QColor(0x7a8798);
  theme.selection = QColor(blue);
  theme.error = QColor(0xc24a00);
  theme.warning = QColor(0xa86f00);
  theme.deadlock = QColor(0xa8437c);
  theme.on_mark = QColor(0xffffff);
  theme.family = family;
  return theme;
}

CanvasTheme CanvasTheme::dark(const QString& family) {
  CanvasTheme theme;
  theme.is_dark = true;
  theme.canvas = QColor(0x16191e);
  theme.grid = QColor(0x272c34);
  theme.box = QColor(0x232830);
  theme.box_border = QColor(0x3f4753);
  theme.frame = QColor(0x1b1f26);
  theme.frame_border = QColor(0x4a5463);
  theme.text = QColor(0xeceff4);
  theme.muted = QColor(0xa5afbd);
  theme.edge = QColor(0x7c8899);
  theme.selection = QColor(sky);
  theme.error = QColor(0xff7f2a);
  theme.warning = QColor(0xf0b429);
  theme.deadlock = QColor(0xe08bbd);
  theme.on_mark = QColor(0x16191e);
  theme.family = family;
  return theme;
}

CanvasTheme CanvasTheme::of(const QPalette& palette, const QFont& font) {
  const bool is_dark = palette.color(QPalette::Base).lightness() < palette.color(QPalette::Text).lightness();
  return is_dark ? dark(font.family()) : light(font.family());
}

QColor CanvasTheme::category(const std::string& category) const {
  const auto hue = [&]() -> QColor {
    if (category == "Off-chip memory") return QColor(blue);
    if (category == "On-chip memory") return QColor(sky);
    if (category == "Routing") return QColor(orange);
    if (category == "Higher order") return QColor(green);
    if (category == "Shape") return QColor(yellow);
    if (category == "Source") return QColor(purple);
    if (category == "Sink") return QColor(vermillion);
    return QColor(0x8a94a3);
  };
  // Darker or brighter, as far as it takes to be seen on a box.
  QColor shown = hue();
  for (double share = 0; contrast(shown, box) < readable_mark; share += 0.02)
    shown = blend(hue(), text, share);
  return shown;
}

QColor CanvasTheme::heat(double level) const {
  const std::array<QColor, 4> stops{edge, QColor(sky), QColor(orange), QColor(vermillion)};
  const double place = std::clamp(level, 0.0, 1.0) * (stops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  return blend(stops[below], stops[below + 1], place - static_cast<double>(below));
}

QColor CanvasTheme::mark(Mark::Kind kind) const {
  return kind == Mark::Kind::Error ? error : kind == Mark::Kind::Warning ? warning : deadlock;
}

}  // namespace sluice::ui
