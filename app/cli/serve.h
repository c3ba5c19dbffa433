#pragma once
// Answering JSON-RPC requests, a line each.

#include <iosfwd>

namespace sluice::cli {

/// Until `shutdown` or the end of `in`, which nobody else may read or tie to another stream; what is under
/// way is stopped where `in` is bad() then. An exit code.
int serve(std::istream& in, std::ostream& out);

}  // namespace sluice::cli
