#pragma once
// Writes an exportable to a file that can go straight into a paper: PDF with embedded fonts and exact sizes,
// SVG, PNG at twice the screen's resolution, pgfplots or TikZ for LaTeX, and the data as CSV. Always with the
// print theme, always whole or not at all.

#include <QImage>
#include <QSize>
#include <QString>
#include <filesystem>
#include <memory>
#include <optional>

#include "engine/core/result.h"
#include "widgets/export/exportable.h"

class QMimeData;

namespace sluice::ui {

enum class ExportFormat { Pdf, Svg, Png, Pgf, Csv };

/// By the file's extension; nothing if it is none of ours. LaTeX is .pgf, .tikz or .tex.
std::optional<ExportFormat> formatOf(const std::filesystem::path& file);
/// "pdf"; the inverse of formatOf().
QString extensionOf(ExportFormat format);

Result<Done> writeExportable(const Exportable& picture, const std::filesystem::path& file,
                             ExportFormat format, const PrintStyle& style);
/// As it is on paper, for the screen: pixels on white. Null where there is nothing, or too much.
QImage paintedImage(const Exportable& picture, const PrintStyle& style, double pixels_per_point);
/// The picture in every form that another program may want to paste.
std::unique_ptr<QMimeData> clipboardData(const Exportable& picture, const PrintStyle& style);

/// `size` in points; text is 8 pt.
Result<Done> exportPlot(Plot& plot, const std::filesystem::path& file, ExportFormat format, QSize size);
/// As wide as asked, as high as the graph needs. Csv writes its nodes and streams.
Result<Done> exportCanvas(const GraphCanvas& canvas, const std::filesystem::path& file, ExportFormat format,
                          int width);

}  // namespace sluice::ui
