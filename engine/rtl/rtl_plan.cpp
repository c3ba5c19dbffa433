#include "engine/rtl/rtl_plan.h"

#include <algorithm>
#include <array>
#include <limits>

#include "engine/core/alike_diagnostics.h"
#include "engine/operators/registry.h"
#include "engine/program/reference_machine.h"
#include "engine/rtl/parameter_text.h"
#include "engine/rtl/played_tokens.h"

namespace sluice::inline rtl {
namespace {

Location placeOf(const FlatOperator& op) {
  return Location(Where::Operator, op.name);
}

/// "expert[3].inner[0].gate" of a node "expert.inner.gate": {"expert[3]", "expert[3].inner[0]"}.
std::vector<std::string> regionsOf(const FlatOperator& op) {
  std::vector<std::string> regions;
  const auto levels = std::ranges::count(op.origin, '.');
  std::size_t end = 0;
  for (std::ptrdiff_t level = 0; level < levels; ++level) {
    end = op.name.find('.', end);
    if (end == std::string::npos) break;
    regions.push_back(op.name.substr(0, end++));
  }
  return regions;
}

Diagnostic noModule(const FlatOperator& op, const std::vector<RtlModule>& modules) {
  const std::string cause = "there is no RTL of '" + op.spec->kind + "'";
  if (const WithoutModule* const without = withoutModule(modules, op.spec->kind))
    return error("unsupported-operator", placeOf(op), cause + ": " + without->why, without->instead);
  return error("unsupported-operator", placeOf(op), cause, "leave it out of what is emitted");
}

std::string lastPart(const std::string& path, const std::string& parent) {
  return parent.empty() ? path : path.substr(parent.size() + 1);
}

class Planner {
 public:
  Planner(const RtlProgram& program, RtlLevel level, std::uint64_t first_group, const std::string& folder)
      : program_(program),
        level_(level),
        graph_(program.graph),
        inputs_(program.inputs),
        first_group_(first_group),
        folder_(folder) {
    plan_.graph = &program.graph;
    plan_.inference = &program.inference;
    plan_.computed = program.computed;
    plan_.modules = rtlModules();
  }

  /// Machine, operators and depths. Errors: all that is in the way.
  Result<Done> check() {
    Diagnostics problems = beyondReferenceMachine(graph_.machine, "RTL");
    plan_.scopes.emplace_back();
    plan_.scopes[0].instance = "top";
    for (OperatorId id = 0; id < graph_.operators.size(); ++id)
      if (auto problem = addOperator(id)) problems.push_back(*std::move(problem));
    checkDepths(problems);
    if (!problems.empty()) return alikeOnce(problems);
    return Done{};
  }

  Result<RtlPlan> plan() {
    SLUICE_CHECK(check());
    for (StreamId id = 0; id < graph_.streams.size(); ++id) addStream(id);
    addMemoryPorts(MemoryRole::Reader);
    addMemoryPorts(MemoryRole::Writer);
    return std::move(plan_);
  }

 private:
  std::optional<Diagnostic> addOperator(OperatorId id);
  std::optional<Diagnostic> groupProblem(const FlatOperator& op, const RtlModule& module) const;
  void checkDepths(Diagnostics& problems) const;
  Result<GroupPlaces> placesOf(const FlatOperator& op, const RtlModule& module);
  std::optional<Diagnostic> addData(OperatorId id);
  std::size_t scopeOf(const FlatOperator& op);
  void addStream(StreamId id);
  void addMemoryPorts(MemoryRole role);
  std::string portName(OperatorId op, bool output, std::size_t port) const;
  std::vector<std::size_t> scopesAbove(OperatorId op) const;

