#include "engine/program/appearance.h"

namespace sluice::inline program {

void dropAppearance(Graph& graph) {
  for (Node& node : graph.nodes) {
    node.at.reset();
    if (!node.body) continue;
    node.body->collapsed = true;
    dropAppearance(node.body->body);
  }
}

void dropAppearance(Document& document) {
  document.title.clear();
  document.description.clear();
  document.pinned.clear();
  document.figures.clear();
  document.provenance.reset();
  dropAppearance(document.program);
}

}  // namespace sluice::inline program
