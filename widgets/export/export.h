#pragma once
// Writes what is on the screen to a file that can go straight into a paper: PDF with embedded fonts and exact
// sizes, SVG, PNG at twice the screen's resolution, and the data as CSV. Always with the print theme, always
// whole or not at all.

#include <QSize>
#include <QString>
#include <filesystem>
#include <functional>
#include <optional>

#include "engine/core/result.h"

class QPainter;
class QRectF;

namespace sluice::ui {

class GraphCanvas;
class Plot;

enum class ExportFormat { Pdf, Svg, Png, Csv };

/// By the file's extension; nothing if it is none of ours.
std::optional<ExportFormat> formatOf(const std::filesystem::path& file);

/// Widths that journals print, in points (72 an inch).
inline constexpr int singleColumn = 240;  ///< 3.33 in
inline constexpr int doubleColumn = 504;  ///< 7 in

/// `size` in points; text is 8 pt.
Result<Done> exportPlot(Plot& plot, const std::filesystem::path& file, ExportFormat format, QSize size);
/// As wide as asked, as high as the graph needs. Csv writes its nodes and streams.
Result<Done> exportCanvas(const GraphCanvas& canvas, const std::filesystem::path& file, ExportFormat format,
                          int width);

}  // namespace sluice::ui
