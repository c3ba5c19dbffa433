#pragma once
// What a project was made of: program, knobs, machine, inputs, choices. In point.json for programs, in the
// README and at the head of the sources for people.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/float_tensor.h"
#include "engine/core/project_folder.h"
#include "engine/program/flat_graph.h"
#include "engine/program/trace_source.h"

namespace sluice::inline emitters {

struct ProjectOrigin {
  std::string form = {};               ///< of the emitter: "rtl"
  const Document* document = nullptr;  ///< its title, knobs, machine and inputs
  const InputSet* inputs = nullptr;    ///< as the program has them, before its schedule
  const TensorSet* tensors = nullptr;  ///< given to the test bench; null: none
  KnobValues knobs = {};
  std::map<std::string, std::string> sources = {};  ///< of inputs: what was given in the document's place
  std::optional<TraceName> trace = {};              ///< that was taken of the inputs that are sets
  std::vector<std::pair<std::string, std::string>> choices = {};  ///< "card" and "u55c"
};

/// Adds point.json, a section of README.md, and a comment at the head of program.sv and src/design.h; where
/// there are no such files, point.json alone.
void addOrigin(std::vector<ProjectFile>& files, const ProjectOrigin& origin);

}  // namespace sluice::inline emitters
