// Kernel: a pipelined kernel as StreamTensor's token model has it (MICRO '25): no output for an initial
// delay, then one every initiation interval. It works in steps, one per token of its busiest port; the tokens
// of all other ports are spread evenly over the steps: an input's token is taken at the first step that needs
// it, an output's token begins its way through the pipeline at the last step that goes into it.
//
// The pipeline is rigid. While a token that should leave finds a full FIFO, the whole kernel stands still.
// One that is not flushable stands still without input, too, so its last tokens stay inside until more come;
// one that is flushable goes on, with bubbles.

#include <algorithm>

#include "engine/operators/order.h"
#include "engine/operators/task.h"

namespace sluice::inline operators::kernel {

namespace {

std::uint64_t stepsOf(std::span<const std::uint64_t> takes, std::span<const std::uint64_t> gives) {
  std::uint64_t steps = 0;
  for (const std::uint64_t tokens : takes) steps = std::max(steps, tokens);
  for (const std::uint64_t tokens : gives) steps = std::max(steps, tokens);
  return steps;
}

/// The step with which the first token of any output is complete.
std::uint64_t firstCompleteStep(std::span<const std::uint64_t> gives, std::uint64_t steps) {
  std::uint64_t first = steps;
  for (const std::uint64_t tokens : gives) first = std::min(first, ceilDiv(steps, tokens) - 1);
  return first;
}

std::vector<std::uint64_t> numbers(const ShapeContext& t, const std::string& name) {
  std::vector<std::uint64_t> values;
  for (const BoundInteger& value : t.op.parameters.list(name))
    values.push_back(static_cast<std::uint64_t>(value.value));
  return values;
}

std::optional<Diagnostic> checkDelay(const ShapeContext& t) {
  const std::vector<std::uint64_t> takes = numbers(t, "takes"), gives = numbers(t, "gives");
  if (gives.empty()) return {};
  const std::uint64_t first = firstCompleteStep(gives, stepsOf(takes, gives));
  const std::uint64_t least = ceilDiv(first * static_cast<std::uint64_t>(t.integer("interval")),
                                      static_cast<std::uint64_t>(t.integer("interval_steps")));
  if (static_cast<std::uint64_t>(t.integer("initial_delay")) >= least) return {};
  return t.problem("operator-rule", "",
                   "its first output needs the input of " + std::to_string(first + 1) + " steps, " +
                       std::to_string(least) + " cycles after the first, but initial_delay = " +
                       std::to_string(t.integer("initial_delay")),
                   "give an initial_delay of at least " + std::to_string(least));
}

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  const auto& takes = t.op.parameters.list("takes");
  const auto& gives = t.op.parameters.list("gives");
  if (takes.size() != t.inCount() || gives.size() != t.op.outputs.size()) {
    return t.problem("operator-rule", "",
                     "takes has " + std::to_string(takes.size()) + " numbers for " +
                         std::to_string(t.inCount()) + " inputs, gives " + std::to_string(gives.size()) +
                         " for " + std::to_string(t.op.outputs.size()) + " outputs",
                     "give the tokens per execution of every port");
  }
  if (gives.size() > 64)
    return t.problem("too-many", "", "it has more than 64 outputs", "copy some of them with a Broadcast");
  if (auto wrong = checkTaskCounts(t, {"takes", "gives", "initial_delay", "interval", "interval_steps"}))
    return *wrong;
  if (t.integer("interval") < t.integer("interval_steps"))
    return t.problem("operator-rule", "",
                     std::to_string(t.integer("interval_steps")) + " steps in " +
                         std::to_string(t.integer("interval")) + " cycles are more than one a cycle",
                     "give at least as many cycles as steps; a FIFO takes one token a cycle");
  if (auto wrong = checkDelay(t)) return *wrong;
  for (std::size_t port = 0; port < t.inCount(); ++port)
    if (auto wrong = checkTaskInput(t, port, takes[port].symbolic, "takes")) return *wrong;
  std::vector<Expr> tokens;
  for (const BoundInteger& count : gives) tokens.push_back(count.symbolic);
  return taskOutputs(t, tokens);
}

Cost cost(const ShapeContext& t, std::span<const StreamType> outputs) {
  Expr fifos;
  for (std::size_t port = 0; port < t.inCount(); ++port) fifos += sizeOf(t.in(port).element);
  for (const StreamType& output : outputs) fifos += sizeOf(output.element);
  const std::vector<std::uint64_t> takes = numbers(t, "takes"), gives = numbers(t, "gives");
  const Expr steps(static_cast<std::int64_t>(std::max<std::uint64_t>(stepsOf(takes, gives), 1)));
  const Expr& flops = t.symbolic("flops");
  return {{},
          t.symbolic("local_bytes") + t.fifos(fifos),
          flops,
          ceilDiv(flops * t.symbolic("interval_steps"), steps * t.symbolic("interval"))};
}

/// Tokens spread evenly over steps: tells at which of them one is due. `Early`: at the first step of its
/// share, else at the last.
class Spread {
 public:
  Spread(std::uint64_t tokens, std::uint64_t steps, bool early)
      : tokens_(tokens), steps_(steps), sum_(early ? steps - 1 : 0) {}

