// time_multiplex: lets several instances of a region share one copy of its arithmetic (STeP 5.3,
// configuration time-multiplexing; engine/workloads/README.md 1.4). What prepares the tiles and what takes
// the results apart stays per instance; everything in between - the weight loads and the operators that work
// on whole tiles - exists once per group of instances. An EagerMerge takes whichever tile comes first and
// says whose it is; that selector addresses the weights and sends the result back.

#include <algorithm>
#include <set>

#include "engine/core/characters.h"
#include "engine/program/spelling.h"
#include "engine/schedule/graph_edit.h"
#include "engine/schedule/node_roles.h"
#include "engine/schedule/proposals.h"
#include "engine/schedule/transformation.h"

namespace sluice::inline schedule::time_multiplex {
namespace {

/// The body in three parts: before the shared part, shared, behind it.
struct Parts {
  Endpoint tiles;  ///< the stream that every weight load refers to: what is merged
  std::set<std::string> before, shared;
  std::vector<Endpoint> results;  ///< streams that leave the shared part
};

bool worksOnWholeElements(const Node& node) {
  const ScheduleRole role = roleOf(node);
  return role == ScheduleRole::Merge || role == ScheduleRole::Repeat || role == ScheduleRole::Apply ||
         isProduct(node);
}

/// Cuts whole elements into streams and folds those again (hierarchical_tile).
bool worksInsideElements(const Node& node) {
  const ScheduleRole role = roleOf(node);
  return role == ScheduleRole::Nest || role == ScheduleRole::Fold ||
         (role == ScheduleRole::Cut && tileRuleOf(node) == TileRule::Pieces);
}

std::vector<Endpoint> inputsOf(const GraphEdit& body, const std::string& node) {
  std::vector<Endpoint> sources;
  for (const Stream& stream : body.streams())
    if (stream.to.node == node) sources.push_back(stream.from);
  return sources;
}

/// Grows the shared part by operators that read nothing from outside of it. One that folds dimensions must
/// leave those of the merged tiles alone.
class SharedPart {
 public:
  SharedPart(Rewrite& rewrite, const GraphEdit& body, std::string path, Parts& parts)
      : rewrite_(rewrite), body_(body), path_(std::move(path)), parts_(parts) {}

  Result<Done> grow() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Node& node : body_.nodes()) {
        const bool whole = worksOnWholeElements(node), inside = !whole && worksInsideElements(node);
        if (parts_.shared.contains(node.name) || !(whole || inside) || !readsShared(node)) continue;
        if (inside) SLUICE_CHECK(rewrite_.inferTypes());
        if (whole || keepsTiles(node)) changed = parts_.shared.insert(node.name).second;
      }
    }
    return Done{};
  }

 private:
  bool readsShared(const Node& node) const {
    const std::vector<Endpoint> sources = inputsOf(body_, node.name);
    return std::all_of(sources.begin(), sources.end(), [&](const Endpoint& source) {
      return sameEnd(source, parts_.tiles) || parts_.shared.contains(source.node);
    });
  }
  bool keepsTiles(const Node& node) const {
    const StreamType* result = rewrite_.typeOutOf(path_ + "." + node.name, "out");
    const StreamType* tiles = parts_.tiles.node == "region"
                                  ? rewrite_.typeAtBoundary(path_, parts_.tiles.port)
                                  : rewrite_.typeOutOf(path_ + "." + parts_.tiles.node, parts_.tiles.port);
    return result && tiles && result->shape.size() >= tiles->shape.size();
  }

  Rewrite& rewrite_;
  const GraphEdit& body_;
  const std::string path_;
  Parts& parts_;
};

/// The expression has the name in it.
bool mentions(const std::string& expression, const std::string& name) {
  const auto inWord = [&](std::size_t at) {
    return at < expression.size() &&
           (isLetter(expression[at]) || isDigit(expression[at]) || expression[at] == '_');
  };
  for (std::size_t at = expression.find(name); at != std::string::npos; at = expression.find(name, at + 1))
    if (!inWord(at + name.size()) && (at == 0 || !inWord(at - 1))) return true;
  return false;
}

/// The selector will say whose tiles are read, one instance's below the other's.
bool hasTilesOfInstance(const Node& load, const std::string& index) {
  const auto origin = load.parameters.find("tensor_origin");
  if (origin == load.parameters.end()) return true;
  const std::vector<Value> begin = listOf(origin->second);
  return begin.size() == 2 && !index.empty() && mentions(text(begin[0]), index) && text(begin[1]) == "0";
}

