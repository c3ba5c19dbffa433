#pragma once
// One toy of each kind that the engine can be extended by; a file each. extension_test.cpp registers them.

#include "engine/explorer/metrics/metric.h"
#include "engine/explorer/search/strategies.h"
#include "engine/fifo/strategies/strategies.h"
#include "engine/importers/importer.h"
#include "engine/operators/operator.h"
#include "engine/schedule/transformation.h"

namespace sluice::toys {

/// ToyHold: passes every token on after `cycles` cycles.
const Operator& hold();
/// toy_depth: gives every FIFO the depth `depth`.
const Transformation& depth();
/// Evaluates the first point of the space.
void searchFirst(SearchContext& context);
/// Every FIFO three tokens deep.
Result<ChosenDepths> chooseThree(const DepthRequest& request);
/// toy_energy: two picojoules a token hop, one a cycle.
const MetricSpec& energy();
/// A file with a number: a program that makes so many tiles.
const Importer& tiles();

}  // namespace sluice::toys
