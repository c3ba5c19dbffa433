#include "widgets/timeline/state_look.h"

#include <QCoreApplication>
#include <QPainter>
#include <algorithm>
#include <array>

namespace sluice::ui {

namespace {

// Okabe and Ito, "Color Universal Design".
constexpr QRgb orange = 0xffe69f00, sky = 0xff56b4e9, green = 0xff009e73, blue = 0xff0072b2,
               vermillion = 0xffd55e00, purple = 0xffcc79a7;

QColor mixed(const QColor& a, const QColor& b, double share) {
  const auto mix = [share](float x, float y) { return static_cast<float>(x + (y - x) * share); };
  return QColor::fromRgbF(mix(a.redF(), b.redF()), mix(a.greenF(), b.greenF()), mix(a.blueF(), b.blueF()));
}

}  // namespace

StateLook stateLook(ProcessState state, bool dark) {
  const QColor paper(dark ? 0x1b1f25 : 0xffffff);
  const auto look = [&](QRgb colour, double ground, Qt::BrushStyle pattern) {
    return StateLook{QColor(colour), mixed(paper, QColor(colour), ground), pattern};
  };
  switch (state) {
    case ProcessState::Running:
      return look(green, 1, Qt::SolidPattern);
    case ProcessState::Starved:
      return look(dark ? sky : blue, 0.22, Qt::BDiagPattern);
    case ProcessState::Blocked:
      return look(vermillion, 0.35, Qt::DiagCrossPattern);
    case ProcessState::Memory:
      return look(dark ? orange : 0xffb07a00, 0.3, Qt::HorPattern);
    case ProcessState::Unit:
      return look(purple, 0.3, Qt::VerPattern);
    case ProcessState::Done:
      break;
  }
  return {paper, paper, Qt::NoBrush};
}

bool StateLook::inked(int x, int y) const {
  switch (pattern) {
    case Qt::SolidPattern:
      return true;
    case Qt::BDiagPattern:
      return (x + y) % 6 < 1;
    case Qt::DiagCrossPattern:
      return (x + y) % 6 < 1 || (x - y + 600) % 6 < 1;
    case Qt::HorPattern:
      return y % 3 == 0;
    case Qt::VerPattern:
      return x % 3 == 0;
    default:
      return false;
  }
}

void fillState(QPainter& painter, const QRectF& rect, ProcessState state, bool dark) {
  const StateLook look = stateLook(state, dark);
  painter.fillRect(rect, look.ground);
  if (look.pattern != Qt::SolidPattern && look.pattern != Qt::NoBrush)
    painter.fillRect(rect, QBrush(look.ink, look.pattern));
}

QString stateName(ProcessState state) {
  constexpr std::array names = {
      "blocked", "waiting for off-chip memory", "waiting for on-chip memory", "starved", "running", "done"};
  return QCoreApplication::translate("ProcessState", names.at(static_cast<std::size_t>(state)));
}

QString stateLetter(ProcessState state) {
  return QStringLiteral("BMUSRD").mid(static_cast<int>(state), 1);
}

QColor fillColour(double share, bool dark) {
  const QColor empty(dark ? 0x1b1f25 : 0xffffff), half(dark ? 0x2f6f9f : 0x7fb8dd),
      full(dark ? 0x8cc4ec : 0x08306b);
  share = std::clamp(share, 0.0, 1.0);
  return share < 0.5 ? mixed(empty, half, share * 2) : mixed(half, full, share * 2 - 1);
}

}  // namespace sluice::ui
