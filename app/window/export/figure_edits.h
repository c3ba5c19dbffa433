#pragma once
// The edits that the composer makes to the figures of a document, each a plain function, so that undo and
// tests need no window; and the sizes that journals and slides ask for.

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "engine/program/document.h"

namespace sluice::ui {

struct FigurePreset {
  const char* title;
  std::int64_t width, text, columns;
};
std::span<const FigurePreset> figurePresets();
/// Of the figure's width and text size; null if there is none.
const FigurePreset* presetOf(const Figure& figure);
void applyPreset(Figure& figure, const FigurePreset& preset);

/// "Figure 1", or the first that no figure has.
std::string freeFigureName(const Document& document);
void addFigure(Document& document, const Figure& figure);
void removeFigure(Document& document, const std::string& name);
/// Nothing changes where there is no such figure, or another has the name that it would get.
void changeFigure(Document& document, const std::string& name, const std::function<void(Figure&)>& change);

/// "Pareto plot".
const char* panelTitle(PanelView view);
/// The panel stands at `to` afterwards. Positions beyond the panels change nothing.
void movePanel(Figure& figure, std::size_t from, std::size_t to);
void removePanel(Figure& figure, std::size_t panel);
/// Within the grid.
void setSpan(Figure& figure, std::size_t panel, std::int64_t span);
/// Points, within what is allowed; 0: as the view asks.
void setHeight(Figure& figure, std::size_t panel, std::int64_t height);
/// How many columns come closest to such a width.
std::int64_t spanOf(const Figure& figure, double width);

}  // namespace sluice::ui