  bool due() const { return sum_ + tokens_ >= steps_; }
  void pass() {
    sum_ += tokens_;
    if (sum_ >= steps_) sum_ -= steps_;
  }

 private:
  std::uint64_t tokens_, steps_, sum_;
};

/// When steps may follow each other: step k at ceil(k * cycles / steps) if nothing holds it up.
class Pace {
 public:
  Pace(std::uint64_t cycles, std::uint64_t steps) : cycles_(cycles), steps_(steps), sum_(steps - 1) {}
  Cycles next() {
    if (steps_ == 1) return cycles_;
    sum_ += cycles_;
    const Cycles gap = sum_ / steps_;
    sum_ %= steps_;
    return gap;
  }

 private:
  std::uint64_t cycles_, steps_, sum_;
};

/// Tokens on their way through the pipeline, or out of it while the inputs are not that far yet.
struct InFlight {
  Cycles leaves = 0;          ///< by the pipeline's clock
  std::uint64_t outputs = 0;  ///< bit by bit
  Cycles stood = 0;           ///< how long the kernel has stood still in all, once they have left
};

/// A queue in a ring that grows while the pipeline fills for the first time.
class Pipeline {
 public:
  Pipeline() : ring_(16) {}
  bool idle() const { return left_ == end_; }      ///< nothing is inside
  bool known() const { return passed_ == left_; }  ///< the inputs are as far as the outputs
  InFlight& front() { return at(left_); }
  const InFlight& behind() { return at(passed_); }
  void leave() { ++left_; }
  void pass() { ++passed_; }
  void enter(const InFlight& tokens) {
    if (end_ - passed_ == ring_.size()) grow();
    at(end_++) = tokens;
  }

 private:
  InFlight& at(std::uint64_t number) { return ring_[number & (ring_.size() - 1)]; }
  void grow() {
    std::vector<InFlight> larger(ring_.size() * 2);
    for (std::uint64_t n = passed_; n < end_; ++n) larger[n & (larger.size() - 1)] = at(n);
    ring_ = std::move(larger);
  }

  std::vector<InFlight> ring_;
  std::uint64_t passed_ = 0, left_ = 0, end_ = 0;
};

struct Plan {
  std::vector<std::uint64_t> takes, gives;
  std::vector<simulator::Token> tokens;
  std::uint64_t steps = 0;
  Cycles interval = 1, interval_steps = 1, depth = 0;  ///< depth: from a token's last step on
  Flops flops = 0;
  TaskValues* values = nullptr;  ///< functional mode
};

Plan planOf(const Instance& instance) {
  Plan plan;
  plan.takes = instance.list("takes"), plan.gives = instance.list("gives");
  plan.tokens = taskTokens(instance, plan.gives.size());
  plan.steps = stepsOf(plan.takes, plan.gives);
  plan.interval = instance.count("interval"), plan.interval_steps = instance.count("interval_steps");
  plan.flops = instance.count("flops");
  plan.values = taskValues(instance);
  if (!plan.gives.empty()) {
    const std::uint64_t first = firstCompleteStep(plan.gives, plan.steps);
    plan.depth = instance.count("initial_delay") - ceilDiv(first * plan.interval, plan.interval_steps);
  }
  return plan;
}

/// A running kernel. Its pipeline's clock stands still while the kernel does; the time is that clock and how
/// long the kernel has stood so far.
class State {
 public:
  State(simulator::Context& context, Plan plan)
      : me_(context), plan_(std::move(plan)), pace_(plan_.interval, plan_.interval_steps) {
    for (const std::uint64_t tokens : plan_.takes) takes_.emplace_back(tokens, plan_.steps, true);
    for (const std::uint64_t tokens : plan_.gives) gives_.emplace_back(tokens, plan_.steps, false);
    me_.countFlops(plan_.flops);
  }

  Pipeline pipeline;
  Cycles next = 0;    ///< the earliest clock of the next step
  Cycles stood = 0;   ///< until the last token that left
  Cycles passed = 0;  ///< how much of it the inputs have seen: outputs may be ahead
  Cycles last = 0;    ///< time of whatever happened last

  bool finished() const { return step_ == plan_.steps; }
  bool takes(std::size_t port) const { return takes_[port].due(); }
  bool gives(std::size_t port) { return (pipeline.front().outputs >> port & 1) != 0; }
  simulator::Token token(std::size_t port) const {
    simulator::Token y = plan_.tokens[port].withStop(me_.out(port).sent() + 1 == plan_.gives[port] ? 1 : 0);
    if (plan_.values) plan_.values->give(me_, port, y);
    return y;
  }

