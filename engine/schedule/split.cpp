// split: cuts the tiles of a load that comes once per reference element (a weight) along their rows or
// columns and carries the cut through the operators that work on them (STeP 5.2, "tile_F";
// engine/workloads/README.md 1.2). A matmul whose weight is cut along its columns gives tiles cut along their
// columns; one that is cut along its reduction dimension becomes a BinaryMapAccum; element-wise operators
// pass the cut on and ask for it on their other side. Operands that stay whole are repeated.

#include <algorithm>
#include <iterator>
#include <set>

#include "engine/schedule/graph_edit.h"
#include "engine/schedule/node_roles.h"
#include "engine/schedule/proposals.h"
#include "engine/schedule/transformation.h"

namespace sluice::inline schedule::split {
namespace {

enum class Axis { Row, Column };

Axis across(Axis axis) {
  return axis == Axis::Row ? Axis::Column : Axis::Row;
}
std::string nameOf(Axis axis) {
  return axis == Axis::Row ? "rows" : "columns";
}

// How an operator gives the pieces of its result: of those of its one operand, unless its function needs
// whole rows; of two operands element by element; of a product, those of one side or their sum.
bool passesPieces(const Node& node) {
  return roleOf(node) == ScheduleRole::Apply && operandsOf(node) == 1 &&
         tileRuleOf(node) != TileRule::EachRow;
}
bool combinesPieces(const Node& node) {
  return roleOf(node) == ScheduleRole::Apply && operandsOf(node) == 2 &&
         tileRuleOf(node) == TileRule::EachElement;
}
bool multipliesPieces(const Node& node) {
  return roleOf(node) == ScheduleRole::Apply && isProduct(node);
}

class Splitter {
 public:
  Splitter(Rewrite& rewrite, Graph& graph, std::string prefix, Value size, std::int64_t size_number)
      : rewrite_(rewrite),
        body_(graph),
        prefix_(std::move(prefix)),
        size_(std::move(size)),
        number_(size_number) {}

  Result<Done> start(const std::string& load, Axis axis) { return demand(endOf(load, "out"), axis); }

 private:
  using Outcome = Result<Done>;

  Outcome refuse(const std::string& cause, const std::string& fix) const {
    return rewrite_.problem(cause, fix);
  }

  const TileType* tileOf(const Endpoint& source) const {
    const StreamType* type = rewrite_.typeOutOf(prefix_ + source.node, source.port);
    return type ? type->element.tile() : nullptr;
  }

  /// The tiles of `source` are to be cut along `axis`.
  Outcome demand(const Endpoint& source, Axis axis) {
    if (const auto found = cut_.find(text(source)); found != cut_.end()) {
      if (found->second == axis) return Done{};
      return refuse(
          "the tiles of '" + prefix_ + text(source) + "' would be cut along their rows and their columns",
          "split one dimension at a time");
    }
    if (source.node == "region") {
      return refuse("the cut reaches the region's input '" + source.port + "'",
                    "split weights that are loaded inside the region");
    }
    const Node& node = body_.node(source.node);
    Outcome done = loadsPerReference(node) ? cutLoad(source.node, axis) : demandBehind(node, axis);
    if (!done || cut_.contains(text(source))) return done;  // reached already on the way down from a load
    cut_[text(source)] = axis;
    return spread(source, axis);
  }

  Outcome demandBehind(const Node& node, Axis axis) {
    const std::string name = node.name;
    if (roleOf(node) == ScheduleRole::Merge || passesPieces(node))
      return demand(*body_.sourceOf(endOf(name, "in")), axis);
    if (multipliesPieces(node)) {
      const bool of_weight = axis == Axis::Column;
      const bool transposed = hasTransposedWeight(node);
      handled_.insert(name);
      if (of_weight) {
        if (Outcome done = demand(*body_.sourceOf(endOf(name, "in2")), transposed ? Axis::Row : Axis::Column);
            !done)
          return done;
        return repeat(endOf(name, "in1"));
      }
      if (Outcome done = demand(*body_.sourceOf(endOf(name, "in1")), axis); !done) return done;
      return repeat(endOf(name, "in2"));
    }
    if (combinesPieces(node)) return demandOperands(name, axis);
    return refuse("the cut along the " + nameOf(axis) + " reaches '" + prefix_ + name + "', a " + node.kind +
                      ", which cannot give its tiles in pieces",
                  "split a load whose tiles meet only Map, BinaryMap and matmul");
  }

