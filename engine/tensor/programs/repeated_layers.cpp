// Equal layers of a program: operators that are the same as those one period later.

#include "engine/tensor/programs/repeated_layers.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "engine/tensor/programs/operator_traits.h"

namespace sluice::inline tensor {
namespace {

constexpr std::size_t most_operators = 10'000, least_length = 8, least_products = 2;

/// An operator without names, and without which tensors exactly it reads.
struct Pattern {
  TensorOperator op;
  std::vector<TensorValue> tensors;  ///< read, then written; without names

  bool operator==(const Pattern&) const = default;
};

Pattern patternOf(const TensorProgram& program, const TensorOperator& op) {
  Pattern pattern{op, {}};
  pattern.op.name.clear();
  for (std::size_t& input : pattern.op.inputs) input = 0;
  pattern.op.output = 0;
  for (auto* steps : {&pattern.op.before_steps, &pattern.op.after_steps})
    for (ElementwiseStep& step : *steps)
      if (step.operand) step.operand = 0;
  std::vector<std::size_t> touched = readTensors(op);
  touched.push_back(op.output);
  for (const std::size_t tensor : touched) {
    pattern.tensors.push_back(program.tensors[tensor]);
    pattern.tensors.back().name.clear();
    // The first layer may read from outside what the others get from the one before.
    if (pattern.tensors.back().role == TensorRole::Input)
      pattern.tensors.back().role = TensorRole::Activation;
  }
  return pattern;
}

/// Equal operators have equal numbers. Few of one kind and shape differ, so a list a shape is enough.
std::vector<std::size_t> numbered(const TensorProgram& program) {
  std::map<std::pair<TensorOperatorKind, std::vector<std::int64_t>>, std::vector<std::size_t>> known;
  std::vector<Pattern> patterns;
  std::vector<std::size_t> numbers;
  for (const TensorOperator& op : program.operators) {
    Pattern pattern = patternOf(program, op);
    auto& alike = known[{op.kind, program.tensors[op.output].shape}];
    const auto same =
        std::ranges::find_if(alike, [&](std::size_t number) { return patterns[number] == pattern; });
    if (same != alike.end()) {
      numbers.push_back(*same);
      continue;
    }
    alike.push_back(patterns.size());
    numbers.push_back(patterns.size());
    patterns.push_back(std::move(pattern));
  }
  return numbers;
}

/// A run of operators each of which is equal to the one a period later.
struct Run {
  std::size_t begin = 0, length = 0, period = 0;

  std::size_t covered() const { return period == 0 || length < period ? 0 : (length / period + 1) * period; }
};

Run longestRun(const std::vector<std::size_t>& numbers) {
  Run longest;
  for (std::size_t period = 1; period <= numbers.size() / 2; ++period) {
    std::size_t length = 0;
    for (std::size_t op = 0; op + period < numbers.size(); ++op) {
      length = numbers[op] == numbers[op + period] ? length + 1 : 0;
      const Run run{op + 1 - length, length, period};
      if (run.covered() > longest.covered()) longest = run;
    }
  }
  return longest;
}

/// Bytes that operators before `cut` leave for those behind it; with `least`, of the operators from there on.
std::int64_t bytesAcross(const TensorProgram& program, std::size_t cut, std::size_t least,
                         const std::vector<std::optional<std::size_t>>& written_by) {
  std::set<std::size_t> across;
  for (std::size_t op = cut; op < program.operators.size(); ++op)
    for (const std::size_t tensor : readTensors(program.operators[op]))
      if (written_by[tensor] && *written_by[tensor] < cut && *written_by[tensor] >= least)
        across.insert(tensor);
  std::int64_t bytes = 0;
  for (const std::size_t tensor : across) bytes += storedBytes(program.tensors[tensor]);
  return bytes;
}

}  // namespace

std::size_t RepeatedLayers::layerOf(std::size_t op) const {
  if (count == 0 || op < begin) return 0;
  return std::min((op - begin) / length, count) + 1;
}

RepeatedLayers repeatedLayers(const TensorProgram& program) {
  if (program.operators.size() > most_operators) return {};
  const Run run = longestRun(numbered(program));
  if (run.period < least_length || run.covered() == 0) return {};
  const auto first = program.operators.begin() + static_cast<std::ptrdiff_t>(run.begin);
  const auto products = std::count_if(first, first + static_cast<std::ptrdiff_t>(run.period),
                                      [](const TensorOperator& op) { return isProduct(op.kind); });
  if (static_cast<std::size_t>(products) < least_products) return {};

  const std::vector<std::optional<std::size_t>> written_by = writers(program);
  RepeatedLayers found{run.covered() / run.period, run.begin, run.period};
  const std::size_t spare = run.length + run.period - run.covered();
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  for (std::size_t begin = run.begin; begin <= run.begin + spare; ++begin) {
    const std::int64_t bytes = bytesAcross(program, begin + run.period, begin, written_by);
    if (bytes < fewest) fewest = bytes, found.begin = begin;
  }
  return fewest > 0 ? found : RepeatedLayers{};
}

}  // namespace sluice::inline tensor
