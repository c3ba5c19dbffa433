// Bad and random schedules: whatever steps are asked for, with whatever arguments, in whatever order - the
// answer is a diagnostic that names the step, or a program that computes the same tensors.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "engine/operators/functional.h"
#include "engine/operators/simulate.h"
#include "engine/program/elaborate.h"
#include "engine/schedule/compiled_program.h"
#include "engine/schedule/schedule.h"
#include "engine/tensor/dataflow/rewrites.h"
#include "engine/workloads/workload_builder.h"
#include "tests/engine/support/documents.h"

namespace sluice::schedule_mistakes_test {

using testing_support::workloadOf;

/// A small program without a schedule, and the tensors that it stores.
struct Base {
  std::string name;
  std::shared_ptr<const Workload> workload;
  TensorSet stored;
};

Result<TensorSet> computed(const Document& document, const InputSet& inputs, const KnobValues& knobs) {
  const Result<FlatGraph> graph = elaborate(document, knobs, builtInCatalog());
  if (!graph) return graph.diagnostics();
  if (const Result<Inference> typed = infer(*graph, inputs); !typed) return typed.diagnostics();
  return compute(*graph, inputs);
}

Base baseOf(const std::string& name, const Sizes& sizes) {
  Result<Document> document = buildWorkload(name, "", sizes);
  if (!document) throw std::runtime_error(text(document.diagnostics()));
  document->schedule.clear();
  Base base{name, workloadOf(*std::move(document)), {}};
  Result<TensorSet> stored =
      computed(base.workload->document, base.workload->inputs, defaultKnobs(base.workload->document));
  if (!stored) throw std::runtime_error(text(stored.diagnostics()));
  base.stored = *std::move(stored);
  return base;
}

/// A tensor program, which does not run before a step compiles it: of every kind of kernel, but small, as it
/// is compiled a thousand times.
Base blockBase() {
  static const std::string program = R"(program @block {
    %x = input tensor<16x64xi8>
    %g = weight tensor<64xbf16>
    %b = weight tensor<64xbf16>
    %v = weight tensor<64x64xi4>
    %u = weight tensor<128x64xi4>
    %d = weight tensor<64x128xi4>
    %n = layer_norm(%x, %g, %b) tensor<16x64xi8>
    %q = linear(%n, %v) tensor<16x64xi8>
    %h = reshape(%q) tensor<16x4x16xi8>
    %t = transpose(%h) {permutation = [1, 0, 2]} tensor<4x16x16xi8>
    %s = softmax(%t) tensor<4x16x16xi8>
    %m = batched_matmul(%s, %t) tensor<4x16x16xi8>
    %k = transpose(%m) {permutation = [1, 0, 2]} tensor<16x4x16xi8>
    %o = reshape(%k) tensor<16x64xi8>
    %r = add(%o, %x) tensor<16x64xi8>
    %p = linear(%r, %u) {after = [gelu]} tensor<16x128xi8>
    %e = linear(%p, %d) {after = [add %r]} tensor<16x64xi8>
    return %e
  })";
  Document document;
  document.program.nodes = {testing_support::node("block", "TensorProgram", {{"text", program}})};
  return {"block", workloadOf(std::move(document)), {}};
}

const std::vector<Base>& bases() {
  static const std::vector<Base> all = {
      baseOf("moe", {{"B", 8}, {"D", 16}, {"E", 4}, {"F", 32}, {"K", 2}, {"f", 8}, {"compute", 64}}),
      baseOf(
          "attention",
          {{"B", 8}, {"N", 16}, {"d", 8}, {"q", 2}, {"kv", 4}, {"block", 2}, {"compute", 64}, {"depth", 2}}),
      baseOf("gnn", {{"N", 16}, {"E", 40}, {"D", 6}, {"H", 4}, {"block", 2}}),
      baseOf("deepseek_moe", {{"B", 8}, {"D", 8}, {"E", 4}, {"F", 12}, {"K", 2}, {"f", 4}, {"S", 1}}),
      baseOf("wavefront", {{"N", 3}, {"M", 5}, {"Q", 16}}),
      blockBase()};
  return all;
}

