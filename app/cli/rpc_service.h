#pragma once
// What the requests of `serve` work on: the program that is open, and its knobs.

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "app/cli/json_rpc.h"
#include "app/cli/rpc_schema.h"
#include "engine/core/executor.h"
#include "engine/explorer/explore.h"

namespace sluice::cli {

class RpcService {
 public:
  explicit RpcService(Output& output) : output_(output), executor_(makeExecutor()) {}

  struct Call {
    const Json& id;
    const Parameters& params;
    std::stop_source stop;
  };
  struct Method {
    RpcMethod told;
    Json (RpcService::*work)(const Call&);
  };
  static const std::vector<Method>& methods();

  /// The result; throws RpcError. Whatever, if `stop` was requested.
  Json work(const std::string& method, const Json& id, const Given& params, const std::stop_source& stop);

 private:
  Json open(const Call& call);
  Json set(const Call& call);
  Json simulate(const Call& call);
  Json explore(const Call& call);
  Json design(const Call& call);
  Json compile(const Call& call);
  Json sizeFifos(const Call& call);
  Json unlock(const Call& call);
  Json compare(const Call& call);

  /// A program in a file, or in a text; `inputs` are files by name.
  static std::shared_ptr<const Workload> opened(const std::string& file, const std::string& text,
                                                const std::map<std::string, Given>& inputs,
                                                const std::string& technology);
  const Workload& workload() const;
  /// `from`, with what the parameter `name` changes.
  static KnobValues changedOf(const Document& document, KnobValues from, const Parameters& params,
                              const char* name);
  KnobValues changed(KnobValues from, const Parameters& params, const char* name) const {
    return changedOf(workload().document, std::move(from), params, name);
  }
  Result<Exploration> search(ExploreOptions request, const Call& call);

  Output& output_;
  std::unique_ptr<Executor> executor_;
  std::shared_ptr<const Workload> workload_;
  KnobValues knobs_;
  std::string file_;
};

}  // namespace sluice::cli
