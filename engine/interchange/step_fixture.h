#pragma once
// Imports a STeP graph that was written as plain JSON ({"depth", "cfg", "fb", "ops"}; the fields of each
// operator are those of the reference front end's serialiser). FIFO depths follow the reference simulator's
// rule: whichever end of a channel is built first decides (step_format.md 4).

#include <nlohmann/json_fwd.hpp>
#include <stop_token>
#include <string>
#include <string_view>

#include "engine/core/result.h"
#include "engine/program/document.h"

namespace sluice::inline interchange {

/// Operators become nodes "op<id>" in the order of the file, which is the order of the memory ports. Selector
/// and metadata values become inline inputs. Errors name the operator's position and kind;
/// a stop request is one.
Result<Document> importStepFixture(std::string_view json, const std::string& name,
                                   const std::stop_token& stop = {});

/// The same, of a graph that is read already.
Result<Document> importStepGraph(const nlohmann::json& graph, const std::string& name,
                                 const std::stop_token& stop = {});

}  // namespace sluice::inline interchange
