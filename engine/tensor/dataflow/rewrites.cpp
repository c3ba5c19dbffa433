#include "engine/tensor/dataflow/rewrites.h"

#include <algorithm>
#include <array>

#include "engine/core/cancelled.h"
#include "engine/itensor/itensor_text.h"
#include "engine/program/spelling.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/drop_reshape.h"
#include "engine/tensor/dataflow/external_layout.h"
#include "engine/tensor/dataflow/fan_out.h"
#include "engine/tensor/dataflow/fold.h"
#include "engine/tensor/dataflow/interleave.h"
#include "engine/tensor/dataflow/materialise.h"
#include "engine/tensor/dataflow/pack.h"
#include "engine/tensor/dataflow/regroup.h"
#include "engine/tensor/dataflow/share_converters.h"
#include "engine/tensor/dataflow/vectorise.h"
#include "engine/tensor/dataflow/widen.h"

namespace sluice::inline tensor {
namespace {

using Design = DataflowDesign;
using Place = RewritePlace;
using Argument = RewriteArgument;

/// Rewrites of one numbered thing, without an argument.
template <auto check>
Result<Done> checkAt(const DesignIndex& design, const Place& place, const Argument&) {
  return check(design, place.index);
}
template <auto apply>
Result<Design> applyAt(const Design& design, const Place& place, const Argument&) {
  return apply(design, place.index);
}
/// ... with a shape.
template <auto check>
Result<Done> checkShaped(const DesignIndex& design, const Place& place, const Argument& shape) {
  return check(design, place.index, shape);
}
template <auto apply>
Result<Design> applyShaped(const Design& design, const Place& place, const Argument& shape) {
  return apply(design, place.index, shape);
}
/// ... of a port.
template <bool output>
Result<Done> checkTransfer(const DesignIndex& design, const Place& place, const Argument&) {
  return checkMaterialiseTransfer(design, {place.index, place.port}, output);
}
template <bool output>
Result<Design> applyTransfer(const Design& design, const Place& place, const Argument&) {
  return materialiseTransfer(design, {place.index, place.port}, output);
}

Result<Done> checkFork(const DesignIndex& design, const Place& place, const Argument&) {
  return checkInsertFork(design, {place.index, place.port});
}
Result<Design> applyFork(const Design& design, const Place& place, const Argument&) {
  return insertFork(design, {place.index, place.port});
}
/// One number, or what no rewrite accepts.
std::int64_t number(const Argument& argument) {
  return argument.size() == 1 ? argument[0] : -1;
}
Result<Done> checkWays(const DesignIndex& design, const Place& place, const Argument& ways) {
  return checkInterleave(design, place.index, number(ways));
}
Result<Design> applyWays(const Design& design, const Place& place, const Argument& ways) {
  return interleave(design, place.index, number(ways));
}
std::optional<std::int64_t> capacity(const Argument& bytes) {
  return bytes.empty() ? std::nullopt : std::optional(number(bytes));
}
Result<Done> checkFuse(const DesignIndex& design, const Place& place, const Argument& bytes) {
  return checkFuseGroups(design, place.index, capacity(bytes));
}
Result<Design> applyFuse(const Design& design, const Place& place, const Argument& bytes) {
  return fuseGroups(design, place.index, capacity(bytes));
}

// ---- in place ---------------------------------------------------------------------------------------------

template <bool folded>
Result<Done> changeFold(DesignEdit& edit, const Place& place, const Argument&) {
  setFolded(edit, place.index, folded);
  return Done{};
}
/// No argument: whole tiles.
Result<Done> changeVector(DesignEdit& edit, const Place& place, const Argument& vector) {
  setVector(edit, place.index, vector);
  return Done{};
}
/// No argument: row-major, scalars.
template <auto part>
Result<Done> changeLayout(DesignEdit& edit, const Place& place, const Argument& shape) {
  edit.design.layouts[place.index].*part = shape;
  return Done{};
}
Result<Done> changeConverter(DesignEdit& edit, const Place& place, const Argument&) {
  return addConverter(edit, place.index);
}
template <bool output>
Result<Done> changeTransfer(DesignEdit& edit, const Place& place, const Argument&) {
  addTransfer(edit, {place.index, place.port}, output);
  return Done{};
}
Result<Done> changeFork(DesignEdit& edit, const Place& place, const Argument&) {
  addFork(edit, {place.index, place.port});
  return Done{};
}

template <auto change>
Result<Done> changeAt(DesignEdit& edit, const Place& place, const Argument&) {
  change(edit, place.index);
  return Done{};
}

constexpr auto change_tile = changeLayout<&ExternalLayout::tile>;
constexpr auto change_word = changeLayout<&ExternalLayout::vector>;

Argument noArgument(const DesignIndex&, const Place&) {
  return {};
}
Argument vectorArgument(const DesignIndex& design, const Place& place) {
  return suggestedVector(design, place.index, bus_bits);
}
Argument tileArgument(const DesignIndex& design, const Place& place) {
  return suggestedPacking(design, place.index);
}
Argument wordArgument(const DesignIndex& design, const Place& place) {
  return suggestedWord(design, place.index);
}
Argument waysArgument(const DesignIndex& design, const Place& place) {
  for (const std::int64_t ways : {2, 3, 5, 7})
    if (checkInterleave(design, place.index, ways)) return {ways};
  return {2};
}

constexpr std::array<DataflowRewrite, dataflow_rewrite_count> rewrites{{
    {"fuse groups", "a group and the next one on one device",
     "What passes between the two groups stays on chip, unless others need it.", Place::Kind::Group,
     "capacity", "bytes that both may take on chip together", noArgument, checkFuse, applyFuse},
    {"split group", "a task and all that depends on it in a group of their own",
     "Tensors between the two groups go through external memory, and less is on chip at a time.",
     Place::Kind::Task, "", "", noArgument, checkAt<checkSplitGroup>, applyAt<splitGroup>},
    {"pack", "tiles lie together in external memory", "One burst per tile.", Place::Kind::Tensor, "tile",
     "what lies together", tileArgument, checkShaped<checkPack>, applyShaped<pack>, change_tile},
    {"unpack", "row-major in external memory", "A burst per row of a tile.", Place::Kind::Tensor, "", "",
     noArgument, checkAt<checkUnpack>, applyAt<unpack>, change_tile},
    {"widen", "words of several elements in external memory", "Fewer accesses, each of a word.",
     Place::Kind::Tensor, "word", "elements of a word, at most 512 bits", wordArgument,
     checkShaped<checkWiden>, applyShaped<widen>, change_word},
    {"unwiden", "scalars in external memory", "An access per element.", Place::Kind::Tensor, "", "",
     noArgument, checkAt<checkUnwiden>, applyAt<unwiden>, change_word},
    {"materialise converter", "a task that changes the order",
     "A double buffer, the smallest there is; the streams at both sides are plain FIFOs.",
     Place::Kind::Stream, "", "", noArgument, checkAt<checkMaterialiseConverter>,
     applyAt<materialiseConverter>, changeConverter},
    {"share converter", "one converter instead of equal ones", "One double buffer instead of several.",
     Place::Kind::Task, "", "", noArgument, checkAt<checkShareConverter>, applyAt<shareConverter>,
     changeAt<replaceTwins>},
    {"drop reshape", "a reshape that moves nothing becomes a name", "A task and its buffers less.",
     Place::Kind::Task, "", "", noArgument, checkAt<checkDropReshape>, applyAt<dropReshape>,
     changeAt<omitReshape>},
    {"materialise load", "a task that reads external memory", "Two tiles of buffer.", Place::Kind::Input, "",
     "", noArgument, checkTransfer<false>, applyTransfer<false>, changeTransfer<false>},
    {"materialise store", "a task that writes external memory", "Two tiles of buffer.", Place::Kind::Output,
     "", "", noArgument, checkTransfer<true>, applyTransfer<true>, changeTransfer<true>},
    {"interleave load", "several loads that take turns", "More ports of external memory, and a join.",
     Place::Kind::Task, "ways", "how many loads take turns", waysArgument, checkWays, applyWays},
    {"merge loads", "one load instead of several that take turns", "One port of external memory, no join.",
     Place::Kind::Task, "", "", noArgument, checkAt<checkMergeLoads>, applyAt<mergeLoads>},
    {"insert fork", "a task that copies every token", "A task and a FIFO more.", Place::Kind::Output, "", "",
     noArgument, checkFork, applyFork, changeFork},
    {"remove fork", "the producer pushes every token into all streams", "A task and a FIFO less.",
     Place::Kind::Task, "", "", noArgument, checkAt<checkRemoveFork>, applyAt<removeFork>,
     changeAt<dissolveFork>},
    {"fold", "both ends of a stream work in one buffer", "One buffer instead of two, and no FIFO.",
     Place::Kind::Stream, "", "", noArgument, checkAt<checkFold>, applyAt<fold>, changeFold<true>},
    {"unfold", "a FIFO and two buffers", "Two buffers and a FIFO instead of one buffer.", Place::Kind::Stream,
     "", "", noArgument, checkAt<checkUnfold>, applyAt<unfold>, changeFold<false>},
    {"vectorise", "tiles are sent in vectors", "More tokens, each smaller; the volume stays.",
     Place::Kind::Stream, "vector", "the part of a tile that is sent at once", vectorArgument,
     checkShaped<checkVectorise>, applyShaped<vectorise>, changeVector},
    {"unvectorise", "whole tiles are sent", "Fewer tokens, each a tile; the volume stays.",
     Place::Kind::Stream, "", "", noArgument, checkAt<checkUnvectorise>, applyAt<unvectorise>, changeVector},
}};

template <class F>
void forEachPlace(const Design& design, Place::Kind kind, F&& visit) {
  const auto count = [&](std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) visit(Place{kind, i, 0});
  };
  std::size_t groups = 0;
  for (const Task& task : design.tasks) groups = std::max(groups, task.group + 1);
  switch (kind) {
    case Place::Kind::Task:
      return count(design.tasks.size());
    case Place::Kind::Stream:
      return count(design.streams.size());
    case Place::Kind::Tensor:
      return count(design.program.tensors.size());
    case Place::Kind::Group:
      return count(groups);
    case Place::Kind::Input:
    case Place::Kind::Output:
      for (std::size_t i = 0; i < design.tasks.size(); ++i) {
        const Task& task = design.tasks[i];
        const std::size_t ports = (kind == Place::Kind::Input ? task.inputs : task.outputs).size();
        for (std::size_t port = 0; port < ports; ++port) visit(Place{kind, i, port});
      }
      return;
  }
}

Result<RewriteStep> stepTo(const Design& before, std::string told, Design after) {
  if (Diagnostics found = verify(after); !found.empty()) return found;
  RewriteStep step{std::move(told), std::move(after), summarise(before), {}};
  step.summary_after = summarise(step.after);
  return step;
}

}  // namespace

