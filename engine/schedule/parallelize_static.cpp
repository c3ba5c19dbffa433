// Static parallelization: interleaved (request k to copy k mod ways) and coarse (blocks of consecutive
// requests, every copy with sources of its own).

#include <algorithm>

#include "engine/schedule/node_roles.h"
#include "engine/schedule/parallelize.h"

namespace sluice::inline schedule {

Result<Done> interleave(Rewrite& rewrite, const Spread& spread) {
  GraphEdit graph(*spread.around);
  if (spread.requests % spread.copies != 0) {
    return rewrite.problem(std::to_string(spread.requests) + " requests cannot be dealt out evenly to " +
                               std::to_string(spread.copies) + " copies",
                           "choose a number of copies that divides them");
  }
  for (const Spread::Input& input : spread.inputs) {
    const Endpoint target = endOf(spread.region, input.port);
    graph.disconnect(target);
    const std::string deal = graph.insertBefore(
        spread.region,
        operatorNode(input.port + "_deal", "Parallelize",
                     {{"rank", static_cast<std::int64_t>(input.rank)}, {"ways", spread.ways}}));
    graph.connect(input.source, endOf(deal, "in"));
    graph.connect(endOf(deal, "out"), target);
  }
  spread.node().body->count = spread.ways;
  std::vector<std::int64_t> copy_of(static_cast<std::size_t>(spread.requests));
  for (std::size_t k = 0; k < copy_of.size(); ++k) copy_of[k] = static_cast<std::int64_t>(k) % spread.copies;
  return gatherStatic(rewrite, spread, copy_of);
}

namespace {

/// Moves a source into the body of the copies' sources, cut down to the blocks of its copy.
class SourceCutter {
 public:
  SourceCutter(const Rewrite& rewrite, const Spread& spread, std::int64_t block, std::int64_t copies,
               Region& sources)
      : rewrite_(rewrite), spread_(spread), block_(block), copies_(copies), sources_(sources) {
    const std::int64_t blocks = spread.requests / block;
    const Value index(sources.index);
    blocks_ = blocks % copies == 0 ? Value(blocks / copies)
                                   : Value("(" + std::to_string(blocks + copies - 1) + " - " + sources.index +
                                           ")/" + std::to_string(copies));
    first_ = product(index, Value(block));
  }

  Result<Done> cut(const Spread::Input& input, GraphEdit& around) {
    const Node* source = input.fold.empty() ? nullptr : &around.node(input.unfolded.node);
    const bool alone = source && around.streamsFrom(input.unfolded).size() == 1;
    const ScheduleRole role = alone ? roleOf(*source) : ScheduleRole::Unknown;
    if (role != ScheduleRole::View && role != ScheduleRole::Numbers) {
      return rewrite_.problem("'" + spread_.region + "." + input.port + "' is fed by '" + text(input.source) +
                                  "', which cannot be given to every copy in parts",
                              "feed it by a LinearOffChipLoad or MetadataGen of its own and a Flatten, or "
                              "parallelize interleaved");
    }
    Node copy = *source;
    std::int64_t extra = 0;  // dimensions that blocks add
    if (role == ScheduleRole::Numbers) {
      cutNumbers(copy);
    } else {
      SLUICE_CHECK(cutLoad(copy));
      extra = 1;
    }
    GraphEdit body(sources_.body);
    const std::string name = body.insertAfter("", std::move(copy));
    const auto rank = static_cast<std::int64_t>(input.rank);
    const std::string fold =
        body.insertAfter("", operatorNode(input.fold, "Flatten", {{"min", rank}, {"max", rank + 1 + extra}}));
    body.connect(endOf(name, input.unfolded.port), endOf(fold, "in"));
    body.connect(endOf(fold, "out"), endOf("region", input.port));
    sources_.outputs.push_back(input.port);
    return Done{};
  }

 private:
  Result<Done> cutLoad(Node& load) {
    std::vector<Value> view = listOf(load.parameters["out_shape"]),
                       stride = listOf(load.parameters["stride"]);
    const Result<std::int64_t> requests = view.empty() ? 0 : rewrite_.evaluate(view[0]);
    if (!requests || *requests != spread_.requests) {
      return rewrite_.problem("the view of '" + load.name + "', " + text(load.parameters["out_shape"]) +
                                  ", does not begin with the " + std::to_string(spread_.requests) +
                                  " requests",
                              "let the view's first dimension be the requests");
    }
    if (stride.empty()) stride = rowMajor(view);
    SLUICE_CHECK(placeTensor(load, view, stride));
    view[0] = Value(block_);
    view.insert(view.begin(), blocks_);
    stride.insert(stride.begin(), product(stride[0], Value(copies_ * block_)));
    load.parameters["out_shape"] = std::move(view);
    load.parameters["stride"] = std::move(stride);
    return Done{};
  }

