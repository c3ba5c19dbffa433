#include "widgets/export/figure_sheet.h"

#include <algorithm>
#include <cmath>

#include "widgets/common/qt_text.h"
#include "widgets/common/svg_groups.h"
#include "widgets/export/panel_view.h"
#include "widgets/plots/plot.h"
#include "widgets/points/point_selection.h"

namespace sluice::ui {
namespace {

constexpr double panel_gap = 12, panel_row_gap = 8;
constexpr double refused_aspect = 0.6;  // of a panel that says why there is no picture
constexpr int centred_lines = Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap;

QFont sheetFont(const PrintStyle& style, bool bold) {
  QFont font = PlotTheme::print(style).font;
  font.setBold(bold);
  return font;
}

}  // namespace

struct FigureSheet::Panel {
  FigurePanel asked;
  PanelPicture picture;
  PrintStyle style;
  QRectF place;                               ///< of all of it
  QString left_out;                           ///< for the caption
  double title = 0, height = 0, caption = 0;  ///< of the row's titles, the picture, the row's captions
};

bool showsPoints(PanelView view) {
  return view == PanelView::Pareto || view == PanelView::Parallel || view == PanelView::Sensitivity;
}

bool showsRun(PanelView view) {
  return view == PanelView::Fifo || view == PanelView::Timeline || view == PanelView::Energy;
}

bool showsDesign(PanelView view) {
  return showsRun(view) || view == PanelView::Distribution;
}

KnobValues pointOf(const Document& document, const FigurePanel& panel) {
  KnobValues knobs = defaultKnobs(document);
  for (auto& [name, value] : knobs)
    if (const auto own = panel.knobs.find(name); own != panel.knobs.end()) value = own->second;
  return knobs;
}

std::map<KnobValues, RecordMode> runsOf(const Document& document, const Figure& figure) {
  std::map<KnobValues, RecordMode> runs;
  for (const FigurePanel& panel : figure.panels) {
    if (!showsRun(panel.view)) continue;
    RecordMode& mode = runs.try_emplace(pointOf(document, panel), RecordMode::Record).first->second;
    if (panel.view == PanelView::Timeline) mode = RecordMode::Timeline;
  }
  return runs;
}

std::set<KnobValues> sampledOf(const Document& document, const Figure& figure) {
  std::set<KnobValues> sampled;
  for (const FigurePanel& panel : figure.panels)
    if (panel.view == PanelView::Distribution) sampled.insert(pointOf(document, panel));
  return sampled;
}

PrintStyle styleOf(const Figure& figure) {
  return {.width = static_cast<int>(figure.width),
          .text = static_cast<int>(figure.text),
          .font = qt(figure.font),
          .line_width = figure.line_width,
          .marker_size = figure.marker_size,
          .grey = figure.palette == FigurePalette::Grey,
          .grid = figure.grid};
}

FigureSheet::FigureSheet(const Document& document, const Figure& figure, FigureData data)
    : figure_(figure), style_(styleOf(figure)) {
  if (data.points && !data.points->points().empty()) points_ = std::make_unique<Points>(data.points);
  if (data.designs && !data.designs->points().empty()) designs_ = std::make_unique<Points>(data.designs);
  makePanels(document, data);
  arrange();
}

FigureSheet::~FigureSheet() = default;

FigureSheet::Points::Points(PointsModel* model)
    : columns(std::make_unique<PointColumns>(model)),
      selection(std::make_unique<PointSelection>(columns.get())) {}
FigureSheet::Points::~Points() = default;

void FigureSheet::makePanels(const Document& document, const FigureData& data) {
  for (const FigurePanel& asked : figure_.panels) {
    const KnobValues point = pointOf(document, asked);
    const auto of_point = [&point](const auto& known) {
      const auto found = known.find(point);
      return found == known.end() ? nullptr : found->second;
    };
    const auto refused = data.refused.find(point);
    PanelSource source{.selection = points_ ? points_->selection.get() : nullptr,
                       .run = of_point(data.runs),
                       .canvas = data.canvas,
                       .designs = designs_ ? designs_->selection.get() : nullptr,
                       .sought = data.sought,
                       .bounds = data.bounds,
                       .traces = {data.traces, of_point(data.samples), point, data.explored, {}}};
    if (refused != data.refused.end()) source.refused = refused->second;
    panels_.push_back(
        std::make_unique<Panel>(Panel{asked, panelPicture(asked, source), style_, {}, {}, 0, 0, 0}));
  }
}

double FigureSheet::textHeight(const QString& text, double width, bool bold) const {
  if (text.isEmpty()) return 0;
  const QFontMetricsF metrics(sheetFont(style_, bold));
  return std::ceil(metrics.boundingRect(QRectF(0, 0, width, 1e6), centred_lines, text).height()) +
         style_.text * 0.3;
}

/// "(b) Stalls of the run". What a panel leaves out is told in brackets.
QString FigureSheet::label(std::size_t panel) const {
  const QString &left_out = panels_[panel]->left_out, own = qt(panels_[panel]->asked.caption);
  const QString caption = left_out.isEmpty() ? own : (own + QStringLiteral(" (%1)").arg(left_out)).trimmed();
  if (!figure_.letters || panels_.size() < 2) return caption;
  const QString letter = QStringLiteral("(%1)").arg(QChar(static_cast<char16_t>(u'a' + panel % 26)));
  return caption.isEmpty() ? letter : letter + QLatin1Char(' ') + caption;
}

/// On paper nobody can zoom in: instead of a picture that cannot be read the panel says what would help.
void FigureSheet::refuseIfUnreadable(Panel& panel) {
  if (panel.picture.why || !panel.picture.text_size) return;
  const double size = panel.picture.text_size(QSizeF(panel.style.width, panel.height));
  if (size >= smallest_on_paper) return;
  panel.picture.why = error(
      "text-too-small", Location(Where::Field, "view"),
      "its text would be " + QString::number(size, 'f', 1).toStdString() + " points high in this panel",
      "give the panel more columns or height, make the figure wider, or collapse regions on the canvas");
  if (panel.asked.height == 0) panel.height = refused_aspect * panel.style.width;
}

/// Row by row. In a row titles, pictures and captions each begin at one height.
void FigureSheet::arrange() {
  const auto columns = static_cast<int>(figure_.columns);
  const double column = (style_.width - panel_gap * (columns - 1)) / columns;
  double top = 0;
  for (std::size_t first = 0; first < panels_.size();) {
    std::size_t last = first;
    double title = 0, natural = 0, caption = 0;
    for (int taken = 0; last < panels_.size(); ++last) {
      Panel& panel = *panels_[last];
      const int span = std::min(static_cast<int>(panel.asked.span), columns);
      if (taken + span > columns) break;
      const double width = span * column + (span - 1) * panel_gap;
      panel.place = QRectF(taken * (column + panel_gap), top, width, 0);
      panel.style.width = static_cast<int>(width);
      // Else one panel fills the page; what would become too small to be read may.
      const double most = panel.picture.text_size ? highest_page : std::max(width, 0.6 * style_.width) * 1.25;
      panel.height = panel.asked.height > 0 ? static_cast<double>(panel.asked.height)
                     : panel.picture.why    ? width * refused_aspect
                                            : std::min(most, panel.picture.view.height(panel.style));
      refuseIfUnreadable(panel);
      if (!panel.picture.why && panel.picture.left_out)
        panel.left_out = panel.picture.left_out(QSizeF(panel.style.width, panel.height));
      title = std::max(title, textHeight(qt(panel.asked.title), width, true));
      caption = std::max(caption, textHeight(label(last), width, false));
      natural = std::max(natural, panel.height);
      taken += span;
    }
    for (; first < last; ++first) {
      Panel& panel = *panels_[first];
      panel.title = title;
      panel.caption = caption;
      if (panel.asked.height == 0 && panel.picture.stretches)
        panel.height = std::max(panel.height, std::min(natural, panel.place.width()));
      panel.place.setHeight(title + natural + (caption > 0 ? caption + style_.text * 0.4 : 0));
    }
    top += panels_[first - 1]->place.height() + panel_row_gap;
  }
  height_ = std::max(0.0, std::ceil(top - panel_row_gap));
}

std::vector<QRectF> FigureSheet::places() const {
  std::vector<QRectF> places;
  for (const auto& panel : panels_) places.push_back(panel->place);
  return places;
}

double FigureSheet::pictureHeight(std::size_t panel) const {
  return panels_[panel]->height;
}

const QStringList& FigureSheet::offered(std::size_t panel) const {
  return panels_[panel]->picture.offered;
}

std::optional<Diagnostic> FigureSheet::missing() const {
  const Location place(Where::Figure, figure_.name);
  if (panels_.empty()) return error("nothing-to-export", place, "it has no panels", "add a panel");
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    std::optional<Diagnostic> why = panels_[i]->picture.why;
    if (!why) continue;
    why->place = place / Location("panel " + std::to_string(i + 1)) / why->place;
    return why;
  }
  return std::nullopt;
}

