// hierarchical_tile: gives a matrix product the small tiles that the fabric's units work on, 16 x 16 say
// (STeP Figure 18). The second operand is cut into pieces and held in an on-chip buffer; the first one comes
// in panels as high as a unit, and each panel meets the buffered pieces column by column:
//
//   in1 -> panels -> repeat (once a column) -> pieces ---------\  product -> join columns -> join rows
//   in2 -> pieces -> buffer -> stream it once a panel ---------/
//
// Tiles whose height only the run knows stay whole in that dimension: their rows stream through the units.

#include <algorithm>

#include "engine/schedule/graph_edit.h"
#include "engine/schedule/node_roles.h"
#include "engine/schedule/proposals.h"
#include "engine/schedule/transformation.h"

namespace sluice::inline schedule::hierarchical_tile {
namespace {

/// One dimension of a product cut to units.
struct Cut {
  Value piece;  ///< elements of a piece
  Value count;  ///< pieces
  bool whole = false;
};

class Product {
 public:
  Product(Rewrite& rewrite, Graph& graph, std::string path, const Arguments& args)
      : rewrite_(rewrite),
        graph_(graph),
        path_(std::move(path)),
        name_(path_.substr(path_.rfind('.') + 1)),
        unit_(args.written("unit")),
        number_(args.integer("unit")) {}

  Result<Done> cutUp() {
    Result<Done> measured = measure();
    if (!measured) return measured;
    node_ = graph_.node(name_);
    const Endpoint product = writeProduct();
    const Endpoint columns = after(product, "columns", "Accum", packing("retile_col", rowsOrZero(), 0));
    Endpoint rows = rows_.whole ? after(columns, "rows", "Flatten", {{"max", 1}, {"min", 0}})
                                : after(columns, "rows", "Accum", packing("retile_row", 0, width_));
    if (roleOf(node_) == ScheduleRole::Fold) {
      Values sum = node_.parameters;
      sum.erase("weight_transposed");
      sum["function"] = "add";
      sum["keep_padding"] = true;
      rows = after(rows, "sum", "Accum", sum);
    }
    for (Stream& stream : results_) {
      stream.from = rows;
      graph_.streams().push_back(stream);
    }
    feedFirst();
    feedSecond();
    return Done{};
  }

 private:
  Diagnostic refuse(const std::string& cause, const std::string& fix) const {
    return rewrite_.problem("'" + path_ + "': " + cause, fix);
  }

  Result<Done> measure() {
    const StreamType* first = rewrite_.typeInto(path_, "in1");
    const StreamType* second = rewrite_.typeInto(path_, "in2");
    const TileType* a = first ? first->element.tile() : nullptr;
    const TileType* b = second ? second->element.tile() : nullptr;
    if (!a || !b)
      return refuse("it does not multiply tiles", "name a matrix product of two streams of tiles");
    transposed_ = hasTransposedWeight(graph_.node(name_));
    const Result<Cut> rows =
        a->rows.kind == DimKind::Static ? cut(a->rows, "rows of the first operand") : Cut{0, 1, true};
    const Result<Cut> inner = cut(a->cols, "columns of the first operand");
    const Result<Cut> columns = cut(transposed_ ? b->rows : b->cols,
                                    std::string(transposed_ ? "rows" : "columns") + " of the second operand");
    for (const Result<Cut>* each : {&rows, &inner, &columns})
      if (!*each) return each->diagnostics();
    rows_ = *rows, inner_ = *inner, columns_ = *columns;
    if (inner_.whole && columns_.whole)
      return refuse("its second operand is a single unit already",
                    "choose a smaller unit, or leave it whole");
    width_ = *rewrite_.written((transposed_ ? b->rows : b->cols).extent);
    return Done{};
  }

  Result<Cut> cut(const Dim& whole, const std::string& what) const {
    const auto written = rewrite_.written(whole.extent);
    const auto number = rewrite_.number(whole.extent);
    if (whole.kind != DimKind::Static || !written || !number)
      return refuse("only the run knows the " + what, "use tiles of a fixed size there");
    if (*number <= number_) return Cut{*written, 1, true};
    if (*number % number_ != 0) {
      return refuse("the " + what + ", " + std::to_string(*number) + ", are no multiple of the unit's " +
                        std::to_string(number_),
                    "choose a unit, or a tile, that divides the other");
    }
    return Cut{unit_, quotient(*written, unit_), false};
  }

  Value rowsOrZero() const { return rows_.piece; }

  Values packing(const char* function, const Value& rows, const Value& cols) const {
    return {{"compute_bw", node_.parameters.at("compute_bw")},
            {"function", function},
            {"init", std::vector<Value>{rows, cols}},
            {"rank", 1}};
  }

  /// A node behind the last one that was added.
  Endpoint after(const Endpoint& source, const std::string& suffix, const std::string& kind,
                 Values parameters) {
    last_ = graph_.insertAfter(last_, operatorNode(name_ + "_" + suffix, kind, std::move(parameters)));
    graph_.connect(source, endOf(last_, "in"));
    return endOf(last_, "out");
  }
  /// A node in front of the product.
  Endpoint before(const Endpoint& source, const std::string& suffix, const std::string& kind,
                  Values parameters) {
    const std::string name =
        graph_.insertBefore(name_, operatorNode(name_ + "_" + suffix, kind, std::move(parameters)));
    graph_.connect(source, endOf(name, "in"));
    return endOf(name, "out");
  }

