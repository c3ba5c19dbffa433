// sluice-cli shapes: the shape of every stream and the symbolic cost of every operator, with their values at
// a design point.

#include <algorithm>
#include <cmath>
#include <iostream>
#include <iterator>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/metric_text.h"
#include "app/cli/point_json.h"
#include "app/cli/report.h"
#include "engine/energy/actions.h"
#include "engine/energy/technology.h"
#include "engine/explorer/bounds.h"
#include "engine/explorer/metrics/technology_metrics.h"
#include "engine/explorer/tables.h"
#include "engine/itensor/itensor_text.h"

namespace sluice::cli {
namespace {

/// The value of an expression at the point, exactly; nothing while a symbol is open.
std::optional<std::int64_t> valueAt(const Expr& expr, const std::map<std::string, Expr>& bound) {
  return expr.substitute(bound).constant();
}

/// The metrics that the formulas give of every operator.
std::vector<const MetricSpec*> termMetrics() {
  std::vector<const MetricSpec*> metrics;
  std::ranges::copy_if(registeredMetrics(), std::back_inserter(metrics),
                       [](const MetricSpec* metric) { return metric->formula.isTerm(); });
  return metrics;
}

Json metricJson(const MetricSpec& metric, const Cost& cost, const CostValues& values) {
  const std::optional<double> value = metric.formula.value(values);
  return {{"text", metric.formula.text(cost)},
          {"latex", metric.formula.latex(cost)},
          {"value", !value             ? Json(nullptr)
                    : metric.isWhole() ? Json(std::llround(*value))
                                       : Json(*value)}};
}

Json formulaJson(const Expr& formula, const std::map<std::string, Expr>& bound) {
  return {{"text", formula.text()}, {"latex", formula.latex()}, {"value", orNull(valueAt(formula, bound))}};
}

/// What streams, operators and the whole program do that costs energy.
class Actions {
 public:
  Actions(const SymbolicResult& result, const std::map<std::string, Expr>& bound)
      : formulas_(actionFormulas(result.graph, result.inference)), bound_(bound) {}

  Json streamJson(std::size_t stream) const { return formulaJson(formulas_.streams[stream].bytes, bound_); }

  Json operatorJson(std::size_t op) const {
    Json actions = Json::object();
    for (const OperatorAction& action : operator_actions)
      actions[action.key] = formulaJson(formulas_.operators[op].*action.formula, bound_);
    return actions;
  }

  Json totalsJson() const {
    Json totals = {{"fifo_tokens", formulaJson(pushed(&BasicStreamActions<Expr>::tokens), bound_)},
                   {"fifo_bytes", formulaJson(pushed(&BasicStreamActions<Expr>::bytes), bound_)}};
    for (const OperatorAction& action : operator_actions)
      totals[action.key] = formulaJson(total(action), bound_);
    return totals;
  }

  void print() const {
    std::cout << "\nActions that cost energy\n";
    printOne("tokens through FIFOs", pushed(&BasicStreamActions<Expr>::tokens));
    printOne("bytes through FIFOs", pushed(&BasicStreamActions<Expr>::bytes));
    for (const OperatorAction& action : operator_actions) printOne(action.title, total(action));
  }

 private:
  Expr pushed(Expr BasicStreamActions<Expr>::*what) const {
    std::vector<Expr> terms;
    for (const BasicStreamActions<Expr>& stream : formulas_.streams) terms.push_back(stream.*what);
    return sum(terms);
  }

  Expr total(const OperatorAction& action) const {
    std::vector<Expr> terms;
    for (const BasicOperatorActions<Expr>& op : formulas_.operators) terms.push_back(op.*action.formula);
    return sum(terms);
  }

  void printOne(const char* title, const Expr& formula) const {
    const std::optional<std::int64_t> value = valueAt(formula, bound_);
    std::cout << "  " << title << " = " << formula.text();
    if (!formula.constant())
      std::cout << " = " << (value ? grouped(static_cast<std::uint64_t>(*value)) : "?");
    std::cout << "\n";
  }

