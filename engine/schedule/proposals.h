#pragma once
// Proposals: where a transformation may be applied in a program, and which arguments make sense there. Each
// transformation says so beside its `apply`; one that does not is asked by its arguments' specs alone. What
// is proposed has been tried: it applies, and gives a program that can be typed.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/schedule/transformation.h"
#include "engine/tensor/dataflow/design_index.h"

namespace sluice::inline schedule {

/// The values that make sense for one argument of a step, in order.
struct ArgumentDomain {
  enum class Kind { Number, Category };
  /// Another argument, of a domain before this one, has one of these values.
  struct Condition {
    std::string argument;
    std::vector<Value> among;
    bool operator==(const Condition&) const = default;
  };

  std::string argument;
  Kind kind = Kind::Number;
  std::vector<Value> values;         ///< never empty; numbers ascend
  std::vector<Condition> when = {};  ///< where all hold there is a choice. Of several domains of one argument
                                     ///< at most one has it; without any the argument is left out
  bool operator==(const ArgumentDomain&) const = default;
};

/// The product of these arguments has an upper end: beyond it nothing would change.
struct ProductLimit {
  std::vector<std::string> arguments;
  std::int64_t at_most = 1;
  bool operator==(const ProductLimit&) const = default;
};

/// What a step is for, by the name of a metric. What it does in numbers is reported by explorer/preview.h.
struct ExpectedChange {
  enum class Direction { Down, Up };
  std::string metric;
  Direction direction = Direction::Down;
  bool operator==(const ExpectedChange&) const = default;
};

struct Proposal {
  ScheduleStep step;  ///< with its site, and with the arguments that leave no choice
  std::vector<ArgumentDomain> domains = {};
  std::vector<ProductLimit> limits = {};
  std::vector<ExpectedChange> expected = {};
  bool operator==(const Proposal&) const = default;
};

/// A step that was tried and is not legal, and why.
struct RefusedStep {
  ScheduleStep step;
  Diagnostics why;
};

struct Proposals {
  std::vector<Proposal> legal;  ///< in the order of the registry, then of the program
  std::vector<RefusedStep> refused;
};

/// How a step is tried before it is proposed. ShapeContext what it gives takes most of the time; without it a
/// step may be among the legal ones that gives a program which is refused.
enum class Tried { Typed, Applied };

/// All steps that may follow behind the document's schedule, at one design point. A function of its arguments
/// alone. Fails where the schedule does, and at a stop request.
Result<Proposals> proposalsFor(const Document& document, const InputSet& inputs, const KnobValues& knobs,
                               const std::stop_token& stop = {}, Tried tried = Tried::Typed);
/// The same for a program whose schedule has been applied.
Result<Proposals> proposalsFor(const ScheduledProgram& scheduled, const KnobValues& knobs,
                               const std::stop_token& stop = {}, Tried tried = Tried::Typed);

/// Chooses a value of a domain, by its position; the domain has only values that its limits leave.
using Chooser = std::function<std::size_t(const ArgumentDomain&)>;
/// One step of a proposal: `choose` is asked for each domain that has a choice, in order.
ScheduleStep stepOf(const Proposal& proposal, const Chooser& choose);
/// Whether a step with these arguments is one of them. Those that leave nothing to choose may have any value
/// where the step does not heed them, and their defaults elsewhere.
bool contains(const Proposal& proposal, const ScheduleStep& step);

/// What a transformation asks of a program in order to propose its steps there.
class Sites {
 public:
  /// Fails only at a stop request: of a program that cannot be typed yet, steps are proposed that finish it.
  static Result<Sites> of(const ScheduledProgram& scheduled, const KnobValues& knobs,
                          const std::stop_token& stop);

  const Document& document() const { return own_->scheduled.document; }
  const CompiledPrograms& compiled() const { return own_->scheduled.compiled; }
  /// The design of a compiled program; null where steps have changed what it became.
  const DesignIndex* rewritable(const std::string& path);
  const std::stop_token& stop() const { return own_->stop; }
  /// The program as it is, with its types; to be asked, not to be changed.
  Rewrite& typed() { return own_->rewrite; }

  /// A step of the transformation that is asked.
  ScheduleStep step(Values arguments) const;
  /// What one of its arguments may name; `region`: that of the step.
  std::vector<std::string> names(const std::string& argument, const std::string& region = {}) const;
  /// Whether the step can be applied, changes something, and leaves a program that can be typed if this one
  /// can. If not, the reason is kept.
  bool applies(const ScheduleStep& step);
  /// Those of the values with which it does.
  std::vector<Value> applicable(ScheduleStep step, const std::string& argument,
                                const std::vector<Value>& values);
  void refuse(ScheduleStep step, Diagnostics why);

 private:
  friend Result<Proposals> proposalsFor(const ScheduledProgram&, const KnobValues&, const std::stop_token&,
                                        Tried);

  struct Own {
    Own(const ScheduledProgram& from, const KnobValues& values, const std::stop_token& token)
        : scheduled(from), knobs(values), stop(token), rewrite(scheduled, knobs, Location(), stop) {}
    ScheduledProgram scheduled;
    const KnobValues knobs;
    const std::stop_token stop;
    Rewrite rewrite;
    std::map<std::string, std::optional<DesignIndex>> rewritable = {};  ///< of those that were asked for
  };

  explicit Sites(std::unique_ptr<Own> own) : own_(std::move(own)) {}
  Diagnostics whyNot(const ScheduleStep& step) const;

  std::unique_ptr<Own> own_;
  const Transformation* asked_ = nullptr;
  Tried tried_ = Tried::Typed;
  std::vector<RefusedStep> refused_;
};

/// What a transformation has that proposes nothing itself: every site that its arguments' kinds and `fits`
/// allow, whole numbers as powers of two within their range, every choice.
std::vector<Proposal> proposalsBySpec(Sites& sites, const TransformationSpec& spec);

// Domains that several transformations have; empty ones where no number is left.
ArgumentDomain numbers(std::string argument, const std::vector<std::int64_t>& values,
                       std::vector<ArgumentDomain::Condition> when = {});
ArgumentDomain choices(std::string argument, std::vector<Value> values,
                       std::vector<ArgumentDomain::Condition> when = {});
std::vector<std::int64_t> powersOfTwo(std::int64_t least, std::int64_t most);
/// Those of `number` from `least` to `most`.
std::vector<std::int64_t> divisors(std::int64_t number, std::int64_t least, std::int64_t most);
/// Both, each number once, in order.
std::vector<std::int64_t> merged(std::vector<std::int64_t> some, const std::vector<std::int64_t>& others);

}  // namespace sluice::inline schedule
