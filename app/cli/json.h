#pragma once
// JSON that the command line prints: members stay in the order in which they were added.

#include <nlohmann/json.hpp>

namespace sluice::cli {

using Json = nlohmann::ordered_json;

}  // namespace sluice::cli