  /// An input of the next step that has no token; null: all are there.
  simulator::Channel* missing() const {
    for (std::size_t port = 0; port < takes_.size(); ++port)
      if (takes(port) && me_.in(port).empty()) return &me_.in(port);
    return nullptr;
  }
  /// When all tokens of the next step are there.
  Cycles arrival() const {
    Cycles latest = 0;
    for (std::size_t port = 0; port < takes_.size(); ++port)
      if (takes(port)) latest = std::max(latest, me_.in(port).headArrival());
    return latest;
  }
  /// An output of the tokens that leave next that has no slot; null: all have.
  simulator::Channel* full() {
    for (std::size_t port = 0; port < gives_.size(); ++port)
      if (gives(port) && me_.out(port).full()) return &me_.out(port);
    return nullptr;
  }

  /// The time of the next step if its tokens are there at `arrival`, as far as is known when the kernel
  /// stands.
  Cycles earliest(Cycles arrival) {
    Cycles at = std::max(arrival, next + passed);
    while (!pipeline.known() && pipeline.behind().leaves + passed <= at) {
      passed = pipeline.behind().stood;
      at = std::max({arrival, next + passed, pipeline.behind().leaves + passed});
      pipeline.pass();
    }
    return at;
  }
  /// Whether nothing that is still inside leaves until `at`.
  bool precedesLeaving(Cycles at) {
    return pipeline.idle() || !pipeline.known() || pipeline.front().leaves + passed > at;
  }

  /// Takes the tokens of the next step at the clock `tick`; all are there.
  void step(Cycles tick) {
    last = std::max(last, me_.now);
    std::uint64_t complete = 0;
    for (std::size_t port = 0; port < takes_.size(); ++port) {
      if (takes(port)) take(port);
      takes_[port].pass();
    }
    for (std::size_t port = 0; port < gives_.size(); ++port) {
      complete |= std::uint64_t{gives_[port].due()} << port;
      gives_[port].pass();
    }
    if (complete != 0) pipeline.enter({tick + plan_.depth, complete, 0});
    const Cycles gap = pace_.next();
    next = tick + gap;
    me_.advance(gap);
    ++step_;
  }
  void take(std::size_t port) {
    const simulator::Token x = me_.take(me_.in(port));
    if (plan_.values) plan_.values->take(me_, port, x);
    me_.share(x, 0);
  }
  /// The tokens that leave next have left, now.
  void left() {
    last = std::max(last, me_.now);
    pipeline.front().stood = stood;
    pipeline.leave();
  }

  void failEarly(std::size_t port) const {
    me_.fail("wrong-token", static_cast<std::uint32_t>(port),
             "the stream ended after " + std::to_string(me_.in(port).received()) +
                 " tokens, but the kernel takes " + std::to_string(plan_.takes[port]),
             "set takes to the tokens that arrive");
  }
  void failLate(std::size_t port) const {
    me_.fail("wrong-token", static_cast<std::uint32_t>(port),
             "more tokens arrived than the " + std::to_string(plan_.takes[port]) + " that the kernel takes",
             "set takes to the tokens that arrive");
  }
  /// The input that ended before its tokens were all there; the number of inputs: none has.
  std::size_t endedEarly() const {
    std::size_t port = 0;
    while (port < takes_.size() && !(takes(port) && me_.in(port).empty() && me_.in(port).closed())) ++port;
    return port;
  }

