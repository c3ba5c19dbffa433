#pragma once
// Graphviz DOT in and out. What is written draws well with `dot` and reads back as the same document:
//
//   digraph "title" {
//     graph [sluice="{...}"];  // knobs, schedule, machine, inputs: the native file without its program
//     "load" [kind=LinearOffChipLoad, parameters="{...}"];
//     subgraph "cluster_experts" {  // a region
//       region="{...}";
//       "experts.x";                             // its boundary: a node for each input and output
//       "experts/gate" [kind=BinaryMap, ...];
//       "experts.x" -> "experts/gate" [from="region.x", to="gate.in1"];
//     }
//     "load" -> "experts.x" [from="load.out", to="experts.x", depth=2];
//   }
//
// Written by hand, kind and parameters are enough: an edge without `from` and `to` takes the ports that a:out
// -> b:in1 names, or "out" and "in". Colours, labels and whatever else Graphviz knows are skipped. One thread
// at a time: cgraph keeps its state in globals.

#include <stop_token>
#include <string>
#include <string_view>

#include "engine/core/result.h"
#include "engine/program/document.h"

namespace sluice::inline interchange {

std::string writeDot(const Document& document);
/// `name` is what diagnostics call the text. Errors: no DOT, no digraph, a node without a kind, all that
/// parseDocument() refuses, and a stop request.
Result<Document> readDot(std::string_view text, const std::string& name, const std::stop_token& stop = {});

}  // namespace sluice::inline interchange
