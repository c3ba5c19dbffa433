#include "widgets/canvas/curve.h"

#include <algorithm>
#include <cmath>

namespace sluice::ui {
namespace {

constexpr int steps = 24;  // straight pieces that a segment is taken for

LayoutPoint mix(LayoutPoint a, LayoutPoint b, double t) {
  return {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t};
}

double apart(LayoutPoint a, LayoutPoint b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

double distanceToLine(LayoutPoint a, LayoutPoint b, LayoutPoint point) {
  const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
  const double t =
      square == 0 ? 0 : std::clamp(((point.x - a.x) * dx + (point.y - a.y) * dy) / square, 0.0, 1.0);
  return apart(mix(a, b, t), point);
}

/// A Bezier curve stays inside the box around its points.
bool mayReach(const LayoutPoint* p, LayoutPoint point, double limit) {
  const auto [left, right] = std::minmax({p[0].x, p[1].x, p[2].x, p[3].x});
  const auto [top, bottom] = std::minmax({p[0].y, p[1].y, p[2].y, p[3].y});
  return point.x > left - limit && point.x < right + limit && point.y > top - limit &&
         point.y < bottom + limit;
}

}  // namespace

LayoutPoint pointOn(const LayoutPoint* p, double t) {
  const double s = 1 - t;
  const double a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;
  return {a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
          a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

double segmentLength(const LayoutPoint* p) {
  return (apart(p[0], p[3]) + apart(p[0], p[1]) + apart(p[1], p[2]) + apart(p[2], p[3])) / 2;
}

double curveLength(const Curve& curve) {
  double length = 0;
  for (std::size_t i = 0; i + 3 < curve.size(); i += 3) length += segmentLength(&curve[i]);
  return length;
}

CurvePlace placeOn(const Curve& curve, double share_of_length) {
  double rest = curveLength(curve) * share_of_length;
  std::size_t segment = 0;
  for (; segment + 6 < curve.size() && rest > segmentLength(&curve[segment]); segment += 3)
    rest -= segmentLength(&curve[segment]);
  const LayoutPoint* p = &curve[segment];
  const double t = std::clamp(rest / std::max(1e-9, segmentLength(p)), 0.0, 1.0), s = 1 - t;
  const auto slope = [&](double LayoutPoint::*axis) {
    return s * s * (p[1].*axis - p[0].*axis) + 2 * s * t * (p[2].*axis - p[1].*axis) +
           t * t * (p[3].*axis - p[2].*axis);
  };
  return {pointOn(p, t), {slope(&LayoutPoint::x), slope(&LayoutPoint::y)}};
}

double distanceTo(const Curve& curve, LayoutPoint point, double limit) {
  for (std::size_t i = 0; i + 3 < curve.size(); i += 3) {
    if (!mayReach(&curve[i], point, limit)) continue;
    LayoutPoint from = curve[i];
    for (int step = 1; step <= steps; ++step) {
      const LayoutPoint to = pointOn(&curve[i], static_cast<double>(step) / steps);
      limit = std::min(limit, distanceToLine(from, to, point));
      from = to;
    }
  }
  return limit;
}

bool passes(const Curve& curve, LayoutPoint top_left, LayoutPoint bottom_right) {
  for (std::size_t i = 0; i + 3 < curve.size(); i += 3) {
    LayoutPoint from = curve[i];
    for (int step = 1; step <= steps; ++step) {
      const LayoutPoint to = pointOn(&curve[i], static_cast<double>(step) / steps);
      if (std::max(from.x, to.x) >= top_left.x && std::min(from.x, to.x) <= bottom_right.x &&
          std::max(from.y, to.y) >= top_left.y && std::min(from.y, to.y) <= bottom_right.y)
        return true;
      from = to;
    }
  }
  return false;
}

std::pair<Curve, Curve> splitSegment(const LayoutPoint* p, double t) {
  const LayoutPoint a = mix(p[0], p[1], t), b = mix(p[1], p[2], t), c = mix(p[2], p[3], t);
  const LayoutPoint left = mix(a, b, t), right = mix(b, c, t), middle = mix(left, right, t);
  return {{p[0], a, left, middle}, {middle, right, c, p[3]}};
}

void extendTo(Curve& curve, LayoutPoint to) {
  const LayoutPoint from = curve.back();
  if (from == to) return;
  curve.insert(curve.end(), {mix(from, to, 1.0 / 3), mix(from, to, 2.0 / 3), to});
}

}  // namespace sluice::ui