  const RtlProgram& program_;
  RtlLevel level_;
  const FlatGraph& graph_;
  const InputSet& inputs_;
  std::uint64_t first_group_;
  std::string folder_;
  RtlPlan plan_;
  std::map<std::string, std::size_t> scope_of_path_;
};

std::optional<Diagnostic> Planner::groupProblem(const FlatOperator& op, const RtlModule& module) const {
  if (module.groups) return {};
  const auto group = [&](StreamId stream) {
    const ElementType& element = plan_.inference->streams[stream].element;
    return element.buffer() || element.tuple();
  };
  if (std::ranges::none_of(op.inputs, group) && std::ranges::none_of(op.outputs, group)) return {};
  return error(
      "unsupported-operator", placeOf(op),
      "the RTL of '" + op.spec->kind + "' takes no buffers and no tuples: it works on tiles one by one",
      "stream the buffer before it (Streamify), or Zip behind it");
}

std::optional<Diagnostic> Planner::addOperator(OperatorId id) {
  const FlatOperator& op = graph_.operators[id];
  plan_.operators.emplace_back();
  PlannedOperator& planned = plan_.operators.back();
  planned.module = moduleOf(plan_.modules, op.spec->kind);
  if (!planned.module) return noModule(op, plan_.modules);
  if (auto problem = groupProblem(op, *planned.module)) return problem;
  if (level_ == RtlLevel::Functional && !planned.module->timing_only.empty())
    return error(
        "unsupported-operator", placeOf(op),
        "the RTL of '" + op.spec->kind + "' has the level of timing only: " + planned.module->timing_only,
        "leave out --compute");
  const Result<GroupPlaces> places = placesOf(op, *planned.module);
  if (!places) return places.diagnostics().front();
  Result<std::vector<std::pair<std::string, std::string>>> parameters =
      parameterTexts(op, graph_.machine, inputs_, *places, *planned.module);
  if (!parameters) return parameters.diagnostics().front();
  planned.parameters = *std::move(parameters);
  for (const StreamId stream : op.outputs)
    if (const std::uint64_t bits = selectorBits(plan_.inference->streams[stream], graph_))
      plan_.value_bits = std::max(plan_.value_bits, bits);
  planned.scope = scopeOf(op);
  Scope& scope = plan_.scopes[planned.scope];
  planned.instance =
      scope.names.take(lastPart(op.name, scope.path), {"_memory", "_memory_answered", "_status"});
  scope.operators.push_back(id);
  return addData(id);
}

/// What the module reads when the simulation begins.
std::optional<Diagnostic> Planner::addData(OperatorId id) {
  const FlatOperator& op = graph_.operators[id];
  PlannedOperator& planned = plan_.operators[id];
  const std::string stem = folder_ + "/" + svName(op.name) + "_" + std::to_string(id);
  const auto add = [&](const std::string& parameter, const std::string& path, std::string lines) {
    planned.parameters.emplace_back(parameter, "\"" + path + "\"");
    planned.data.push_back({parameter, path, std::move(lines)});
  };
  if (planned.module->tokens) {
    Result<PlayedTokens> played = playedTokens(graph_, id, inputs_);
    if (!played) return played.diagnostics().front();
    add("DATA", stem + ".hex", std::move(played->lines));
    planned.parameters.emplace_back("TOKENS", std::to_string(played->count));
    plan_.value_bits = std::max(plan_.value_bits, played->value_bits);
  }
  if (planned.module->tensor && plan_.computed) {
    const OperatorTiles& tiles = plan_.computed->operators.at(id);
    add("TENSOR", stem + "_tensor.hex", tiles.lines);
    planned.parameters.emplace_back("TILES", std::to_string(tiles.count));
  }
  for (const ModuleParameter& numbers : planned.module->numbers) {
    const std::vector<std::int64_t>& values = inputs_.at(op.parameters.string(numbers.source)).tensor.data;
    add(numbers.name, stem + "_" + numbers.source + ".hex", numberLines(values));
    planned.parameters.emplace_back(numbers.name + "_COUNT", std::to_string(values.size()));
  }
  return {};
}

/// Room for all groups that the operator makes in a run; none, if it makes none.
Result<GroupPlaces> Planner::placesOf(const FlatOperator& op, const RtlModule& module) {
  constexpr std::uint64_t most = std::uint64_t{1} << 20, unknown = std::uint64_t{1} << 12;
  if (std::ranges::find(module.parameters, "groups.size", &ModuleParameter::source) ==
      module.parameters.end())
    return GroupPlaces{};
  std::uint64_t size = program_.run ? 1 : unknown;
  for (const StreamId stream : op.inputs)
    if (program_.run) size += program_.run->streams[stream].tokens;
  if (plan_.group_tokens + size > most)
    return error("too-many", placeOf(op),
                 "buffers and tuples of more than " + std::to_string(most) + " tokens",
                 "emit a smaller program");
  const GroupPlaces places{first_group_ + plan_.group_tokens, size};
  plan_.group_tokens += size;
  return places;
}

void Planner::checkDepths(Diagnostics& problems) const {
  constexpr std::uint64_t deepest = std::uint64_t{1} << 20;
  for (const FlatStream& stream : graph_.streams) {
    if (stream.depth <= deepest) continue;
    problems.push_back(
        error("too-many", Location(Where::Stream, stream.name),
              "a FIFO of " + std::to_string(stream.depth) + " tokens is more than RTL has room for",
              "give it a depth of at most " + std::to_string(deepest)));
  }
}

std::size_t Planner::scopeOf(const FlatOperator& op) {
  std::size_t at = 0;
  for (const std::string& path : regionsOf(op)) {
    const auto [found, made] = scope_of_path_.emplace(path, plan_.scopes.size());
    if (made) {
      Scope scope;
      scope.path = path;
      scope.parent = at;
      scope.instance = plan_.scopes[at].names.take(lastPart(path, plan_.scopes[at].path), {"_status"});
      plan_.scopes[at].children.push_back(plan_.scopes.size());
      plan_.scopes.push_back(std::move(scope));
    }
    at = found->second;
  }
  return at;
}

/// The scope that the operator is in, and those around it.
std::vector<std::size_t> Planner::scopesAbove(OperatorId op) const {
  std::vector<std::size_t> scopes{plan_.operators[op].scope};
  while (scopes.back() != 0) scopes.push_back(plan_.scopes[scopes.back()].parent);
  return scopes;
}

std::string Planner::portName(OperatorId id, bool output, std::size_t port) const {
  const FlatOperator& op = graph_.operators[id];
  for (const PortSpec& spec : output ? op.spec->outputs : op.spec->inputs) {
    const std::size_t width =
        spec.width.empty() ? 1 : static_cast<std::size_t>(op.parameters.integer(spec.width));
    if (port < width) return spec.width.empty() ? spec.name : spec.name + "_" + std::to_string(port);
    port -= width;
  }
  return "port";
}

void Planner::addStream(StreamId id) {
  const FlatStream& stream = graph_.streams[id];
  const std::vector<std::size_t> from = scopesAbove(stream.producer), to = scopesAbove(stream.consumer);
  const auto meets = std::ranges::find_first_of(from, to);
  const std::vector<std::string> suffixes{"_push", "_ready", "_head", "_take", "_fifo", "_status"};
  const auto add = [&](std::size_t scope, StreamPlace place, const std::string& wish) {
    Scope& here = plan_.scopes[scope];
    here.streams.push_back({id, place, here.names.take(wish, suffixes)});
    return here.instance + "_" + here.streams.back().name;
  };
  std::string wish =
      plan_.operators[stream.producer].instance + "_" + portName(stream.producer, true, stream.producer_port);
  for (auto scope = from.begin(); scope != meets; ++scope) wish = add(*scope, StreamPlace::Outgoing, wish);
  add(*meets, StreamPlace::Inside, wish);
  wish = plan_.operators[stream.consumer].instance + "_" +
         portName(stream.consumer, false, stream.consumer_port);
  for (auto scope = to.begin(); *scope != *meets; ++scope) wish = add(*scope, StreamPlace::Incoming, wish);
}

void Planner::addMemoryPorts(MemoryRole role) {
  for (OperatorId id = 0; id < graph_.operators.size(); ++id) {
    if (definitionOf(graph_.operators[id]).memory != role) continue;
    plan_.memory_ports.push_back(id);
    std::string wish = plan_.operators[id].instance + "_memory";
    for (const std::size_t at : scopesAbove(id)) {
      Scope& scope = plan_.scopes[at];
      // In its own scope the name was taken with the operator's.
      const std::string name = at == plan_.operators[id].scope ? wish : scope.names.take(wish, {"_answered"});
      scope.memories.emplace_back(id, name);
      wish = scope.instance + "_" + name;
    }
  }
}

}  // namespace

const ScopeStream& Scope::find(StreamId stream) const {
  return *std::ranges::find(streams, stream, &ScopeStream::stream);
}

const std::string& Scope::memoryOf(OperatorId op) const {
  return std::ranges::find(memories, op, [](const auto& memory) { return memory.first; })->second;
}

Result<Done> checkRtl(const RtlProgram& program, RtlLevel level) {
  return Planner(program, level, 0, "data").check();
}

Result<RtlPlan> rtlPlan(const RtlProgram& program, std::uint64_t first_group, const std::string& folder) {
  return Planner(program, program.level(), first_group, folder).plan();
}

std::string operatorPath(const RtlPlan& plan, OperatorId op) {
  std::string path = plan.operators[op].instance;
  for (std::size_t scope = plan.operators[op].scope;; scope = plan.scopes[scope].parent) {
    path = plan.scopes[scope].instance + "." + path;
    if (scope == 0) return path;
  }
}

std::string streamPath(const RtlPlan& plan, StreamId stream) {
  for (std::size_t at = 0; at < plan.scopes.size(); ++at) {
    for (const ScopeStream& here : plan.scopes[at].streams) {
      if (here.stream != stream || here.place != StreamPlace::Inside) continue;
      std::string path = here.name + "_fifo";
      for (std::size_t scope = at;; scope = plan.scopes[scope].parent) {
        path = plan.scopes[scope].instance + "." + path;
        if (scope == 0) return path;
      }
    }
  }
  return {};
}

}  // namespace sluice::inline rtl
