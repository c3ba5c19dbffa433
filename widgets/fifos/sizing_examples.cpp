#include "widgets/fifos/sizing_examples.h"

#include <QObject>

namespace sluice::ui {
namespace {

constexpr std::int64_t bits = 32;

/// Kernels that give a token a cycle after their initial delays.
TimedGraph graphOf(const std::vector<std::pair<const char*, std::int64_t>>& kernels,
                   const std::vector<std::pair<std::size_t, std::size_t>>& streams, std::int64_t tokens) {
  TimedGraph graph;
  for (const auto& [name, delay] : kernels) graph.kernels.push_back({name, {delay, {1, 1}, tokens}, true});
  for (const auto& [from, to] : streams) graph.streams.push_back({from, to, tokens, bits});
  return graph;
}

TimedGraph forkAndJoin() {
  TimedGraph graph = graphOf({{"fork", 1}, {"pipeline", 6}, {"join", 0}}, {{0, 1}, {1, 2}, {0, 2}}, 32);
  graph.kernels[1].flushable = false;
  return graph;
}

}  // namespace

std::vector<SizingExample> sizingExamples() {
  return {
      {QObject::tr("Figure 8(f)"),
       QObject::tr("One FIFO skips a kernel: it waits as long as the kernel takes."),
       graphOf({{"K0", 3}, {"K1", 5}, {"K2", 0}}, {{0, 1}, {1, 2}, {0, 2}}, 1000)},
      {QObject::tr("Diamond of the slides"), QObject::tr("Two branches of different length that join again."),
       graphOf({{"K0", 3}, {"K1", 5}, {"Converter0", 2}, {"K2", 0}}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}, 1000)},
      {QObject::tr("Counter-example, one source"),
       QObject::tr("The published program saves a cycle on one stream that another path needs: it stalls."),
       graphOf({{"K0", 2}, {"K1", 1}, {"K2", 3}, {"K3", 1}, {"K4", 4}, {"K5", 2}},
               {{0, 1}, {0, 2}, {0, 5}, {1, 3}, {1, 4}, {2, 4}, {3, 4}, {3, 5}}, 1000)},
      {QObject::tr("Counter-example, two sources"),
       QObject::tr("Two sources whose starts the published program does not tie together."),
       graphOf({{"K0", 1}, {"K1", 4}, {"K2", 2}, {"K3", 2}, {"K4", 2}},
               {{0, 3}, {0, 4}, {1, 2}, {1, 4}, {2, 3}}, 1000)},
      {QObject::tr("Fork and join, no draining"),
       QObject::tr(
           "The pipeline gives nothing before it has taken six tokens: a shallow FIFO beside it deadlocks."),
       forkAndJoin()},
  };
}

}  // namespace sluice::ui
