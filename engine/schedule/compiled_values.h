#pragma once
// What the compiled tensor programs of a design point compute in functional mode. A program in a replicated
// region has as many instances as the region, each with a memory and values of its own.
//
//   CompiledValues values(graph, *compiledPrograms(document, inputs, knobs), options.tensors);
//   options.tasks = values.tasks();
//   Result<TensorSet> computed = compute(graph, inputs, options);
//   values.addResults(*computed);
//
// computeCompiled() does all of it.

#include <span>

#include "engine/schedule/compile_tensors.h"
#include "engine/tensor/lowering/lowered_values.h"

namespace sluice::inline schedule {

class CompiledValues {
 public:
  /// `graph` holds what the steps were lowered to; the steps must outlive this. What programs read of
  /// `tensors` is taken out of it: under the instance's name for it ("layer[2].x"), else under its own ("x"),
  /// which all instances share.
  CompiledValues(const FlatGraph& graph, std::span<const CompiledProgram> steps, TensorSet& tensors,
                 Precision precision = Precision::Float32);

  /// Tensors that are given in another shape than the program reads.
  const Diagnostics& problems() const { return problems_; }
  /// What nobody gives, by the instances' names: filled by formula.
  const std::vector<std::string>& madeUp() const { return made_up_; }
  /// What the programs have from outside, by the instances' names.
  std::vector<std::string> outsideNames() const;
  TaskValuesByName tasks() const;
  /// The results of every instance: "y", in a region "layer[2].y", of several programs side by side
  /// "block.y".
  void addResults(TensorSet& computed) const;

 private:
  struct Instance {
    const TensorProgram* program = nullptr;
    std::string label;  ///< before the names of its tensors
    std::unique_ptr<TensorSet> given;
    std::unique_ptr<LoweredValues> values;
  };
  std::vector<Instance> instances_;
  Diagnostics problems_;
  std::vector<std::string> made_up_;
};

/// What a run computes, with the results of the tensor programs that the steps compiled. Errors: of
/// compute(), shape-mismatch.
Result<TensorSet> computeCompiled(const FlatGraph& graph, const InputSet& inputs, ComputeOptions options,
                                  std::span<const CompiledProgram> steps);
/// The same of a design point, whose steps are compiled here. Errors: of the compilation, too.
Result<TensorSet> computeCompiled(const FlatGraph& graph, const Document& document, const InputSet& inputs,
                                  const KnobValues& knobs, ComputeOptions options);

}  // namespace sluice::inline schedule
