#include "engine/schedule/schedule.h"

#include <algorithm>

#include "engine/core/cancelled.h"
#include "engine/program/binding.h"
#include "engine/program/spelling.h"
#include "engine/schedule/compiled_program.h"

namespace sluice::inline schedule {
namespace {

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Binds the arguments of one step.
class ArgumentReader {
 public:
  ArgumentReader(const TransformationSpec& spec, const Document& document, const KnobValues& knobs,
                 const Location& place)
      : spec_(spec), place_(place), binding_(document, knobs, sink_) {}

  Result<Arguments> read(const Values& given) {
    std::vector<std::string> known;
    for (const ArgumentSpec& argument : spec_.arguments) {
      known.push_back(argument.name);
      const auto found = given.find(argument.name);
      if (found != given.end()) {
        bind(argument, found->second);
      } else if (argument.initial) {
        bind(argument, *argument.initial);
      } else {
        sink_.add("missing-argument", placeOf(argument.name), "it must be given and is missing",
                  "set '" + argument.name + "': " + argument.help);
      }
    }
    for (const auto& [name, value] : given) {
      if (std::find(known.begin(), known.end(), name) == known.end())
        sink_.add("unknown-argument", placeOf(name), "'" + spec_.name + "' has no argument of this name",
                  spellingFix(name, known, "remove it"));
    }
    if (!sink_.empty()) return sink_.diagnostics();
    return std::move(arguments_);
  }

 private:
  Location placeOf(const std::string& argument) const { return place_ / Location(Where::Argument, argument); }

  void bind(const ArgumentSpec& spec, const Value& value) {
    Arguments::Argument argument{value, 0, ""};
    if (bindAs(spec, argument)) arguments_.all[spec.name] = std::move(argument);
  }

  bool bindAs(const ArgumentSpec& spec, Arguments::Argument& argument) {
    switch (spec.kind) {
      case ArgumentKind::Integer:
        return bindInteger(spec, argument.written, argument.value);
      case ArgumentKind::Integers:
        return bindIntegers(spec, argument);
      case ArgumentKind::Texts:
        return bindTexts(spec, argument);
      default:
        return bindText(spec, argument);
    }
  }

  bool bindInteger(const ArgumentSpec& spec, const Value& written, std::int64_t& target) {
    const Location place = placeOf(spec.name);
    if (written.boolean() || written.list()) {
      sink_.add("wrong-type", place, "expected a whole number or an expression",
                "write for example 4 or E/2");
      return false;
    }
    const auto open = binding_.open(written, {}, place);
    const auto closed = open ? binding_.close(*open, {}, {}, spec.range, place) : std::nullopt;
    if (closed) target = closed->value;
    return closed.has_value();
  }

  /// One value is a list of one.
  static std::vector<Value> entriesOf(const Value& written) {
    const std::vector<Value>* list = written.list();
    return list ? *list : std::vector<Value>{written};
  }

