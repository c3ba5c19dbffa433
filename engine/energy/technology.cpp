#include "engine/energy/technology.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "engine/core/enum_names.h"

namespace sluice::inline energy {
namespace {

constexpr EnumName<Action> action_names[] = {
    {Action::Add, "add"},
    {Action::Multiply, "multiply"},
    {Action::SramRead, "sram_read"},
    {Action::SramWrite, "sram_write"},
    {Action::FifoPush, "fifo_push"},
    {Action::FifoPop, "fifo_pop"},
    {Action::OffChipRead, "off_chip_read"},
    {Action::OffChipWrite, "off_chip_write"},
    {Action::RowActivation, "row_activation"},
    {Action::Reconfiguration, "reconfiguration"},
    {Action::DieCrossing, "die_crossing"},
    {Action::NocHop, "noc_hop"},
    {Action::Leakage, "leakage"},
    {Action::StaticPower, "static_power"},
};

double powerLaw(const Amount::Points& points, double bytes) {
  if (points.size() == 1 || bytes <= points.front().first) return points.front().second;
  std::size_t upper = 1;
  while (upper + 1 < points.size() && points[upper].first < bytes) ++upper;
  const auto [x0, y0] = points[upper - 1];
  const auto [x1, y1] = points[upper];
  return y0 * std::pow(bytes / x0, std::log(y1 / y0) / std::log(x1 / x0));
}

/// The smaller, the better it stands for `wanted`.
auto distance(Scalar wanted, Scalar there) {
  const bool other_kind = isFloat(wanted) != isFloat(there);
  const bool narrower = there.bits < wanted.bits;
  // Of wide enough ones the narrowest, of the others the widest; of equal widths the one of the same format.
  const int bits = narrower ? -int{there.bits} : int{there.bits};
  return std::tuple(other_kind, narrower, bits, wanted.format != there.format, there);
}

}  // namespace

const char* text(Action action) {
  return nameIn(action_names, action);
}

std::optional<Action> actionNamed(std::string_view name) {
  return valueIn(action_names, name);
}

std::vector<std::string> actionNames() {
  return namesIn(action_names);
}

std::string nameOf(const Price& price) {
  return text(price.action) + (price.scalar ? " of " + streamText(*price.scalar) : "");
}

double Amount::at(const AccessSizes& sizes) const {
  if (const double* number = std::get_if<double>(&form_)) return *number * unit_;
  if (const Points* points = std::get_if<Points>(&form_)) return powerLaw(*points, sizes.bytes) * unit_;
  const std::array<double, 4> values{sizes.bytes, sizes.width, sizes.ports, sizes.node};
  double result = 0;
  std::get<CompiledExprs>(form_).evaluate(values, std::span(&result, 1));
  return result * unit_;
}

std::optional<double> Amount::constant() const {
  const double* const number = std::get_if<double>(&form_);
  return number ? std::optional(*number * unit_) : std::nullopt;
}

const Price* Technology::find(Action action) const {
  const auto found = std::ranges::find(prices, action, &Price::action);
  return found == prices.end() ? nullptr : &*found;
}

const Price& Technology::find(Action action, Scalar scalar) const {
  const Price* best = nullptr;
  for (const Price& price : prices) {
    if (price.action != action || !price.scalar) continue;
    if (!best || distance(scalar, *price.scalar) < distance(scalar, *best->scalar)) best = &price;
  }
  if (!best) throw std::logic_error("a technology without a price that every technology has");
  return *best;
}

}  // namespace sluice::inline energy
