// The rewrites of compiled dataflow designs, each a transformation: "insert_fork" is the rewrite "insert
// fork" of the design that compile_tensors has made of a tensor program.

#include "engine/schedule/design_rewrites.h"

#include <algorithm>
#include <utility>

#include "engine/program/spelling.h"
#include "engine/schedule/compiled_program.h"
#include "engine/schedule/proposals.h"
#include "engine/tensor/dataflow/rewrites.h"

namespace sluice::inline schedule {
namespace {

constexpr std::string_view everywhere = "everywhere";

/// The compiled program that the step names.
Result<const CompiledProgram*> programOf(const Rewrite& rewrite, const std::string& path) {
  if (const auto found = rewrite.compiled.find(path); found != rewrite.compiled.end())
    return found->second.get();
  std::vector<std::string> compiled;
  for (const auto& [name, program] : rewrite.compiled) compiled.push_back(name);
  return rewrite.problemAt("program", "unknown-name", "no step before this one compiles '" + path + "'",
                           spellingFix(path, compiled, "put a step compile_tensors before it"));
}

/// Whether all texts of `when` are the same.
Result<bool> isWanted(const Rewrite& rewrite, const std::vector<std::string>& when) {
  if (when.size() == 1)
    return rewrite.problemAt("when", "missing-value", "one text alone is the same as nothing",
                             "write a knob and one of its choices: [\"=knob\", \"choice\"]");
  return std::ranges::adjacent_find(when, std::not_equal_to()) == when.end();
}

/// What the rewrite says of an argument, as the step's problem.
Diagnostics problemAt(const Rewrite& rewrite, std::string_view argument, Diagnostics found) {
  for (Diagnostic& told : found)
    if (!isCancelled({told}))
      told.place = rewrite.place / Location(Where::Argument, std::string(argument)) / told.place;
  return found;
}

Result<RewriteStep> rewritten(const Rewrite& rewrite, const Arguments& args, const DataflowRewrite& what,
                              const DataflowDesign& design) {
  const std::string_view word = wordFor(what.kind);
  const std::string& place = args.text(std::string(word));
  const RewriteArgument given =
      what.argument.empty() ? RewriteArgument() : args.integers(std::string(what.argument));
  if (place == everywhere) {
    if (!given.empty())
      return rewrite.problemAt(std::string(what.argument), "illegal-step",
                               "everywhere, each place takes what is suggested there",
                               "leave it out, or name one " + std::string(word));
    Result<RewriteStep> step = applyEverywhere(design, what, rewrite.stop);
    return step ? std::move(step) : problemAt(rewrite, word, std::move(step).diagnostics());
  }
  const Result<RewritePlace> at = placeNamed(design, what.kind, place);
  if (!at) return problemAt(rewrite, word, at.diagnostics());
  const RewriteArgument suggested = what.suggested(design, *at);
  Result<RewriteStep> step = applyRewrite(design, {&what, *at, given.empty() ? suggested : given});
  if (step) return step;
  const bool wrong_numbers = !given.empty() && what.check(design, *at, suggested);
  return problemAt(rewrite, wrong_numbers ? what.argument : word, std::move(step).diagnostics());
}

Result<Done> rewriteDesign(Rewrite& rewrite, const Arguments& args, const DataflowRewrite& what) {
  const std::string& path = args.text("program");
  // One design at a time waits to be lowered, so that nodes are named in the order of the steps.
  for (const auto& [other, program] : rewrite.compiled)
    if (other != path && !program->finished) SLUICE_CHECK(lowerCompiled(rewrite));
  SLUICE_TRY(const CompiledProgram* before, programOf(rewrite, path));
  SLUICE_TRY(const bool wanted, isWanted(rewrite, args.texts("when")));
  if (!wanted) return Done{};
  if (before->finished && !standsAsLowered(rewrite, *before))
    return rewrite.problemAt("program", "stale-step", "steps before have changed what '" + path + "' became",
                             "move this step in front of them, right behind compile_tensors");
  SLUICE_TRY(RewriteStep step, rewritten(rewrite, args, what, before->compilation.compiled.rewritable));
  auto after = std::make_shared<CompiledProgram>(*before);
  CompiledDesign& compiled = after->compilation.compiled;
  compiled.rewrites.push_back({step.text, difference(step.summary_before, step.summary_after)});
  compiled.rewritable = std::move(step.after);
  after->finished = false;
  rewrite.compiled[path] = std::move(after);
  return Done{};
}

TransformationSpec specOf(const DataflowRewrite& what) {
  const std::string word(wordFor(what.kind));
  TransformationSpec spec;
  spec.name = transformationOf(what.name);
  spec.summary = "Rewrites a compiled design: " + std::string(what.purpose) + ".";
  spec.paper = "StreamTensor 3.3";
  spec.arguments = {
      {"program", ArgumentKind::CompiledProgram, {}, {}, "the tensor program, which a step before compiles"},
      {word, ArgumentKind::DesignPlace, {}, {}, "the " + word + " of its design, or everywhere"}};
  if (!what.argument.empty())
    spec.arguments.push_back({std::string(what.argument),
                              ArgumentKind::Integers,
                              Value(std::vector<Value>{}),
                              {},
                              std::string(what.argument_help) + "; [] takes what is suggested"});
  spec.arguments.push_back({"when",
                            ArgumentKind::Texts,
                            Value(std::vector<Value>{}),
                            {},
                            "texts that must be the same for the step to be applied: a knob \"=knob\" and "
                            "one of its choices"});
  spec.effect = what.effect;
  return spec;
}

template <std::size_t index>
Result<Done> apply(Rewrite& rewrite, const Arguments& args) {
  return rewriteDesign(rewrite, args, dataflowRewrites()[index]);
}

/// What is suggested, and of it twice and half of each number, where the rewrite takes that.
std::vector<Value> argumentsAt(const DesignIndex& design, const RewriteOffer& offer) {
  const RewriteChoice& choice = offer.choice;
  const auto written = [](const RewriteArgument& argument) {
    return Value(std::vector<Value>(argument.begin(), argument.end()));
  };
  std::vector<Value> values{written(choice.argument)};
  for (std::size_t i = 0; i < choice.argument.size(); ++i) {
    for (const std::int64_t other : {choice.argument[i] * 2, choice.argument[i] / 2}) {
      RewriteArgument argument = choice.argument;
      argument[i] = other;
      if (other >= 1 && choice.rewrite->check(design, choice.place, argument))
        values.push_back(written(argument));
    }
  }
  return values;
}

/// The places of one design where a rewrite is legal, then all of them at once.
void proposeIn(Sites& sites, const std::string& path, const DesignIndex& design, const DataflowRewrite& what,
               std::vector<Proposal>& found) {
  const std::string word(wordFor(what.kind)), argument(what.argument);
  std::size_t places = 0;
  for (RewriteOffer& offer : offersOf(design, what)) {
    Proposal proposal{
        sites.step({{"program", path}, {word, Value(placeName(design.design(), offer.choice.place))}})};
    if (offer.refused) {
      sites.refuse(std::move(proposal.step), {*std::move(offer.refused)});
      continue;
    }
    ++places;
    if (!argument.empty() && !offer.choice.argument.empty())
      proposal.domains.push_back(choices(argument, argumentsAt(design, offer)));
    found.push_back(std::move(proposal));
  }
  // Not tried: at the first of the places it is legal, and some rewrites take seconds everywhere.
  if (places > 1) found.push_back({sites.step({{"program", path}, {word, Value(std::string(everywhere))}})});
}

std::vector<Proposal> propose(Sites& sites, const DataflowRewrite& what) {
  std::vector<Proposal> found;
  for (const auto& [path, program] : sites.compiled())
    if (const DesignIndex* design = sites.rewritable(path)) proposeIn(sites, path, *design, what, found);
  return found;
}

template <std::size_t index>
std::vector<Proposal> proposals(Sites& sites) {
  return propose(sites, dataflowRewrites()[index]);
}

template <std::size_t... index>
std::vector<Transformation> all(std::index_sequence<index...>) {
  return {Transformation{specOf(dataflowRewrites()[index]), apply<index>, &dataflowRewrites()[index],
                         proposals<index>}...};
}

}  // namespace

std::string transformationOf(std::string_view rewrite) {
  std::string name(rewrite);
  std::ranges::replace(name, ' ', '_');
  return name;
}

std::span<const Transformation> designRewrites() {
  static const std::vector<Transformation> definitions =
      all(std::make_index_sequence<dataflow_rewrite_count>());
  return definitions;
}

}  // namespace sluice::inline schedule