std::string_view wordFor(RewritePlace::Kind kind) {
  switch (kind) {
    case Place::Kind::Task:
      return "task";
    case Place::Kind::Stream:
      return "stream";
    case Place::Kind::Input:
      return "input";
    case Place::Kind::Output:
      return "output";
    case Place::Kind::Tensor:
      return "tensor";
    case Place::Kind::Group:
      return "group";
  }
  return {};
}

std::string placeName(const DataflowDesign& design, const RewritePlace& place) {
  switch (place.kind) {
    case Place::Kind::Task:
      return design.tasks[place.index].name;
    case Place::Kind::Stream:
      return endsOf(design, design.streams[place.index]);
    case Place::Kind::Input:
    case Place::Kind::Output:
      return nameOf(design, {place.index, place.port}, place.kind == Place::Kind::Output);
    case Place::Kind::Tensor:
      return design.program.tensors[place.index].name;
    case Place::Kind::Group:
      return std::to_string(place.index);
  }
  return {};
}

std::string nameOf(const DataflowDesign& design, const RewritePlace& place) {
  const std::string word(wordFor(place.kind)), name = placeName(design, place);
  return place.kind == Place::Kind::Group ? word + " " + name : word + " '" + name + "'";
}

std::span<const DataflowRewrite> dataflowRewrites() {
  return rewrites;
}

