#pragma once
// ProgramMatch: what two programs have in common. A node is the same where its path, kind and parameters
// are; a stream where its ends are the same ports of the same nodes. So results of one program can be shown
// on the other without ever standing at a wrong place: streams are numbered, and a schedule moves the
// numbers.

#include <map>
#include <optional>
#include <set>
#include <string>

#include "engine/program/document.h"

namespace sluice::ui {

struct ProgramMatch {
  std::set<std::string> nodes;                 ///< paths of those in both
  std::map<std::string, std::string> streams;  ///< origin in the one -> origin in the other

  std::optional<std::string> stream(const std::string& origin) const;
  /// A node path or stream origin of the one, as the other calls it.
  std::optional<std::string> place(const std::string& path_or_origin) const;
};

/// Without `parameters`, nodes of one path and kind are taken for the same.
ProgramMatch matchPrograms(const Graph& one, const Graph& other, bool parameters = true);
/// The same from the other side.
ProgramMatch reversed(const ProgramMatch& match);
/// Whether both have the same nodes, by name, and streams, by place and ends.
bool sameWiring(const Graph& one, const Graph& other);

}  // namespace sluice::ui
