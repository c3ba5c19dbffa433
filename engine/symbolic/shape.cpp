#include "engine/symbolic/shape.h"

#include <algorithm>
#include <span>
#include <stdexcept>

#include "engine/symbolic/tree.h"

namespace sluice::inline symbolic {
namespace {

Expr product(std::span<const Dim> dims) {
  Expr count = 1;
  bool impliesPresence =
      false;  // of the dimensions so far: they are empty whenever a presence dimension around them is 0
  for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
    if (dim->presence && impliesPresence) continue;
    count *= dim->extent;
    impliesPresence = impliesPresence || dim->presence || dim->kind != DimKind::Static;
    if (dim->kind == DimKind::Ragged) break;  // a total already, over everything outside it
  }
  return count;
}

template <class Write>
std::string listed(const Shape& shape, const Write& write) {
  std::string result;
  for (const Dim& dim : shape) result += (result.empty() ? "" : ", ") + write(dim);
  return "[" + result + "]";
}

}  // namespace

Expr elementCount(const Shape& shape) {
  return product(shape);
}

Dim flattened(const Shape& shape, std::size_t first, std::size_t last) {
  if (first > last || last >= shape.size()) throw std::out_of_range("flattened: no such dimensions");
  const std::span<const Dim> dims = std::span(shape).subspan(first, last - first + 1);
  const auto has = [&dims](DimKind kind) {
    return std::any_of(dims.begin(), dims.end(), [kind](const Dim& dim) { return dim.kind == kind; });
  };
  if (std::all_of(dims.begin(), dims.end(), [](const Dim& dim) { return dim.presence; })) return shape[first];
  if (has(DimKind::Ragged)) return first > 0 ? Dim::ragged(product(dims)) : Dim::regular(product(dims));
  return has(DimKind::Regular) ? Dim::regular(product(dims)) : Dim::fixed(product(dims));
}

std::string text(const Shape& shape) {
  return listed(shape, [](const Dim& dim) {
    std::string extent = dim.extent.text();
    if (dim.kind != DimKind::Ragged) return extent;
    return (toTree(dim.extent)->kind == Tree::Kind::Sum ? "(" + extent + ")" : extent) + "~";
  });
}

std::string latex(const Shape& shape) {
  return listed(shape, [](const Dim& dim) {
    std::string extent = dim.extent.latex();
    return dim.kind == DimKind::Ragged ? "\\widetilde{" + extent + "}" : extent;
  });
}

Shape substitute(const Shape& shape, const std::map<std::string, Expr>& values) {
  Shape result = shape;
  for (Dim& dim : result) dim.extent = dim.extent.substitute(values);
  return result;
}

}  // namespace sluice::inline symbolic