Result<const DataflowRewrite*> rewriteNamed(std::string_view name) {
  std::string all;
  for (const DataflowRewrite& rewrite : rewrites) {
    if (rewrite.name == name) return &rewrite;
    all += (all.empty() ? "" : ", ") + std::string(rewrite.name);
  }
  return error("unknown-name", Location(Where::Rewrite, std::string(name)), "there is none of that name",
               "use one of: " + all);
}

std::string text(const DataflowDesign& design, const RewriteChoice& choice) {
  std::string result = std::string(choice.rewrite->name) + " " + nameOf(design, choice.place);
  if (!choice.argument.empty()) result += " by " + shapeText(choice.argument);
  return result;
}

std::vector<RewritePlace> placesOf(const DataflowDesign& design, RewritePlace::Kind kind) {
  std::vector<RewritePlace> places;
  forEachPlace(design, kind, [&](const Place& place) { places.push_back(place); });
  return places;
}

std::vector<RewriteChoice> applicablePlaces(const DataflowDesign& design, const DataflowRewrite& rewrite) {
  std::vector<RewriteChoice> found;
  const DesignIndex index(design);
  forEachPlace(design, rewrite.kind, [&](const Place& place) {
    RewriteChoice choice{&rewrite, place, rewrite.suggested(index, place)};
    if (rewrite.check(index, place, choice.argument)) found.push_back(std::move(choice));
  });
  return found;
}