class StepMaker {
 public:
  explicit StepMaker(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t bound) { return random_() % bound; }
  bool chance(std::size_t percent) { return below(100) < percent; }

  /// A step for the program as it is; mostly with names that exist.
  ScheduleStep make(const ScheduledProgram& scheduled) {
    operators_.clear();
    regions_.clear();
    design_ = scheduled.compiled.empty()
                  ? nullptr
                  : &scheduled.compiled.begin()->second->compilation.compiled.rewritable;
    collect(scheduled.document.program, "");
    const Transformation& made = transformation(scheduled.document);
    rewrite_ = made.rewrite;
    ScheduleStep step{made.spec.name, {}, true};
    for (const ArgumentSpec& argument : made.spec.arguments) {
      if (chance(argument.initial ? 30 : 1)) continue;
      step.arguments[argument.name] = chance(2) ? nonsense() : sensible(argument, step.arguments);
    }
    if (chance(1)) step.arguments["colour"] = 3;
    return step;
  }

 private:
  /// Of a compiled design mostly its rewrites, which all others refuse.
  const Transformation& transformation(const Document& document) {
    if (document.program.find("block") && chance(70)) return *findTransformation("compile_tensors");
    const bool rewrites = chance(design_ ? 80 : 2);
    std::vector<const Transformation*> some;
    for (const Transformation* known : registeredTransformations())
      if (rewrites == (known->rewrite != nullptr)) some.push_back(known);
    return *pick(some);
  }

  void collect(const Graph& graph, const std::string& prefix) {
    for (const Node& node : graph.nodes) {
      (node.body ? regions_ : operators_).push_back({prefix + node.name, &node});
      if (node.body) collect(node.body->body, prefix + node.name + ".");
    }
    for (const Stream& stream : graph.streams)
      if (stream.to.node != "region") ends_.push_back(prefix + stream.to.node + "." + stream.to.port);
  }

  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }

  Value nonsense() {
    static const std::vector<Value> values = {Value(-1),
                                              Value(0),
                                              Value(true),
                                              Value(""),
                                              Value("."),
                                              Value("region.x"),
                                              Value("1/0"),
                                              Value("nothing"),
                                              Value("=nothing"),
                                              Value(std::vector<Value>{1, 2}),
                                              Value(std::int64_t{1} << 62)};
    return pick(values);
  }

  static const std::vector<std::vector<Value>>& textLists() {
    static const std::vector<std::vector<Value>> lists = {{}, {"a", "a"}, {"a", "b"}, {"a"}};
    return lists;
  }

  static const std::vector<std::vector<Value>>& numberLists() {
    static const std::vector<std::vector<Value>> lists = {{}, {}, {2}, {2, 2}, {16, 16}, {1, 8}};
    return lists;
  }

  /// Any place of the design, most of them legal.
  Value designPlace() {
    if (!design_ || !rewrite_ || chance(30)) return Value("everywhere");
    const std::vector<RewriteChoice> legal = applicablePlaces(*design_, *rewrite_);
    if (!legal.empty() && chance(70)) return Value(placeName(*design_, pick(legal).place));
    const std::vector<RewritePlace> all = placesOf(*design_, rewrite_->kind);
    return Value(placeName(*design_, pick(all)));
  }

  Value integer() {
    static const std::vector<Value> values = {1, 2, 2, 3, 4, 4, 5, 6, 8, 12, 16, 64};
    return pick(values);
  }

  Value sensible(const ArgumentSpec& argument, const Values& given) {
    if (argument.kind == ArgumentKind::Integer) return integer();
    if (argument.kind == ArgumentKind::Choice) return Value(pick(argument.choices));
    if (argument.kind == ArgumentKind::Integers) return Value(pick(numberLists()));
    if (argument.kind == ArgumentKind::Texts) return Value(pick(textLists()));
    if (argument.kind == ArgumentKind::CompiledProgram) return Value("block");
    if (argument.kind == ArgumentKind::DesignPlace) return designPlace();
    if (namesNode(argument)) return Value(nodeName(argument));
    if (argument.kind == ArgumentKind::AnyInput)
      return Value(ends_.empty() || chance(30) ? "*" : pick(ends_));
    const auto region = given.find("region");  // the other ports are of that region
    for (const auto& [path, node] : regions_) {
      if (region == given.end() || !(region->second == Value(path))) continue;
      std::vector<std::string> ports = node->body->inputs;
      if (argument.kind == ArgumentKind::RegionStream) {
        ports.clear();
        for (const Stream& stream : node->body->body.streams) ports.push_back(text(stream.from));
      }
      if (!ports.empty()) return Value(pick(ports));
    }
    return Value("x");
  }

  std::string nodeName(const ArgumentSpec& argument) {
    if (argument.kind == ArgumentKind::Region && !regions_.empty() && chance(97)) return pick(regions_).first;
    std::vector<std::string> fitting;  // loads to split, products to cut
    for (const auto& [path, node] : operators_)
      if (mayName(argument, *node)) fitting.push_back(path);
    return fitting.empty() || chance(4) ? pick(operators_).first : pick(fitting);
  }

  std::mt19937_64 random_;
  std::vector<std::pair<std::string, const Node*>> operators_, regions_;
  std::vector<std::string> ends_;
  const DataflowDesign* design_ = nullptr;    ///< of the program, if it is compiled
  const DataflowRewrite* rewrite_ = nullptr;  ///< that the step is
};

