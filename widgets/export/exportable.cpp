#include "widgets/export/exportable.h"

#include <algorithm>
#include <cmath>

#include "engine/core/csv.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/document_paths.h"
#include "widgets/common/svg_groups.h"
#include "widgets/common/trust_line.h"
#include "widgets/decision/sensitivity_view.h"
#include "widgets/itensor/tensor_grid.h"
#include "widgets/parallel/parallel_view.h"
#include "widgets/plots/pgfplots.h"
#include "widgets/plots/plot.h"
#include "widgets/timeline/timeline_view.h"

namespace sluice::ui {
namespace {

constexpr double column_gap = 12, row_gap = 8;
constexpr double least_width = 23;  // of a view, in heights of its text: axes, their labels and a legend fit

double columnWidth(int columns, const PrintStyle& style) {
  return (style.width - column_gap * (columns - 1)) / columns;
}

QString graphCsv(const Document& document) {
  CsvTable table({"what", "id", "kind_or_ends", "depth_or_parameters"});
  for (const std::string& path : nodePaths(document)) {
    const Node* node = findNode(document, path);
    std::string parameters;
    for (const auto& [name, value] : node->parameters) {
      parameters += (parameters.empty() ? "" : "; ") + name + " = " + text(value);
    }
    table.row({"node", path, node->kind, parameters});
  }
  for (const auto& [id, stream] : namedStreams(document)) {
    table.row({"stream", id, text(stream->from) + " -> " + text(stream->to),
               text(stream->depth.value_or(document.machine.fifo_depth))});
  }
  return QString::fromStdString(table.text());
}

/// Where each part of a composed figure stands.
struct Slot {
  QPointF at;
  QSizeF size;
  PrintStyle style;
};

struct Composition {
  std::vector<Exportable> parts;
  int columns;

  double labelHeight(const PrintStyle& style) const { return parts.size() > 1 ? style.text * 1.6 : 0; }
  std::vector<Slot> placed(const PrintStyle& style) const {
    const int across = figureColumns(columns, parts.size(), style);
    const int width = static_cast<int>(columnWidth(across, style));
    PrintStyle own = style;
    own.width = width;
    std::vector<Slot> places;
    double top = 0, row_height = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto column = static_cast<int>(i) % across;
      if (column == 0 && i > 0) {
        top += row_height + labelHeight(style) + row_gap;
        row_height = 0;
      }
      const QSizeF size = parts[i].size(own);
      row_height = std::max(row_height, size.height());
      places.push_back({QPointF(column * (width + column_gap), top), size, own});
    }
    return places;
  }
  double height(const PrintStyle& style) const {
    double bottom = 0;
    for (const Slot& slot : placed(style))
      bottom = std::max(bottom, slot.at.y() + slot.size.height() + labelHeight(style));
    return std::ceil(bottom);
  }
};

QString letter(std::size_t part) {
  return QStringLiteral("(%1)").arg(QChar(static_cast<char16_t>(u'a' + part % 26)));
}

void paintComposition(const Composition& composition, QCPPainter& painter, const PrintStyle& style) {
  const std::vector<Slot> places = composition.placed(style);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Slot& slot = places[i];
    painter.save();
    painter.translate(slot.at);
    startGroup(painter, composition.parts[i].name);
    composition.parts[i].paint(painter, slot.size, slot.style);
    endGroup(painter);
    painter.restore();
    if (composition.parts.size() < 2) continue;
    painter.save();
    painter.setClipping(false);
    painter.setPen(Qt::black);
    painter.setFont(PlotTheme::print(style).font);
    painter.drawText(QRectF(slot.at.x(), slot.at.y() + slot.size.height(), slot.size.width(),
                            composition.labelHeight(style)),
                     Qt::AlignCenter, letter(i));
    painter.restore();
  }
}

QString composedCsv(const Composition& composition) {
  QString text;
  for (std::size_t i = 0; i < composition.parts.size(); ++i) {
    if (!composition.parts[i].csv) continue;
    text += QStringLiteral("# %1 %2\r\n").arg(letter(i), composition.parts[i].title);
    text += composition.parts[i].csv();
  }
  return text;
}

}  // namespace

Exportable exportable(Plot& plot, const QString& name, const QString& title, double aspect) {
  Exportable made{name, title, {}, {}, {}, {}};
  made.height = [&plot, aspect](const PrintStyle& style) { return plot.printHeight(style, aspect); };
  made.paint = [&plot](QCPPainter& painter, QSizeF size, const PrintStyle& style) {
    plot.paintForPrint(painter, size.toSize(), style);
  };
  made.csv = [&plot] { return plot.csv(); };
  made.pgf = [&plot](QSizeF size, const PrintStyle& style) { return pgfPlot(plot, size, style); };
  made.trust = trustLine(plot);
  return made;
}

const PaperGraph& CanvasPaper::in(double width) {
  return in({width, highest_page});
}

