#pragma once
// GraphCorrespondence: what two programs have in common. A node is the same where its path, kind and
// parameters are; a stream where its ends are the same ports of the same nodes. So results of one program can
// be shown on the other without ever standing at a wrong place: another stream may end at the same port.

#include <set>
#include <string>

#include "engine/program/document.h"

namespace sluice::ui {

struct GraphCorrespondence {
  std::set<std::string> nodes, streams;  ///< paths and ids of those in both
};

/// Without `parameters`, nodes of one path and kind are taken for the same.
GraphCorrespondence matchPrograms(const Graph& one, const Graph& other, bool parameters = true);
/// Whether both have the same nodes, by name, and streams, by place and ends.
bool sameWiring(const Graph& one, const Graph& other);

}  // namespace sluice::ui
