#pragma once
// What the steps of a paper graph (paper_graph.h) do to the model of a scene.

#include "widgets/canvas/picture.h"

namespace sluice::ui {

/// All regions are one box each.
Document withRegionsClosed(Document document);
/// Nothing stands where somebody has placed it.
void release(SceneModel& model);
/// The gaps between boxes, without room for the shapes of streams.
void closeUp(SceneModel& model);
/// Boxes have their name alone, and are as large as it needs.
void keepNames(SceneModel& model, const QFontMetricsF& metrics, bool noted);
/// What may stand in one box: chains of boxes, each of which feeds the next one alone. The model shows all of
/// `groups` folded; those that are in no chain are among the answer.
std::vector<SceneNodeGroup> chainsOf(const SceneModel& model, const std::vector<SceneNodeGroup>& groups);
/// The same for runs of boxes that follow each other in the program, so that no more than `most` are left;
/// each stands behind what feeds it.
std::vector<SceneNodeGroup> runsOf(const SceneModel& model, const std::vector<SceneNodeGroup>& groups,
                                   std::size_t most);

}  // namespace sluice::ui