  ActionFormulas formulas_;
  const std::map<std::string, Expr>& bound_;
};

Json streamsJson(const SymbolicResult& result, const std::map<std::string, Expr>& bound) {
  Json streams = Json::array();
  for (std::size_t s = 0; s < result.graph.streams.size(); ++s) {
    const StreamType& type = result.inference.streams[s];
    streams.push_back({{"name", result.graph.streams[s].name},
                       {"shape", text(type.shape)},
                       {"latex", latex(type)},
                       {"element", text(type.element)},
                       {"order", type.order ? Json(text(*type.order)) : Json(nullptr)},
                       {"elements", formulaJson(elementCount(type.shape), bound)},
                       {"depth", result.graph.streams[s].depth}});
  }
  return streams;
}

Json operatorsJson(const SymbolicResult& result) {
  Json operators = Json::array();
  for (std::size_t o = 0; o < result.graph.operators.size(); ++o) {
    const FlatOperator& op = result.graph.operators[o];
    Json row = {{"name", op.name}, {"kind", op.spec->kind}};
    for (const MetricSpec* metric : termMetrics())
      row[metric->name] = metricJson(*metric, result.inference.operators[o], result.operators[o]);
    operators.push_back(std::move(row));
  }
  return operators;
}

Json toJson(const FileOptions& options, const Opened& opened, const SymbolicResult& result,
            const std::map<std::string, Expr>& bound) {
  Json symbols = Json::object(), totals = Json::object();
  for (const auto& [name, value] : result.inference.known) symbols[name] = value;
  for (const auto& [name, where] : result.inference.run_time) {
    if (!symbols.contains(name)) symbols[name] = nullptr;  // only a run can tell
  }
  for (const MetricSpec* metric : registeredMetrics())
    if (metric->formula.term)
      totals[metric->name] = metricJson(*metric, result.inference.total, result.total);
  return {{"file", options.file},
          {"knobs", knobsJson(opened.workload->document, opened.knobs)},
          {"symbols", std::move(symbols)},
          {"streams", streamsJson(result, bound)},
          {"operators", operatorsJson(result)},
          {"totals", std::move(totals)}};
}

void addActions(Json& object, const SymbolicResult& result, const std::map<std::string, Expr>& bound) {
  const Actions actions(result, bound);
  object["actions"] = actions.totalsJson();
  for (std::size_t s = 0; s < result.graph.streams.size(); ++s)
    object["streams"][s]["bytes"] = actions.streamJson(s);
  for (std::size_t o = 0; o < result.graph.operators.size(); ++o)
    object["operators"][o]["actions"] = actions.operatorJson(o);
}

std::string valueText(const std::optional<double>& value) {
  return value ? grouped(static_cast<std::uint64_t>(std::llround(*value))) : "?";
}

void printTotal(const MetricSpec& metric, const Cost& cost, const CostValues& values) {
  const std::optional<double> value = metric.formula.value(values);
  if (metric.formula.isTerm()) {
    std::cout << "  " << metric.column << " = " << metric.formula.text(cost)
              << (value && (cost.*metric.formula.term).constant() ? "" : " = " + valueText(value)) << "\n";
  } else if (value) {
    std::cout << "  " << metric.column << " = " << metricText(metric, *value) << " " << metric.unit << "\n";
  }
}

void printText(const SymbolicResult& result, const std::map<std::string, Expr>& bound, bool all) {
  const std::size_t most = all ? 0 : 60;
  Table streams({"stream", "shape", "element", "elements"}, 3);
  for (std::size_t s = 0; s < result.graph.streams.size(); ++s) {
    const StreamType& type = result.inference.streams[s];
    const std::optional<std::int64_t> value = valueAt(elementCount(type.shape), bound);
    streams.row({result.graph.streams[s].name, text(type.shape),
                 text(type.element) + (type.order ? " as " + text(*type.order) : ""),
                 value ? grouped(static_cast<std::uint64_t>(*value)) : elementCount(type.shape).text()});
  }
  std::cout << "Streams\n";
  streams.print(std::cout, most);
  std::vector<std::string> header = {"operator", "kind"};
  for (const MetricSpec* metric : termMetrics()) header.push_back(metric->column);
  Table operators(header, 2);
  for (std::size_t o = 0; o < result.graph.operators.size(); ++o) {
    std::vector<std::string> row = {result.graph.operators[o].name, result.graph.operators[o].spec->kind};
    for (const MetricSpec* metric : termMetrics())
      row.push_back(valueText(metric->formula.value(result.operators[o])));
    operators.row(std::move(row));
  }
  std::cout << "\nOperators\n";
  operators.print(std::cout, most);
  std::cout << "\nTotals\n";
  for (const MetricSpec* metric : registeredMetrics())
    if (metric->formula.term) printTotal(*metric, result.inference.total, result.total);
}

/// The metrics of the technology that no run of the point comes below.
std::vector<std::pair<const MetricSpec*, MetricValue>> leastPriced(const SymbolicResult& result,
                                                                   const KnobValues& knobs) {
  std::vector<std::pair<const MetricSpec*, MetricValue>> least;
  const DesignPoint bounds = boundsOf(result, knobs);
  for (const MetricSpec* metric : technologyMetrics())
    if (const auto value = exactMetric(bounds, *metric)) least.emplace_back(metric, *value);
  return least;
}

void addLeastPriced(Json& object, const SymbolicResult& result, const KnobValues& knobs) {
  object["at_least"] = Json::object();
  for (const auto& [metric, value] : leastPriced(result, knobs))
    object["at_least"][metric->name] = std::get<double>(value);
}

void printLeastPriced(const SymbolicResult& result, const KnobValues& knobs) {
  std::cout << "\nNo run costs less in " << result.technology->name << "\n";
  const auto least = leastPriced(result, knobs);
  for (const auto& [metric, value] : least)
    std::cout << "  " << metric->column << " >= " << metricText(*metric, value) << "\n";
  if (least.empty()) std::cout << "  only a run tells what it does\n";
}

struct ShapesOptions : FileOptions {
  bool all = false, actions = false, count_fifos = false;
  std::string equations = "reference";