std::string stepsText(const std::vector<ScheduleStep>& steps) {
  std::string all;
  for (const ScheduleStep& step : steps) {
    all += step.transformation;
    for (const auto& [name, value] : step.arguments) all += " " + name + "=" + text(value);
    all += "\n";
  }
  return all;
}

/// Why a refused schedule is refused badly; empty if it is well.
std::string complaint(const Diagnostics& diagnostics) {
  if (diagnostics.empty()) return "no diagnostic";
  std::string all;
  for (const Diagnostic& diagnostic : diagnostics) {
    // A tensor program that no step has compiled yet is not a step's mistake.
    const bool uncompiled = diagnostic.fix.find("compile_tensors") != std::string::npos;
    if (!text(diagnostic.place).starts_with("schedule step ") && !uncompiled) all += "the place is no step: ";
    if (diagnostic.cause.empty() || diagnostic.fix.empty()) all += "no cause or no fix: ";
  }
  return all.empty() ? all : all + text(diagnostics);
}

struct Outcome {
  bool refused = false, transformed = false;
  std::string wrong;                          ///< empty: as it should be
  std::optional<ScheduledProgram> scheduled;  ///< where the steps themselves are taken
};

/// What is compiled runs, if it is small enough to try; without values to compare.
std::string runWrong(const ScheduledProgram& scheduled, const KnobValues& knobs) {
  const Result<FlatGraph> graph = elaborate(scheduled.document, knobs, builtInCatalog());
  if (!graph) return "does not elaborate";
  std::int64_t tokens = 0;
  for (const FlatOperator& op : graph->operators) {
    if (op.spec->kind == "TensorProgram") return "";
    if (op.spec->kind != "Kernel") continue;
    for (const BoundInteger& count : op.parameters.list("takes")) tokens += count.value;
  }
  if (tokens > 100'000) return "";
  const SimulationResult run = simulate(*graph, scheduled.inputs);
  return run.fault ? "a fault: " + run.fault->cause : "";
}

/// Why the program that the steps give is wrong; empty if it is right.
std::string wrongOf(const Base& base, const ScheduledProgram& scheduled, const KnobValues& knobs) {
  if (base.name == "block") return runWrong(scheduled, knobs);
  const Result<TensorSet> stored = computed(scheduled.document, scheduled.inputs, knobs);
  if (!stored) return "not a program that runs: " + text(stored.diagnostics());
  std::string wrong;
  for (const auto& [name, tensor] : base.stored) {
    const auto found = stored->find(name);
    if (found == stored->end() || maxRelativeError(found->second, tensor) > 1e-4)
      wrong += "another tensor '" + name + "'\n";
  }
  return wrong;
}

Outcome outcomeOf(const Base& base, const std::vector<ScheduleStep>& steps) {
  Document document = base.workload->document;
  document.schedule = steps;
  const KnobValues knobs = defaultKnobs(document);
  Result<ScheduledProgram> scheduled = applySchedule(document, base.workload->inputs, knobs);
  std::optional<ScheduledProgram> taken = scheduled ? std::optional(*scheduled) : std::nullopt;
  const auto symbolic = evaluateSymbolic(*workloadOf(document), knobs);  // as a user does it
  if (!symbolic) return {true, false, complaint(symbolic.diagnostics()), std::move(taken)};
  if (!scheduled) return {true, false, "refused: " + text(scheduled.diagnostics()), {}};
  return {false, scheduled->document != document, wrongOf(base, *scheduled, knobs), std::move(taken)};
}

TEST(ScheduleFuzz, EveryScheduleIsRefusedOrLeavesTheTensorsAsTheyAre) {
  constexpr std::uint64_t schedules = 600;
  std::map<std::string, int> refused, done;
  for (std::uint64_t seed = 0; seed < schedules; ++seed) {
    const Base& base = bases()[seed % bases().size()];
    StepMaker maker(seed + 1);
    ScheduledProgram scheduled{base.workload->document, base.workload->inputs};
    std::vector<ScheduleStep> steps;
    for (std::size_t left = 1 + maker.below(3), tries = 0; left > 0 && tries < 6; ++tries) {
      const ScheduleStep step = maker.make(scheduled);
      steps.push_back(step);
      Outcome outcome = outcomeOf(base, steps);
      if (!outcome.wrong.empty())
        ADD_FAILURE() << "seed " << seed << ", " << base.name << "\n" << stepsText(steps) << outcome.wrong;
      ++(outcome.refused ? refused : done)[step.transformation];
      if (!outcome.scheduled || !outcome.wrong.empty()) {
        steps.pop_back();
        continue;
      }
      scheduled = *std::move(outcome.scheduled);
      --left;
    }
  }
  int rewritten = 0, not_rewritten = 0;
  for (const Transformation* known : registeredTransformations()) {
    if (known->rewrite) {
      rewritten += done[known->spec.name], not_rewritten += refused[known->spec.name];
      continue;
    }
    EXPECT_GE(done[known->spec.name], 20) << known->spec.name;
    EXPECT_GE(refused[known->spec.name], known->spec.arguments.empty() ? 0 : 20) << known->spec.name;
  }
  EXPECT_GE(rewritten, 30);
  EXPECT_GE(not_rewritten, 40);
}

const Base& baseNamed(const std::string& name) {
  for (const Base& base : bases())
    if (base.name == name) return base;
  throw std::logic_error("no base " + name);
}

const std::string weight = "expert.up_load";

/// Steps that small programs take.
const std::vector<std::pair<std::string, ScheduleStep>>& goodSteps() {
  static const Values attention = {{"region", "attend"}, {"ways", 2}, {"block", 2}, {"signal", "k_load.out"}};
  const auto spread = [](const char* method) {
    Values arguments = attention;
    arguments["method"] = method;
    return ScheduleStep{"parallelize", arguments, true};
  };
  static const std::vector<std::pair<std::string, ScheduleStep>> steps = {
      {"moe", {"tile", {{"region", "expert"}, {"input", "x"}, {"method", "static"}, {"rows", 4}}, true}},
      {"moe", {"tile", {{"region", "expert"}, {"input", "x"}, {"method", "dynamic"}, {"rows", 4}}, true}},
      {"moe", {"split", {{"load", weight}, {"axis", "columns"}, {"size", 8}}, true}},
      {"moe", {"time_multiplex", {{"region", "expert"}, {"regions", 2}}, true}},
      {"moe", {"hierarchical_tile", {{"node", "expert.up"}, {"unit", 8}}, true}},
      {"moe", {"broadcast", {}, true}},
      {"moe", {"fifo_depth", {{"to", "expert.up.in2"}, {"depth", 4}}, true}},
      {"attention", spread("coarse")},
      {"attention", spread("interleaved")},
      {"attention", spread("dynamic")},
      {"attention", {"hierarchical_tile", {{"node", "attend.score"}, {"unit", 1}}, true}},
      {"gnn",
       {"parallelize", {{"region", "aggregate"}, {"method", "coarse"}, {"ways", 2}, {"block", 4}}, true}},
      {"gnn", {"tile", {{"region", "update"}, {"input", "x"}, {"method", "static"}, {"rows", 4}}, true}},
      {"gnn", {"split", {{"load", "update.weight_load"}, {"axis", "columns"}, {"size", 2}}, true}},
      {"deepseek_moe", {"tile", {{"region", "shared"}, {"input", "x"}, {"method", "dynamic"}}, true}},
      {"deepseek_moe", {"time_multiplex", {{"region", "expert"}, {"regions", 1}}, true}},
      {"block", {"compile_tensors", {{"program", "block"}, {"tile", 32}}, true}},
      {"wavefront", {"broadcast", {}, true}},
      {"wavefront", {"fifo_depth", {{"to", "*"}, {"depth", 9}}, true}}};
  return steps;
}

TEST(ScheduleMistakes, GoodStepsAreTakenAndLeaveTheTensorsAsTheyAre) {
  for (const auto& [name, step] : goodSteps()) {
    const Outcome outcome = outcomeOf(baseNamed(name), {step});
    EXPECT_TRUE(outcome.wrong.empty() && outcome.transformed) << stepsText({step}) << outcome.wrong;
  }
}

/// Every pair of steps of a program, a step with itself, too.
TEST(ScheduleMistakes, TwoStepsInEitherOrderAreRefusedOrLeaveTheTensorsAsTheyAre) {
  for (const auto& [name, first] : goodSteps()) {
    for (const auto& [other, second] : goodSteps()) {
      if (other != name) continue;
      const Outcome outcome = outcomeOf(baseNamed(name), {first, second});
      EXPECT_TRUE(outcome.wrong.empty()) << stepsText({first, second}) << outcome.wrong;
    }
  }
}

/// The only diagnostic of a schedule of one step.
Diagnostic refusalOf(const std::string& name, const ScheduleStep& step) {
  const Base& base = baseNamed(name);
  Document document = base.workload->document;
  document.schedule = {step};
  const auto symbolic = evaluateSymbolic(*workloadOf(document), defaultKnobs(document));
  if (symbolic) return error("none", "none: it is taken", "", "");
  if (symbolic.diagnostics().size() != 1) return error("none", text(symbolic.diagnostics()), "", "");
  return symbolic.diagnostics().front();
}

TEST(ScheduleMistakes, ArgumentsOfAnotherValueKindOrName) {
  for (const Transformation* known : registeredTransformations()) {
    if (known->rewrite) continue;  // design_rewrite_steps_test.cpp
    const TransformationSpec& spec = known->spec;
    const auto good = std::find_if(goodSteps().begin(), goodSteps().end(),
                                   [&](const auto& step) { return step.second.transformation == spec.name; });
    ASSERT_NE(good, goodSteps().end()) << spec.name << " needs a good step";
    const auto expectRefused = [&](const std::string& argument, const std::optional<Value>& value) {
      ScheduleStep step = good->second;
      if (value)
        step.arguments[argument] = *value;
      else
        step.arguments.erase(argument);
      const Diagnostic told = refusalOf(good->first, step);
      EXPECT_EQ(text(told.place).find("schedule step 1, " + spec.name), 0u)
          << stepsText({step}) << text(told);
      EXPECT_FALSE(told.cause.empty() || told.fix.empty()) << stepsText({step}) << text(told);
    };
    expectRefused("colour", Value(1));
    for (const ArgumentSpec& argument : spec.arguments) {
      if (!argument.initial) expectRefused(argument.name, std::nullopt);
      if (argument.kind == ArgumentKind::Integer) {
        for (const Value& wrong : {Value(0), Value(-2), Value(true), Value(std::vector<Value>{1}),
                                   Value("1/0"), Value("nothing"), Value("2 +")})
          expectRefused(argument.name, wrong);
        continue;
      }
      if (argument.name == "signal") continue;  // only the dynamic method reads it
      for (const Value& wrong : {Value(1), Value(true), Value(""), Value("nothing"), Value("nothing.at_all"),
                                 Value("."), Value("=nothing")})
        expectRefused(argument.name, wrong);
    }
  }
}

TEST(ScheduleMistakes, WhatTheProgramDoesNotAllow) {
  const auto spread = [](const char* region, const char* method, Values more) {
    more["region"] = region, more["method"] = method;
    return ScheduleStep{"parallelize", more, true};
  };
  const auto tile = [](const char* region, const char* input, const char* method) {
    return ScheduleStep{"tile", {{"region", region}, {"input", input}, {"method", method}}, true};
  };
  const auto share = [](const char* region, int regions) {
    return ScheduleStep{"time_multiplex", {{"region", region}, {"regions", regions}}, true};
  };
  const auto split = [](const char* load, const char* axis, int size) {
    return ScheduleStep{"split", {{"load", load}, {"axis", axis}, {"size", size}}, true};
  };
  const auto units = [](const char* node, int unit) {
    return ScheduleStep{"hierarchical_tile", {{"node", node}, {"unit", unit}}, true};
  };
  struct Wrong {
    const char* base;
    ScheduleStep step;
    const char *cause, *fix;
  };
  const std::vector<Wrong> all = {
      {"moe", share("expert", 3), "cannot share 3 regions evenly", "divides 4"},
      {"moe", share("expert", 8), "cannot share 8 regions evenly", "divides 4"},
      {"moe", split("expert.up_load", "columns", 5), "which 5 does not divide", "divides"},
      {"moe", split("expert.up", "rows", 2), "is a BinaryMap", "LinearOffChipLoadRef"},
      {"moe", units("expert.up", 3), "no multiple of the unit's 3", "divides"},
      {"moe", units("expert.up", 64), "single unit already", "smaller unit"},
      {"moe", units("expert.up_load", 4), "no matrix product", "BinaryMap"},
      {"moe", tile("expert", "y", "static"), "no input 'y' of tiles", "rows"},
      {"moe", spread("expert", "interleaved", {}), "instances already", "one instance"},
      {"attention", spread("attend", "interleaved", {{"ways", 3}}), "cannot be dealt out evenly to 3",
       "divides"},
      {"attention", spread("attend", "coarse", {{"ways", 2}, {"block", 3}}), "no whole number of blocks of 3",
       "divides"},
      {"attention", spread("attend", "dynamic", {{"ways", 9}, {"signal", "k_load.out"}}), "do not go round 9",
       "at most as many"},
      {"attention", spread("attend", "dynamic", {{"ways", 2}}), "needs a 'signal'", "last tile"},
      {"attention", spread("attend", "dynamic", {{"ways", 2}, {"signal", "no_load.out"}}),
       "no stream 'no_load.out'", "last tile"},
      {"attention", spread("attend", "dynamic", {{"ways", 2}, {"signal", "k_load.in"}}),
       "no stream 'k_load.in'", "last tile"},
      {"attention", spread("attend", "dynamic", {{"ways", 2}, {"signal", "output.out"}}),
       "one group of tiles for each of the 8 requests", "outermost dimension"},
      {"attention", share("attend", 1), "", ""},
      {"attention", tile("attend", "query", "static"), "carries", "Flatten"},
      {"gnn", spread("aggregate", "coarse", {{"ways", 2}, {"block", 7}}), "no whole number of blocks of 7",
       "divides"},
      {"gnn", tile("aggregate", "node", "dynamic"), "no operator of 'aggregate' works on the rows",
       "feeds a Map"},
      {"gnn", split("update.weight_load", "rows", 2), "the cut reaches the region's input 'x'", "inside"},
      {"deepseek_moe", share("shared", 2), "1 instances of 'shared'", "divides 1"},
      {"deepseek_moe", spread("expert", "coarse", {}), "instances already", "one instance"},
      {"wavefront", share("row", 2), "", ""},
      {"wavefront", units("store", 2), "no matrix product", "BinaryMap"}};
  for (const Wrong& wrong : all) {
    if (std::string(wrong.cause).empty()) {  // whatever it is told, it is one of the two outcomes
      EXPECT_EQ(outcomeOf(baseNamed(wrong.base), {wrong.step}).wrong, "") << stepsText({wrong.step});
      continue;
    }
    const Diagnostic told = refusalOf(wrong.base, wrong.step);
    EXPECT_EQ(text(told.place), "schedule step 1, " + wrong.step.transformation) << stepsText({wrong.step});
    EXPECT_NE(told.cause.find(wrong.cause), std::string::npos) << stepsText({wrong.step}) << text(told);
    EXPECT_NE(told.fix.find(wrong.fix), std::string::npos) << stepsText({wrong.step}) << text(told);
  }
}

/// Orders that do not work name the step that comes too late, or too early, and what to do first.
TEST(ScheduleMistakes, OrdersThatDoNotWork) {
  const ScheduleStep tile{"tile", {{"region", "expert"}, {"input", "x"}, {"method", "static"}}, true};
  const ScheduleStep units{"hierarchical_tile", {{"node", "expert.down"}, {"unit", 8}}, true};
  const ScheduleStep copies{"broadcast", {}, true};
  const ScheduleStep share{"time_multiplex", {{"region", "expert"}, {"regions", 2}}, true};
  for (const auto& [steps, fix] : std::vector<std::pair<std::vector<ScheduleStep>, std::string>>{
           {{units, tile}, "tile first"}, {{copies, share}, "behind this step"}}) {
    Document document = baseNamed("moe").workload->document;
    document.schedule = steps;
    const auto symbolic = evaluateSymbolic(*workloadOf(document), defaultKnobs(document));
    ASSERT_FALSE(symbolic) << stepsText(steps);
    const Diagnostic& told = symbolic.diagnostics().front();
    EXPECT_EQ(text(told.place), "schedule step 2, " + steps[1].transformation);
    EXPECT_NE(told.fix.find(fix), std::string::npos) << text(told);
    std::swap(document.schedule[0], document.schedule[1]);
    EXPECT_EQ(outcomeOf(baseNamed("moe"), document.schedule).wrong, "");
    EXPECT_FALSE(outcomeOf(baseNamed("moe"), document.schedule).refused) << stepsText(document.schedule);
  }
}

TEST(ScheduleMistakes, TheReadmeListsEveryStepWithItsArguments) {
  std::ifstream file(std::filesystem::path(SLUICE_SOURCE_DIR) / "README.md");
  std::map<std::string, std::string> rows;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("| `")) rows[line.substr(3, line.find('`', 3) - 3)] = line;
  for (const Transformation* known : registeredTransformations()) {
    ASSERT_TRUE(rows.contains(known->spec.name)) << known->spec.name;
    const std::string row = rows[known->spec.name];
    const std::string arguments = row.substr(row.rfind('|', row.size() - 2));
    for (const ArgumentSpec& argument : known->spec.arguments)
      EXPECT_NE(arguments.find(argument.name), std::string::npos)
          << known->spec.name << ", " << argument.name;
  }
}

}  // namespace sluice::schedule_mistakes_test
