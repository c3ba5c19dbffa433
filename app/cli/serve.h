#pragma once
// Answering JSON-RPC requests, a line each.

#include <cstdint>
#include <iosfwd>
#include <stop_token>

namespace sluice::cli {

enum class Protocol : std::uint8_t { JsonRpc, Mcp };

/// Until `shutdown` or the end of `in`, which nobody else may read or tie to another stream; what is under
/// way is stopped where `in` is bad() then, or when `stop` is requested. An exit code.
int serve(std::istream& in, std::ostream& out, const std::stop_token& stop = {},
          Protocol protocol = Protocol::JsonRpc);

}  // namespace sluice::cli
