#include "engine/operators/token_rates.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace sluice::inline operators {

std::uint64_t product(const Extents& extents, std::size_t from) {
  return std::accumulate(extents.begin() + static_cast<std::ptrdiff_t>(from), extents.end(), std::uint64_t{1},
                         std::multiplies<>());
}

StreamCount shaped(Extents dims) {
  const std::uint64_t tokens = product(dims);
  return {tokens, std::move(dims), {}};
}

StreamCount counted(std::uint64_t tokens) {
  return {tokens, {}, {}};
}

const Extents* Rates::together() const {
  const Extents* dims = nullptr;
  for (const StreamId id : op.inputs) {
    const StreamCount& each = streams_[id];
    if (!each.tokens || each.tokens != in(0).tokens) return nullptr;
    if (dims && each.dims && *each.dims != *dims) return nullptr;
    if (!dims && each.dims) dims = &*each.dims;
  }
  return dims;
}

bool Rates::allEqual() const {
  return std::all_of(op.inputs.begin(), op.inputs.end(),
                     [&](StreamId id) { return streams_[id].tokens && streams_[id].tokens == in(0).tokens; });
}

std::optional<std::uint64_t> Rates::group(std::size_t port, std::size_t rank) const {
  const StreamCount& from = in(port);
  if (rank == 0) return 1;
  if (!from.dims || rank > from.dims->size() || product(*from.dims) == 0) return std::nullopt;
  return product(*from.dims, from.dims->size() - rank);
}

std::optional<Extents> Rates::inferred(std::size_t output) const {
  Extents dims;
  for (const Dim& dim : inference_.streams[op.outputs[output]].shape) {
    const std::optional<std::int64_t> extent = dim.extent.substitute(bound_).constant();
    if (dim.kind != DimKind::Static || dim.presence || !extent || *extent < 0) return std::nullopt;
    dims.push_back(static_cast<std::uint64_t>(*extent));
  }
  return dims;
}

std::optional<SelectorRows> Rates::selectors(std::size_t port) const {
  return selectorRows(graph_, op.inputs[port], inputs_);
}

void Rates::step(TokenRule::Port port) {
  rule = {TokenRule::Kind::Step, std::vector<TokenRule::Port>(op.inputs.size(), port)};
}

Rates::Outputs unknownRates(Rates&) {
  return {};
}

Rates::Outputs sourceRates(Rates& rates) {
  rates.rule.kind = TokenRule::Kind::Source;
  std::optional<Extents> dims = rates.inferred(0);
  if (!dims) return {};
  return {shaped(*std::move(dims))};
}

Rates::Outputs mappedRates(Rates& rates) {
  rates.step({1, 1, true});
  if (rates.ins() == 1 && rates.in(0).unstopped) return {rates.in(0)};
  if (const Extents* dims = rates.together()) return {shaped(*dims)};
  return rates.allEqual() ? Rates::Outputs{counted(*rates.in(0).tokens)} : Rates::Outputs{};
}

Rates::Outputs foldedRates(Rates& rates) {
  const Extents* dims = rates.together();
  const std::uint64_t rank = rates.count("rank");
  if (!dims || rank >= dims->size()) return {};
  const std::size_t outer = dims->size() - rank;
  rates.step({std::max<std::uint64_t>(1, product(*dims, outer)), 1, false});
  if (product(*dims) == 0) return {};
  return {shaped(Extents(dims->begin(), dims->begin() + static_cast<std::ptrdiff_t>(outer)))};
}

Rates::Outputs repeatedRates(Rates& rates) {
  const std::uint64_t factor = rates.count("factor");
  if (factor == 0) return {};
  rates.step({1, factor, true});
  if (!rates.in(0).tokens) return {};
  return {counted(*rates.in(0).tokens * factor)};
}

Rates::Outputs streamedRates(Rates& rates, const std::string& extents, bool with_held) {
  const StreamCount& from = rates.in(0);
  if (!from.dims || !from.held) return {};
  Extents inner;
  for (const BoundInteger& extent : rates.op.parameters.list(extents))
    inner.push_back(static_cast<std::uint64_t>(extent.value));
  if (with_held) inner.insert(inner.end(), from.held->begin(), from.held->end());
  const std::uint64_t give = product(inner);
  if (give == 0) return {};
  rates.step({1, give, true});
  // A buffer of one token loses its rank in the reference simulator.
  if (product(*from.held) == 1) return {counted(*from.tokens * give)};
  Extents dims = *from.dims;
  dims.insert(dims.end(), inner.begin(), inner.end());
  return {shaped(std::move(dims))};
}

}  // namespace sluice::inline operators
