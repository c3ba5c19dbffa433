// sluice-cli schema: JSON Schemas of what the methods of `serve` take and give.

#include <iostream>

#include "app/cli/command.h"
#include "app/cli/rpc_schema.h"

namespace sluice::cli {
namespace {

int runSchema(const std::string& only) {
  Json methods = Json::object();
  for (const RpcMethod& method : rpcMethods()) {
    if (!only.empty() && method.name != only) continue;
    methods[method.name] = {{"summary", method.summary},
                            {"params", schemaOf(method.parameters)},
                            {"result", schemaOf(method.results)}};
  }
  printJson({{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"methods", std::move(methods)}});
  return ExitDone;
}

}  // namespace

Command schemaCommand() {
  const auto only = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const RpcMethod& method : rpcMethods()) names.push_back(method.name);
  Command command{.name = "schema",
                  .summary = "print JSON Schemas of the methods of 'serve'",
                  .examples = {{"schema", "of all methods"}, {"schema --method simulate", "of one"}},
                  .run = [only](Process&) { return runSchema(*only); }};
  command.add("--method", *only, "only this one", {.choices = names});
  return command;
}

}  // namespace sluice::cli
