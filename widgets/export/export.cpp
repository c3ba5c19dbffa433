#include "widgets/export/export.h"

#include <QBuffer>
#include <QMimeData>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <array>
#include <cmath>

#include "engine/core/atomic_file.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/svg_groups.h"
#include "widgets/export/tikz_device.h"
#include "widgets/plots/plot.h"

namespace sluice::ui {
namespace {

constexpr double png_pixels_per_point = 2 * 96.0 / 72.0;  // PNG: twice a usual screen
constexpr int pdf_units_per_inch = 1200;                  // fine enough for hair lines; text is not affected

constexpr std::array<std::pair<ExportFormat, const char*>, 7> extensions = {{{ExportFormat::Pdf, "pdf"},
                                                                             {ExportFormat::Svg, "svg"},
                                                                             {ExportFormat::Png, "png"},
                                                                             {ExportFormat::Pgf, "pgf"},
                                                                             {ExportFormat::Csv, "csv"},
                                                                             {ExportFormat::Pgf, "tikz"},
                                                                             {ExportFormat::Pgf, "tex"}}};

struct Page {
  const Exportable& picture;
  PrintStyle style;
  QSizeF size;
};

/// PDF has no description.
QString titleOf(const Exportable& picture) {
  if (picture.trust.isEmpty()) return picture.title;
  return QStringLiteral("%1 (%2)").arg(picture.title, picture.trust);
}

/// Empty where the device could not be painted on.
QByteArray pdf(const Page& page) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  {
    QPdfWriter writer(&buffer);
    writer.setCreator(QStringLiteral("Sluice"));
    writer.setTitle(titleOf(page.picture));
    writer.setPageSize(QPageSize(page.size, QPageSize::Point, {}, QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    writer.setResolution(pdf_units_per_inch);
    QCPPainter painter;
    if (!painter.begin(&writer)) return {};
    painter.setModes(QCPPainter::pmVectorized | QCPPainter::pmNoCaching | QCPPainter::pmNonCosmetic);
    painter.scale(pdf_units_per_inch / 72.0, pdf_units_per_inch / 72.0);
    page.picture.paint(painter, page.size, page.style);
    if (!painter.end()) return {};
  }
  return buffer.data();
}

QByteArray svg(const Page& page) {
  QBuffer buffer;
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setTitle(page.picture.title);
  generator.setDescription(page.picture.trust);
  // Size, view box and resolution belong together: else viewers shrink the content.
  generator.setSize(page.size.toSize());
  generator.setViewBox(QRectF(QPointF(), page.size));
  generator.setResolution(72);
  QCPPainter painter;
  if (!painter.begin(&generator)) return {};
  painter.setModes(QCPPainter::pmVectorized | QCPPainter::pmNoCaching | QCPPainter::pmNonCosmetic);
  startGroup(painter, page.picture.name);
  page.picture.paint(painter, page.size, page.style);
  endGroup(painter);
  return painter.end() ? withGroups(buffer.data()) : QByteArray();
}

QImage image(const Page& page, double pixels_per_point = png_pixels_per_point) {
  if (page.size.isEmpty()) return {};
  QImage made((page.size * pixels_per_point).toSize(), QImage::Format_ARGB32_Premultiplied);
  if (made.isNull()) return {};
  made.fill(Qt::white);
  if (!page.picture.trust.isEmpty()) made.setText(QStringLiteral("Description"), page.picture.trust);
  made.setDotsPerMeterX(qRound(pixels_per_point * 72 / 0.0254));
  made.setDotsPerMeterY(qRound(pixels_per_point * 72 / 0.0254));
  QCPPainter painter;
  if (!painter.begin(&made)) return {};
  painter.setModes(QCPPainter::pmNoCaching | QCPPainter::pmNonCosmetic);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setRenderHint(QPainter::TextAntialiasing);
  painter.scale(pixels_per_point, pixels_per_point);
  page.picture.paint(painter, page.size, page.style);
  return made;
}

QByteArray png(const Page& page) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  return image(page).save(&buffer, "PNG") ? buffer.data() : QByteArray();
}

QByteArray pgf(const Page& page) {
  if (page.picture.pgf) return page.picture.pgf(page.size, page.style).toUtf8();
  TikzDevice device(page.size);
  QCPPainter painter;
  if (!painter.begin(&device)) return {};
  painter.setModes(QCPPainter::pmVectorized | QCPPainter::pmNoCaching | QCPPainter::pmNonCosmetic);
  page.picture.paint(painter, page.size, page.style);
  return painter.end() && device.pictures() == 0 ? device.text().toUtf8() : QByteArray();
}

QByteArray bytesOf(const Page& page, ExportFormat format) {
  switch (format) {
    case ExportFormat::Pdf:
      return pdf(page);
    case ExportFormat::Svg:
      return svg(page);
    case ExportFormat::Png:
      return png(page);
    case ExportFormat::Pgf:
      return pgf(page);
    case ExportFormat::Csv:
      return page.picture.csv ? page.picture.csv().toUtf8() : QByteArray();
  }
  throw std::logic_error("no such format");
}

Page pageOf(const Exportable& picture, const PrintStyle& style) {
  return {picture, style, picture.size(style)};
}

}  // namespace

std::optional<ExportFormat> formatOf(const std::filesystem::path& file) {
  const QString extension = QString::fromStdString(file.extension().string()).toLower().mid(1);
  for (const auto& [format, name] : extensions)
    if (extension == QLatin1String(name)) return format;
  return std::nullopt;
}

QString extensionOf(ExportFormat format) {
  for (const auto& [known, name] : extensions)
    if (known == format) return QLatin1String(name);
  throw std::logic_error("no such format");
}

Result<Done> writeExportable(const Exportable& picture, const std::filesystem::path& file,
                             ExportFormat format, const PrintStyle& style) {
  const Page page = pageOf(picture, style);
  if (format != ExportFormat::Csv && page.size.isEmpty())
    return error("nothing-to-export", file.string(), "there is nothing to draw yet", "open a program first");
  const QByteArray bytes = bytesOf(page, format);
  if (bytes.isEmpty())
    return error("export-failed", file.string(), "the picture could not be painted",
                 "try a smaller size or another format");
  return writeFileAtomically(file, {bytes.constData(), static_cast<std::size_t>(bytes.size())});
}

QImage paintedImage(const Exportable& picture, const PrintStyle& style, double pixels_per_point) {
  return image(pageOf(picture, style), pixels_per_point);
}

std::unique_ptr<QMimeData> clipboardData(const Exportable& picture, const PrintStyle& style) {
  auto data = std::make_unique<QMimeData>();
  const Page page = pageOf(picture, style);
  if (page.size.isEmpty()) return data;
  data->setImageData(image(page));
  data->setData(QStringLiteral("application/pdf"), pdf(page));
  data->setData(QStringLiteral("image/svg+xml"), svg(page));
  if (picture.csv) {
    data->setText(picture.csv());
    data->setData(QStringLiteral("text/csv"), picture.csv().toUtf8());
  }
  return data;
}

Result<Done> exportPlot(Plot& plot, const std::filesystem::path& file, ExportFormat format, QSize size) {
  const QString name = QString::fromStdString(file.stem().string());
  Exportable page = exportable(plot, name, name);
  page.height = [size](const PrintStyle&) { return static_cast<double>(size.height()); };
  return writeExportable(page, file, format, {size.width(), 8});
}

Result<Done> exportCanvas(const GraphCanvas& canvas, const std::filesystem::path& file, ExportFormat format,
                          int width) {
  return writeExportable(exportable(canvas), file, format, {width, 8});
}

}  // namespace sluice::ui
