// Dynamic parallelization (STeP 5.4; engine/workloads/README.md 2.2): the first `ways` requests go round,
// every later one to the copy that says first that it has read its last. Control is a loop: EagerMerge over
// the copies' signals -> who is free -> Partitions of all inputs -> copies -> signals.

#include "engine/schedule/parallelize.h"

namespace sluice::inline schedule {
namespace {

class Dispatch {
 public:
  Dispatch(Rewrite& rewrite, const Spread& spread)
      : rewrite_(rewrite), spread_(spread), graph_(*spread.around), anchor_(spread.region) {}

  /// Gives the stream of selectors, [1, requests]: which copy gets the next request.
  Endpoint control() {
    const std::int64_t all = spread_.requests, first = spread_.copies;
    merge_ = add("available", "EagerMerge", {{"ways", spread_.ways}});
    sink("signals", endOf(merge_, "data"));
    // The last signals find no request left and are dropped.
    const Endpoint wanted = flat("still_waiting", choices(all, all - first, 1, 0));
    const std::string keep = add("keep", "Partition", {{"ways", 2}});
    graph_.connect(endOf(merge_, "select"), endOf(keep, "in"));
    graph_.connect(wanted, endOf(keep, "control"));
    sink("left_over", {keep, "out", Value(0)});
    std::vector<std::int64_t> round(static_cast<std::size_t>(first));
    for (std::size_t i = 0; i < round.size(); ++i) round[i] = static_cast<std::int64_t>(i);
    const Endpoint start = flat("first_round", round, static_cast<std::size_t>(first));
    const std::string join = add("assign", "Reassemble", {{"ways", 2}});
    graph_.connect(start, {join, "in", Value(0)});
    graph_.connect({keep, "out", Value(1)}, {join, "in", Value(1)});
    graph_.connect(source("whose_turn", choices(all, first, 0, 1), 2), endOf(join, "control"));
    const std::string fold = add("turns", "Flatten", {{"min", 0}, {"max", 1}});
    graph_.connect(endOf(join, "out"), endOf(fold, "in"));
    return endOf(fold, "out");
  }

  /// A Partition folds the leading 1 of a source itself.
  void dealOut(const Endpoint& turns) {
    for (const Spread::Input& input : spread_.inputs) {
      const Endpoint target = endOf(spread_.region, input.port);
      const std::string deal = graph_.insertBefore(
          spread_.region,
          operatorNode(input.port + "_deal", "Partition",
                       {{"rank", static_cast<std::int64_t>(input.rank)}, {"ways", spread_.ways}}));
      graph_.disconnect(target);
      graph_.connect(input.fold.empty() ? input.source : input.unfolded, endOf(deal, "in"));
      graph_.connect(input.fold.empty() ? flatTurns(turns) : turns, endOf(deal, "control"));
      graph_.connect(endOf(deal, "out"), target);
      if (!input.fold.empty()) graph_.erase(input.fold);
    }
  }

  /// Every copy says when the last tile of a request has passed `watched`, which has `inner` dimensions per
  /// request.
  void closeLoop(const Endpoint& watched, std::size_t inner) {
    Region& region = *spread_.node().body;
    GraphEdit body(region.body);
    const std::string signal =
        body.insertAfter("", operatorNode("signal", "Accum",
                                          {{"compute_bw", 1},
                                           {"function", "signal_all_read"},
                                           {"init", std::vector<Value>{1, 1}},
                                           {"rank", static_cast<std::int64_t>(inner)}}));
    body.connect(watched, endOf(signal, "in"));
    body.connect(endOf(signal, "out"), endOf("region", "available"));
    region.outputs.push_back("available");
    region.count = spread_.ways;
    graph_.connect(endOf(spread_.region, "available"), endOf(merge_, "in"));
  }

