#pragma once
// The steps compile_tensors of a schedule and what they make of their tensor programs, with the rewrites
// behind them.

#include "engine/schedule/compiled_program.h"
#include "engine/schedule/schedule.h"
#include "engine/tensor/programs/sized_text.h"

namespace sluice::inline schedule {

/// Whether the step compiles a tensor program, and is enabled.
bool compilesTensors(const ScheduleStep& step);
/// Whether one does.
bool compilesTensors(const Document& document);
/// The tensor program that a node of an elaborated graph holds.
Result<TensorProgram> tensorProgramOf(const FlatOperator& node);
/// Takes the nodes that hold tensor programs out of a graph of the document.
void eraseTensorPrograms(Graph& graph);
/// What they compile at one design point, in their order; fails where there is none.
Result<std::vector<CompiledProgram>> compiledPrograms(const Document& document, const InputSet& inputs,
                                                      const KnobValues& knobs,
                                                      const std::stop_token& stop = {});
/// Of the first such step.
Result<TensorCompilation> tensorCompilation(const Document& document, const InputSet& inputs,
                                            const KnobValues& knobs, const std::stop_token& stop = {});

/// A document with the program as the text of a node, equal layers folded, the step that compiles it, and
/// knobs for what matters most of the step. Sizes of the text, such as how many layers there are, are its
/// constants.
Document tensorProgramDocument(const TensorProgram& program);
/// With a text of it over other sizes, too (sized_text.h).
Document tensorProgramDocument(const TensorProgram& program, const SizedText& text);

}  // namespace sluice::inline schedule