 private:
  simulator::Context& me_;
  Plan plan_;
  Pace pace_;
  std::vector<Spread> takes_, gives_;
  std::uint64_t step_ = 0;
};

/// Flushable: what is inside leaves whether inputs come or not, so inputs and outputs are waited for
/// together, and on the host either may be ahead. What leaves at the time of a step leaves first: it may have
/// to wait, and then the kernel stands.
simulator::Process runFlushable(simulator::Context& me, Plan plan) {
  me.followNobody();
  State kernel(me, std::move(plan));
  while (!kernel.finished() || !kernel.pipeline.idle()) {
    simulator::Channel* missing = kernel.finished() ? nullptr : kernel.missing();
    if (missing && missing->closed()) {
      kernel.failEarly(kernel.endedEarly());
      co_return;
    }
    if (!kernel.finished() && !missing) {
      const Cycles at = kernel.earliest(kernel.arrival());
      if (kernel.precedesLeaving(at)) {
        me.now = kernel.earliest(0);
        for (std::size_t port = 0; port < me.inputs(); ++port)
          if (kernel.takes(port)) co_await me.peek(me.in(port));
        me.now = at;
        kernel.step(at - kernel.passed);
        continue;
      }
    }
    if (kernel.pipeline.idle()) {
      me.now = kernel.earliest(0);
      co_await me.either(missing, nullptr);
      continue;
    }
    const Cycles leaves = kernel.pipeline.front().leaves;
    me.now = leaves + kernel.stood;
    if (simulator::Channel* full = kernel.full()) {
      co_await me.either(missing, full);
      continue;
    }
    for (std::size_t port = 0; port < me.outputs(); ++port)
      if (kernel.gives(port)) co_await me.slot(me.out(port));
    kernel.stood = me.now - leaves;
    for (std::size_t port = 0; port < me.outputs(); ++port)
      if (kernel.gives(port)) co_await me.push(me.out(port), kernel.token(port));
    kernel.left();
  }
  me.now = kernel.last;
  for (std::size_t port = 0; port < me.inputs(); ++port)
    if (co_await me.queued(me.in(port))) kernel.failLate(port);
}

/// Not flushable: one clock for all, which stands while a step that is due has no input.
simulator::Process runStanding(simulator::Context& me, Plan plan) {
  me.followNobody();
  State kernel(me, std::move(plan));
  while (!kernel.finished() || !kernel.pipeline.idle()) {
    const bool leaving =
        !kernel.pipeline.idle() && (kernel.finished() || kernel.pipeline.front().leaves <= kernel.next);
    const bool stepping = !kernel.finished() && (!leaving || kernel.next <= kernel.pipeline.front().leaves);
    const Cycles tick = stepping ? kernel.next : kernel.pipeline.front().leaves;
    me.now = tick + kernel.stood;
    for (std::size_t port = 0; leaving && port < me.outputs(); ++port)
      if (kernel.gives(port)) co_await me.slot(me.out(port));
    for (std::size_t port = 0; stepping && port < me.inputs(); ++port) {
      if (!kernel.takes(port) || co_await me.peek(me.in(port))) continue;
      kernel.failEarly(port);
      co_return;
    }
    kernel.stood = me.now - tick;
    if (leaving) {
      for (std::size_t port = 0; port < me.outputs(); ++port)
        if (kernel.gives(port)) co_await me.push(me.out(port), kernel.token(port));
      kernel.left();
      kernel.pipeline.pass();
    }
    if (stepping) kernel.step(tick);
  }
  me.now = kernel.last;
  for (std::size_t port = 0; port < me.inputs(); ++port)
    if (co_await me.queued(me.in(port))) kernel.failLate(port);
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return instance.boolean("flushable") ? runFlushable(me, planOf(instance))
                                       : runStanding(me, planOf(instance));
}

std::vector<ParameterSpec> parameters() {
  return {
      integerParameter("inputs", "number of input streams", 0, Value(1)),
      integerParameter("outputs", "number of output streams", 0, Value(1)),
      listParameter("takes", "tokens that it takes from each input", 1, {}, "tokens"),
      listParameter("gives", "tokens that it gives to each output", 1, {}, "tokens"),
      integerParameter("initial_delay", "from the first input to the first output", 0, {}, "cycles"),
      integerParameter("interval", "cycles that `interval_steps` steps take", 1, Value(1), "cycles"),
      integerParameter("interval_steps", "steps in `interval` cycles; a step is a token of the busiest port",
                       1, Value(1), "steps"),
      booleanParameter("flushable", "its pipeline drains without new input", true),
      taskTileParameter(),
      taskScalarParameter(),
      integerParameter("local_bytes", "on-chip memory of its own: the tiles it works on", 0, Value(0),
                       "bytes"),
      integerParameter("flops", "operations of one execution", 0, Value(0), "FLOPs"),
      integerParameter("borders", "between dies, that every token passes; only energy depends on it", 0,
                       Value(0)),
      takesOrderParameter(),
      givesOrderParameter()};
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "Kernel",
              .category = "Higher order",
              .summary = "A pipelined kernel: nothing for its initial delay, then tokens at its initiation "
                         "interval.",
              .paper = "StreamTensor 5.3",
              .parameters = parameters(),
              .inputs = {{"in", "inputs", "any streams"}},
              .outputs = {{"out", "outputs", "tiles; shape [1, gives]"}},
              .rules = {.shape = "Every output is [1, gives], in gives_order; every input must bring takes "
                                 "tokens, in takes_order.",
                        .cost = "On chip: local_bytes. FLOPs: as flops says.",
                        .timing = "Nothing for initial_delay cycles, then a step every interval / "
                                  "interval_steps cycles. A full output holds the whole pipeline; without "
                                  "input it stands still unless flushable."},
          },
      .shape = shape,
      .cost = cost,
      .behaviour = behaviour,
      .arrival = Arrival::TwoClocks,
      .rates = unknownRates,
      .ordered = true,
  };
  return definition;
}

}  // namespace sluice::inline operators::kernel
