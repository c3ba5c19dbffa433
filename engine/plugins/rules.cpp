#include "engine/plugins/rules.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "engine/explorer/metrics/registry.h"
#include "engine/importers/registry.h"
#include "engine/program/file_format_names.h"
#include "engine/program/spelling.h"

namespace sluice::inline plugins {
namespace {

using Broken = std::vector<std::string>;

void require(Broken& broken, bool holds, const std::string& otherwise) {
  if (!holds) broken.push_back(otherwise);
}

bool given(const char* text) {
  return text && *text != '\0';
}

void checkParameters(Broken& broken, const OperatorSpec& spec) {
  std::set<std::string> names;
  for (const ParameterSpec& parameter : spec.parameters) {
    const std::string which = "parameter '" + parameter.name + "'";
    require(broken, names.insert(parameter.name).second, which + " is there twice");
    require(broken, !parameter.help.empty(), which + " has no help");
    require(broken, (parameter.kind == ParameterKind::Choice) == !parameter.choices.empty(),
            which + " must have choices if it is one, and only then");
  }
}

void checkPorts(Broken& broken, const OperatorSpec& spec) {
  for (const auto* ports : {&spec.inputs, &spec.outputs}) {
    for (const PortSpec& port : *ports) {
      const std::string which = "port '" + port.name + "'";
      require(broken, !port.help.empty(), which + " has no help");
      require(broken, port.width.empty() || spec.parameter(port.width),
              which + " has the width '" + port.width + "', which is no parameter");
    }
  }
}

/// What tables, stores and JSON have beside the metrics of a point goes by other names.
bool canBeAColumn(const std::string& name) {
  static const std::set<std::string_view> taken{"cancelled",       "cause",        "deadlock",
                                                "engine",          "exploration",  "file",
                                                "finished",        "id",           "knobs",
                                                "level",           "level_name",   "machine",
                                                "near_misses",     "number",       "moved_off_chip_bytes",
                                                "on_frontier",     "operators",    "peak_fifo_tokens",
                                                "printed",         "seed",         "stalls",
                                                "state",           "strategy",     "streams",
                                                "symbols",         "tensors",      "time",
                                                "title",           "wall_seconds", "workload",
                                                "energy_breakdown"};
  const bool lower = std::ranges::none_of(name, [](char c) { return c >= 'A' && c <= 'Z'; });
  return isIdentifier(name) && lower && !name.starts_with("knob_") && !taken.contains(name);
}

/// In lower case and without the dot.
bool isSuffix(const std::string& suffix) {
  return !suffix.empty() && suffix != "sluice" &&
         std::ranges::none_of(suffix, [](char c) { return c == '.' || (c >= 'A' && c <= 'Z'); });
}

/// The ports and parameters that steps of the schedule go by.
struct RoleNeeds {
  std::vector<std::string> parameters;
  std::set<std::vector<std::string>> inputs;  ///< one of them
};

void checkRole(Broken& broken, const Operator& op) {
  static const std::map<ScheduleRole, RoleNeeds> needs{
      {ScheduleRole::View,
       {{"tile", "out_shape", "stride", "tensor", "tensor_shape", "tensor_origin"}, {{}}}},
      {ScheduleRole::ReferenceView, {{"tile", "out_shape", "stride", "tensor_origin"}, {{"ref"}}}},
      {ScheduleRole::Numbers, {{"first", "count", "block", "every"}, {{}}}},
      {ScheduleRole::Apply, {{"function"}, {{"in"}, {"in1", "in2"}}}},
      {ScheduleRole::Fold, {{"function", "rank", "init"}, {{"in"}, {"in1", "in2"}}}},
      {ScheduleRole::Cut, {{"function"}, {{"in"}}}},
      {ScheduleRole::Merge, {{"min", "max"}, {{"in"}}}},
      {ScheduleRole::Repeat, {{"factor"}, {{"in"}}}}};
  const auto role = needs.find(op.schedule);
  if (role == needs.end()) return;
  for (const std::string& parameter : role->second.parameters)
    require(broken, op.spec.parameter(parameter),
            "its schedule role asks for a parameter '" + parameter + "'");
  std::vector<std::string> inputs;
  for (const PortSpec& port : op.spec.inputs) inputs.push_back(port.name);
  require(broken, role->second.inputs.contains(inputs), "its schedule role asks for other inputs");
  require(broken, op.spec.outputs.size() == 1 && op.spec.outputs.front().name == "out",
          "its schedule role asks for one output, 'out'");
}

void checkOrderParameters(Broken& broken, const Operator& op) {
  bool told = false;
  for (const ParameterSpec& parameter : op.spec.parameters)
    told = told || parameter.name == "takes_order" || parameter.name == "gives_order";
  require(broken, told == op.ordered,
          "it must be ordered if it has takes_order or gives_order, and only then");
  for (const ParameterSpec& parameter : op.spec.parameters)
    if (parameter.name == "takes_order" || parameter.name == "gives_order")
      require(broken, parameter.kind == ParameterKind::Orders,
              "parameter '" + parameter.name + "' is no list of iterative tensor types");
}

}  // namespace

std::vector<std::string> brokenRules(const Operator& op) {
  const OperatorSpec& spec = op.spec;
  Broken broken;
  require(broken, !spec.kind.empty() && spec.kind != region_kind, "it needs a kind of its own");
  require(broken, static_cast<Operator::Shape>(op.shape), "it has no shape rule");
  require(broken, static_cast<Operator::CostRule>(op.cost), "it has no cost rule");
  require(broken, static_cast<Operator::Behaviour>(op.behaviour), "it has no behaviour");
  require(broken, static_cast<RatesRule>(op.rates), "it has no rule for its tokens");
  for (const auto& [what, text] : {std::pair("category", &spec.category), std::pair("summary", &spec.summary),
                                   std::pair("paper", &spec.paper)})
    require(broken, !text->empty(), std::string("it has no ") + what);
  for (const auto& [what, text] : {std::pair("shape", &spec.rules.shape), std::pair("cost", &spec.rules.cost),
                                   std::pair("timing", &spec.rules.timing)})
    require(broken, text->ends_with('.'),
            std::string("its sentence on ") + what + " does not end with a full stop");
  checkParameters(broken, spec);
  checkPorts(broken, spec);
  checkOrderParameters(broken, op);
  require(broken, op.memory == MemoryRole::None || spec.parameter("par_dispatch"),
          "it has a port at the memory, but no parameter 'par_dispatch'");
  checkRole(broken, op);
  return broken;
}

std::vector<std::string> brokenRules(const Transformation& transformation) {
  const TransformationSpec& spec = transformation.spec;
  Broken broken;
  require(broken, !spec.name.empty(), "it has no name");
  require(broken, transformation.apply, "it has nothing to apply");
  require(broken, !spec.paper.empty(), "it has no paper");
  require(broken, spec.summary.ends_with('.'), "its summary does not end with a full stop");
  require(broken, spec.effect.ends_with('.'), "its effect does not end with a full stop");
  for (const ArgumentSpec& argument : spec.arguments)
    require(broken, !argument.help.empty(), "argument '" + argument.name + "' has no help");
  return broken;
}

std::vector<std::string> brokenRules(const Strategy& strategy) {
  Broken broken;
  require(broken, given(strategy.name), "it has no name");
  require(broken, given(strategy.summary), "it has no summary");
  require(broken, strategy.search, "it has no search");
  return broken;
}

std::vector<std::string> brokenRules(const DepthStrategy& strategy) {
  Broken broken;
  require(broken, given(strategy.name), "it has no name");
  for (const char* text : {strategy.title, strategy.summary, strategy.promise})
    require(broken, given(text), "its title, summary or promise is missing");
  require(broken, strategy.choose, "it chooses nothing");
  return broken;
}

std::vector<std::string> brokenRules(const MetricSpec& metric) {
  Broken broken;
  require(broken, canBeAColumn(metric.name),
          "its name is not of lower-case letters, digits and '_', or a column of stores and tables has it");
  for (const auto& [what, text] : {std::pair("short title", &metric.short_title), {"column", &metric.column}})
    require(broken, !text->empty(), std::string("it has no ") + what);
  require(broken, metric.title.size() > 1, "it has no title");
  const bool fraction = metric.kind == MetricKind::Fraction;
  require(broken, metric.unit.empty() == fraction, "a fraction has no unit, everything else one");
  const bool counted = metric.isWhole() && (metric.run || metric.formula.isTerm());
  require(broken, metric.derived || metric.priced || counted,
          "it has no value: a count needs run, derived or a term, a fraction or ratio derived or priced");
  require(broken, metric.smaller_is_better || !metric.lower_bound,
          "it has a lower bound, and larger is better");
  const bool added = std::holds_alternative<std::monostate>(metric.member);
  require(broken, !added || metric.prominence < Prominence::Objective,
          "what is searched for unasked are metrics of the engine: it can be a headline");
  for (const MetricSpec* other : metricRegistry().soFar())
    require(broken, added || other == &metric || other->member != metric.member,
            "its member is that of '" + other->name + "': leave it out");
  return broken;
}

std::vector<std::string> brokenRules(const Importer& importer) {
  Broken broken;
  require(broken, !importer.name.empty() && !importer.title.empty(), "it has no name or no title");
  require(broken, importer.read && importer.limit > 0, "it reads nothing");
  require(broken, !importer.suffixes.empty() || importer.sniff, "it knows no file");
  require(broken, (importer.sniff == nullptr) == importer.content.empty(),
          "it must say in words what it sniffs, and only that");
  require(broken, importer.sniff || (importer.suffix == SuffixSays::Format && !importer.unmistakable),
          "only the content can say what it says, and it sniffs none");
  for (const std::string& suffix : importer.suffixes)
    require(broken, isSuffix(suffix),
            "its suffix '" + suffix + "' is not in lower case, has a dot, or is that of Sluice");
  for (const ImportOption& option : importer.options)
    require(broken, !option.name.empty() && !option.help.empty(), "an option has no name or no help");
  for (const Importer* other : importerRegistry().soFar()) {
    if (other == &importer) continue;
    for (const std::string& suffix : importer.suffixes)
      require(broken, std::ranges::find(other->suffixes, suffix) == other->suffixes.end(),
              "its suffix '" + suffix + "' is that of " + other->name);
    for (const ImportOption& option : importer.options)
      require(broken,
              std::ranges::find(other->options, option.name, &ImportOption::name) == other->options.end(),
              "its option '" + option.name + "' is that of " + other->name);
  }
  return broken;
}

}  // namespace sluice::inline plugins
