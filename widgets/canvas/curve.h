#pragma once
// Curves of links: points of cubic Bezier curves, 3k+1 each. How long one is, how far it is from a point, and
// where it is cut.

#include <utility>
#include <vector>

#include "widgets/canvas/layout_protocol.h"

namespace sluice::ui {

using Curve = std::vector<LayoutPoint>;

LayoutPoint pointOn(const LayoutPoint* segment, double t);
/// Roughly: between the chord and the control polygon.
double segmentLength(const LayoutPoint* segment);
double curveLength(const Curve& curve);

/// A point of a curve, and the direction in which it leads there.
struct CurvePlace {
  LayoutPoint at, along;
};
CurvePlace placeOn(const Curve& curve, double share_of_length);

/// How far the curve is from a point, or `limit` where it is no nearer.
double distanceTo(const Curve& curve, LayoutPoint point, double limit);

/// Whether it passes through a rectangle.
bool passes(const Curve& curve, LayoutPoint top_left, LayoutPoint bottom_right);

/// A segment in two, at t.
std::pair<Curve, Curve> splitSegment(const LayoutPoint* segment, double t);
/// On to a point in a straight line.
void extendTo(Curve& curve, LayoutPoint to);

}  // namespace sluice::ui
