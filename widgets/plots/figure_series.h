#pragma once
// Which curves of a figure's chart belong together: what we measured, and what was published for it.

#include <string>
#include <vector>

#include "engine/figures/figure.h"

namespace sluice::ui {

/// Curves of the same series are called "static" and "static, published"; of the only one, "ours" and
/// "published".
std::string seriesOf(const FigureChart::Curve& curve);

/// Ours over published at each point of a curve of ours, NaN where nothing comparable was published; empty
/// where there is none. Points are compared in their order: a published curve of another length, such as a
/// level, says nothing about single points.
std::vector<double> ratiosOf(const FigureChart& chart, const FigureChart::Curve& curve);

}  // namespace sluice::ui
