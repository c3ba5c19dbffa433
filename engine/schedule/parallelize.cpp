// parallelize: works on several requests at once with copies of a region, and says who gets which request
// (STeP 5.4). The result is the same tensor in the same order, whichever copy had which request.

#include "engine/schedule/parallelize.h"

#include <algorithm>
#include <stdexcept>

#include "engine/schedule/node_roles.h"
#include "engine/schedule/proposals.h"

namespace sluice::inline schedule {

Node& Spread::node() const {
  for (Node& candidate : around->nodes)
    if (candidate.name == region) return candidate;
  throw std::logic_error("the region '" + region + "' is gone");
}

IntTensor oneHot(const std::vector<std::int64_t>& values, std::size_t width) {
  IntTensor tensor{{values.size(), width}, std::vector<std::int64_t>(values.size() * width, 0)};
  for (std::size_t i = 0; i < values.size(); ++i)
    tensor.data[i * width + static_cast<std::size_t>(values[i])] = 1;
  return tensor;
}

std::vector<Stream> outgoing(const Spread& spread) {
  std::vector<Stream> streams;
  for (const Stream& stream : spread.around->streams)
    if (stream.from.node == spread.region) streams.push_back(stream);
  return streams;
}

Result<std::size_t> innerRank(const Rewrite& rewrite, const Spread& spread, const std::string& output) {
  const auto source = GraphEdit(spread.node().body->body).sourceOf(endOf("region", output));
  const StreamType* type =
      source ? rewrite.typeOutOf(spread.path + "." + source->node, source->port) : nullptr;
  if (!type || type->shape.empty()) {
    return rewrite.problem(
        "the output '" + output + "' of '" + spread.path + "' has no dimension of requests",
        "let the region give something for every request");
  }
  return type->shape.size() - 1;
}

void joinCopies(const Spread& spread, const Stream& result, std::size_t inner, const std::string& behind,
                const Stream& control) {
  GraphEdit graph(*spread.around);
  const auto rank = static_cast<std::int64_t>(inner);
  const std::string gather = graph.insertAfter(
      behind, operatorNode("gather", "Reassemble", {{"ways", spread.ways}, {"rank", rank}}));
  const std::string fold =
      graph.insertAfter(gather, operatorNode("in_order", "Flatten", {{"min", rank}, {"max", rank + 2}}));
  graph.disconnect(result.to);
  graph.connect(result.from, endOf(gather, "in"), spread.room());
  graph.connect(control.from, endOf(gather, "control"), control.depth);
  graph.connect(endOf(gather, "out"), endOf(fold, "in"));
  graph.connect(endOf(fold, "out"), result.to, result.depth);
}

Result<Done> gatherStatic(Rewrite& rewrite, const Spread& spread, const std::vector<std::int64_t>& copy_of) {
  GraphEdit graph(*spread.around);
  for (const Stream& stream : outgoing(spread)) {
    SLUICE_TRY(const std::size_t inner, innerRank(rewrite, spread, stream.from.port));
    const std::string input = rewrite.addInput(spread.region + "_order", InputKind::Tensor,
                                               oneHot(copy_of, static_cast<std::size_t>(spread.copies)));
    const std::string order =
        graph.insertAfter(spread.region, operatorNode("order", "SelectGen", {{"input", input}}));
    joinCopies(spread, stream, inner, order, {endOf(order, "out"), {}, std::nullopt});
  }
  return Done{};
}

}  // namespace sluice::inline schedule

