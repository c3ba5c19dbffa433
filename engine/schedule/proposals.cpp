#include "engine/schedule/proposals.h"

#include <algorithm>
#include <functional>

#include "engine/core/cancelled.h"
#include "engine/schedule/candidates.h"
#include "engine/schedule/compiled_program.h"
#include "engine/schedule/schedule.h"

namespace sluice::inline schedule {
namespace {

bool holds(const ArgumentDomain& domain, const Values& arguments) {
  return std::ranges::all_of(domain.when, [&](const ArgumentDomain::Condition& condition) {
    const auto found = arguments.find(condition.argument);
    return found != arguments.end() &&
           std::ranges::find(condition.among, found->second) != condition.among.end();
  });
}

bool isWithin(const ProductLimit& limit, const Values& arguments) {
  std::int64_t left = limit.at_most;
  for (const std::string& name : limit.arguments) {
    const auto found = arguments.find(name);
    const std::int64_t* number = found == arguments.end() ? nullptr : found->second.integer();
    if (number && *number > 1) left /= *number;
  }
  return left >= 1;
}

bool isWithin(const Proposal& proposal, const Values& arguments) {
  return std::ranges::all_of(proposal.limits,
                             [&](const ProductLimit& limit) { return isWithin(limit, arguments); });
}

const ArgumentSpec* argumentOf(const TransformationSpec& spec, const std::string& name) {
  const auto found = std::ranges::find(spec.arguments, name, &ArgumentSpec::name);
  return found == spec.arguments.end() ? nullptr : &*found;
}

bool changesNothing(const ScheduledProgram& before, const ScheduledProgram& after) {
  return before.compiled == after.compiled && before.document.program == after.document.program;
}

}  // namespace

ScheduleStep stepOf(const Proposal& proposal, const Chooser& choose) {
  ScheduleStep step = proposal.step;
  for (const ArgumentDomain& domain : proposal.domains) {
    if (!holds(domain, step.arguments)) continue;
    if (proposal.limits.empty()) {
      step.arguments[domain.argument] = domain.values.at(choose(domain));
      continue;
    }
    ArgumentDomain open = domain;
    std::erase_if(open.values, [&](const Value& value) {
      Values with = step.arguments;
      with[domain.argument] = value;
      return !isWithin(proposal, with);
    });
    // The first value is always one that may be: limits are for what is more.
    step.arguments[domain.argument] =
        open.values.empty() ? domain.values.front() : open.values.at(choose(open));
  }
  return step;
}

bool contains(const Proposal& proposal, const ScheduleStep& step) {
  if (proposal.step.transformation != step.transformation) return false;
  const auto isGiven = [&](const auto& fixed) {
    const auto found = step.arguments.find(fixed.first);
    return found != step.arguments.end() && found->second == fixed.second;
  };
  if (!std::ranges::all_of(proposal.step.arguments, isGiven)) return false;
  const Transformation* known = findTransformation(step.transformation);
  return std::ranges::all_of(step.arguments, [&](const auto& given) {
    const auto& [name, value] = given;
    if (proposal.step.arguments.contains(name)) return true;
    bool chosen = false;
    for (const ArgumentDomain& domain : proposal.domains) {
      if (domain.argument != name) continue;
      chosen = true;
      if (holds(domain, step.arguments))
        return std::ranges::find(domain.values, value) != domain.values.end();
    }
    const ArgumentSpec* spec = known ? argumentOf(known->spec, name) : nullptr;
    return chosen || (spec && spec->initial == value);
  });
}

Result<Sites> Sites::of(const ScheduledProgram& scheduled, const KnobValues& knobs,
                        const std::stop_token& stop) {
  Sites sites(std::make_unique<Own>(scheduled, knobs, stop));
  const Result<Done> typed = sites.own_->rewrite.inferTypes();
  if (!typed && isCancelled(typed.diagnostics())) return typed.diagnostics();
  sites.own_->scheduled.typed = sites.own_->rewrite.typed();
  return sites;
}

const DesignIndex* Sites::rewritable(const std::string& path) {
  const auto [found, is_new] = own_->rewritable.try_emplace(path);
  const CompiledProgram& program = *compiled().at(path);
  if (is_new && (!program.finished || standsAsLowered(typed(), program)))
    found->second.emplace(program.compilation.compiled.rewritable);
  return found->second ? &*found->second : nullptr;
}

ScheduleStep Sites::step(Values arguments) const {
  return {asked_->spec.name, std::move(arguments), true};
}

std::vector<std::string> Sites::names(const std::string& argument, const std::string& region) const {
  const ArgumentSpec& spec = *argumentOf(asked_->spec, argument);
  if (spec.kind != ArgumentKind::CompiledProgram) return candidates(document(), spec, region);
  std::vector<std::string> programs;
  for (const auto& [path, program] : compiled()) programs.push_back(path);
  return programs;
}

Diagnostics Sites::whyNot(const ScheduleStep& step) const {
  const Location place = placeOf(step, document().schedule.size());
  const Lowering lowering = isRewrite(step) ? Lowering::Later : Lowering::Now;
  Result<ScheduledProgram> next = applyStep(own_->scheduled, step, own_->knobs, place, own_->stop, lowering);
  if (!next) return next.diagnostics();
  if (changesNothing(own_->scheduled, *next))
    return {error("illegal-step", place, "it changes nothing here", "leave it out")};
  if (tried_ == Tried::Applied || !own_->scheduled.typed || lowering == Lowering::Later) return {};
  Rewrite after(*next, own_->knobs, place, own_->stop);
  const Result<Done> typed = after.inferTypes();
  return typed ? Diagnostics{} : typed.diagnostics();
}

bool Sites::applies(const ScheduleStep& step) {
  if (own_->stop.stop_requested()) return false;
  Diagnostics why = whyNot(step);
  if (why.empty()) return true;
  refuse(step, std::move(why));
  return false;
}

std::vector<Value> Sites::applicable(ScheduleStep step, const std::string& argument,
                                     const std::vector<Value>& values) {
  std::vector<Value> applicable;
  for (const Value& value : values) {
    step.arguments[argument] = value;
    if (applies(step)) applicable.push_back(value);
  }
  return applicable;
}

void Sites::refuse(ScheduleStep step, Diagnostics why) {
  refused_.push_back({std::move(step), std::move(why)});
}

Result<Proposals> proposalsFor(const Document& document, const InputSet& inputs, const KnobValues& knobs,
                               const std::stop_token& stop, Tried tried) {
  SLUICE_TRY(const ScheduledProgram scheduled, applySchedule(document, inputs, knobs, stop));
  return proposalsFor(scheduled, knobs, stop, tried);
}

Result<Proposals> proposalsFor(const ScheduledProgram& scheduled, const KnobValues& knobs,
                               const std::stop_token& stop, Tried tried) {
  SLUICE_TRY(Sites sites, Sites::of(scheduled, knobs, stop));
  sites.tried_ = tried;
  Proposals all;
  for (const Transformation* known : registeredTransformations()) {
    sites.asked_ = known;
    std::vector<Proposal> found =
        known->proposals ? known->proposals(sites) : proposalsBySpec(sites, known->spec);
    if (stop.stop_requested()) return cancelledDiagnostic();
    std::ranges::move(found, std::back_inserter(all.legal));
  }
  all.refused = std::move(sites.refused_);
  return all;
}

namespace {

/// Every way to name what the step works on; the arguments that name are in the order of the spec.
void nameAll(const Sites& sites, const TransformationSpec& spec, std::size_t from, Values named,
             std::vector<Values>& all) {
  for (; from < spec.arguments.size(); ++from) {
    const ArgumentSpec& argument = spec.arguments[from];
    if (!(namesNode(argument) || namesPort(argument)) || argument.initial) continue;
    const auto region = std::ranges::find(spec.arguments, ArgumentKind::Region, &ArgumentSpec::kind);
    const bool in_region = region != spec.arguments.end() && named.contains(region->name);
    for (const std::string& name :
         sites.names(argument.name, in_region ? *named.at(region->name).string() : "")) {
      named[argument.name] = Value(name);
      nameAll(sites, spec, from + 1, named, all);
    }
    return;
  }
  all.push_back(std::move(named));
}

/// Nothing: it must be given, and no value is known to make sense.
std::optional<std::vector<ArgumentDomain>> domainsOf(const TransformationSpec& spec) {
  constexpr std::int64_t most = 1024;
  std::vector<ArgumentDomain> domains;
  for (const ArgumentSpec& argument : spec.arguments) {
    if (namesNode(argument) || namesPort(argument)) continue;
    if (argument.kind == ArgumentKind::Choice) {
      domains.push_back(choices(argument.name, {argument.choices.begin(), argument.choices.end()}));
    } else if (argument.kind == ArgumentKind::Integer) {
      const std::int64_t least = std::max<std::int64_t>(argument.range.minimum, 1);
      std::vector<std::int64_t> some =
          powersOfTwo(least, std::min(argument.range.maximum, std::max(most, least)));
      if (argument.range.contains(least)) some = merged({least}, some);
      const std::int64_t* initial = argument.initial ? argument.initial->integer() : nullptr;
      if (initial) some = merged({*initial}, some);
      domains.push_back(numbers(argument.name, some));
    } else if (!argument.initial) {
      return std::nullopt;
    }
  }
  std::erase_if(domains, [](const ArgumentDomain& domain) { return domain.values.empty(); });
  return domains;
}

}  // namespace

std::vector<Proposal> proposalsBySpec(Sites& sites, const TransformationSpec& spec) {
  const std::optional<std::vector<ArgumentDomain>> domains = domainsOf(spec);
  if (!domains) return {};
  std::vector<Values> places;
  nameAll(sites, spec, 0, {}, places);
  std::vector<Proposal> found;
  for (Values& place : places) {
    Proposal proposal{sites.step(std::move(place)), *domains};
    // It may well do nothing, or be illegal, with some of its arguments.
    const auto first = [](const ArgumentDomain&) { return std::size_t{0}; };
    const auto middle = [](const ArgumentDomain& domain) { return domain.values.size() / 2; };
    const auto last = [](const ArgumentDomain& domain) { return domain.values.size() - 1; };
    if (sites.applies(stepOf(proposal, first)) || sites.applies(stepOf(proposal, middle)) ||
        sites.applies(stepOf(proposal, last)))
      found.push_back(std::move(proposal));
  }
  return found;
}

ArgumentDomain numbers(std::string argument, const std::vector<std::int64_t>& values,
                       std::vector<ArgumentDomain::Condition> when) {
  return {std::move(argument), ArgumentDomain::Kind::Number, {values.begin(), values.end()}, std::move(when)};
}

ArgumentDomain choices(std::string argument, std::vector<Value> values,
                       std::vector<ArgumentDomain::Condition> when) {
  return {std::move(argument), ArgumentDomain::Kind::Category, std::move(values), std::move(when)};
}

std::vector<std::int64_t> powersOfTwo(std::int64_t least, std::int64_t most) {
  std::vector<std::int64_t> powers;
  for (std::int64_t power = 1; power <= most; power *= 2) {
    if (power >= least) powers.push_back(power);
    if (power > most / 2) break;
  }
  return powers;
}

std::vector<std::int64_t> divisors(std::int64_t number, std::int64_t least, std::int64_t most) {
  std::vector<std::int64_t> found;
  for (std::int64_t d = 1; d <= number / d; ++d) {
    if (number % d != 0) continue;
    found.push_back(d);
    if (d != number / d) found.push_back(number / d);
  }
  std::erase_if(found, [&](std::int64_t d) { return d < least || d > most; });
  std::ranges::sort(found);
  return found;
}

std::vector<std::int64_t> merged(std::vector<std::int64_t> some, const std::vector<std::int64_t>& others) {
  some.insert(some.end(), others.begin(), others.end());
  std::ranges::sort(some);
  const auto twice = std::ranges::unique(some);
  some.erase(twice.begin(), twice.end());
  return some;
}

}  // namespace sluice::inline schedule