  static std::vector<Value> rowMajor(const std::vector<Value>& view) {
    std::vector<Value> stride(view.size(), Value(1));
    for (std::size_t d = view.size(); d-- > 1;) stride[d - 1] = product(stride[d], view[d]);
    return stride;
  }

  /// Functional mode: every copy reads its part of the tensor that the load read alone.
  Result<Done> placeTensor(Node& load, const std::vector<Value>& view, const std::vector<Value>& stride) {
    Values& parameters = load.parameters;
    if (!parameters.contains("tensor") || parameters["tensor"] == Value(""))
      parameters["tensor"] = spread_.path.substr(0, spread_.path.size() - spread_.region.size()) + load.name;
    const std::vector<Value> tile = listOf(parameters["tile"]);
    std::vector<Value> whole = listOf(parameters["tensor_shape"]),
                       origin = listOf(parameters["tensor_origin"]);
    // A request is stride[0] tiles behind the one before, `across` tiles side by side in a row of tiles.
    Value across(1);
    if (!whole.empty() && tile.size() == 2) {
      across = quotient(whole.back(), tile[1]);
    } else if (view.size() > 1 && stride.back() == Value(1)) {
      across = view.back();
    }
    SLUICE_TRY(const std::int64_t tiles, rewrite_.evaluate(stride[0]));
    SLUICE_TRY(const std::int64_t row, rewrite_.evaluate(across));
    if (tile.size() != 2 || row == 0) return Done{};  // no tiles: elaboration says so
    const bool downwards = tiles % row == 0;
    const Value rows = product(Value(tiles / row), tile[0]);
    if (whole.empty() && downwards) {
      parameters["tensor_shape"] =
          std::vector<Value>{product(Value(spread_.requests), rows), product(across, tile[1])};
    }
    if (origin.size() != 2) origin = {0, 0};
    Value& place = origin[downwards ? 0 : 1];
    const Value first = product(first_, downwards ? rows : product(stride[0], tile[1]));
    place = place == Value(0) ? first : Value(text(place) + " + " + text(first));
    parameters["tensor_origin"] = origin;
    return Done{};
  }

  void cutNumbers(Node& numbers) {
    numbers.parameters["first"] = first_;
    numbers.parameters["count"] = product(blocks_, Value(block_));
    numbers.parameters["block"] = Value(block_);
    numbers.parameters["every"] = Value(copies_ * block_);
  }

  const Rewrite& rewrite_;
  const Spread& spread_;
  const std::int64_t block_, copies_;
  Region& sources_;
  Value blocks_, first_;
};

}  // namespace

Result<Done> coarsen(Rewrite& rewrite, const Spread& spread, std::int64_t wanted_block) {
  GraphEdit graph(*spread.around);
  const std::int64_t block = std::min(wanted_block, spread.requests);
  if (spread.requests % block != 0) {
    return rewrite.problem(std::to_string(spread.requests) + " requests are no whole number of blocks of " +
                               std::to_string(block),
                           "choose a block that divides them");
  }
  Spread used = spread;  // with fewer blocks than copies the rest would have nothing to do
  used.copies = std::min(spread.copies, spread.requests / block);
  if (used.copies != spread.copies) used.ways = Value(used.copies);
  Node node = operatorNode(spread.region + "_sources", "Region");
  Region sources;
  sources.count = used.ways;
  sources.index = rewrite.freshName("copy");
  SourceCutter cutter(rewrite, used, block, used.copies, sources);
  for (const Spread::Input& input : spread.inputs) SLUICE_CHECK(cutter.cut(input, graph));
  node.body = std::move(sources);
  const std::string name = graph.insertBefore(spread.region, std::move(node));
  for (const Spread::Input& input : spread.inputs) {
    graph.erase(input.fold);
    graph.erase(input.unfolded.node);
    graph.connect(endOf(name, input.port), endOf(spread.region, input.port));
  }
  used.node().body->count = used.ways;
  std::vector<std::int64_t> copy_of(static_cast<std::size_t>(spread.requests));
  for (std::size_t k = 0; k < copy_of.size(); ++k)
    copy_of[k] = (static_cast<std::int64_t>(k) / block) % used.copies;
  return gatherStatic(rewrite, used, copy_of);
}

}  // namespace sluice::inline schedule
