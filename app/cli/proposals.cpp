// sluice-cli proposals: which steps may follow behind a program's schedule, and with which arguments.

#include <iostream>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/report.h"
#include "app/cli/step_json.h"
#include "engine/schedule/proposals.h"

namespace sluice::cli {
namespace {

struct ProposalsOptions : FileOptions {
  bool refused = false;
};

Json toJson(const ArgumentDomain& domain) {
  Json when = Json::array();
  for (const ArgumentDomain::Condition& condition : domain.when)
    when.push_back({{"argument", condition.argument}, {"among", valuesJson(condition.among)}});
  return {{"argument", domain.argument},
          {"kind", domain.kind == ArgumentDomain::Kind::Number ? "number" : "category"},
          {"values", valuesJson(domain.values)},
          {"when", std::move(when)}};
}

Json toJson(const Proposal& proposal) {
  Json json = stepJson(proposal.step);
  json["domains"] = Json::array();
  for (const ArgumentDomain& domain : proposal.domains) json["domains"].push_back(toJson(domain));
  json["limits"] = Json::array();
  for (const ProductLimit& limit : proposal.limits)
    json["limits"].push_back({{"product", limit.arguments}, {"at_most", limit.at_most}});
  json["expected"] = Json::array();
  for (const ExpectedChange& change : proposal.expected) {
    const bool down = change.direction == ExpectedChange::Direction::Down;
    json["expected"].push_back({{"metric", change.metric}, {"direction", down ? "down" : "up"}});
  }
  return json;
}

Json toJson(const RefusedStep& refused) {
  Json json = stepJson(refused.step);
  json["diagnostics"] = diagnosticsJson(refused.why);
  return json;
}

void printDomain(const Json& domain) {
  std::cout << "  " << written(domain["argument"]) << ":";
  for (const Json& value : domain["values"]) std::cout << " " << writtenPlain(value);
  const char* joint = "  (where ";
  for (const Json& condition : domain["when"]) {
    std::cout << joint << written(condition["argument"]) << " is";
    const char* or_else = " ";
    for (const Json& value : condition["among"]) {
      std::cout << or_else << writtenPlain(value);
      or_else = " or ";
    }
    joint = " and ";
  }
  std::cout << (domain["when"].empty() ? "\n" : ")\n");
}

void printLimit(const Json& limit) {
  const char* times = "  ";
  for (const Json& argument : limit["product"]) {
    std::cout << times << written(argument);
    times = " x ";
  }
  std::cout << " at most " << written(limit["at_most"]) << "\n";
}

void print(const Json& report) {
  for (const Json& proposal : report["proposals"]) {
    std::cout << stepText(proposal) << "\n";
    for (const Json& domain : proposal["domains"]) printDomain(domain);
    for (const Json& limit : proposal["limits"]) printLimit(limit);
  }
  if (report["proposals"].empty())
    std::cout << "No step is legal behind the schedule; '--refused' says why.\n";
  if (!report.contains("refused")) return;
  std::cout << "\nNot legal:\n";
  for (const Json& step : report["refused"])
    std::cout << stepText(step) << "\n  " << written(step["diagnostics"][0]["cause"]) << "\n";
}

int run(const ProposalsOptions& options) {
  const Result<Opened> opened = open(options);
  if (!opened) return fail(opened.diagnostics(), options.json);
  const Workload& workload = *opened->workload;
  const Result<Proposals> proposals = proposalsFor(workload.document, workload.inputs, opened->knobs);
  if (!proposals) return fail(proposals.diagnostics(), options.json);
  Json report = {{"file", options.file}, {"proposals", Json::array()}};
  for (const Proposal& proposal : proposals->legal) report["proposals"].push_back(toJson(proposal));
  if (options.refused) {
    report["refused"] = Json::array();
    for (const RefusedStep& step : proposals->refused) report["refused"].push_back(toJson(step));
  }
  return show(report, options.json, print);
}

}  // namespace

Command proposalsCommand() {
  const auto options = std::make_shared<ProposalsOptions>();
  Command command{
      .name = "proposals",
      .summary = "which steps may follow behind the schedule, and with which arguments",
      .examples = {{"proposals sample_workloads/simple_moe.sluice", "the steps that may follow"},
                   {"proposals sample_workloads/simple_moe.sluice --refused", "and why others may not"}},
      .options = pointOptions(*options),
      .run = [options](Process&) { return run(*options); }};
  command.add("--refused", options->refused, "also the steps that were tried and are not legal, and why");
  return command;
}

}  // namespace sluice::cli