namespace sluice::inline schedule::parallelize {
namespace {

/// Where the input's stream is folded from [1, requests, ...], and by no other step.
void findFold(const GraphEdit& around, Spread::Input& input) {
  const Node* node = input.source.node == "region" ? nullptr : &around.node(input.source.node);
  if (!node || roleOf(*node) != ScheduleRole::Merge || around.streamsFrom(input.source).size() != 1) return;
  const auto min = node->parameters.find("min"), max = node->parameters.find("max");
  const auto rank = static_cast<std::int64_t>(input.rank);
  if (min == node->parameters.end() || max == node->parameters.end()) return;
  if (!(min->second == Value(rank)) || !(max->second == Value(rank + 1))) return;
  input.fold = node->name;
  input.unfolded = *around.sourceOf(endOf(node->name, "in"));
}

/// Inputs, their ranks and the number of requests; every input must have the same requests outermost.
Result<Done> measure(const Rewrite& rewrite, Spread& spread) {
  const GraphEdit around(*spread.around);
  const StreamType* first = nullptr;
  for (const std::string& port : spread.node().body->inputs) {
    const auto source = around.sourceOf(endOf(spread.region, port));
    const StreamType* type = rewrite.typeAtBoundary(spread.path, port);
    if (!source || !type) {
      return rewrite.problem("the input '" + port + "' of '" + spread.path + "' is not connected",
                             "connect it");
    }
    const auto requests = rewrite.number(type->shape.front().extent);
    if (!requests) {
      return rewrite.problem(
          "how many requests '" + spread.path + "." + port + "' has is only known to the run: " + text(*type),
          "bind an input that gives it");
    }
    if (first && *requests != spread.requests) {
      return rewrite.problem("the inputs of '" + spread.path + "' do not have the same requests: '" +
                                 spread.inputs.front().port + "' is " + text(*first) + ", '" + port +
                                 "' is " + text(*type),
                             "give every input one element, or one group, per request (Flatten a leading 1)");
    }
    if (!first) first = type;
    spread.requests = *requests;
    spread.inputs.push_back({port, *source, type->shape.size() - 1, "", {}});
    findFold(around, spread.inputs.back());
  }
  if (spread.inputs.empty()) {
    return rewrite.problem("'" + spread.path + "' has no inputs that could be dealt out",
                           "choose another region");
  }
  return Done{};
}

/// The region with its inputs, of a program with one instance of it.
Result<Spread> spreadOf(Rewrite& rewrite, const std::string& path) {
  SLUICE_TRY(const Node* region, rewrite.region(path));
  if (!(region->body->count == Value(1))) {
    return rewrite.problem("'" + path + "' has " + text(region->body->count) + " instances already",
                           "parallelize a region with one instance");
  }
  SLUICE_CHECK(rewrite.inferTypes());
  SLUICE_TRY(Graph * around, rewrite.graphOf(path));
  Spread spread;
  spread.path = path;
  spread.region = region->name;
  spread.around = around;
  SLUICE_CHECK(measure(rewrite, spread));
  return spread;
}

Result<Done> apply(Rewrite& rewrite, const Arguments& args) {
  const std::string &method = args.text("method"), &path = args.text("region");
  if (method == "none") return Done{};
  SLUICE_TRY(Spread spread, spreadOf(rewrite, path));
  spread.ways = args.written("ways");
  spread.copies = args.integer("ways");
  if (method == "interleaved") return interleave(rewrite, spread);
  if (method == "coarse") return coarsen(rewrite, spread, args.integer("block"));
  const auto signal = parseEndpoint(args.text("signal"));
  if (!signal) {
    return rewrite.problem(
        "the dynamic method needs a 'signal', a stream of the region",
        "name the stream whose last tile says that a request has been read, as k_load.out");
  }
  return dispatch(rewrite, spread, *signal);
}

/// More copies than this are no design.
constexpr std::int64_t most_copies = 256;

/// Streams of the region that can tell when a request has been read.
std::vector<Value> signalsOf(Sites& sites, const Spread& spread) {
  std::vector<Value> signals;
  for (const std::string& name : sites.names("signal", spread.path)) {
    const auto end = parseEndpoint(name);
    if (end && signalRank(sites.typed(), spread, *end)) signals.emplace_back(name);
  }
  return signals;
}

/// The methods that are legal, with the fewest copies.
std::vector<Value> methodsOf(Sites& sites, const std::string& region, const std::vector<std::int64_t>& evenly,
                             const std::vector<Value>& signals) {
  ScheduleStep step = sites.step({{"region", region}, {"block", 1}});
  std::vector<Value> methods;
  const auto tryOne = [&](const char* method) {
    step.arguments["method"] = method;
    if (sites.applies(step)) methods.emplace_back(method);
  };
  step.arguments["ways"] = 2;
  tryOne("coarse");
  if (!signals.empty()) {
    step.arguments["signal"] = signals.front();
    tryOne("dynamic");
    step.arguments.erase("signal");
  }
  if (!evenly.empty()) {
    step.arguments["ways"] = evenly.front();
    tryOne("interleaved");
  }
  return methods;
}

std::vector<Proposal> proposals(Sites& sites) {
  std::vector<Proposal> found;
  for (const std::string& region : sites.names("region")) {
    ScheduleStep step = sites.step({{"region", region}});
    const Result<Spread> spread = spreadOf(sites.typed(), region);
    if (!spread || spread->requests < 2) {
      if (!spread) sites.refuse(std::move(step), spread.diagnostics());
      continue;
    }
    const std::int64_t all = spread->requests, most = std::min(all, most_copies);
    const std::vector<std::int64_t> evenly = divisors(all, 2, most);
    const std::vector<Value> signals = signalsOf(sites, *spread);
    const std::vector<Value> methods = methodsOf(sites, region, evenly, signals);
    if (methods.empty()) continue;
    Proposal proposal{std::move(step), {choices("method", methods)}};
    if (!evenly.empty()) proposal.domains.push_back(numbers("ways", evenly, {{"method", {"interleaved"}}}));
    proposal.domains.push_back(numbers("ways", powersOfTwo(2, most), {{"method", {"coarse", "dynamic"}}}));
    proposal.domains.push_back(numbers("block", divisors(all, 1, all / 2), {{"method", {"coarse"}}}));
    if (!signals.empty()) proposal.domains.push_back(choices("signal", signals, {{"method", {"dynamic"}}}));
    proposal.limits = {{{"ways", "block"}, all}};  // copies without a block have nothing to do
    proposal.expected = {{"cycles", ExpectedChange::Direction::Down},
                         {"on_chip_bytes", ExpectedChange::Direction::Up}};
    found.push_back(std::move(proposal));
  }
  return found;
}

}  // namespace

const Transformation& definition() {
  static const Transformation definition{
      {"parallelize",
       "Works on several requests at once with copies of a region.",
       "STeP 5.4, static coarse, static interleaved and dynamic parallelization",
       {regionArgument(),
        choiceArgument("method", {"none", "coarse", "interleaved", "dynamic"},
                       "blocks of requests, requests in turn, or the first that is ready"),
        integerArgument("ways", "copies of the region", Value(4)),
        integerArgument("block", "coarse: consecutive requests of one copy", Value(16)),
        portArgument(
            "signal", ArgumentKind::RegionStream,
            "dynamic: the stream in the region whose last tile of a request makes the copy available",
            Value(""))},
       "Each copy of the region has its share of the outermost dimension; results leave in the same order. "
       "On-chip memory and compute grow with the copies; FLOPs stay. Requests that differ in length wait "
       "least for each other with dynamic."},
      apply,
      nullptr,
      proposals};
  return definition;
}

}  // namespace sluice::inline schedule::parallelize