Result<Parts> takeApart(Rewrite& rewrite, const GraphEdit& body, const std::string& path,
                        const std::string& index) {
  Parts parts;
  std::set<std::string> loads;
  for (const Stream& stream : body.streams()) {
    if (!stream.from.index && !stream.to.index) continue;
    return rewrite.problem("'" + path + "' takes apart the bundle of streams '" + stream.from.node + "." +
                               stream.from.port + "'",
                           "make copies explicit (broadcast) behind this step, not before it");
  }
  for (const Node& node : body.nodes()) {
    if (!loadsPerReference(node)) continue;
    const auto ref = body.sourceOf(endOf(node.name, "ref"));
    if (!ref || (!loads.empty() && !sameEnd(*ref, parts.tiles))) {
      return rewrite.problem("the weight loads of '" + path + "' refer to different streams",
                             "let all of them refer to the stream of packed tiles");
    }
    if (!hasTilesOfInstance(node, index))
      return rewrite.problem(
          "'" + path + "." + node.name + "' reads a part of its tensor that is not its instance's alone",
          "give every instance rows of its own: tensor_origin [" + (index.empty() ? "index" : index) +
              "*rows, 0]");
    parts.tiles = *ref;
    loads.insert(node.name);
  }
  if (loads.empty()) {
    return rewrite.problem("'" + path + "' loads no weights, so its instances have nothing to share",
                           "choose a region with LinearOffChipLoadRef operators");
  }
  parts.shared = loads;
  SLUICE_CHECK(SharedPart(rewrite, body, path, parts).grow());
  std::vector<std::string> open{parts.tiles.node};
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    if (name == "region" || !parts.before.insert(name).second) continue;
    for (const Endpoint& source : inputsOf(body, name)) open.push_back(source.node);
  }
  for (const Stream& stream : body.streams()) {
    const bool leaves = parts.shared.contains(stream.from.node) && !parts.shared.contains(stream.to.node);
    const auto known = [&](const Endpoint& end) { return sameEnd(end, stream.from); };
    if (leaves && std::none_of(parts.results.begin(), parts.results.end(), known))
      parts.results.push_back(stream.from);
  }
  return parts;
}

/// A port of a new region, by the endpoint of the old body that it carries.
class Ports {
 public:
  explicit Ports(std::vector<std::string>& names) : names_(names) {}
  std::string of(const Endpoint& end, const std::string& wish) {
    const auto [found, is_new] = by_end_.try_emplace(text(end));
    if (is_new) {
      found->second = freeName(wish, [this](const std::string& name) {
        return std::find(names_.begin(), names_.end(), name) != names_.end();
      });
      names_.push_back(found->second);
    }
    return found->second;
  }
  bool has(const Endpoint& end) const { return by_end_.contains(text(end)); }

 private:
  std::vector<std::string>& names_;
  std::map<std::string, std::string> by_end_;
};

/// Splits the region into three and joins them in the graph around.
class Sharing {
 public:
  Sharing(Rewrite& rewrite, Graph& around, const std::string& name, Parts parts, const Arguments& args)
      : rewrite_(rewrite),
        around_(around),
        old_(around_.node(name)),
        parts_(std::move(parts)),
        regions_(args.written("regions")),
        ways_(quotient(old_.body->count, regions_)) {}

  void run() {
    before_ = regionNode(old_.name, old_.body->count, old_.body->index);
    shared_ = regionNode(around_.freshName(old_.name + "_shared"), regions_, rewrite_.freshName("shared"));
    after_ = regionNode(around_.freshName(old_.name + "_after"), old_.body->count, old_.body->index);
    before_.body->by_instance = after_.body->by_instance = old_.body->by_instance;
    for (const Node& node : old_.body->body.nodes) partOf(node.name).body->body.nodes.push_back(node);
    for (const Stream& stream : old_.body->body.streams) place(stream);
    addMerge();
    addAddresses();
    addReturn();
    joinAround();
  }

 private:
  static Node regionNode(std::string name, Value count, std::string index) {
    Node node = operatorNode(std::move(name), "Region");
    Region region;
    region.count = std::move(count);
    region.index = std::move(index);
    node.body = std::move(region);
    return node;
  }

  Node& partOf(const std::string& node) {
    return parts_.shared.contains(node) ? shared_ : parts_.before.contains(node) ? before_ : after_;
  }

