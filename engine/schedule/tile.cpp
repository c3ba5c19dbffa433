// tile: packs the rows that enter a region into tiles of several rows, does the region's work on whole tiles,
// and takes them apart again where the work on rows ends (STeP 5.2). Static tiling: tiles of a fixed number
// of rows, the last one padded. Dynamic tiling: one tile per group, as large as the group turns out to be. A
// weight that was loaded for every row is then loaded for every tile.

#include <algorithm>
#include <set>

#include "engine/schedule/graph_edit.h"
#include "engine/schedule/node_roles.h"
#include "engine/schedule/proposals.h"
#include "engine/schedule/transformation.h"

namespace sluice::inline schedule::tile {
namespace {

/// Puts the pieces of rows side by side again (split).
bool joinsColumns(const Node& node) {
  const auto rank = node.parameters.find("rank");
  return roleOf(node) == ScheduleRole::Fold && tileRuleOf(node) == TileRule::JoinColumns &&
         rank != node.parameters.end() && rank->second == Value(1);
}

/// Which streams of a body carry packed rows once one of its inputs does, and which carry weights that come
/// once per tile. An operator is on the way if it treats every row for itself.
class RowFlow {
 public:
  RowFlow(const GraphEdit& body, const Endpoint& source) : body_(body) {
    packed_.insert(text(source));
    order_.push_back(source);
    while (spread()) {
    }
  }

  bool works() const { return works_; }
  bool isOnTheWay(const Node& node) const {
    return packed_.contains(node.name + ".out") || weights_.contains(node.name + ".out");
  }
  /// An input that wants weights row by row although they come once per tile.
  std::optional<std::pair<Endpoint, Endpoint>> mismatch() const {
    for (const Stream& stream : body_.streams()) {
      if (!weights_.contains(text(stream.from))) continue;
      if (stream.to.node == "region" || !isOnTheWay(body_.node(stream.to.node)))
        return std::pair(stream.from, stream.to);
    }
    return std::nullopt;
  }
  /// Where packed rows must be taken apart: inputs that want single rows, by the packed stream that feeds
  /// them.
  std::vector<std::pair<Endpoint, std::vector<Endpoint>>> exits() const {
    std::vector<std::pair<Endpoint, std::vector<Endpoint>>> exits;
    for (const Endpoint& source : order_) {
      std::vector<Endpoint> targets;
      for (const Endpoint& target : body_.targetsOf(source)) {
        const bool boundary = target.node == "region";
        if (boundary || !isOnTheWay(body_.node(target.node))) targets.push_back(target);
      }
      if (!targets.empty()) exits.emplace_back(source, std::move(targets));
    }
    return exits;
  }

 private:
  bool spread() {
    bool changed = false;
    for (const Node& node : body_.nodes()) {
      const std::string out = node.name + ".out";
      if (packed_.contains(out) || weights_.contains(out)) continue;
      if (loadsPerTile(node) || passesWeights(node)) {
        changed = weights_.insert(out).second;
      } else if (worksOnRows(node)) {
        changed = packed_.insert(out).second;
        order_.push_back(endOf(node.name, "out"));
        works_ = works_ || roleOf(node) != ScheduleRole::Repeat;
      }
    }
    return changed;
  }

  bool in(const std::set<std::string>& set, const Node& node, const std::string& port) const {
    const auto source = body_.sourceOf(endOf(node.name, port));
    return source && set.contains(text(*source));
  }
  bool loadsPerTile(const Node& node) const { return loadsPerReference(node) && in(packed_, node, "ref"); }
  bool passesWeights(const Node& node) const {
    const ScheduleRole role = roleOf(node);
    return (role == ScheduleRole::Merge || role == ScheduleRole::Repeat || role == ScheduleRole::Apply) &&
           in(weights_, node, "in");
  }
  bool worksOnRows(const Node& node) const {
    const ScheduleRole role = roleOf(node);
    if (role == ScheduleRole::Repeat || joinsColumns(node)) return in(packed_, node, "in");
    if (isProduct(node)) return in(packed_, node, "in1") && in(weights_, node, "in2");
    if (role != ScheduleRole::Apply) return false;
    if (in(packed_, node, "in")) return true;
    const bool first = in(packed_, node, "in1"), second = in(packed_, node, "in2");
    return tileRuleOf(node) == TileRule::EachElement && (first || second) &&
           (first || in(weights_, node, "in1")) && (second || in(weights_, node, "in2"));
  }

