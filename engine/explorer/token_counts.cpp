#include "engine/explorer/token_counts.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <numeric>
#include <string>

namespace sluice {
namespace {

using Dims = std::vector<std::uint64_t>;
using Kind = TokenRule::Kind;

std::uint64_t product(const Dims& dims, std::size_t from = 0) {
  return std::accumulate(dims.begin() + static_cast<std::ptrdiff_t>(from), dims.end(), std::uint64_t{1},
                         std::multiplies<>());
}

StreamCount shaped(Dims dims) {
  const std::uint64_t tokens = product(dims);
  return {tokens, std::move(dims), {}};
}

StreamCount counted(std::uint64_t tokens) {
  return {tokens, {}, {}};
}

class Counter {
 public:
  Counter(const FlatGraph& graph, const Inference& inference, const InputSet& inputs)
      : graph_(graph), inference_(inference), inputs_(inputs) {
    counts_.streams.resize(graph.streams.size());
    counts_.operators.resize(graph.operators.size());
    for (const auto& [name, value] : graph.knobs) bound_[name] = Expr(value);
    for (const auto& [name, value] : inference.known) bound_[name] = Expr(value);
  }

  TokenCounts count() {
    std::deque<OperatorId> open(graph_.operators.size());
    std::iota(open.begin(), open.end(), OperatorId{0});
    std::vector<std::size_t> unknown;  // inputs of each operator
    for (const FlatOperator& op : graph_.operators) unknown.push_back(op.inputs.size());
    // Each stream becomes known once, so this ends; loops stay unknown unless a selector tells. One unknown
    // input may be that selector; with more no operator tells anything, and those of many inputs would look
    // at all of them for each.
    while (!open.empty()) {
      const OperatorId id = open.front();
      open.pop_front();
      const std::vector<StreamCount> outputs = visit(id);
      for (std::size_t port = 0; port < outputs.size(); ++port) {
        const StreamId stream = graph_.operators[id].outputs[port];
        StreamCount& known = counts_.streams[stream];
        if (known.tokens || !outputs[port].tokens) continue;
        known = outputs[port];
        const OperatorId consumer = graph_.streams[stream].consumer;
        if (--unknown[consumer] <= 1) open.push_back(consumer);
      }
    }
    return std::move(counts_);
  }

 private:
  using Outputs = std::vector<StreamCount>;
  using Visit = Outputs (Counter::*)(const FlatOperator&, TokenRule&);

  Outputs visit(OperatorId id) {
    static const std::map<std::string, Visit> visits = {{"TileGen", &Counter::source},
                                                        {"LinearOffChipLoad", &Counter::source},
                                                        {"SelectGen", &Counter::source},
                                                        {"MetadataGen", &Counter::source},
                                                        {"Map", &Counter::mapped},
                                                        {"BinaryMap", &Counter::mapped},
                                                        {"Zip", &Counter::mapped},
                                                        {"Scan", &Counter::mapped},
                                                        {"Accum", &Counter::folded},
                                                        {"BinaryMapAccum", &Counter::folded},
                                                        {"Bufferize", &Counter::folded},
                                                        {"Repeat", &Counter::repeated},
                                                        {"ExpandStatic", &Counter::repeated},
                                                        {"Expand", &Counter::expanded},
                                                        {"RepeatRef", &Counter::repeatedByRef},
                                                        {"Flatten", &Counter::flattened},
                                                        {"Promote", &Counter::promoted},
                                                        {"Reshape", &Counter::reshaped},
                                                        {"Streamify", &Counter::streamed},
                                                        {"StaticStreamify", &Counter::streamed},
                                                        {"Broadcast", &Counter::forked},
                                                        {"Partition", &Counter::dealt},
                                                        {"Reassemble", &Counter::gathered},
                                                        {"EagerMerge", &Counter::merged}};
    const FlatOperator& op = graph_.operators[id];
    const auto rule = visits.find(op.spec->kind);
    return rule == visits.end() ? Outputs{} : (this->*rule->second)(op, counts_.operators[id]);
  }