 private:
  std::string add(const std::string& name, const std::string& kind, Values parameters) {
    return graph_.insertBefore(anchor_, operatorNode(name, kind, std::move(parameters)));
  }
  void sink(const std::string& name, const Endpoint& end) {
    graph_.connect(end, endOf(add(name, "Consumer", {}), "in"), Value(1024));
  }
  /// `before` times one number, then the other.
  static std::vector<std::int64_t> choices(std::int64_t all, std::int64_t before, std::int64_t one,
                                           std::int64_t other) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(all), other);
    std::fill(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(before), one);
    return values;
  }
  Endpoint source(const std::string& name, const std::vector<std::int64_t>& values, std::size_t width) {
    const std::string input =
        rewrite_.addInput(spread_.region + "_" + name, InputKind::Tensor, oneHot(values, width));
    return endOf(add(name, "SelectGen", {{"input", input}}), "out");
  }
  Endpoint flat(const std::string& name, const std::vector<std::int64_t>& values, std::size_t width = 2) {
    const Endpoint made = source(name, values, width);
    const std::string fold = add(name + "_flat", "Flatten", {{"min", 0}, {"max", 1}});
    graph_.connect(made, endOf(fold, "in"));
    return endOf(fold, "out");
  }

  Endpoint flatTurns(const Endpoint& turns) {
    if (flat_turns_.empty()) {
      flat_turns_ = add("turns_flat", "Flatten", {{"min", 0}, {"max", 1}});
      graph_.connect(turns, endOf(flat_turns_, "in"));
    }
    return endOf(flat_turns_, "out");
  }

  Rewrite& rewrite_;
  const Spread& spread_;
  GraphEdit graph_;
  std::string anchor_, merge_, flat_turns_;
};

}  // namespace

Result<std::size_t> signalRank(const Rewrite& rewrite, const Spread& spread, const Endpoint& signal) {
  const GraphEdit body(spread.node().body->body);
  if (!body.has(signal.node) || body.streamsFrom(signal).empty()) {
    return rewrite.problem("'" + spread.region + "' has no stream '" + text(signal) + "'",
                           "name the stream whose last tile says that a request has been read");
  }
  const StreamType* type = rewrite.typeOutOf(spread.path + "." + signal.node, signal.port);
  const auto groups = type ? rewrite.number(type->shape.front().extent) : std::nullopt;
  if (!type || !type->element.tile() || type->shape.size() < 2 || groups != spread.requests) {
    return rewrite.problem("'" + spread.path + "." + text(signal) +
                               "' does not carry one group of tiles for " + "each of the " +
                               std::to_string(spread.requests) +
                               " requests: " + (type ? text(*type) : std::string("it has no type")),
                           "name a stream of tiles whose outermost dimension are the requests");
  }
  return type->shape.size() - 1;
}

Result<Done> dispatch(Rewrite& rewrite, const Spread& spread, const Endpoint& signal) {
  if (spread.requests < spread.copies) {
    return rewrite.problem(std::to_string(spread.requests) + " requests do not go round " +
                               std::to_string(spread.copies) + " copies",
                           "use at most as many copies as there are requests");
  }
  SLUICE_TRY(const std::size_t watched, signalRank(rewrite, spread, signal));
  const std::vector<Stream> results = outgoing(spread);
  std::vector<std::size_t> inner;
  for (const Stream& stream : results) {
    SLUICE_TRY(const std::size_t rank, innerRank(rewrite, spread, stream.from.port));
    inner.push_back(rank);
  }
  Dispatch dispatch(rewrite, spread);
  const Endpoint turns = dispatch.control();
  dispatch.dealOut(turns);
  dispatch.closeLoop(signal, watched);
  // Results come back in the order of the requests: the copy that got a request is asked for its result.
  for (std::size_t i = 0; i < results.size(); ++i)
    joinCopies(spread, results[i], inner[i], spread.region, {turns, {}, spread.room()});
  return Done{};
}

}  // namespace sluice::inline schedule
