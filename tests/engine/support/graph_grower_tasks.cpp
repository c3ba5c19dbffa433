// The steps of the random graph that hang the tasks of tensor-level designs on its ends.
#include <algorithm>

#include "tests/engine/support/graph_grower.h"

namespace sluice {

using List = std::vector<std::int64_t>;

namespace {

/// The number of tokens, or unknown.
std::int64_t tokensOf(const OpenEnd& end) {
  return end.known() && end.whole ? end.innermost(static_cast<std::int64_t>(end.dims.size()))
                                  : OpenEnd::unknown;
}

}  // namespace

/// Fed by up to three ends, gives one or two streams; all at rates of their own.
void GraphGrower::kernel(OpenEnd end) {
  List takes, gives;
  std::vector<Output> from;
  std::optional<OpenEnd> next = std::move(end);
  for (std::int64_t inputs = between(1, 3); next && inputs > 0; --inputs) {
    const std::int64_t tokens = tokensOf(*next);
    if (tokens < 1 || chance(5)) break;
    takes.push_back(tokens + (chance(2) ? 1 : 0));
    from.push_back(next->from);
    next = inputs > 1 ? takeAny() : std::nullopt;
  }
  if (next) put(*std::move(next));
  std::int64_t steps = takes.empty() ? between(1, 20) : *std::max_element(takes.begin(), takes.end());
  for (std::int64_t outputs = between(1, 2); outputs > 0; --outputs)
    gives.push_back(chance(40) ? steps : between(1, std::min(most_tokens, steps + 3)));
  steps = std::max(steps, *std::max_element(gives.begin(), gives.end()));
  const std::int64_t busiest = *std::max_element(gives.begin(), gives.end());
  const std::int64_t interval = between(1, 5), interval_steps = chance(50) ? 1 : between(1, interval);
  const std::int64_t first = (steps + busiest - 1) / busiest - 1;
  const std::int64_t least = (first * interval + interval_steps - 1) / interval_steps;
  newDepth();
  OpenEnd result{{}, {}, 0, 0, between(1, 4), 8, chance(80) ? "f32" : "i8"};
  const OperatorId op = builder_.add("Kernel",
                                     {{"inputs", static_cast<std::int64_t>(takes.size())},
                                      {"outputs", static_cast<std::int64_t>(gives.size())},
                                      {"takes", takes},
                                      {"gives", gives},
                                      {"initial_delay", least + (chance(80) ? below(12) : below(60))},
                                      {"interval", interval},
                                      {"interval_steps", interval_steps},
                                      {"flushable", chance(60)},
                                      {"tile", List{result.rows, result.cols}},
                                      {"scalar", result.scalar},
                                      {"flops", below(50)}},
                                     from);
  const std::vector<Output> outputs = builder_.outputs(op);
  for (std::size_t port = 0; port < outputs.size(); ++port) {
    OpenEnd open = fresh(result);
    open.from = outputs[port];
    open.dims = {1, gives[port]};
    open.most = gives[port];
    put(open);
  }
}

void GraphGrower::convertLayout(OpenEnd end) {
  const std::int64_t tokens = tokensOf(end);
  if (tokens < 1) return put(end);
  std::int64_t iterations = between(1, 6);
  while (tokens % iterations != 0) --iterations;
  const std::int64_t drain = between(1, std::min<std::int64_t>(12, most_tokens / iterations));
  newDepth();
  OpenEnd result{{}, {1, iterations * drain}, 0, iterations * drain, between(1, 4), 8};
  const std::int64_t ways = chance(70) ? 1 : 2;
  const OperatorId op = builder_.add("LayoutConverter",
                                     {{"outputs", ways},
                                      {"iterations", iterations},
                                      {"fill", tokens / iterations + (chance(2) ? 1 : 0)},
                                      {"drain", drain},
                                      {"fill_interval", between(1, 3)},
                                      {"drain_interval", between(1, 3)},
                                      {"tile", List{result.rows, result.cols}},
                                      {"scalar", std::string("f32")}},
                                     {end.from});
  for (const Output& output : builder_.outputs(op)) {
    OpenEnd open = fresh(result);
    open.from = output;
    put(open);
  }
}

}  // namespace sluice