  const StreamCount& in(const FlatOperator& op, std::size_t port) const {
    return counts_.streams[op.inputs[port]];
  }
  /// The stops of the inputs of an operator that reads them together: theirs must be the same, so any tells.
  /// Null: unknown, or they do not match.
  const Dims* together(const FlatOperator& op) const {
    const Dims* dims = nullptr;
    for (const StreamId id : op.inputs) {
      const StreamCount& each = counts_.streams[id];
      if (!each.tokens || each.tokens != in(op, 0).tokens) return nullptr;
      if (dims && each.dims && *each.dims != *dims) return nullptr;
      if (!dims && each.dims) dims = &*each.dims;
    }
    return dims;
  }

  static TokenRule step(const FlatOperator& op, TokenRule::Port port) {
    return {Kind::Step, std::vector<TokenRule::Port>(op.inputs.size(), port)};
  }

  Outputs source(const FlatOperator& op, TokenRule& rule) {
    rule.kind = Kind::Source;
    Dims dims;
    for (const Dim& dim : inference_.streams[op.outputs[0]].shape) {
      const std::optional<std::int64_t> extent = dim.extent.substitute(bound_).constant();
      if (dim.kind != DimKind::Static || dim.presence || !extent || *extent < 0) return {};
      dims.push_back(static_cast<std::uint64_t>(*extent));
    }
    return {shaped(std::move(dims))};
  }

  Outputs mapped(const FlatOperator& op, TokenRule& rule) {
    rule = step(op, {1, 1, op.spec->kind != "Scan"});
    if (op.inputs.size() == 1 && in(op, 0).unstopped) return {in(op, 0)};
    if (const Dims* dims = together(op)) return {shaped(*dims)};
    const bool equal = std::all_of(op.inputs.begin(), op.inputs.end(), [&](StreamId id) {
      return counts_.streams[id].tokens && counts_.streams[id].tokens == in(op, 0).tokens;
    });
    return equal ? Outputs{counted(*in(op, 0).tokens)} : Outputs{};
  }

  /// One token for each group of the innermost `rank` dimensions.
  Outputs folded(const FlatOperator& op, TokenRule& rule) {
    const Dims* dims = together(op);
    const auto rank = static_cast<std::size_t>(op.parameters.integer("rank"));
    if (!dims || rank >= dims->size()) return {};
    const std::size_t outer = dims->size() - rank;
    rule = step(op, {std::max<std::uint64_t>(1, product(*dims, outer)), 1, false});
    const auto split = dims->begin() + static_cast<std::ptrdiff_t>(outer);
    StreamCount out = shaped(Dims(dims->begin(), split));
    if (product(*dims) == 0) return {};
    if (op.spec->kind == "Bufferize") out.held = Dims(split, dims->end());
    return {std::move(out)};
  }

  Outputs repeated(const FlatOperator& op, TokenRule& rule) {
    const auto factor = static_cast<std::uint64_t>(op.parameters.integer("factor"));
    if (factor == 0) return {};
    rule = step(op, {1, factor, true});
    const StreamCount& from = in(op, 0);
    if (!from.tokens) return {};
    if (op.spec->kind != "Repeat" || !from.dims) return {counted(*from.tokens * factor)};
    Dims dims = *from.dims;
    dims.push_back(factor);
    return {shaped(std::move(dims))};
  }

  /// One element for each token of a group of the reference.
  Outputs expanded(const FlatOperator& op, TokenRule& rule) {
    const StreamCount &from = in(op, 0), &ref = in(op, 1);
    const auto rank = static_cast<std::size_t>(op.parameters.integer("rank"));
    if (!from.tokens || !ref.dims || rank > ref.dims->size()) return {};
    const std::uint64_t group = product(*ref.dims, ref.dims->size() - rank);
    if (group == 0 || *from.tokens * group != *ref.tokens) return {};
    rule = {Kind::Step, {{1, group, true}, {1, 1, false}}};
    return {shaped(*ref.dims)};
  }

