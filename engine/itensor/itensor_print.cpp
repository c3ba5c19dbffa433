#include <algorithm>

#include "engine/itensor/itensor_text.h"

namespace sluice::inline itensor {
namespace {

template <class Each>
std::string joined(std::size_t count, const char* separator, Each each) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i ? separator : "") + each(i);
  return text;
}

}  // namespace

std::string text(const AffineForm& form) {
  std::string text;
  for (std::size_t d = 0; d < form.coefficients.size(); ++d) {
    const std::int64_t coefficient = form.coefficients[d];
    if (coefficient == 0) continue;
    if (coefficient > 0 && !text.empty()) text += "+";
    if (coefficient == -1) text += "-";
    if (coefficient != 1 && coefficient != -1) text += std::to_string(coefficient) + "*";
    text += "d" + std::to_string(d);
  }
  if (form.constant == 0) return text.empty() ? "0" : text;
  return text + (form.constant > 0 && !text.empty() ? "+" : "") + std::to_string(form.constant);
}

std::string mapText(const ITensor& type) {
  return "(" + joined(type.loops.size(), ",", [](std::size_t d) { return "d" + std::to_string(d); }) +
         ")->(" + joined(type.rank(), ",", [&](std::size_t k) { return text(type.map[k]); }) + ")";
}

std::string elementText(const ITensor& type) {
  const std::string shape = type.tile.empty() ? "" : shapeText(type.tile) + "x";
  const std::string element = shape + text(type.scalar);
  return type.vector_token ? "vector<" + element + ">" : element;
}

std::string text(const ITensor& type) {
  const auto trips = [&](std::size_t d) { return std::to_string(type.loops[d].trips); };
  const auto steps = [&](std::size_t d) { return std::to_string(type.loops[d].step); };
  return "itensor<" + elementText(type) + ", iter_space: [" + joined(type.loops.size(), ",", trips) + "]*[" +
         joined(type.loops.size(), ",", steps) + "], iter_map: " + mapText(type) + ">";
}

std::string shapeText(std::span<const std::int64_t> shape) {
  return joined(shape.size(), "x", [&](std::size_t k) { return std::to_string(shape[k]); });
}

}  // namespace sluice::inline itensor
