#pragma once
// What a document holds for its readers alone. No number that is computed from it depends on any of this.

#include "engine/program/document.h"

namespace sluice::inline program {

/// Forgets where the nodes stand and which regions are collapsed.
void dropAppearance(Graph& graph);
/// That, and what is pinned, the figures, the provenance, the title and the description.
void dropAppearance(Document& document);

}  // namespace sluice::inline program