  /// One element for each group of `rank` dimensions of the reference.
  Outputs repeatedByRef(const FlatOperator& op, TokenRule& rule) {
    const StreamCount &from = in(op, 0), &ref = in(op, 1);
    const auto rank = static_cast<std::size_t>(op.parameters.integer("rank"));
    if (!from.tokens || !ref.dims || rank + 1 > ref.dims->size()) return {};
    Dims dims(ref.dims->begin(), ref.dims->end() - static_cast<std::ptrdiff_t>(rank));
    const std::uint64_t group = product(*ref.dims, dims.size()), times = dims.back();
    if (group == 0 || times == 0 || *from.tokens * times * group != *ref.tokens) return {};
    rule = {Kind::Step, {{1, times, false}, {group, 1, false}}};
    return {shaped(std::move(dims))};
  }

  Outputs flattened(const FlatOperator& op, TokenRule& rule) {
    rule = step(op, {});
    const StreamCount& from = in(op, 0);
    const auto low = static_cast<std::size_t>(op.parameters.integer("min")),
               high = static_cast<std::size_t>(op.parameters.integer("max"));
    if (!from.dims || high >= from.dims->size() || low > high) {
      return from.tokens ? Outputs{counted(*from.tokens)} : Outputs{};
    }
    Dims dims = *from.dims;
    const auto first = dims.end() - 1 - static_cast<std::ptrdiff_t>(high);
    const auto last = dims.end() - static_cast<std::ptrdiff_t>(low);
    *first = std::accumulate(first, last, std::uint64_t{1}, std::multiplies<>());
    dims.erase(first + 1, last);
    return {shaped(std::move(dims))};
  }

  Outputs promoted(const FlatOperator& op, TokenRule& rule) {
    rule = step(op, {});
    const StreamCount& from = in(op, 0);
    const std::int64_t rank = op.parameters.integer("rank");
    if (!from.dims || rank < 0 || static_cast<std::size_t>(rank) > from.dims->size())
      return from.tokens ? Outputs{counted(*from.tokens)} : Outputs{};
    Dims dims = *from.dims;
    dims.insert(dims.end() - rank, 1);
    return {shaped(std::move(dims))};
  }

  Outputs reshaped(const FlatOperator& op, TokenRule& rule) {
    const StreamCount& from = in(op, 0);
    const auto index = static_cast<std::size_t>(op.parameters.integer("dim"));
    const auto chunk = static_cast<std::uint64_t>(op.parameters.integer("chunk"));
    if (!from.dims || index >= from.dims->size() || chunk == 0) return {};
    Dims dims = *from.dims;
    const auto at = dims.end() - 1 - static_cast<std::ptrdiff_t>(index);
    const bool padded = *at % chunk != 0;
    const std::uint64_t around = product(dims) / std::max<std::uint64_t>(1, *at);
    // Padding follows where a dimension ends: one rule for all tokens only if it ends once.
    if (product(dims) == 0 || (padded && around != 1)) return {};
    rule = step(op, {});
    rule.pads_at_close = padded && index == 0 && from.unstopped;
    *at = (*at + chunk - 1) / chunk;
    dims.insert(at + 1, chunk);
    if (op.parameters.boolean("add_outer_dim")) return {counted(product(dims))};
    return {shaped(std::move(dims))};
  }