Exportable FigureSheet::exportable() const {
  Exportable made{qt(figure_.name), qt(figure_.name), {}, {}, {}, {}};
  made.height = [this](const PrintStyle&) { return height_; };
  made.paint = [this](QCPPainter& painter, QSizeF, const PrintStyle&) { paint(painter); };
  made.csv = [this] { return csv(); };
  return made;
}

void FigureSheet::paint(QCPPainter& painter) const {
  const PlotTheme theme = PlotTheme::print(style_);
  painter.fillRect(QRectF(QPointF(), size()), theme.background);
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    const Panel& panel = *panels_[i];
    const QRectF picture(panel.place.left(), panel.place.top() + panel.title, panel.style.width,
                         panel.height);
    startGroup(painter, panel.picture.view.name);
    painter.save();
    painter.translate(picture.topLeft());
    if (panel.picture.why) {
      const QRectF box(QPointF(), picture.size());
      painter.setPen(QPen(theme.grid, 0.5));
      painter.drawRect(box);
      painter.setPen(theme.muted);
      painter.setFont(theme.font);
      painter.drawText(box, Qt::AlignCenter | Qt::TextWordWrap,
                       qt(panel.picture.why->cause) + QLatin1Char('\n') + qt(panel.picture.why->fix));
    } else {
      panel.picture.view.paint(painter, picture.size(), panel.style);
    }
    painter.restore();
    painter.save();
    painter.setClipping(false);
    painter.setPen(theme.text);
    painter.setFont(sheetFont(style_, true));
    painter.drawText(QRectF(panel.place.topLeft(), QSizeF(panel.place.width(), panel.title)), centred_lines,
                     qt(panel.asked.title));
    painter.setFont(theme.font);
    painter.drawText(
        QRectF(panel.place.left(), panel.place.bottom() - panel.caption, panel.place.width(), panel.caption),
        centred_lines, label(i));
    painter.restore();
    endGroup(painter);
  }
}

QString FigureSheet::csv() const {
  QString text;
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    if (panels_[i]->picture.why || !panels_[i]->picture.view.csv) continue;
    text += QStringLiteral("# %1 %2\r\n").arg(label(i), panels_[i]->picture.view.title);
    text += panels_[i]->picture.view.csv();
  }
  return text;
}

}  // namespace sluice::ui