  /// Both operands of an element-wise operator; one that is broadcast along the axis is repeated.
  Outcome demandOperands(const std::string& name, Axis axis) {
    handled_.insert(name);
    for (const char* port : {"in1", "in2"}) {
      const Endpoint operand = endOf(name, port), source = *body_.sourceOf(operand);
      if (cut_.contains(text(source))) continue;
      const TileType* tile = source.node == "region" ? nullptr : tileOf(source);
      const bool one = tile && (axis == Axis::Row ? tile->rows : tile->cols).extent == Expr(1);
      if (Outcome done = one ? repeat(operand) : demand(source, axis); !done) return done;
    }
    return Done{};
  }

  Outcome cutLoad(const std::string& name, Axis axis) {
    Node& load = body_.node(name);
    std::vector<Value> tile = listOf(load.parameters["tile"]), view = listOf(load.parameters["out_shape"]);
    if (tile.size() != 2)
      return refuse("'" + prefix_ + name + "' has no tile of rows and columns", "set its tile");
    for (const Value& extent : view) {
      if (extent == Value(1)) continue;
      return refuse("'" + prefix_ + name + "' loads " + text(load.parameters["out_shape"]) +
                        " tiles per reference element already",
                    "split it before its view is widened, or change its view by hand");
    }
    const TileType* type = tileOf(endOf(name, "out"));
    const auto whole =
        type ? rewrite_.number((axis == Axis::Row ? type->rows : type->cols).extent) : std::nullopt;
    if (!whole || *whole % number_ != 0) {
      return refuse("the " + nameOf(axis) + " of '" + prefix_ + name + "' are " +
                        (whole ? std::to_string(*whole) : "not known") + ", which " +
                        std::to_string(number_) + " does not divide",
                    "choose a size that divides them");
    }
    Value& extent = tile[axis == Axis::Row ? 0 : 1];
    const Value tiles = quotient(extent, size_);
    if (pieces_.integer() && *pieces_.integer() == 0) {
      pieces_ = tiles;
      pieces_number_ = *whole / number_;
    } else if (pieces_number_ != *whole / number_) {
      return refuse("'" + prefix_ + name + "' would be cut into " + std::to_string(*whole / number_) +
                        " pieces, what it meets into " + std::to_string(pieces_number_),
                    "dimensions that meet must be equal");
    }
    extent = size_;
    load.parameters["tile"] = tile;
    load.parameters["out_shape"] = std::vector<Value>{tiles, 1};
    load.parameters["stride"] = std::vector<Value>{1, 1};
    return Done{};
  }

  /// Who reads a stream whose tiles are cut now.
  Outcome spread(const Endpoint& source, Axis axis) {
    for (const Endpoint& target : body_.targetsOf(source)) {
      if (target.node != "region" && handled_.contains(target.node)) continue;
      if (Outcome done = spreadInto(target, axis); !done) return done;
    }
    return Done{};
  }

  Outcome spreadInto(const Endpoint& target, Axis axis) {
    if (target.node == "region") return rejoin(target, axis);
    const Node& node = body_.node(target.node);
    const std::string name = node.name;
    const Endpoint out = endOf(name, "out");
    if (roleOf(node) == ScheduleRole::Merge && leavesOnlyTheView(node)) {
      body_.node(name).parameters["max"] = 1;
      return mark(out, axis);
    }
    if (passesPieces(node)) return mark(out, axis);
    if (combinesPieces(node)) {
      if (Outcome done = demandOperands(name, axis); !done) return done;
      return mark(out, axis);
    }
    if (multipliesPieces(node)) return throughMatmul(name, target.port, axis);
    return rejoin(target, axis);
  }