  Outputs streamed(const FlatOperator& op, TokenRule& rule) {
    const StreamCount& from = in(op, 0);
    const bool plain = op.spec->kind == "Streamify";
    const std::vector<BoundInteger>& list = op.parameters.list(plain ? "repeat" : "out_shape");
    if (!from.dims || !from.held || (plain && list.size() > 1)) return {};
    Dims inner;
    for (const BoundInteger& extent : list) inner.push_back(static_cast<std::uint64_t>(extent.value));
    if (plain) inner.insert(inner.end(), from.held->begin(), from.held->end());
    if (product(inner) == 0) return {};
    const std::uint64_t give = product(inner);
    rule = step(op, {1, give, true});
    // A buffer of one token loses its rank in the reference simulator.
    if (product(*from.held) == 1) return {counted(*from.tokens * give)};
    Dims dims = *from.dims;
    dims.insert(dims.end(), inner.begin(), inner.end());
    return {shaped(std::move(dims))};
  }

  Outputs forked(const FlatOperator& op, TokenRule& rule) {
    rule.kind = Kind::Fork;
    return Outputs(op.outputs.size(), in(op, 0));
  }

  /// Tokens of a group of the innermost `rank` dimensions; absent: nobody knows.
  static std::optional<std::uint64_t> groupOf(const StreamCount& from, std::size_t rank) {
    if (rank == 0) return 1;
    if (!from.dims || rank > from.dims->size() || product(*from.dims) == 0) return std::nullopt;
    return product(*from.dims, from.dims->size() - rank);
  }

  Outputs dealt(const FlatOperator& op, TokenRule& rule) {
    const auto rank = static_cast<std::size_t>(op.parameters.integer("rank"));
    const StreamCount& from = in(op, 0);
    const std::optional<std::uint64_t> group = groupOf(from, rank);
    std::optional<SelectorRows> rows = selectorRows(graph_, op.inputs[1], inputs_);
    if (!group || !rows) return {};
    rule.rows = *std::move(rows);
    rule.kind = Kind::Deal;
    rule.group = *group;
    Dims groups(op.outputs.size(), 0);
    for (const auto& row : rule.rows)
      for (const std::uint32_t target : row) ++groups.at(target);
    Outputs outputs;
    for (const std::uint64_t count : groups) {
      Dims dims{count};
      if (rank > 0)
        dims.insert(dims.end(), from.dims->end() - static_cast<std::ptrdiff_t>(rank), from.dims->end());
      outputs.push_back(shaped(std::move(dims)));
      outputs.back().unstopped = rank == 0;
    }
    return outputs;
  }

  Outputs gathered(const FlatOperator& op, TokenRule& rule) {
    const auto rank = static_cast<std::size_t>(op.parameters.integer("rank"));
    const std::size_t ways = op.inputs.size() - 1;
    std::optional<std::uint64_t> group;
    for (std::size_t way = 0; way < ways; ++way) {
      const std::optional<std::uint64_t> here = groupOf(in(op, way), rank);
      if (!here || (group && *group != *here)) return {};
      group = here;
    }
    std::optional<SelectorRows> rows = selectorRows(graph_, op.inputs[ways], inputs_);
    if (!rows) return {};
    rule.rows = *std::move(rows);
    rule.kind = Kind::Gather;
    rule.group = *group;
    std::uint64_t groups = 0;
    for (const auto& row : rule.rows) groups += row.size();
    return {counted(groups * *group)};
  }

  Outputs merged(const FlatOperator& op, TokenRule& rule) {
    if (op.parameters.integer("rank") != 0) return {};
    rule.kind = Kind::Merge;
    std::uint64_t all = 0;
    for (std::size_t port = 0; port < op.inputs.size(); ++port) {
      if (!in(op, port).tokens) return {};
      all += *in(op, port).tokens;
    }
    StreamCount out = counted(all);
    out.unstopped = true;
    return {out, out};
  }

  const FlatGraph& graph_;
  const Inference& inference_;
  const InputSet& inputs_;
  std::map<std::string, Expr> bound_;
  TokenCounts counts_;
};

}  // namespace

TokenCounts countTokens(const FlatGraph& graph, const Inference& inference, const InputSet& inputs) {
  return Counter(graph, inference, inputs).count();
}

}  // namespace sluice
