// EagerMerge: passes groups on in the order in which they arrive, whatever input they come from, and tells
// which input it was (STeP 3.2.3). The earliest simulated arrival wins, ties go to the input seen
// first (timing.md 4.4).

#include <algorithm>
#include <limits>
#include <vector>

#include "engine/operators/operator.h"
#include "engine/operators/ragged.h"

namespace sluice::inline operators::eager_merge {

namespace {

/// Tiles whose size only the run knows: room must be for the largest.
void widen(ElementType& data, const ElementType& in) {
  TileType* tile = std::get_if<TileType>(&data);
  if (!tile) return;
  const auto larger = [](Dim& dim, const Dim& other) {
    const DimKind kind = std::max(dim.kind, other.kind);
    if (kind != DimKind::Static) dim = {max(dim.extent, other.extent), kind, false};
  };
  larger(tile->rows, in.tile()->rows);
  larger(tile->cols, in.tile()->cols);
}

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  if (auto wrong = t.rankAtLeast(0, t.integer("rank"), "rank")) return *wrong;
  StreamType data = t.in(0);
  Dim outermost = data.shape[0];
  for (std::size_t i = 1; i < t.inCount(); ++i) {
    const StreamType& in = t.in(i);
    bool fits = in.shape.size() == data.shape.size() && t.alike(in.element, data.element);
    for (std::size_t d = 1; fits && d < in.shape.size(); ++d)
      fits = !t.differ(in.shape[d].extent, data.shape[d].extent);
    if (!fits)
      return t.problem("shape-mismatch", t.portName(i), text(in) + " cannot be merged with " + text(data),
                       "bring all inputs to one shape and type", t.portName(0));
    widen(data.element, in.element);
    for (std::size_t d = 1; d < in.shape.size(); ++d) joinRagged(data.shape[d], in.shape[d]);
    outermost.extent += in.shape[0].extent;
    outermost.kind = std::max(outermost.kind, in.shape[0].kind);
    outermost.presence = false;
    if (in.validity.kind != Validity::Full) data.validity.kind = Validity::Unknown;
  }
  data.shape[0] = outermost;
  data.routing = nullptr;
  StreamType select{{outermost}, SelectorType{t.symbolic("ways"), {}}, {}, {}};
  return std::vector<StreamType>{std::move(data), std::move(select)};
}

Cost cost(const ShapeContext& t, std::span<const StreamType> outputs) {
  const Expr pair = sizeOf(t.in(0).element) + sizeOf(outputs[1].element);
  return {{}, t.fifos((t.symbolic("ways") + Expr(1)) * pair), {}, {}};
}

/// In a loop: how many groups come is left to the run, what they hold is told by any input that is typed.
std::vector<std::optional<StreamType>> assume(const ShapeContext& t) {
  const Dim groups = t.dynamic(t.symbolName("n"), 1, 0, DimKind::Regular);
  std::vector<std::optional<StreamType>> out{
      std::nullopt, StreamType{{groups}, SelectorType{t.symbolic("ways"), {}}, {}, {}}};
  for (std::size_t i = 0; i < t.inCount() && !out[0]; ++i) {
    if (const StreamType* in = t.known(i)) out[0] = *in;
  }
  if (!out[0]) return out;
  out[0]->shape[0] = groups;
  out[0]->routing = nullptr;
  out[0]->validity.kind = Validity::Unknown;
  return out;
}

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

constexpr Cycles never = std::numeric_limits<Cycles>::max();

/// What looking at the inputs at one clock after the other has shown; what was seen once stays seen.
struct Choice {
  std::size_t input = none;
  Cycles arrival = never;
  std::vector<bool> known;    ///< the input has a token queued or has closed
  std::size_t unknown = 0;    ///< inputs of which neither is known
  Cycles next_shown = never;  ///< when another one shows, as far as it is there already

