#include "engine/explorer/retiming_cache.h"

#include <algorithm>

#include "engine/operators/simulate.h"

namespace sluice::inline explorer {
namespace {

constexpr std::size_t most_programs = 4;
constexpr std::uint64_t most_hops = 1 << 20;  ///< of a traced run: 64 bytes each, about
constexpr std::uint64_t patience = 16;        ///< programs without a second point; refusals without an answer
constexpr std::uint64_t most_unasked = 3;     ///< traces without an answer: a trace costs half a run more

bool same(const InputSet& a, const InputSet& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.kind == y.second.kind && x.second.experts == y.second.experts &&
           x.second.tensor.shape == y.second.tensor.shape && x.second.tensor.data == y.second.tensor.data;
  });
}

SimulationResult fresh(const FlatGraph& graph, const InputSet& inputs, const std::stop_token& stop) {
  SimulationOptions options;
  options.stop = stop;
  return simulate(graph, inputs, options);
}

}  // namespace

std::shared_ptr<RetimingCache::Program> RetimingCache::find(const std::string& key, const InputSet& inputs) {
  const auto at = std::find_if(programs_.begin(), programs_.end(),
                               [&](const auto& p) { return p->key == key && same(p->inputs, inputs); });
  if (at == programs_.end()) return nullptr;
  programs_.splice(programs_.begin(), programs_, at);
  return programs_.front();
}

bool RetimingCache::fruitless() const {
  // No knob of this space is a depth or a time; or each program has two such points, and no third.
  return (met_ >= patience && met_again_ == 0) || (traced_ >= most_unasked && answered_ == 0);
}

SimulationResult RetimingCache::trace(Program& program, const FlatGraph& graph, const std::stop_token& stop) {
  auto retimer = std::make_unique<Retimer>(graph, program.inputs, stop);
  SimulationResult run = retimer->run();
  if (run.finished()) {
    const std::lock_guard lock(program.one_at_a_time);
    program.retimer = std::move(retimer);
  } else {  // the next one may
    const std::lock_guard lock(mutex_);
    program.wanted = false;
    --traced_;
  }
  return run;
}

SimulationResult RetimingCache::run(const SymbolicResult& symbolic, const InputSet& inputs,
                                    const std::stop_token& stop, Source& source) {
  std::unique_lock lock(mutex_);
  const bool skip = fruitless();
  lock.unlock();
  if (skip) return fresh(symbolic.graph, inputs, stop);
  const std::string key = retimingKey(symbolic.graph);
  lock.lock();
  const std::shared_ptr<Program> program = find(key, inputs);
  if (program) ++met_, ++met_again_;
  const bool trace_it = program && program->hops <= most_hops && !std::exchange(program->wanted, true);
  if (trace_it) ++traced_;
  lock.unlock();
  if (trace_it) return trace(*program, symbolic.graph, stop);
  if (program) {
    const std::lock_guard one(program->one_at_a_time);
    if (program->retimer && (program->answers > 0 || program->refusals < patience)) {
      Retimer::Answer answer = program->retimer->as(symbolic.graph);
      if (answer.cycles) {
        ++program->answers;
        source.retimed = true;
        lock.lock();
        ++answered_;
        lock.unlock();
        SimulationResult run = program->retimer->run();
        run.cycles = *answer.cycles;
        for (const auto& [op, stats] : answer.again) run.operators[op] = stats;
        return run;
      }
      ++program->refusals;
      source.why_not = std::move(answer.why_not);
    }
  }
  SimulationResult run = fresh(symbolic.graph, inputs, stop);
  // A run that ended early tells neither what a trace would take nor that there is one.
  if (program || !run.finished()) return run;
  lock.lock();
  ++met_;
  if (!find(key, inputs)) {
    programs_.push_front(std::make_shared<Program>());
    programs_.front()->key = key;
    programs_.front()->inputs = inputs;
    programs_.front()->hops = run.token_hops;
    if (programs_.size() > most_programs) programs_.pop_back();
  }
  return run;
}

}  // namespace sluice::inline explorer
