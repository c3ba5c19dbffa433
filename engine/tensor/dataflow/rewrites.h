#pragma once
// Every rewrite of dataflow designs under its name: where it may be applied, and applying it as one step that
// is verified and summed up. engine/schedule/ makes a transformation of each.

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tensor/dataflow/design_edit.h"
#include "engine/tensor/dataflow/design_summary.h"

namespace sluice::inline tensor {

/// What a rewrite is applied to, by position in the design.
struct RewritePlace {
  enum class Kind { Task, Stream, Input, Output, Tensor, Group };
  Kind kind = Kind::Task;
  std::size_t index = 0;  ///< of the task, stream, tensor or group
  std::size_t port = 0;   ///< of the task, for inputs and outputs

  bool operator==(const RewritePlace&) const = default;
};

/// "task", "stream" ...: what names a place of this kind in a schedule.
std::string_view wordFor(RewritePlace::Kind kind);
/// "softmax", "query.out0 -> scores.in0", "query.in1", "x", "0".
std::string placeName(const DataflowDesign& design, const RewritePlace& place);
/// "task 'softmax'", "stream 'query.out0 -> scores.in0'", "input 'query.in1'", "tensor 'x'", "group 0".
std::string nameOf(const DataflowDesign& design, const RewritePlace& place);

/// What a rewrite takes besides its place: a shape (vectors, tiles, words), one number (ways), or nothing.
using RewriteArgument = std::vector<std::int64_t>;

struct DataflowRewrite {
  std::string_view name;
  std::string_view purpose;
  std::string_view effect;  ///< on memory, traffic and time, a sentence
  RewritePlace::Kind kind = RewritePlace::Kind::Task;
  std::string_view argument;       ///< its name; empty: it takes none
  std::string_view argument_help;  ///< what it is
  RewriteArgument (*suggested)(const DesignIndex&, const RewritePlace&) = nullptr;
  Result<Done> (*check)(const DesignIndex&, const RewritePlace&, const RewriteArgument&) = nullptr;
  Result<DataflowDesign> (*apply)(const DataflowDesign&, const RewritePlace&,
                                  const RewriteArgument&) = nullptr;
  /// The same in place, where it is legal; given where an application leaves all other places, and whether
  /// and how the rewrite is applied there, as they are, or claims what it does not leave (DesignEdit).
  Result<Done> (*change)(DesignEdit&, const RewritePlace&, const RewriteArgument&) = nullptr;
};

constexpr std::size_t dataflow_rewrite_count = 19;
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
/// The place of this name, as placeName() gives it.
Result<RewritePlace> placeNamed(const DataflowDesign& design, RewritePlace::Kind kind, std::string_view name);
/// By names; the suggested argument where `argument` is empty.
Result<RewriteChoice> choiceNamed(const DataflowDesign& design, std::string_view rewrite,
                                  std::string_view place, const RewriteArgument& argument = {});

struct RewriteOffer {
  RewriteChoice choice;               ///< with the argument that is suggested there
  std::optional<Diagnostic> refused;  ///< why it is not legal
};
/// Every place of the rewrite's kind.
std::vector<RewriteOffer> offersOf(const DesignIndex& design, const DataflowRewrite& rewrite);

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

}  // namespace sluice::inline tensor