  Outcome mark(const Endpoint& out, Axis axis) {
    handled_.insert(out.node);
    cut_[text(out)] = axis;
    return spread(out, axis);
  }

  /// The Flatten behind a load that folds the whole view [1, 1] away.
  static bool leavesOnlyTheView(const Node& node) {
    const auto min = node.parameters.find("min"), max = node.parameters.find("max");
    return min != node.parameters.end() && max != node.parameters.end() && min->second == Value(0) &&
           max->second == Value(2);
  }

  Outcome throughMatmul(const std::string& name, const std::string& port, Axis axis) {
    const Node& node = body_.node(name);
    const bool transposed = hasTransposedWeight(node);
    const Axis reduced = port == "in1" ? Axis::Column : transposed ? Axis::Column : Axis::Row;
    handled_.insert(name);
    if (axis != reduced) {
      const Axis result = port == "in1" ? axis : Axis::Column;
      if (Outcome done = repeat(endOf(name, port == "in1" ? "in2" : "in1")); !done) return done;
      return mark(endOf(name, "out"), result);
    }
    const std::string other = port == "in1" ? "in2" : "in1";
    const Axis wanted = other == "in1" ? Axis::Column : transposed ? Axis::Column : Axis::Row;
    if (Outcome done = demand(*body_.sourceOf(endOf(name, other)), wanted); !done) return done;
    return accumulate(name);
  }

  /// The sum over the pieces of the reduction dimension.
  Outcome accumulate(const std::string& name) {
    const TileType* tile = tileOf(endOf(name, "out"));
    if (!tile)
      return refuse("the tiles of '" + prefix_ + name + "' are not known", "check the program first");
    Node& node = body_.node(name);
    node.kind = "BinaryMapAccum";
    node.parameters["rank"] = 1;
    node.parameters["init"] = std::vector<Value>{rewrite_.written(tile->rows.extent).value_or(Value(0)),
                                                 rewrite_.written(tile->cols.extent).value_or(Value(0))};
    return Done{};
  }

  /// The whole operand, once for every piece of the other; shared by all who want it.
  Outcome repeat(const Endpoint& target) {
    const Endpoint source = *body_.sourceOf(target);
    const auto [found, is_new] = repeated_.try_emplace(text(source));
    if (is_new) {
      found->second =
          body_.insertBefore(target.node, operatorNode("repeat", "Repeat", {{"factor", pieces_}}));
      body_.interpose(target, found->second, "in", "out");
      return Done{};
    }
    for (Stream& stream : body_.streams())
      if (sameEnd(stream.to, target)) stream.from = endOf(found->second, "out");
    return Done{};
  }

  /// Puts the pieces together again, for who needs whole tiles.
  Outcome rejoin(const Endpoint& target, Axis axis) {
    const Endpoint source = *body_.sourceOf(target);
    if (loadsPerReference(body_.node(source.node))) {
      return refuse("'" + text(target) + "' reads the load '" + prefix_ + source.node + "' with its view",
                    "put a Flatten from 0 to 2 behind the load");
    }
    const TileType* tile = tileOf(source);
    const auto across_extent =
        tile ? rewrite_.written((axis == Axis::Row ? tile->cols : tile->rows).extent) : std::nullopt;
    if (!across_extent) {
      return refuse("the pieces of '" + prefix_ + text(source) + "' cannot be put together for '" +
                        text(target) + "': its tiles have no fixed " + nameOf(across(axis)),
                    "split before tiling dynamically, or choose another load");
    }
    const bool rows = axis == Axis::Row;
    const std::vector<Value> init =
        rows ? std::vector<Value>{0, *across_extent} : std::vector<Value>{*across_extent, 0};
    const std::string join =
        body_.insertAfter(source.node, operatorNode("join", "Accum",
                                                    {{"compute_bw", 1},
                                                     {"function", rows ? "retile_row" : "retile_col"},
                                                     {"init", init},
                                                     {"rank", 1}}));
    body_.interpose(target, join, "in", "out");
    return Done{};
  }

