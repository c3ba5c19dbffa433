#pragma once
// Every rewrite of dataflow designs under its name: where it may be applied, and applying it as one step that
// is verified, summed up and undoable.

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tensor/dataflow/design_edit.h"
#include "engine/tensor/dataflow/design_summary.h"

namespace sluice {

/// What a rewrite is applied to, by position in the design.
struct RewritePlace {
  enum class Kind { Task, Stream, Input, Output, Tensor, Group };
  Kind kind = Kind::Task;
  std::size_t index = 0;  ///< of the task, stream, tensor or group
  std::size_t port = 0;   ///< of the task, for inputs and outputs

  bool operator==(const RewritePlace&) const = default;
};

/// "task 'softmax'", "stream 'query.out0 -> scores.in0'", "input 'query.in1'", "tensor 'x'", "group 0".
std::string nameOf(const DataflowDesign& design, const RewritePlace& place);

/// What a rewrite takes besides its place: a shape (vectors, tiles, words), one number (ways), or nothing.
using RewriteArgument = std::vector<std::int64_t>;

struct DataflowRewrite {
  std::string_view name;
  std::string_view purpose;
  RewritePlace::Kind kind = RewritePlace::Kind::Task;
  std::string_view argument;  ///< what it is; empty: none
  RewriteArgument (*suggested)(const DesignIndex&, const RewritePlace&) = nullptr;
  Result<Done> (*check)(const DesignIndex&, const RewritePlace&, const RewriteArgument&) = nullptr;
  Result<DataflowDesign> (*apply)(const DataflowDesign&, const RewritePlace&,
                                  const RewriteArgument&) = nullptr;
  /// The same in place, where it is legal; given where an application leaves all other places, and whether
  /// and how the rewrite is applied there, as they are, or claims what it does not leave (DesignEdit).
  Result<Done> (*change)(DesignEdit&, const RewritePlace&, const RewriteArgument&) = nullptr;
};

/// In the order in which a compiler would use them.
std::span<const DataflowRewrite> dataflowRewrites();
Result<const DataflowRewrite*> rewriteNamed(std::string_view name);

/// One application of a rewrite.
struct RewriteChoice {
  const DataflowRewrite* rewrite = nullptr;
  RewritePlace place;
  RewriteArgument argument;
};
/// "fold stream 'load x.out0 -> query.in0'", "vectorise stream '...' by 2x4".
std::string text(const DataflowDesign& design, const RewriteChoice& choice);

/// Every place of a kind that the design has, legal or not.
std::vector<RewritePlace> placesOf(const DataflowDesign& design, RewritePlace::Kind kind);

/// Every rewrite with every place where it is legal, with the argument it suggests there.
std::vector<RewriteChoice> applicablePlaces(const DataflowDesign& design);
/// The places of one rewrite.
std::vector<RewriteChoice> applicablePlaces(const DataflowDesign& design, const DataflowRewrite& rewrite);
/// By names, as a schedule has them; the suggested argument where `argument` is empty.
Result<RewriteChoice> choiceNamed(const DataflowDesign& design, std::string_view rewrite,
                                  std::string_view place, const RewriteArgument& argument = {});

struct RewriteStep {
  std::string text;
  DataflowDesign after;
  DesignSummary summary_before, summary_after;
};
/// Checks, applies and verifies.
Result<RewriteStep> applyRewrite(const DataflowDesign& design, const RewriteChoice& choice);

/// The rewrite wherever it is legal, with what it suggests there, until it is legal nowhere: one step. Fails
/// at a stop request, and where a rewrite that has no `change` would have to be applied too often.
Result<RewriteStep> applyEverywhere(const DataflowDesign& design, const DataflowRewrite& rewrite,
                                    const std::stop_token& stop = {});

/// The steps taken, of which any number may be taken back.
class RewriteHistory {
 public:
  explicit RewriteHistory(DataflowDesign design) : start_(std::move(design)) {}

  const DataflowDesign& design() const { return taken_ == 0 ? start_ : steps_[taken_ - 1].after; }
  std::span<const RewriteStep> steps() const { return std::span(steps_).first(taken_); }
  Result<Done> apply(const RewriteChoice& choice);
  Result<Done> applyEverywhere(const DataflowRewrite& rewrite);
  bool undo();
  bool redo();

 private:
  Result<Done> add(Result<RewriteStep> step);

  DataflowDesign start_;
  std::vector<RewriteStep> steps_;
  std::size_t taken_ = 0;  ///< the rest has been undone
};

}  // namespace sluice
