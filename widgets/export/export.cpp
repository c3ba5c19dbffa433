#include "widgets/export/export.h"

#include <QBuffer>
#include <QImage>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <algorithm>
#include <cmath>

#include "engine/core/atomic_file.h"
#include "engine/core/csv.h"
#include "widgets/canvas/canvas_theme.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/document_paths.h"
#include "widgets/plots/plot.h"

namespace sluice::ui {
namespace {

/// Paints one picture in a coordinate system whose unit is the point.
using Picture = std::function<void(QCPPainter&)>;

constexpr double pixelsPerPoint = 2 * 96.0 / 72.0;  // PNG: twice a usual screen
constexpr int pdfUnitsPerInch = 1200;               // fine enough for hair lines; text is not affected

Diagnostic notPainted(const std::filesystem::path& file) {
  return {Severity::Error, file.string(), "the picture could not be painted",
          "try a smaller size or another format"};
}

Result<Done> writePdf(const Picture& picture, const std::filesystem::path& file, QSize size) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  {
    QPdfWriter writer(&buffer);
    writer.setCreator(QStringLiteral("Sluice"));
    writer.setTitle(QString::fromStdString(file.stem().string()));
    writer.setPageSize(QPageSize(QSizeF(size), QPageSize::Point, {}, QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    writer.setResolution(pdfUnitsPerInch);
    QCPPainter painter;
    if (!painter.begin(&writer)) return notPainted(file);
    painter.setModes(QCPPainter::pmVectorized | QCPPainter::pmNoCaching | QCPPainter::pmNonCosmetic);
    painter.scale(pdfUnitsPerInch / 72.0, pdfUnitsPerInch / 72.0);
    picture(painter);
    if (!painter.end()) return notPainted(file);
  }
  return writeFileAtomically(file, {buffer.data().constData(), static_cast<std::size_t>(buffer.size())});
}

Result<Done> writeSvg(const Picture& picture, const std::filesystem::path& file, QSize size) {
  QBuffer buffer;
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setTitle(QString::fromStdString(file.stem().string()));
  // Size, view box and resolution belong together: else viewers shrink the content.
  generator.setSize(size);
  generator.setViewBox(QRect(QPoint(0, 0), size));
  generator.setResolution(72);
  QCPPainter painter;
  if (!painter.begin(&generator)) return notPainted(file);
  painter.setModes(QCPPainter::pmVectorized | QCPPainter::pmNoCaching | QCPPainter::pmNonCosmetic);
  picture(painter);
  if (!painter.end()) return notPainted(file);
  return writeFileAtomically(file, {buffer.data().constData(), static_cast<std::size_t>(buffer.size())});
}

Result<Done> writePng(const Picture& picture, const std::filesystem::path& file, QSize size) {
  QImage image((QSizeF(size) * pixelsPerPoint).toSize(), QImage::Format_ARGB32_Premultiplied);
  if (image.isNull()) return notPainted(file);
  image.fill(Qt::white);
  image.setDotsPerMeterX(qRound(pixelsPerPoint * 72 / 0.0254));
  image.setDotsPerMeterY(qRound(pixelsPerPoint * 72 / 0.0254));
  QCPPainter painter;
  if (!painter.begin(&image)) return notPainted(file);
  painter.setModes(QCPPainter::pmNoCaching | QCPPainter::pmNonCosmetic);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setRenderHint(QPainter::TextAntialiasing);
  painter.scale(pixelsPerPoint, pixelsPerPoint);
  picture(painter);
  painter.end();
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  if (!image.save(&buffer, "PNG")) return notPainted(file);
  return writeFileAtomically(file, {buffer.data().constData(), static_cast<std::size_t>(buffer.size())});
}

Result<Done> writePicture(const Picture& picture, const std::filesystem::path& file, ExportFormat format,
                          QSize size) {
  switch (format) {
    case ExportFormat::Pdf:
      return writePdf(picture, file, size);
    case ExportFormat::Svg:
      return writeSvg(picture, file, size);
    case ExportFormat::Png:
      return writePng(picture, file, size);
    case ExportFormat::Csv:
      break;
  }
  throw std::logic_error("CSV is no picture");
}

std::string graphCsv(const Document& document) {
  CsvTable table({"what", "id", "kind_or_ends", "depth_or_parameters"});
  for (const std::string& path : nodePaths(document)) {
    const Node* node = findNode(document, path);
    std::string parameters;
    for (const auto& [name, value] : node->parameters) {
      parameters += (parameters.empty() ? "" : "; ") + name + " = " + text(value);
    }
    table.row({"node", path, node->kind, parameters});
  }
  for (const std::string& origin : streamOrigins(document)) {
    const Stream* stream = findStream(document, origin);
    table.row({"stream", origin, text(stream->from) + " -> " + text(stream->to),
               text(stream->depth.value_or(document.machine.fifo_depth))});
  }
  return table.text();
}

}  // namespace

std::optional<ExportFormat> formatOf(const std::filesystem::path& file) {
  const QString extension = QString::fromStdString(file.extension().string()).toLower();
  if (extension == QLatin1String(".pdf")) return ExportFormat::Pdf;
  if (extension == QLatin1String(".svg")) return ExportFormat::Svg;
  if (extension == QLatin1String(".png")) return ExportFormat::Png;
  if (extension == QLatin1String(".csv")) return ExportFormat::Csv;
  return std::nullopt;
}

Result<Done> exportPlot(Plot& plot, const std::filesystem::path& file, ExportFormat format, QSize size) {
  if (format == ExportFormat::Csv) return writeFileAtomically(file, plot.csv().toStdString());
  return writePicture([&](QCPPainter& painter) { plot.paintForPrint(painter, size); }, file, format, size);
}

Result<Done> exportCanvas(const GraphCanvas& canvas, const std::filesystem::path& file, ExportFormat format,
                          int width) {
  if (format == ExportFormat::Csv) return writeFileAtomically(file, graphCsv(canvas.document()));
  const QRectF content = canvas.contentRect();
  if (content.isEmpty()) {
    return Diagnostic{Severity::Error, file.string(), "the canvas is empty", "open a program first"};
  }
  const int height = std::max(1, static_cast<int>(std::ceil(width * content.height() / content.width())));
  const CanvasTheme paper = CanvasTheme::light(QStringLiteral("DejaVu Sans"));
  return writePicture(
      [&](QCPPainter& painter) { canvas.render(&painter, QRectF(0, 0, width, height), paper); }, file, format,
      QSize(width, height));
}

}  // namespace sluice::ui