  Rewrite& rewrite_;
  GraphEdit body_;
  const std::string prefix_;
  const Value size_;
  const std::int64_t number_;
  Value pieces_;
  std::int64_t pieces_number_ = 0;
  std::map<std::string, Axis> cut_;              ///< by endpoint
  std::set<std::string> handled_;                ///< operators that know of the cut
  std::map<std::string, std::string> repeated_;  ///< endpoint -> its Repeat
};

Result<Done> apply(Rewrite& rewrite, const Arguments& args) {
  const std::string& path = args.text("load");
  SLUICE_TRY(Graph * graph, rewrite.graphOf(path));
  const std::size_t dot = path.rfind('.');
  const std::string prefix = dot == std::string::npos ? "" : path.substr(0, dot + 1);
  const std::string name = path.substr(prefix.size());
  if (const Node& load = *graph->find(name); !loadsPerReference(load)) {
    return rewrite.problem("'" + path + "' is a " + load.kind,
                           "name a LinearOffChipLoadRef: a weight that is loaded once per reference element");
  }
  SLUICE_CHECK(rewrite.inferTypes());
  Splitter splitter(rewrite, *graph, prefix, args.written("size"), args.integer("size"));
  return splitter.start(name, args.text("axis") == "rows" ? Axis::Row : Axis::Column);
}

std::vector<Proposal> proposals(Sites& sites) {
  std::vector<Proposal> found;
  for (const std::string& load : sites.names("load")) {
    const StreamType* type = sites.typed().typeOutOf(load, "out");
    const TileType* tile = type ? type->element.tile() : nullptr;
    if (!tile) continue;
    Proposal proposal{sites.step({{"load", load}})};
    std::vector<Value> axes;
    std::vector<ArgumentDomain> sizes;
    for (const Axis axis : {Axis::Column, Axis::Row}) {
      const std::int64_t whole =
          sites.typed().number((axis == Axis::Row ? tile->rows : tile->cols).extent).value_or(0);
      const std::vector<std::int64_t> parts = divisors(whole, 2, whole / 2);
      if (parts.empty()) continue;
      const Value name(nameOf(axis));
      if (!sites.applies(sites.step({{"load", load}, {"axis", name}, {"size", parts.back()}}))) continue;
      axes.push_back(name);
      sizes.push_back(numbers("size", parts, {{"axis", {name}}}));
    }
    if (axes.empty()) continue;
    proposal.domains.push_back(choices("axis", std::move(axes)));
    std::ranges::move(sizes, std::back_inserter(proposal.domains));
    proposal.expected = {{"on_chip_bytes", ExpectedChange::Direction::Down}};
    found.push_back(std::move(proposal));
  }
  return found;
}

}  // namespace

const Transformation& definition() {
  static const Transformation definition{
      {"split",
       "Cuts a weight's tiles into smaller ones and carries the cut through the operators that use them.",
       "STeP 5.2, tiling of a feature dimension",
       {operatorArgument("load", loadsPerReference,
                         "a load that comes once per reference element, e.g. expert.up_load"),
        choiceArgument("axis", {"columns", "rows"}, "the dimension of its tiles that is cut"),
        integerArgument("size", "its extent in the smaller tiles; divides the present one")},
       "The weight's stream has smaller tiles and a dimension of pieces more, and so has what is computed "
       "with it. Where the reduction is cut, partial products are summed. FLOPs and traffic stay; on-chip "
       "memory falls with the tiles."},
      apply,
      nullptr,
      proposals};
  return definition;
}

}  // namespace sluice::inline schedule::split
