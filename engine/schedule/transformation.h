#pragma once
// Transformation: a rewrite of the program that a step of the schedule asks for - tiling, parallelization,
// time-multiplexing, a rewrite of a compiled dataflow design. Each file of this folder defines one, but for
// those of dataflow designs (design_rewrites.cpp); registry.cpp lists them. A step that cannot be applied is
// refused with what stands in its way, and leaves the program as it was.

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/registry.h"
#include "engine/operators/inference.h"
#include "engine/program/document.h"

namespace sluice::inline tensor {
struct DataflowRewrite;
}

namespace sluice::inline schedule {

struct CompiledProgram;
struct Proposal;
class Sites;

enum class ArgumentKind {
  Integer,
  Integers,  ///< a list, or one of them
  Choice,
  Region,           ///< "layer.expert": what the step works on
  Operator,         ///< "expert.up_load": a node that `fits`
  RegionInput,      ///< an input of the step's region: "x"
  RegionStream,     ///< a stream in the step's region, by its source: "k_load.out"
  AnyInput,         ///< an operator's input: "expert.up.in2"; * for all
  CompiledProgram,  ///< the node of a tensor program that a step before has compiled: "layer.block"
  DesignPlace,      ///< where in that program's design: "query.out0 -> scores.in0"; or everywhere
  Texts             ///< a list, each of whose entries may be a choice's "=knob"
};

struct ArgumentSpec {
  std::string name;
  ArgumentKind kind = ArgumentKind::Integer;
  std::optional<Value> initial;      ///< absent: must be given
  std::vector<std::string> choices;  ///< Choice
  std::string help;
  Range range{1};                       ///< Integer, Integers
  bool (*fits)(const Node&) = nullptr;  ///< Operator
};
/// A node of the program as it is drawn.
bool namesNode(const ArgumentSpec& argument);
bool namesPort(const ArgumentSpec& argument);
/// Whether the argument may be the name of this node.
bool mayName(const ArgumentSpec& argument, const Node& node);

struct TransformationSpec {
  std::string name;                     ///< "tile"
  std::string summary;                  ///< one sentence
  std::string paper;                    ///< "STeP 5.2"
  std::vector<ArgumentSpec> arguments;  ///< what the step works on comes first
  std::string effect = {};              ///< on shapes, memory, traffic and time, in sentences
};

/// The arguments of one step at one design point.
class Arguments {
 public:
  struct Argument {
    Value written;           ///< as the step has it: what goes into parameters, so that knobs stay symbols
    std::int64_t value = 0;  ///< Integer
    std::string text;        ///< Choice, and what is named
    std::vector<std::string> texts = {};    ///< Texts
    std::vector<std::int64_t> values = {};  ///< Integers
  };
  std::map<std::string, Argument> all;

  // Asking for an argument that the spec does not have is a bug and throws.
  std::int64_t integer(const std::string& name) const { return all.at(name).value; }
  const Value& written(const std::string& name) const { return all.at(name).written; }
  const std::string& text(const std::string& name) const { return all.at(name).text; }
  const std::vector<std::string>& texts(const std::string& name) const { return all.at(name).texts; }
  const std::vector<std::int64_t>& integers(const std::string& name) const { return all.at(name).values; }
};

/// What steps have compiled (compile_tensors.h), by the path of the node that was its tensor program.
using CompiledPrograms = std::map<std::string, std::shared_ptr<const CompiledProgram>>;

/// A program elaborated, and the types of its streams.
struct TypedProgram {
  FlatGraph graph;
  Inference inference;
};

/// A program with the inputs that it reads, and the designs of those of its parts that were compiled: steps
/// rewrite them.
struct ScheduledProgram {
  Document document;
  InputSet inputs;
  CompiledPrograms compiled = {};
  /// The document's, where they are known already: many steps may be tried on one program. A Rewrite takes
  /// them away, as it may change the document.
  std::shared_ptr<const TypedProgram> typed = {};
};

/// What a transformation works on: the program, and the stream types that it had when the step began.
class Rewrite {
 public:
  Rewrite(ScheduledProgram& scheduled, const KnobValues& knob_values, Location step_place,
          std::stop_token stop_token = {})
      : document(scheduled.document),
        inputs(scheduled.inputs),
        compiled(scheduled.compiled),
        knobs(knob_values),
        place(std::move(step_place)),
        stop(std::move(stop_token)),
        typed_(std::exchange(scheduled.typed, nullptr)) {}