  CostModel model() const {
    return {equations == "paper" ? CostModel::Equations::Paper : CostModel::Equations::Reference,
            count_fifos};
  }
};

int runShapes(const ShapesOptions& options) {
  const Result<Opened> opened = open(options);
  if (!opened) return fail(opened.diagnostics(), options.json);
  const Result<SymbolicResult> result = evaluateSymbolic(*opened->workload, opened->knobs, options.model());
  if (!result) return fail(result.diagnostics(), options.json);
  std::map<std::string, Expr> bound;
  for (const auto& [name, value] : result->bound)
    bound.emplace(name, Expr(static_cast<std::int64_t>(std::llround(value))));
  if (options.json) {
    Json object = toJson(options, *opened, *result, bound);
    if (options.actions) addActions(object, *result, bound);
    if (result->technology) addLeastPriced(object, *result, opened->knobs);
    printJson(object);
  } else {
    printText(*result, bound, options.all);
    if (options.actions) Actions(*result, bound).print();
    if (result->technology) printLeastPriced(*result, opened->knobs);
  }
  return ExitDone;
}

}  // namespace

Command shapesCommand() {
  const auto options = std::make_shared<ShapesOptions>();
  Command command{.name = "shapes",
                  .summary = "print stream shapes and symbolic costs",
                  .examples = {{"shapes sample_workloads/simple_moe.sluice --set token_tile=8",
                                "the type and number of elements of every stream"},
                               {"shapes sample_workloads/simple_moe.sluice --equations paper",
                                "where memory and traffic come from, in the paper's equations"},
                               {"shapes sample_workloads/simple_moe.sluice --actions",
                                "what costs energy, without a run"},
                               {"shapes sample_workloads/simple_moe.sluice --technology 7nm",
                                "and the joules that no run goes below"}},
                  .options = with(pointOptions(*options), technologyOptions(*options)),
                  .run = [options](Process&) { return runShapes(*options); }};
  command.add("--all", options->all, "print every stream and operator");
  command.add("--actions", options->actions,
              "print what costs energy as formulas: bytes read and written, tokens through FIFOs, FLOPs");
  command.add("--count-fifos", options->count_fifos, "count the bytes of FIFOs as on-chip memory, too");
  command.add("--equations", options->equations,
              "on-chip memory by the reference scripts, or as printed in the paper",
              {.choices = {"reference", "paper"}, .shows_default = true});
  return command;
}

}  // namespace sluice::cli