  bool bindIntegers(const ArgumentSpec& spec, Arguments::Argument& argument) {
    const std::vector<Value> entries = entriesOf(argument.written);
    argument.values.resize(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (!bindInteger(spec, entries[i], argument.values[i])) return false;
    return true;
  }

  bool bindTexts(const ArgumentSpec& spec, Arguments::Argument& argument) {
    const Location place = placeOf(spec.name);
    for (const Value& entry : entriesOf(argument.written)) {
      if (!entry.string()) {
        sink_.add("wrong-type", place, "expected a list of texts",
                  "write [\"...\", \"...\"], or [] for none");
        return false;
      }
      const auto chosen = binding_.choice(*entry.string(), place);
      if (!chosen) return false;
      argument.texts.push_back(*chosen);
    }
    return true;
  }

  bool bindText(const ArgumentSpec& spec, Arguments::Argument& argument) {
    const Location place = placeOf(spec.name);
    const std::string* written = argument.written.string();
    if (!written) {
      sink_.add("wrong-type", place, "expected a name", "write it in quotes");
      return false;
    }
    const auto chosen = binding_.choice(*written, place);
    if (!chosen) return false;
    if (spec.kind == ArgumentKind::Choice &&
        std::find(spec.choices.begin(), spec.choices.end(), *chosen) == spec.choices.end()) {
      sink_.add("unknown-choice", place, "'" + *chosen + "' is not one of " + list(spec.choices),
                spellingFix(*chosen, spec.choices, "choose one of them"));
      return false;
    }
    argument.text = *chosen;
    return true;
  }

  const TransformationSpec& spec_;
  Location place_;
  DiagnosticSink sink_;
  Binding binding_;
  Arguments arguments_;
};

}  // namespace

Result<Arguments> argumentsOf(const ScheduleStep& step, const Document& document, const KnobValues& knobs,
                              const Location& place) {
  const Transformation* transformation = findTransformation(step.transformation);
  if (!transformation) {
    std::vector<std::string> names;
    for (const Transformation* known : registeredTransformations()) names.push_back(known->spec.name);
    return error("unknown-transformation", place, "there is no transformation '" + step.transformation + "'",
                 spellingFix(step.transformation, names, "remove the step"));
  }
  return ArgumentReader(transformation->spec, document, knobs, place).read(step.arguments);
}

Result<ScheduledProgram> applyStep(ScheduledProgram scheduled, const ScheduleStep& step,
                                   const KnobValues& knobs, const Location& place,
                                   const std::stop_token& stop, Lowering lowering) {
  SLUICE_TRY(const Arguments arguments, argumentsOf(step, scheduled.document, knobs, place));
  Rewrite rewrite(scheduled, knobs, place, stop);
  SLUICE_CHECK(findTransformation(step.transformation)->apply(rewrite, arguments));
  if (lowering == Lowering::Now) SLUICE_CHECK(lowerCompiled(rewrite));
  return scheduled;
}

bool isRewrite(const ScheduleStep& step) {
  const Transformation* known = findTransformation(step.transformation);
  return known && known->rewrite;
}

bool rewriteFollows(const std::vector<ScheduleStep>& schedule, std::size_t position) {
  for (std::size_t next = position + 1; next < schedule.size(); ++next) {
    if (schedule[next].enabled) return isRewrite(schedule[next]);
  }
  return false;
}

Location placeOf(const ScheduleStep& step, std::size_t position) {
  return {Where::ScheduleStep, static_cast<std::int64_t>(position + 1), step.transformation};
}

namespace {

bool namesStep(const Diagnostics& diagnostics) {
  return diagnostics.front().place.beginsWith(Where::ScheduleStep);
}

}  // namespace

Result<ScheduledProgram> applySchedule(const Document& document, const InputSet& inputs,
                                       const KnobValues& knobs, const std::stop_token& stop) {
  ScheduledProgram scheduled{document, inputs};
  scheduled.document.schedule.clear();
  for (std::size_t i = 0; i < document.schedule.size(); ++i) {
    const ScheduleStep& step = document.schedule[i];
    if (!step.enabled) continue;
    if (stop.stop_requested()) return cancelledDiagnostic();
    const Lowering lowering = rewriteFollows(document.schedule, i) ? Lowering::Later : Lowering::Now;
    Result<ScheduledProgram> next =
        applyStep(std::move(scheduled), step, knobs, placeOf(step, i), stop, lowering);
    if (!next && !namesStep(next.diagnostics()))
      return blameStep(document, inputs, knobs, next.diagnostics());
    if (!next) return next.diagnostics();
    scheduled = *std::move(next);
  }
  return scheduled;
}

Diagnostics blameStep(const Document& document, const InputSet& inputs, const KnobValues& knobs,
                      const Diagnostics& found) {
  if (isCancelled(found) || namesStep(found)) return found;
  ScheduledProgram scheduled{document, inputs};
  scheduled.document.schedule.clear();
  // What is wrong with the plain program, if anything: a step may be there to fix it.
  std::string plain;
  if (const Result<Done> typed = Rewrite(scheduled, knobs, "").inferTypes(); !typed)
    plain = text(typed.diagnostics().front());
  if (plain == text(found.front())) return found;
  for (std::size_t i = 0; i < document.schedule.size(); ++i) {
    if (!document.schedule[i].enabled) continue;
    const Location place = placeOf(document.schedule[i], i);
    SLUICE_TRY(ScheduledProgram next, applyStep(std::move(scheduled), document.schedule[i], knobs, place));
    scheduled = std::move(next);
    const Result<Done> typed = Rewrite(scheduled, knobs, place).inferTypes();
    if (typed || text(typed.diagnostics().front()) == plain) continue;
    const Diagnostic& first = typed.diagnostics().front();
    Diagnostic blamed = first;
    blamed.place = place;
    blamed.cause = "the program that it gives is refused: " + text(first.place) + ": " + first.cause;
    blamed.fix = "change its arguments, its place in the schedule, or the program: " + first.fix;
    blamed.related.insert(blamed.related.begin(), first.place);
    return {std::move(blamed)};
  }
  return found;
}

}  // namespace sluice::inline schedule