const PaperGraph& CanvasPaper::in(QSizeF room) {
  const auto get = [this](QSizeF asked) -> const PaperGraph& {
    const auto [known, fresh] = made_.try_emplace({asked.width(), asked.height()});
    if (fresh) known->second = canvas_.onPaper(asked);
    return known->second;
  };
  const PaperGraph& natural = get({room.width(), highest_page});
  return room.height() >= natural.height ? natural : get(room);
}

Exportable exportable(const GraphCanvas& canvas) {
  return exportable(std::make_shared<CanvasPaper>(canvas));
}

Exportable exportable(std::shared_ptr<CanvasPaper> paper) {
  Exportable made{QStringLiteral("canvas"), QObject::tr("Canvas"), {}, {}, {}, {}};
  made.height = [paper](const PrintStyle& style) { return paper->in(style.width).height; };
  made.paint = [paper](QCPPainter& painter, QSizeF size, const PrintStyle&) {
    paper->canvas().paintForPrint(painter, size, paper->in(size));
  };
  made.csv = [paper] { return graphCsv(paper->canvas().document()); };
  made.trust = trustLine(paper->canvas());
  return made;
}

Exportable exportable(ParallelView& view) {
  Exportable made{QStringLiteral("parallel"), QObject::tr("Parallel coordinates"), {}, {}, {}, {}};
  made.height = [&view](const PrintStyle& style) { return view.paperHeight(style); };
  made.paint = [&view](QCPPainter& painter, QSizeF size, const PrintStyle& style) {
    view.paintForPrint(painter, size, style);
  };
  made.csv = [&view] { return view.csv(); };
  made.trust = trustLine(view);
  return made;
}

Exportable exportable(SensitivityView& view) {
  Exportable made{QStringLiteral("sensitivity"), QObject::tr("Sensitivity"), {}, {}, {}, {}};
  made.height = [&view](const PrintStyle& style) { return view.paperHeight(style); };
  made.paint = [&view](QCPPainter& painter, QSizeF size, const PrintStyle& style) {
    view.paintForPrint(painter, size, style);
  };
  made.csv = [&view] { return view.csv(); };
  made.trust = trustLine(view);
  return made;
}

Exportable exportable(const TensorGrid& grid, const QString& title) {
  constexpr double aspect = 0.85;
  Exportable made{QStringLiteral("access-order"), title, {}, {}, {}, {}};
  made.height = [](const PrintStyle& style) { return aspect * style.width; };
  made.paint = [&grid](QCPPainter& painter, QSizeF size, const PrintStyle& style) {
    grid.paintForPrint(painter, size, PlotTheme::print(style));
  };
  made.csv = [&grid] { return grid.csv(); };
  return made;
}

Exportable exportable(const TimelineView& view) {
  Exportable made{QStringLiteral("timeline"), QObject::tr("Timeline"), {}, {}, {}, {}};
  made.height = [&view](const PrintStyle& style) { return view.paperHeight(style); };
  made.paint = [&view](QCPPainter& painter, QSizeF size, const PrintStyle& style) {
    view.paintForPrint(painter, size, style);
  };
  made.csv = [&view] { return view.csv(); };
  made.trust = trustLine(view);
  return made;
}

int figureColumns(int wanted, std::size_t parts, const PrintStyle& style) {
  int columns = std::clamp(wanted, 1, std::max(1, static_cast<int>(parts)));
  while (columns > 1 && columnWidth(columns, style) < least_width * style.text) --columns;
  return columns;
}

QString figureNote(int wanted, std::size_t parts, const PrintStyle& style) {
  if (style.width < least_width * style.text)
    return QObject::tr("Too narrow for text of %1 pt: labels of plots may lie on each other below %2 in.")
        .arg(style.text)
        .arg(QString::number(std::ceil(least_width * style.text / 7.2) / 10, 'f', 1));
  const int columns = figureColumns(wanted, parts, style);
  if (columns == std::min(wanted, static_cast<int>(parts))) return {};
  return columns == 1 ? QObject::tr("At this width the views stand below each other.")
                      : QObject::tr("At this width there is room for %1 columns.").arg(columns);
}

Exportable composed(std::vector<Exportable> parts, int columns) {
  if (parts.size() == 1) return std::move(parts.front());
  const auto shared = std::make_shared<const Composition>(Composition{std::move(parts), columns});
  Exportable made{QStringLiteral("figure"), QObject::tr("Figure"), {}, {}, {}, {}};
  made.height = [shared](const PrintStyle& style) { return shared->height(style); };
  made.paint = [shared](QCPPainter& painter, QSizeF, const PrintStyle& style) {
    paintComposition(*shared, painter, style);
  };
  made.csv = [shared] { return composedCsv(*shared); };
  QStringList trusts;
  for (const Exportable& part : shared->parts)
    if (!part.trust.isEmpty() && !trusts.contains(part.trust)) trusts << part.trust;
  made.trust = trusts.join(QStringLiteral("; "));
  return made;
}

}  // namespace sluice::ui
