#pragma once
// An emitter: a form in which a program is written for other tools, to build hardware from or to analyse, as
// a folder of files. Each is described in the file of its name; what lists forms or writes one asks these
// descriptions (registry.h).

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/core/project_folder.h"
#include "engine/program/flat_graph.h"
#include "engine/program/trace_source.h"

namespace sluice::inline emitters {

/// What is written, and how. Emitters say which of the choices they heed.
struct EmitRequest {
  const Document* document = nullptr;  ///< with its schedule
  const InputSet* inputs = nullptr;
  KnobValues knobs = {};
  std::string platform = {};  ///< the card that it is placed on, a name or a machine file; empty: none
  bool data = true;           ///< with what the test bench reads
  std::string numbers = {};   ///< a name of Emitter::numbers; empty: the first
  std::string folder = {};    ///< what Emitter::folder asks for; empty: nothing given
  std::optional<TraceName> trace = {};  ///< that the inputs that are sets have been taken from
  std::stop_token stop = {};
};

/// What the numbers of a project may be.
struct NumberForm {
  std::string name;   ///< "float32": of the option --numbers
  std::string title;  ///< for people
};

/// A folder that a project may be written by.
struct FolderChoice {
  std::string name;       ///< "headers": of the choice
  std::string title;      ///< for people
  std::string otherwise;  ///< what is taken where none is given: "the project's own"
  std::string help;       ///< in a sentence, without a full stop
};

struct Emitter {
  std::string name;                         ///< "hls": of the subcommand of `emit`
  std::string title;                        ///< "Vitis HLS project"
  std::string summary;                      ///< in a sentence, without a full stop
  std::string run;                          ///< how the project is run, in its folder: "make csim"
  bool places = false;                      ///< heeds EmitRequest::platform
  bool has_data = false;                    ///< heeds EmitRequest::data
  std::vector<NumberForm> numbers = {};     ///< the usual one first; empty: there is no choice
  std::optional<FolderChoice> folder = {};  ///< heeds EmitRequest::folder
  /// Errors: what of the program has no such form, and why; then there is no file.
  Result<std::vector<ProjectFile>> (*project)(const EmitRequest& request) = nullptr;
};

/// Of the folder that a form writes (core/project_folder.h).
inline std::string projectKind(const std::string& emitter) {
  return "emit " + emitter;
}

}  // namespace sluice::inline emitters
