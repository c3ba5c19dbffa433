#include "app/window/export/figure_edits.h"

#include <QtGlobal>
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/core/enum_names.h"
#include "engine/program/fields.h"

namespace sluice::ui {
namespace {

constexpr std::array<FigurePreset, 6> known_presets = {{
    {QT_TRANSLATE_NOOP("sluice::ui::FigureComposer", "IEEE column, 3.5 in, 8 pt"), 252, 8, 1},
    {QT_TRANSLATE_NOOP("sluice::ui::FigureComposer", "IEEE text, 7.16 in, 8 pt"), 516, 8, 2},
    {QT_TRANSLATE_NOOP("sluice::ui::FigureComposer", "ACM, MICRO, ISCA column, 3.33 in, 8 pt"), 240, 8, 1},
    {QT_TRANSLATE_NOOP("sluice::ui::FigureComposer", "ACM, MICRO, ISCA text, 7 in, 8 pt"), 504, 8, 2},
    {QT_TRANSLATE_NOOP("sluice::ui::FigureComposer", "Slide, 13.33 in, 20 pt"), 960, 20, 2},
    {QT_TRANSLATE_NOOP("sluice::ui::FigureComposer", "Half a slide, 6.4 in, 20 pt"), 461, 20, 1},
}};

constexpr EnumName<PanelView> panel_titles[] = {
    {PanelView::Pareto, QT_TRANSLATE_NOOP("sluice::ui::FigureComposer", "Pareto plot")},
    {PanelView::Parallel, QT_TRANSLATE_NOOP("sluice::ui::FigureComposer", "Parallel coordinates")},
    {PanelView::Sensitivity, QT_TRANSLATE_NOOP("sluice::ui::FigureComposer", "Sensitivity")},
    {PanelView::Fifo, QT_TRANSLATE_NOOP("sluice::ui::FigureComposer", "FIFO occupancy")},
    {PanelView::Timeline, QT_TRANSLATE_NOOP("sluice::ui::FigureComposer", "Timeline")},
    {PanelView::Graph, QT_TRANSLATE_NOOP("sluice::ui::FigureComposer", "Graph")},
    {PanelView::Designs, QT_TRANSLATE_NOOP("sluice::ui::FigureComposer", "Designs")},
    {PanelView::Energy, QT_TRANSLATE_NOOP("sluice::ui::FigureComposer", "Energy")},
    {PanelView::Distribution, QT_TRANSLATE_NOOP("sluice::ui::FigureComposer", "Distribution over traces")},
    {PanelView::Boxes, QT_TRANSLATE_NOOP("sluice::ui::FigureComposer", "Designs over traces")},
    {PanelView::Experts, QT_TRANSLATE_NOOP("sluice::ui::FigureComposer", "Tokens of experts")},
};

std::int64_t inRange(const Range& range, std::int64_t number) {
  return std::clamp(number, range.minimum, range.maximum);
}

}  // namespace

std::span<const FigurePreset> figurePresets() {
  return known_presets;
}

const FigurePreset* presetOf(const Figure& figure) {
  const auto found = std::ranges::find_if(known_presets, [&](const FigurePreset& each) {
    return each.width == figure.width && each.text == figure.text;
  });
  return found == known_presets.end() ? nullptr : &*found;
}

void applyPreset(Figure& figure, const FigurePreset& preset) {
  figure.width = preset.width;
  figure.text = preset.text;
  figure.columns = preset.columns;
  for (std::size_t panel = 0; panel < figure.panels.size(); ++panel)
    setSpan(figure, panel, figure.panels[panel].span);
}

std::string freeFigureName(const Document& document) {
  std::string name = "Figure 1";
  for (int number = 2; findFigure(document, name); ++number) name = "Figure " + std::to_string(number);
  return name;
}

void addFigure(Document& document, const Figure& figure) {
  if (!figure.name.empty() && !findFigure(document, figure.name)) document.figures.push_back(figure);
}

void removeFigure(Document& document, const std::string& name) {
  std::erase_if(document.figures, [&](const Figure& each) { return each.name == name; });
}

void changeFigure(Document& document, const std::string& name, const std::function<void(Figure&)>& change) {
  const auto found = std::ranges::find(document.figures, name, &Figure::name);
  if (found == document.figures.end()) return;
  Figure changed = *found;
  change(changed);
  if (changed.name.empty() || (changed.name != name && findFigure(document, changed.name))) return;
  *found = std::move(changed);
}

const char* panelTitle(PanelView view) {
  return nameIn(panel_titles, view);
}

void movePanel(Figure& figure, std::size_t from, std::size_t to) {
  if (from >= figure.panels.size() || to >= figure.panels.size()) return;
  const auto at = [&](std::size_t panel) {
    return figure.panels.begin() + static_cast<std::ptrdiff_t>(panel);
  };
  if (from < to) std::rotate(at(from), at(from + 1), at(to + 1));
  if (to < from) std::rotate(at(to), at(from), at(from + 1));
}

void removePanel(Figure& figure, std::size_t panel) {
  if (panel < figure.panels.size())
    figure.panels.erase(figure.panels.begin() + static_cast<std::ptrdiff_t>(panel));
}

void setSpan(Figure& figure, std::size_t panel, std::int64_t span) {
  if (panel < figure.panels.size())
    figure.panels[panel].span = std::clamp<std::int64_t>(span, 1, figure.columns);
}

void setHeight(Figure& figure, std::size_t panel, std::int64_t height) {
  if (panel < figure.panels.size())
    figure.panels[panel].height = inRange(fieldOf(&FigurePanel::height).range, height);
}

std::int64_t spanOf(const Figure& figure, double width) {
  const double column = static_cast<double>(figure.width) / static_cast<double>(figure.columns);
  return std::clamp<std::int64_t>(std::lround(width / column), 1, figure.columns);
}

}  // namespace sluice::ui
