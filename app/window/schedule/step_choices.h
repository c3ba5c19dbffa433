#pragma once
// Which steps the window offers for a node or a stream, and where rewrites of a compiled design are legal.

#include <string>
#include <vector>

#include "engine/program/document.h"
#include "engine/schedule/transformation.h"

namespace sluice::ui {

/// Where a rewrite of a compiled program's design is legal, behind "everywhere"; none if it is nowhere.
std::vector<std::string> designPlaces(const CompiledPrograms& compiled, const std::string& program,
                                      const DataflowRewrite& rewrite);

/// A step that a command adds for a node, with the arguments that follow from the node.
struct StepOffer {
  std::string command;  ///< "schedule.tileStatic"
  ScheduleStep step;
};
/// Ids of all commands that add a step for what is selected.
std::vector<std::string> stepCommands();
/// Why Fuse does nothing for the node that is selected; empty where it does something.
std::string whyNotFused(const Document& program, const std::string& path);
/// For a node by its path, or for the stream into an input.
std::vector<StepOffer> stepsForNode(const Document& program, const std::string& path);
std::vector<StepOffer> stepsForStream(const Document& program, const std::string& origin);

}  // namespace sluice::ui
