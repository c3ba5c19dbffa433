#pragma once
// How a state of a process looks: a colour and a pattern, and a letter where there is room, so that colour is
// never the only cue.

#include <QBrush>
#include <QColor>
#include <QPalette>
#include <QString>

#include "engine/simulator/timeline.h"

namespace sluice::ui {

struct StateLook {
  QColor ink, ground;
  Qt::BrushStyle pattern = Qt::SolidPattern;
  /// Whether the pattern has ink at a pixel; repeats every 6.
  bool inked(int x, int y) const;
};

StateLook stateLook(ProcessState state, bool dark);
/// Fills with ground and pattern.
void fillState(class QPainter& painter, const class QRectF& rect, ProcessState state, bool dark);
QString stateName(ProcessState state);  ///< "starved"
QString stateLetter(ProcessState state);
/// Of a stream's FIFO: from nothing to full, the same in light and dark up to the ground.
QColor fillColour(double share, bool dark);

inline constexpr std::array all_states{ProcessState::Running, ProcessState::Starved, ProcessState::Blocked,
                                       ProcessState::Memory,  ProcessState::Unit,    ProcessState::Done};

}  // namespace sluice::ui