  /// The product keeps its name and works on units; its results are taken off.
  Endpoint writeProduct() {
    Node& product = graph_.node(name_);
    product.kind = "BinaryMapAccum";
    product.parameters["init"] = std::vector<Value>{rowsOrZero(), columns_.piece};
    product.parameters["rank"] = 1;
    product.parameters.erase("write_back_mu");
    for (const std::size_t i : graph_.streamsFrom(endOf(name_, "out")))
      results_.push_back(graph_.streams()[i]);
    std::erase_if(graph_.streams(), [&](const Stream& stream) { return stream.from.node == name_; });
    last_ = name_;
    return endOf(name_, "out");
  }

  void feedFirst() {
    const Endpoint source = take("in1");
    const Endpoint panels = rows_.whole ? before(source, "panels", "Promote", {{"rank", 0}})
                                        : before(source, "panels", "FlatMap", pieces(rows_.piece, 0, false));
    panels_ = panels;
    const Endpoint repeated = before(panels, "repeat", "Repeat", {{"factor", columns_.count}});
    const Endpoint units = before(repeated, "units", "FlatMap", pieces(0, inner_.piece, true));
    graph_.connect(units, endOf(name_, "in1"));
  }

  void feedSecond() {
    // [.., d] -> [.., d, 1, columns, inner] -> buffers [.., d, 1]
    const Endpoint open = before(take("in2"), "open", "Promote", {{"rank", 0}});
    const Endpoint wide = before(open, "wide", "Promote", {{"rank", 0}});
    const Values order = transposed_ ? pieces(columns_.piece, inner_.piece, true)
                                     : pieces(inner_.piece, columns_.piece, false);
    const Endpoint units = before(wide, "weight_units", "FlatMap", order);
    const Endpoint buffer = before(units, "buffer", "Bufferize", {{"rank", 2}});
    const Endpoint streamed = before(buffer, "stream", "DynStreamify", {{"rank", 2}, {"repeat_rank", 0}});
    graph_.connect(panels_, endOf(streamed.node, "ref"));
    graph_.connect(streamed, endOf(name_, "in2"));
  }

  Endpoint take(const char* port) {
    Endpoint source = *graph_.sourceOf(endOf(name_, port));
    graph_.disconnect(endOf(name_, port));
    return source;
  }

  static Values pieces(const Value& rows, const Value& cols, bool row_by_row) {
    return {{"function", "split_tile"},
            {"piece", std::vector<Value>{rows, cols}},
            {"split", row_by_row ? "row" : "column"}};
  }

  Rewrite& rewrite_;
  GraphEdit graph_;
  const std::string path_, name_;
  const Value unit_;
  const std::int64_t number_;
  Cut rows_, inner_, columns_;
  Value width_;
  bool transposed_ = false;
  Node node_;  ///< as it was
  std::vector<Stream> results_;
  Endpoint panels_;
  std::string last_;
};

Result<Done> apply(Rewrite& rewrite, const Arguments& args) {
  const std::string& path = args.text("node");
  SLUICE_TRY(Graph * graph, rewrite.graphOf(path));
  if (!isProduct(*graph->find(path.substr(path.rfind('.') + 1)))) {
    return rewrite.problem("'" + path + "' is no matrix product",
                           "name a BinaryMap or BinaryMapAccum whose function is matmul");
  }
  if (args.integer("unit") < 1) return rewrite.problem("a unit has at least one row", "set unit to 16, say");
  SLUICE_CHECK(rewrite.inferTypes());
  return Product(rewrite, *graph, path, args).cutUp();
}

/// Powers of two that every dimension of the product is a multiple of, or not larger than.
std::vector<std::int64_t> unitsOf(const Rewrite& typed, const std::string& path, bool transposed) {
  const StreamType *first = typed.typeInto(path, "in1"), *second = typed.typeInto(path, "in2");
  const TileType* a = first ? first->element.tile() : nullptr;
  const TileType* b = second ? second->element.tile() : nullptr;
  if (!a || !b) return {};
  std::vector<std::int64_t> extents;
  for (const Dim* dim : {&a->cols, transposed ? &b->rows : &b->cols})
    extents.push_back(typed.number(dim->extent).value_or(0));
  const std::int64_t largest = *std::ranges::max_element(extents);
  if (a->rows.kind == DimKind::Static) extents.push_back(typed.number(a->rows.extent).value_or(0));
  std::vector<std::int64_t> units = powersOfTwo(2, largest - 1);
  std::erase_if(units, [&](std::int64_t unit) {
    return std::ranges::any_of(extents, [&](std::int64_t extent) { return extent > unit && extent % unit; });
  });
  return units;
}

std::vector<Proposal> proposals(Sites& sites) {
  std::vector<Proposal> found;
  for (const std::string& path : sites.names("node")) {
    const Result<Graph*> graph = sites.typed().graphOf(path);
    if (!graph) continue;
    const bool transposed = hasTransposedWeight(*(*graph)->find(path.substr(path.rfind('.') + 1)));
    const std::vector<std::int64_t> units = unitsOf(sites.typed(), path, transposed);
    if (units.empty()) continue;
    Proposal proposal{sites.step({{"node", path}}), {numbers("unit", units)}};
    if (sites.applicable(proposal.step, "unit", {units.back()}).empty()) continue;
    found.push_back(std::move(proposal));
  }
  return found;
}

}  // namespace

const Transformation& definition() {
  static const Transformation definition{
      {"hierarchical_tile",
       "Cuts the tiles of a matrix product to the size of the fabric's units.",
       "STeP Figure 18, hierarchical tiling",
       {operatorArgument("node", isProduct, "the matrix product"),
        integerArgument("unit", "rows and columns of a unit", Value(16))},
       "Shapes and results outside stay. Inside, panels as high as a unit meet the pieces of the second "
       "operand, which wait in an on-chip buffer. FLOPs and traffic stay; on-chip memory and cycles are "
       "those of the small tiles."},
      apply,
      nullptr,
      proposals};
  return definition;
}

}  // namespace sluice::inline schedule::hierarchical_tile
