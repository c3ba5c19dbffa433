#include "engine/operators/stream_type.h"

#include "engine/core/units.h"
#include "engine/itensor/itensor_text.h"

namespace sluice::inline operators {

bool TupleType::operator==(const TupleType& other) const {
  return elements == other.elements;
}

Expr sizeOf(const TileType& tile) {
  return tile.rows.extent * tile.cols.extent * Expr(sizeOf(tile.scalar));
}

Expr sizeOf(const ElementType& element) {
  if (const TileType* tile = element.tile()) return sizeOf(*tile);
  if (const SelectorType* selector = element.selector())
    return selector->active ? Expr(2) * *selector->active : selector->width;
  if (const BufferType* buffer = element.buffer()) return elementCount(buffer->shape) * sizeOf(buffer->tile);
  Expr sum;
  for (const ElementType& part : element.tuple()->elements) sum += sizeOf(part);
  return sum;
}

std::string text(const ElementType& element) {
  if (const TileType* tile = element.tile())
    return "tile" + text(Shape{tile->rows, tile->cols}) + ":" + streamText(tile->scalar);
  if (const SelectorType* selector = element.selector()) {
    if (selector->active) return "index(" + selector->active->text() + " of " + selector->width.text() + ")";
    return "selector(" + selector->width.text() + ")";
  }
  if (const BufferType* buffer = element.buffer()) {
    return "buffer" + text(buffer->shape) + " of " + text(ElementType(buffer->tile));
  }
  std::string parts;
  for (const ElementType& part : element.tuple()->elements) parts += (parts.empty() ? "" : ", ") + text(part);
  return "(" + parts + ")";
}

std::string text(const StreamType& type) {
  return text(type.shape) + " " + text(type.element) + (type.order ? " as " + text(*type.order) : "");
}

std::string latex(const StreamType& type) {
  std::string element = "\\text{" + text(type.element) + "}";
  if (const TileType* tile = type.element.tile()) {
    element = latex(Shape{tile->rows, tile->cols}) + "_{\\mathrm{" + streamText(tile->scalar) + "}}";
  } else if (const SelectorType* selector = type.element.selector()) {
    element = "\\mathrm{selector}(" + selector->width.latex() + ")";
  }
  return latex(type.shape) + "\\;" + element;
}

}  // namespace sluice::inline operators