  /// A stream of the old body, in the part where it belongs; those between parts become ports.
  void place(const Stream& stream) {
    Node& to = stream.to.node == "region" ? after_ : partOf(stream.to.node);
    if (sameEnd(stream.from, parts_.tiles) && &to == &shared_) return tile_readers_.push_back(stream);
    Node* from = stream.from.node == "region" ? nullptr : &partOf(stream.from.node);
    if (from == &to) return to.body->body.streams.push_back(stream);
    const std::string port = carry(stream.from, from, to);
    to.body->body.streams.push_back({endOf("region", port), stream.to, stream.depth});
  }

  /// The input of part `to` that brings what `end` gives; made when it is first asked for.
  std::string carry(const Endpoint& end, Node* from, Node& to) {
    Ports& inputs = &to == &after_ ? after_inputs_ : before_inputs_;
    const bool is_new = !inputs.has(end);
    std::string port = inputs.of(end, end.node == "region" ? end.port : end.node);
    if (!is_new) return port;
    const Endpoint target = endOf(to.name, port);
    if (!from) {
      outer_inputs_.push_back({end.port, target});
    } else if (from == &shared_) {
      results_[text(end)] = target;
    } else {
      joints_.push_back({endOf(before_.name, outputOfBefore(end)), target, std::nullopt});
    }
    return port;
  }

  std::string outputOfBefore(const Endpoint& end) {
    const bool is_new = !before_outputs_.has(end);
    std::string port = before_outputs_.of(end, end.node == "region" ? end.port : end.node);
    if (is_new) before_.body->body.streams.push_back({end, endOf("region", port), std::nullopt});
    return port;
  }

  void addMerge() {
    GraphEdit body(shared_.body->body);
    const std::string first = body.nodes().front().name;
    merge_ = body.insertBefore(first, operatorNode("merge", "EagerMerge", {{"ways", ways_}}));
    shared_.body->inputs.push_back("tiles");
    shared_.body->widths["tiles"] = ways_;
    body.connect(endOf("region", "tiles"), endOf(merge_, "in"));
    for (const Stream& reader : tile_readers_) {
      if (reader.to.port == "ref") continue;  // a load: it reads addresses instead
      body.connect(endOf(merge_, "data"), reader.to, reader.depth);
    }
    if (parts_.tiles.node == "region") {
      outer_inputs_.push_back({parts_.tiles.port, endOf(shared_.name, "tiles")});
    } else {
      joints_.push_back(
          {endOf(before_.name, outputOfBefore(parts_.tiles)), endOf(shared_.name, "tiles"), std::nullopt});
    }
  }

  /// Loads per reference element become random loads: the selector says whose weights.
  void addAddresses() {
    GraphEdit body(shared_.body->body);
    std::map<std::string, std::string> generators;  // tiles per element -> its generator
    std::vector<std::string> loads;
    for (const Node& node : body.nodes())
      if (loadsPerReference(node)) loads.push_back(node.name);
    for (const std::string& name : loads) {
      Value tiles(1);
      for (const Value& extent : listOf(body.node(name).parameters["out_shape"]))
        tiles = product(tiles, extent);
      const auto [generator, is_new] = generators.try_emplace(text(tiles));
      if (is_new) {
        generator->second = body.insertBefore(
            name, operatorNode("addresses", "ExpertAddrGen",
                               {{"base", product(product(Value(shared_.body->index), ways_), tiles)},
                                {"tiles", tiles}}));
        body.connect(endOf(merge_, "select"), endOf(generator->second, "in"));
      }
      Node& load = body.node(name);
      load.kind = "RandomOffChipLoad";
      for (const char* gone : {"out_shape", "stride", "tensor_origin"}) load.parameters.erase(gone);
      body.connect(endOf(generator->second, "out"), endOf(name, "address"));
    }
  }

  /// Results go back to the instance whose tile it was.
  void addReturn() {
    GraphEdit body(shared_.body->body);
    for (const Endpoint& result : parts_.results) {
      const std::string back =
          body.insertAfter("", operatorNode("give_back", "Partition", {{"ways", ways_}}));
      const std::string port = shared_.body->outputs.empty() ? "results" : back;
      shared_.body->outputs.push_back(port);
      shared_.body->widths[port] = ways_;
      body.connect(result, endOf(back, "in"));
      body.connect(endOf(merge_, "select"), endOf(back, "control"));
      body.connect(endOf(back, "out"), endOf("region", port));
      joints_.push_back({endOf(shared_.name, port), results_.at(text(result)), std::nullopt});
    }
  }

