// DataflowActor: an actor of a synchronous or cyclo-static dataflow graph (engine/csdf/README.md). It goes
// round its phases; a firing takes the tokens of its phase from every input when it starts, lasts the phase's
// time, and gives its tokens to every output when it ends. Its inputs may hold tokens before the first
// firing, so that actors may stand on a loop.

#include <numeric>

#include "engine/operators/task.h"
#include "engine/operators/token_rates.h"

namespace sluice::inline operators::dataflow_actor {
namespace {

std::vector<std::uint64_t> numbers(const FlatOperator& op, const std::string& name) {
  std::vector<std::uint64_t> values;
  for (const BoundInteger& value : op.parameters.list(name))
    values.push_back(static_cast<std::uint64_t>(value.value));
  return values;
}

/// Tokens by firing: the list once, then again from `round_from` on.
class PhaseRates {
 public:
  PhaseRates(std::span<const std::uint64_t> rates, std::size_t round_from)
      : rates_(rates), round_from_(round_from) {}

  std::uint64_t at(std::uint64_t firing) const { return rates_[place(firing)]; }
  /// Of the first `firings` together; below 2^31 * 2^31.
  std::uint64_t total(std::uint64_t firings) const {
    if (firings <= rates_.size()) return sum(0, firings);
    const std::uint64_t round = rates_.size() - round_from_, more = firings - rates_.size();
    return sum(0, rates_.size()) + more / round * sum(round_from_, rates_.size()) +
           sum(round_from_, round_from_ + more % round);
  }
  std::size_t place(std::uint64_t firing) const {
    const std::uint64_t listed = rates_.size();
    return static_cast<std::size_t>(
        firing < listed ? firing : round_from_ + (firing - listed) % (listed - round_from_));
  }

 private:
  std::uint64_t sum(std::uint64_t from, std::uint64_t to) const {
    return std::accumulate(rates_.begin() + static_cast<std::ptrdiff_t>(from),
                           rates_.begin() + static_cast<std::ptrdiff_t>(to), std::uint64_t{0});
  }

  std::span<const std::uint64_t> rates_;
  std::size_t round_from_;
};

PhaseRates ratesOf(const std::vector<std::uint64_t>& all, std::size_t port, std::size_t phases,
                   std::size_t round_from) {
  return {std::span(all).subspan(port * phases, phases), round_from};
}

std::optional<Diagnostic> checkLists(const ShapeContext& t) {
  const std::size_t phases = t.op.parameters.list("times").size();
  const auto wrong = [&](const char* name, std::size_t wanted) {
    return t.problem(
        "operator-rule", "",
        std::string(name) + " has " + std::to_string(t.op.parameters.list(name).size()) + " numbers, not " +
            std::to_string(wanted),
        "give one for each of the " + std::to_string(phases) + " phases of each port, port by port");
  };
  if (phases == 0)
    return t.problem("operator-rule", "", "times has no numbers", "give the time of each phase");
  if (t.op.parameters.list("takes").size() != phases * t.op.inputs.size())
    return wrong("takes", phases * t.op.inputs.size());
  if (t.op.parameters.list("gives").size() != phases * t.op.outputs.size())
    return wrong("gives", phases * t.op.outputs.size());
  if (t.op.parameters.list("tokens").size() != t.op.inputs.size())
    return t.problem("operator-rule", "", "tokens does not have a number for each input",
                     "give how many tokens wait at each input before the first firing");
  if (static_cast<std::size_t>(t.integer("round_from")) >= phases)
    return t.problem("operator-rule", "", "round_from is behind the last phase",
                     "give a phase, from 0, that rounds begin with");
  return checkTaskCounts(t, {"times", "takes", "gives", "tokens", "firings"});
}

/// What leaves depends on no input.
Result<std::vector<StreamType>> outputs(const ShapeContext& t) {
  if (auto wrong = checkLists(t)) return *wrong;
  const std::vector<std::uint64_t> gives = numbers(t.op, "gives");
  std::vector<Expr> tokens;
  for (std::size_t port = 0; port < t.op.outputs.size(); ++port) {
    const std::uint64_t total = ratesOf(gives, port, t.op.parameters.list("times").size(),
                                        static_cast<std::size_t>(t.integer("round_from")))
                                    .total(static_cast<std::uint64_t>(t.integer("firings")));
    tokens.emplace_back(static_cast<std::int64_t>(total));
  }
  return taskOutputs(t, tokens);
}

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  SLUICE_TRY(std::vector<StreamType> types, outputs(t));
  const std::vector<std::uint64_t> takes = numbers(t.op, "takes"), waiting = numbers(t.op, "tokens");
  for (std::size_t port = 0; port < t.op.inputs.size(); ++port) {
    const std::uint64_t total = ratesOf(takes, port, t.op.parameters.list("times").size(),
                                        static_cast<std::size_t>(t.integer("round_from")))
                                    .total(static_cast<std::uint64_t>(t.integer("firings")));
    const std::uint64_t come = total > waiting[port] ? total - waiting[port] : 0;
    const std::optional<std::int64_t> arriving = elementCount(t.in(port).shape).constant();
    if (arriving && static_cast<std::uint64_t>(*arriving) < come)
      return t.problem("shape-mismatch", t.portName(port),
                       "its " + std::to_string(t.integer("firings")) + " firings take " +
                           std::to_string(total) + " tokens, but only " + std::to_string(*arriving) + " come",
                       "let it fire less often, or its producer more often");
  }
  return types;
}

std::vector<std::optional<StreamType>> assume(const ShapeContext& t) {
  const Result<std::vector<StreamType>> types = outputs(t);
  if (!types) return std::vector<std::optional<StreamType>>(t.op.outputs.size());
  return {types->begin(), types->end()};
}

Cost cost(const ShapeContext& t, std::span<const StreamType> types) {
  Expr fifos;
  for (std::size_t port = 0; port < t.inCount(); ++port) fifos += sizeOf(t.in(port).element);
  for (const StreamType& output : types) fifos += sizeOf(output.element);
  return {{}, t.fifos(fifos), {}, {}};
}

struct Plan {
  std::vector<std::uint64_t> times, takes, gives, waiting;
  std::vector<simulator::Token> tokens;
  std::size_t round_from = 0;
  std::uint64_t firings = 0;
  bool overlap = false;
  std::vector<std::uint64_t> given;  ///< to each output, by all firings

