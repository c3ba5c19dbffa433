#pragma once
// The Model Context Protocol over `serve`: its methods as tools for agents (app/cli/json_rpc.md 4).

#include "app/cli/rpc_service.h"

namespace sluice::cli {

/// The result of a request of the protocol; throws RpcError.
Json mcpResult(RpcService& service, const std::string& method, const Json& id, const Given& params,
               const std::stop_source& stop);

}  // namespace sluice::cli