std::vector<RewriteChoice> applicablePlaces(const DataflowDesign& design) {
  std::vector<RewriteChoice> found;
  for (const DataflowRewrite& rewrite : rewrites)
    for (RewriteChoice& choice : applicablePlaces(design, rewrite)) found.push_back(std::move(choice));
  return found;
}

Result<RewritePlace> placeNamed(const DataflowDesign& design, RewritePlace::Kind kind,
                                std::string_view name) {
  std::optional<Place> found;
  std::vector<std::string> names;
  forEachPlace(design, kind, [&](const Place& at) {
    if (found) return;
    names.push_back(placeName(design, at));
    if (names.back() == name) found = at;
  });
  if (found) return *found;
  const std::string word(wordFor(kind));
  return error("unknown-name", std::string(name), "the design has no such " + word,
               spellingFix(std::string(name), names,
                           "name a " + word + " as 'sluice-cli compile --list-rewrites' does"));
}

Result<RewriteChoice> choiceNamed(const DataflowDesign& design, std::string_view rewrite,
                                  std::string_view place, const RewriteArgument& argument) {
  SLUICE_TRY(const DataflowRewrite* found, rewriteNamed(rewrite));
  SLUICE_TRY(const RewritePlace at, placeNamed(design, found->kind, place));
  return RewriteChoice{found, at, argument.empty() ? found->suggested(design, at) : argument};
}

std::vector<RewriteOffer> offersOf(const DesignIndex& index, const DataflowRewrite& rewrite) {
  std::vector<RewriteOffer> offers;
  forEachPlace(index.design(), rewrite.kind, [&](const Place& place) {
    RewriteOffer offer{{&rewrite, place, rewrite.suggested(index, place)}, {}};
    if (const Result<Done> legal = rewrite.check(index, place, offer.choice.argument); !legal)
      offer.refused = legal.diagnostics().front();
    offers.push_back(std::move(offer));
  });
  return offers;
}

Result<RewriteStep> applyRewrite(const DataflowDesign& design, const RewriteChoice& choice) {
  SLUICE_TRY(DataflowDesign after, choice.rewrite->apply(design, choice.place, choice.argument));
  return stepTo(design, text(design, choice), std::move(after));
}

namespace {

struct Pass {
  DataflowDesign after;
  std::size_t applied = 0;
};

/// At the first place where it is legal, or where places leave each other alone, at all of them.
Result<Pass> appliedOnce(const DataflowDesign& design, const std::vector<RewriteChoice>& places) {
  const DataflowRewrite& rewrite = *places.front().rewrite;
  if (!rewrite.change) {
    SLUICE_TRY(DataflowDesign after, rewrite.apply(design, places.front().place, places.front().argument));
    return Pass{std::move(after), 1};
  }
  const DesignIndex index(design);
  DesignEdit edit(index);
  for (const RewriteChoice& choice : places)
    SLUICE_CHECK(rewrite.change(edit, choice.place, choice.argument));
  const std::size_t applied = places.size() - edit.postponed;
  return Pass{std::move(edit).finished(), applied};
}

/// Rewrites that are applied one by one look at the whole design every time.
constexpr std::size_t most_tasks_looked_at = std::size_t{1} << 20;

Diagnostic takesTooLong(const DataflowDesign& design, const DataflowRewrite& rewrite, std::size_t applied) {
  return error("too-many", Location(Where::Rewrite, std::string(rewrite.name)),
               "everywhere in a design of " + std::to_string(design.tasks.size()) +
                   " tasks takes too long: after " + std::to_string(applied) + " times it is legal still",
               "name the places that matter, as 'sluice-cli compile --list-rewrites' lists them");
}

}  // namespace

Result<RewriteStep> applyEverywhere(const DataflowDesign& design, const DataflowRewrite& rewrite,
                                    const std::stop_token& stop) {
  DataflowDesign after = design;
  std::size_t applied = 0, looked_at = 0;
  for (auto places = applicablePlaces(after, rewrite); !places.empty();
       places = applicablePlaces(after, rewrite)) {
    if (stop.stop_requested()) return cancelledDiagnostic();
    looked_at += rewrite.change ? 0 : after.tasks.size();
    if (looked_at > most_tasks_looked_at) return takesTooLong(after, rewrite, applied);
    SLUICE_TRY(Pass pass, appliedOnce(after, places));
    applied += pass.applied;
    after = std::move(pass.after);
  }
  return stepTo(design, std::string(rewrite.name) + ", " + std::to_string(applied) + " times",
                std::move(after));
}

}  // namespace sluice::inline tensor