  explicit Choice(std::size_t inputs) : known(inputs, false), unknown(inputs) {}
  bool made(Cycles now) const { return input != none && (unknown == 0 || now >= arrival); }
};

void look(simulator::Context& me, Choice& choice) {
  choice.next_shown = never;
  for (std::size_t i = 0; i < me.inputs(); ++i) {
    const simulator::Channel& in = me.in(i);
    if (choice.known[i] || (in.empty() && !in.closed())) continue;
    if (!me.sees(in.headFollow())) {
      choice.next_shown = std::min(choice.next_shown, in.headFollow());
      continue;
    }
    choice.known[i] = true, --choice.unknown;
    if (!in.empty() && in.headArrival() < choice.arrival) choice.input = i, choice.arrival = in.headArrival();
  }
}

simulator::Process run(simulator::Context& me, std::uint32_t rank) {
  std::vector<const simulator::Selector*> one_hot;
  const auto ways = static_cast<std::uint32_t>(me.inputs());
  for (std::uint32_t i = 0; i < ways; ++i) one_hot.push_back(me.selector({i}, ways));
  for (std::size_t last = none;;) {
    Choice choice(me.inputs());
    Cycles deadline = me.now;
    for (bool idle = false; !choice.made(me.now); idle = true) {
      co_await me.poll(deadline, idle);
      if (idle) me.lookedAgain();
      look(me, choice);
      if (choice.input == none && choice.unknown == 0) co_return;
      deadline = std::max(std::min(choice.arrival, choice.next_shown), me.now + 1);
    }
    if (last != none && choice.input != last) ++me.switches;
    last = choice.input;
    // The selector goes out before the group is taken: the clock may still be before its arrival.
    co_await me.push(me.out(1), simulator::Token::select(one_hot[choice.input]));
    bool more = true;
    while (more) {
      simulator::Channel& in = me.in(choice.input);
      const simulator::Token x = co_await me.peek(in);
      if (!x) break;
      if (x.stop > rank) {
        me.fail("wrong-token", static_cast<std::uint32_t>(choice.input),
                "a stop of level " + std::to_string(x.stop) + " arrived in groups of rank " +
                    std::to_string(rank),
                "Flatten the outer dimensions first, or raise rank");
        co_return;
      }
      me.take(in);
      co_await me.push(me.out(0), x);
      more = x.stop < rank;
      if (more) me.advance(1);
    }
  }
}

Rates::Outputs rates(Rates& r) {
  if (r.count("rank") != 0) return {};
  r.rule.kind = TokenRule::Kind::Merge;
  std::uint64_t all = 0;
  for (std::size_t port = 0; port < r.ins(); ++port) {
    if (!r.in(port).tokens) return {};
    all += *r.in(port).tokens;
  }
  StreamCount out = counted(all);
  out.unstopped = true;
  return {out, out};
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return run(me, instance.level("rank"));
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "EagerMerge",
              .category = "Routing",
              .summary = "Passes groups on in order of arrival and tells where each came from.",
              .paper = "STeP 3.2.3",
              .parameters = {integerParameter("ways", "number of inputs", 1),
                             integerParameter("rank", "inner dimensions of a group", 0, Value(0))},
              .inputs = {{"in", "ways", "the groups"}},
              .outputs = {{"data", "", "the groups as they arrive"},
                          {"select", "", "one one-hot selector a group"}},
              .rules = {.shape = "data: the shape of the inputs, the outermost dimension the sum of theirs. "
                                 "select: that dimension, one selector a group.",
                        .cost = "FIFOs only.",
                        .timing =
                            "A group begins when it arrives, the earliest first, ties to the input that is "
                            "seen first, of several at once the lowest; one token a cycle within it."},
          },
      .shape = shape,
      .cost = cost,
      .behaviour = behaviour,
      .arrival = Arrival::WatchesAll,
      .rates = rates,
      .assume = assume,
  };
  return definition;
}

}  // namespace sluice::inline operators::eager_merge
