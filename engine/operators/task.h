#pragma once
// What the operators that stand for tensor-level tasks share (Kernel, LayoutConverter): streams of a fixed
// number of tokens per execution, whatever their elements are. A tile's columns are counted in elements of
// its scalar; tasks on narrow numbers count them in bytes (i8), so that four-bit weights have a size, too.

#include <cstdint>
#include <vector>

#include "engine/operators/off_chip.h"
#include "engine/operators/task_values.h"

namespace sluice::inline operators {

/// Counts and cycles of a task are at most this, so that their products are exact.
constexpr std::int64_t most_task_count = std::int64_t{1} << 31;

/// `tile`: rows and columns for all outputs, or for each.
ParameterSpec taskTileParameter();
ParameterSpec taskScalarParameter();
/// An error where a parameter is above most_task_count.
std::optional<Diagnostic> checkTaskCounts(const ShapeContext& t, std::initializer_list<const char*> names);
/// An error where input `port` is known to carry another number of tokens than `tokens`.
std::optional<Diagnostic> checkTaskInput(const ShapeContext& t, std::size_t port, const Expr& tokens,
                                         const std::string& parameter);
/// Streams [1, tokens] of the tiles that `tile` and `scalar` describe.
Result<std::vector<StreamType>> taskOutputs(const ShapeContext& t, std::span<const Expr> tokens);
/// Null in timing mode, and for an operator that was not lowered from a task.
TaskValues* taskValues(const Instance& instance);
/// The tiles of the outputs, as tokens.
std::vector<simulator::Token> taskTokens(const Instance& instance, std::size_t outputs);

}  // namespace sluice::inline operators