  const GraphEdit& body_;
  std::set<std::string> packed_, weights_;
  std::vector<Endpoint> order_;
  bool works_ = false;
};

/// Accumulators that were as high as one row are as high as a tile now; 0: as high as the tile that comes.
void raiseAccumulators(GraphEdit& body, const RowFlow& flow, const Value& rows) {
  for (Node& node : body.nodes()) {
    if (roleOf(node) != ScheduleRole::Fold || !flow.isOnTheWay(node)) continue;
    std::vector<Value> init = listOf(node.parameters["init"]);
    if (!init.empty()) init[0] = rows;
    node.parameters["init"] = std::move(init);
  }
}

/// The rows' width, if the region's input is a plain stream of rows.
Result<Value> rowWidth(const Rewrite& rewrite, const std::string& region, const std::string& input) {
  const StreamType* type = rewrite.typeAtBoundary(region, input);
  const TileType* tile = type ? type->element.tile() : nullptr;
  if (!tile) {
    return rewrite.problem("the region '" + region + "' has no input '" + input + "' of tiles",
                           "name an input of the region that carries rows");
  }
  const auto width = rewrite.written(tile->cols.extent);
  if (type->shape.size() != 1 || tile->rows.extent != Expr(1) || !width) {
    return rewrite.problem("rows are to be packed, but '" + region + "." + input + "' carries " + text(*type),
                           "Flatten it to one dimension of tiles of one row");
  }
  return *width;
}

/// group -> merge -> pack, in front of the first operator that reads the rows.
void insertPacking(GraphEdit& body, const Endpoint& source, const Arguments& args, const Value& width) {
  const bool dynamic = args.text("method") == "dynamic";
  std::string first;
  for (const Endpoint& target : body.targetsOf(source))
    if (target.node != "region") first = first.empty() ? target.node : body.earlier(first, target.node);
  const Value chunk = dynamic ? Value(1) : args.written("rows");
  const std::string group = body.insertBefore(
      first,
      operatorNode(
          "group", "Reshape",
          {{"add_outer_dim", true}, {"chunk", chunk}, {"dim", 0}, {"pad", std::vector<Value>{1, width}}}));
  const std::string merge = body.insertBefore(
      first, operatorNode("merge", "Flatten", {{"min", dynamic ? 0 : 1}, {"max", dynamic ? 1 : 2}}));
  const std::string pack = body.insertBefore(first, operatorNode("pack", "Accum",
                                                                 {{"compute_bw", args.written("compute_bw")},
                                                                  {"function", "retile_row"},
                                                                  {"init", std::vector<Value>{0, width}},
                                                                  {"rank", 1}}));
  body.redirect(source, endOf(pack, "out"));
  body.connect(source, endOf(group, "in"));
  body.connect(endOf(group, "out"), endOf(merge, "in"));
  body.connect(endOf(merge, "out"), endOf(pack, "in"));
}

/// One unpack for every packed stream that somebody wants as rows.
void insertUnpacking(GraphEdit& body, const Endpoint& source, const std::vector<Endpoint>& targets) {
  std::string anchor;
  for (const Endpoint& target : targets)
    if (target.node != "region") anchor = anchor.empty() ? target.node : body.earlier(anchor, target.node);
  const std::string unpack = body.insertBefore(
      anchor, operatorNode("unpack", "FlatMap",
                           {{"filter_mask", true}, {"function", "retile_streamify"}, {"split", "row"}}));
  for (const Endpoint& target : targets)
    for (Stream& stream : body.streams())
      if (stream.to == target) stream.from = endOf(unpack, "out");
  body.connect(source, endOf(unpack, "in"));
}

/// From one instance of a region to one behind it, as between the layers of a model.
bool feedsLaterInstance(const Stream& stream) {
  if (stream.from.node != stream.to.node || !stream.from.index || !stream.to.index) return false;
  const auto from = stream.from.index->integer(), to = stream.to.index->integer();
  return from && to && *from < *to;
}

/// Whether what the region gives comes back to it.
bool isInLoop(const Graph& around, const std::string& region) {
  std::set<std::string> reached;
  std::vector<std::string> open{region};
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    for (const Stream& stream : around.streams) {
      if (stream.from.node != name || feedsLaterInstance(stream)) continue;
      if (stream.to.node == region) return true;
      if (stream.to.node != "region" && reached.insert(stream.to.node).second) open.push_back(stream.to.node);
    }
  }
  return false;
}

/// What would give another result, or none.
Result<Done> checkFlow(const Rewrite& rewrite, const std::string& path, const std::string& input,
                       const RowFlow& flow) {
  if (!flow.works()) {
    return rewrite.problem("no operator of '" + path + "' works on the rows of '" + input + "'",
                           "tile an input that feeds a Map, or a matmul whose weights are loaded per row");
  }
  if (const auto wrong = flow.mismatch()) {
    return rewrite.problem("'" + path + "." + text(wrong->second) + "' wants weights from '" +
                               text(wrong->first) + "' for every row, but they would come once per tile",
                           "tile first, then cut products to units (hierarchical_tile) or copy streams "
                           "(broadcast)");
  }
  for (const auto& [packed, targets] : flow.exits()) {
    const StreamType* type =
        packed.node == "region" ? nullptr : rewrite.typeOutOf(path + "." + packed.node, packed.port);
    if (!type || type->shape.size() == 1) continue;
    return rewrite.problem("the rows of '" + path + "." + text(packed) + "', " + text(*type) +
                               ", would be taken apart inside dimensions of their own at '" +
                               text(targets.front()) + "'",
                           "tile before the step that gave them those dimensions");
  }
  return Done{};
}

Result<Done> apply(Rewrite& rewrite, const Arguments& args) {
  if (args.text("method") == "none") return Done{};
  const std::string &path = args.text("region"), &input = args.text("input");
  SLUICE_TRY(Node * region, rewrite.region(path));
  for (std::string outer = path;; outer.resize(outer.rfind('.'))) {  // the region, and those around it
    if (isInLoop(**rewrite.graphOf(outer), outer.substr(outer.rfind('.') + 1))) {
      return rewrite.problem("'" + outer +
                                 "' gets new rows only when it is done with earlier ones, so a tile "
                                 "of them might never fill",
                             "tile before parallelizing dynamically");
    }
    if (outer.find('.') == std::string::npos) break;
  }
  SLUICE_CHECK(rewrite.inferTypes());
  SLUICE_TRY(const Value width, rowWidth(rewrite, path, input));
  GraphEdit body(region->body->body);
  const Endpoint source = endOf("region", input);
  const RowFlow flow(body, source);
  SLUICE_CHECK(checkFlow(rewrite, path, input, flow));
  raiseAccumulators(body, flow, args.text("method") == "dynamic" ? Value(0) : args.written("rows"));
  const auto exits = flow.exits();
  for (const auto& [packed, targets] : exits) {
    if (packed != source) insertUnpacking(body, packed, targets);
  }
  // Who reads single rows right at the input keeps them.
  insertPacking(body, source, args, width);
  for (const auto& [packed, targets] : exits) {
    if (packed != source) continue;
    for (const Endpoint& target : targets)
      for (Stream& stream : body.streams())
        if (stream.to == target) stream.from = source;
  }
  return Done{};
}

/// Rows of a static tile: no more than the longest stream of such rows has, as a region's own stream may be
/// as long for other inputs.
std::vector<std::int64_t> heights(const Rewrite& typed, const std::string& region, const std::string& input) {
  const TileType& row = *typed.typeAtBoundary(region, input)->element.tile();
  std::int64_t most = 0;
  for (const StreamType& type : typed.types()) {
    const TileType* tile = type.element.tile();
    if (!tile || !(tile->rows == row.rows && tile->cols == row.cols)) continue;
    const auto fixed = [](const Dim& dim) { return dim.kind == DimKind::Static; };
    if (!std::ranges::all_of(type.shape, fixed)) continue;
    most = std::max(most, typed.number(elementCount(type.shape)).value_or(0));
  }
  return merged(powersOfTwo(2, most), divisors(most, 2, most));
}

std::vector<Proposal> proposals(Sites& sites) {
  std::vector<Proposal> found;
  for (const std::string& region : sites.names("region")) {
    for (const std::string& input : sites.names("input", region)) {
      Proposal proposal{sites.step({{"region", region}, {"input", input}})};
      std::vector<Value> methods = sites.applicable(proposal.step, "method", {"static", "dynamic"});
      if (methods.empty()) continue;
      const std::vector<std::int64_t> rows = heights(sites.typed(), region, input);
      if (rows.empty()) std::erase(methods, Value("static"));
      if (methods.empty()) continue;
      proposal.domains.push_back(choices("method", methods));
      if (!rows.empty()) proposal.domains.push_back(numbers("rows", rows, {{"method", {"static"}}}));
      proposal.expected = {{"off_chip_bytes", ExpectedChange::Direction::Down},
                           {"on_chip_bytes", ExpectedChange::Direction::Up}};
      found.push_back(std::move(proposal));
    }
  }
  return found;
}

}  // namespace

const Transformation& definition() {
  static const Transformation definition{
      {"tile",
       "Packs rows into tiles: of a fixed size, or as large as each group turns out to be.",
       "STeP 5.2, static and dynamic tiling",
       {regionArgument(),
        portArgument("input", ArgumentKind::RegionInput, "the region's input whose rows are packed"),
        choiceArgument("method", {"none", "static", "dynamic"}, "tiles of 'rows' rows, or one per group"),
        integerArgument("rows", "rows of a static tile", Value(16)),
        integerArgument("compute_bw", "FLOPs per cycle of the packing Accum, which costs none", Value(1024))},
       "Rows of a group become tiles: of a fixed number, the last one padded, or one as high as the group. A "
       "weight is loaded once a tile instead of once a row, so traffic falls; on-chip memory grows with the "
       "tile, and padding adds FLOPs."},
      apply,
      nullptr,
      proposals};
  return definition;
}

}  // namespace sluice::inline schedule::tile