  Document& document;
  InputSet& inputs;
  CompiledPrograms& compiled;
  const KnobValues& knobs;
  const Location place;        ///< "schedule step 2, tile"
  const std::stop_token stop;  ///< what takes long fails with cancelledDiagnostic() at a request

  /// Why the step cannot be applied: code illegal-step, unless it says another.
  Diagnostic problem(std::string cause, std::string fix) const;
  Diagnostic problem(Code code, std::string cause, std::string fix) const;
  /// What is wrong with something that the step makes, as the step's problem.
  Diagnostic problem(const Diagnostics& found) const;
  /// Why one of its arguments cannot be what it is.
  Diagnostic problemAt(const std::string& argument, Code code, std::string cause, std::string fix) const;
  /// "expert" or "layer.expert"; the diagnostic lists what there is.
  Result<Node*> region(const std::string& path) const;
  /// The graph that a dotted path's last name lies in, which must be one of its nodes.
  Result<Graph*> graphOf(const std::string& path) const;

  /// The value of an integer as written, at this point.
  Result<std::int64_t> evaluate(const Value& value) const;
  /// A name that no constant, knob or input has: the wish, or with _2, _3 ...
  std::string freshName(const std::string& wish) const;
  /// Adds an input with inline values.
  std::string addInput(const std::string& wish, InputKind kind, IntTensor values, std::int64_t experts = 0);

  /// Infers the types of the program, unless they are known; to be called before the first change. Those that
  /// the program had then stay.
  Result<Done> inferTypes();
  /// Null before inferTypes().
  const std::shared_ptr<const TypedProgram>& typed() const { return typed_; }
  /// Of the stream into the input, or out of the output, of an operator (its first instance, the first
  /// stream of a bundle); nullptr if there is none.
  const StreamType* typeInto(const std::string& node, const std::string& port) const;
  const StreamType* typeOutOf(const std::string& node, const std::string& port) const;
  /// Whether the output of an operator is one stream and not a bundle.
  bool isSinglePort(const std::string& node, const std::string& port) const;
  /// Of what enters a region's input.
  const StreamType* typeAtBoundary(const std::string& region_path, const std::string& input) const;
  /// An extent as a parameter, and as a number at this point; nothing if only the run knows it.
  std::optional<Value> written(const Expr& extent) const;
  std::optional<std::int64_t> number(const Expr& extent) const;
  /// Of every stream of the elaborated program; none before inferTypes().
  std::span<const StreamType> types() const {
    return typed_ ? std::span<const StreamType>(typed_->inference.streams) : std::span<const StreamType>();
  }

 private:
  const StreamType* typeAt(const std::string& node, const std::string& port, bool output) const;

  /// Those of that origin which the program has itself.
  std::vector<const FlatOperator*> operatorsOf(const std::string& node) const;

  std::shared_ptr<const TypedProgram> typed_;
};

struct Transformation {
  TransformationSpec spec;
  /// Changes the program, or refuses with a diagnostic; then what it has changed so far is thrown away.
  Result<Done> (*apply)(Rewrite& rewrite, const Arguments& arguments) = nullptr;
  const DataflowRewrite* rewrite = nullptr;  ///< of a compiled design; null: it changes the program itself
  /// Where it is legal in a program, and which arguments make sense there (proposals.h); null: what its
  /// arguments' specs allow is tried.
  std::vector<Proposal> (*proposals)(Sites& sites) = nullptr;
};

/// Plug-ins add to it.
Registry<const Transformation*>& transformationRegistry();
std::span<const Transformation* const> registeredTransformations();
const Transformation* findTransformation(const std::string& name);

// What the specs list.
ArgumentSpec regionArgument();
ArgumentSpec integerArgument(std::string name, std::string help, std::optional<Value> initial = {},
                             const Range& range = {1});
ArgumentSpec choiceArgument(std::string name, std::vector<std::string> choices, std::string help);
ArgumentSpec operatorArgument(std::string name, bool (*fits)(const Node&), std::string help);
ArgumentSpec portArgument(std::string name, ArgumentKind kind, std::string help,
                          std::optional<Value> initial = {});

}  // namespace sluice::inline schedule