  void joinAround() {
    before_.body->inputs = before_in_, before_.body->outputs = before_out_;
    after_.body->inputs = after_in_, after_.body->outputs = old_.body->outputs;
    std::vector<Stream> streams;
    for (Stream& stream : around_.streams()) {
      if (stream.from.node == old_.name) stream.from.node = after_.name;
      if (stream.to.node != old_.name) {
        streams.push_back(stream);
        continue;
      }
      for (const OuterInput& input : outer_inputs_) {
        if (input.port != stream.to.port) continue;
        Stream copy = stream;
        copy.to.node = input.target.node;
        copy.to.port = input.target.port;
        streams.push_back(std::move(copy));
      }
    }
    streams.insert(streams.end(), joints_.begin(), joints_.end());
    around_.streams() = std::move(streams);
    const std::string name = old_.name;
    const bool empty = before_.body->body.nodes.empty();
    around_.insertAfter(name, std::move(after_));
    around_.insertAfter(name, std::move(shared_));
    if (empty) {
      around_.erase(name);
    } else {
      before_.at = old_.at;
      around_.node(name) = std::move(before_);
    }
  }

  struct OuterInput {
    std::string port;  ///< of the old region
    Endpoint target;
  };

  Rewrite& rewrite_;
  GraphEdit around_;
  const Node old_;
  const Parts parts_;
  const Value regions_, ways_;
  Node before_, shared_, after_;
  std::string merge_;
  std::vector<Stream> tile_readers_, joints_;
  std::vector<OuterInput> outer_inputs_;
  std::map<std::string, Endpoint> results_;  ///< shared endpoint -> the port behind that takes it
  std::vector<std::string> before_in_, before_out_, after_in_;
  Ports before_inputs_{before_in_}, before_outputs_{before_out_}, after_inputs_{after_in_};
};

Result<Done> apply(Rewrite& rewrite, const Arguments& args) {
  const std::string& path = args.text("region");
  SLUICE_TRY(Node * region, rewrite.region(path));
  SLUICE_TRY(const std::int64_t count, rewrite.evaluate(region->body->count));
  const std::int64_t regions = args.integer("regions");
  if (regions == count) return Done{};  // everybody has one of their own
  if (regions > count || count % regions != 0) {
    return rewrite.problem(std::to_string(count) + " instances of '" + path + "' cannot share " +
                               std::to_string(regions) + " regions evenly",
                           "choose a number of regions that divides " + std::to_string(count));
  }
  const GraphEdit body(region->body->body);
  SLUICE_TRY(Parts parts, takeApart(rewrite, body, path, region->body->index));
  SLUICE_TRY(Graph * around, rewrite.graphOf(path));
  const std::string name = region->name;
  Sharing(rewrite, *around, name, std::move(parts), args).run();
  return Done{};
}

std::vector<Proposal> proposals(Sites& sites) {
  std::vector<Proposal> found;
  for (const std::string& region : sites.names("region")) {
    Rewrite& typed = sites.typed();
    const Result<Node*> node = typed.region(region);
    const Result<std::int64_t> count = node ? typed.evaluate((*node)->body->count) : 1;
    if (!count) continue;  // it differs from instance to instance of a region around
    const std::vector<std::int64_t> fewer = divisors(*count, 1, *count / 2);
    if (fewer.empty()) continue;
    Proposal proposal{sites.step({{"region", region}}), {numbers("regions", fewer)}};
    if (sites.applicable(proposal.step, "regions", {fewer.back()}).empty()) continue;
    proposal.expected = {{"compute_utilization", ExpectedChange::Direction::Up},
                         {"on_chip_bytes", ExpectedChange::Direction::Down},
                         {"cycles", ExpectedChange::Direction::Up}};
    found.push_back(std::move(proposal));
  }
  return found;
}

}  // namespace

const Transformation& definition() {
  static const Transformation definition{
      {"time_multiplex",
       "Lets several instances of a region share one copy of its weights' loads and arithmetic.",
       "STeP 5.3",
       {regionArgument(),
        integerArgument("regions", "copies that are left; divides the number of instances")},
       "What works on whole tiles exists once for several instances, which take turns as their tiles arrive. "
       "Compute and on-chip memory fall with the copies; traffic and FLOPs stay; tiles wait for their turn."},
      apply,
      nullptr,
      proposals};
  return definition;
}

}  // namespace sluice::inline schedule::time_multiplex
