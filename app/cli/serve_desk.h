#pragma once
// What the requests of `serve` work on: the program that is open, and its knobs.

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "app/cli/json_rpc.h"
#include "app/cli/rpc_schema.h"
#include "engine/core/executor.h"
#include "engine/explorer/explore.h"

namespace sluice::cli {

class Desk {
 public:
  explicit Desk(Output& output) : output_(output), executor_(makeExecutor()) {}

  struct Call {
    const Json& id;
    const Parameters& params;
    std::stop_source stop;
  };
  struct Method {
    RpcMethod told;
    Json (Desk::*work)(const Call&);
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

  const Workload& workload() const;
  /// `from` with what the parameters change.
  KnobValues changed(KnobValues from, const Parameters& params) const;
  Result<Exploration> search(ExploreOptions request, const Call& call);

  Output& output_;
  std::unique_ptr<Executor> executor_;
  std::shared_ptr<const Workload> workload_;
  KnobValues knobs_;
  std::string file_;
};

}  // namespace sluice::cli