  /// The next one of an output; the last closes the stream's dimension.
  simulator::Token token(simulator::Context& me, std::size_t port) const {
    return tokens[port].withStop(me.out(port).sent() + 1 == given[port] ? 1 : 0);
  }
};

/// Times are given by stamps alone: a process that waits for a token goes on when it is there, whatever its
/// producer does.
simulator::Process run(simulator::Context& me, Plan plan) {
  me.followNobody();
  const std::size_t phases = plan.times.size();
  const PhaseRates times(plan.times, plan.round_from);
  for (std::uint64_t firing = 0; firing < plan.firings; ++firing) {
    const std::size_t phase = times.place(firing);
    for (std::size_t port = 0; port < me.inputs(); ++port) {
      std::uint64_t wanted = plan.takes[port * phases + phase];
      const std::uint64_t there = std::min(wanted, plan.waiting[port]);
      plan.waiting[port] -= there;
      for (wanted -= there; wanted > 0; --wanted) {
        if (!co_await me.peek(me.in(port))) co_return;  // shape() has counted what comes
        me.take(me.in(port));
      }
    }
    const Cycles time = plan.times[phase];
    for (std::size_t port = 0; port < me.outputs(); ++port)
      for (std::uint64_t left = plan.gives[port * phases + phase]; left > 0; --left)
        co_await me.push(me.out(port), plan.token(me, port), me.now + time);
    if (!plan.overlap) me.advance(time);
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  Plan plan{instance.list("times"),
            instance.list("takes"),
            instance.list("gives"),
            instance.list("tokens"),
            taskTokens(instance, instance.op.outputs.size()),
            static_cast<std::size_t>(instance.count("round_from")),
            instance.count("firings"),
            instance.boolean("overlap"),
            {}};
  for (std::size_t port = 0; port < instance.op.outputs.size(); ++port)
    plan.given.push_back(ratesOf(plan.gives, port, plan.times.size(), plan.round_from).total(plan.firings));
  return run(me, std::move(plan));
}

std::vector<ParameterSpec> parameters() {
  const std::vector<Value> none;
  return {
      integerParameter("inputs", "number of input streams", 0, Value(1)),
      integerParameter("outputs", "number of output streams", 0, Value(1)),
      listParameter("times", "how long a firing lasts, by phase", 0, {}, "cycles"),
      listParameter("takes", "tokens that a firing takes, by phase; of each input", 0, Value(none), "tokens"),
      listParameter("gives", "tokens that a firing gives, by phase; of each output", 0, Value(none),
                    "tokens"),
      listParameter("tokens", "tokens that wait at each input before the first firing", 0, Value(none),
                    "tokens"),
      integerParameter("round_from", "the phase, from 0, that rounds begin with; those before happen once", 0,
                       Value(0)),
      integerParameter("firings", "how often it fires in all", 1, Value(1)),
      booleanParameter("overlap", "a firing may begin before the last has ended", false),
      taskTileParameter(),
      taskScalarParameter()};
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "DataflowActor",
              .category = "Higher order",
              .summary =
                  "An actor of a synchronous or cyclo-static dataflow graph: fixed tokens and times, phase "
                  "by phase.",
              .paper = "Sluice",
              .parameters = parameters(),
              .inputs = {{"in", "inputs", "any streams"}},
              .outputs = {{"out", "outputs", "tiles; shape [1, tokens of all firings]"}},
              .rules = {.shape =
                            "Every output is [1, what all firings give]; every input must bring what they "
                            "take beyond the tokens that wait there.",
                        .cost = "FIFOs only.",
                        .timing =
                            "A firing starts when the tokens that it takes are there and, unless they "
                            "overlap, the last one has ended; what it gives is there `times` later, a cycle "
                            "later at least."},
          },
      .shape = shape,
      .cost = cost,
      .behaviour = behaviour,
      .arrival = Arrival::TwoClocks,
      .rates = unknownRates,
      .assume = assume,
  };
  return definition;
}

}  // namespace sluice::inline operators::dataflow_actor
