#pragma once
// All that a program on the installed engine begins with, as <sluice/sluice.h>.
//
// * Write: Document, Graph, GraphBuilder, an operator a line; check() names kinds and ports that are wrong.
// * Open: loadDocument(), importFile(), buildWorkload(); saveDocument().
// * Run: makeWorkload(), evaluate(): cycles, bytes and the other metrics of a design point.
// * Search: explore() with a strategy, findDesigns() for schedules that nobody wrote down.
// * Look up: registeredSpecs(), registeredTransformations(), registeredMetrics(), strategies().
//
// What users can cause comes back as Result<T> with diagnostics; dimensions are tokens, tiles or elements,
// times cycles, memory bytes. resources/examples/engine has programs; more of the engine is behind the
// headers of its modules (engine/README.md).

#include "engine/designer/designer.h"
#include "engine/explorer/evaluate.h"
#include "engine/explorer/explore.h"
#include "engine/explorer/metrics/registry.h"
#include "engine/explorer/search/strategies.h"
#include "engine/importers/registry.h"
#include "engine/operators/registry.h"
#include "engine/program/file_format.h"
#include "engine/schedule/transformation.h"
#include "engine/workloads/graph_builder.h"
#include "engine/workloads/workload_builder.h"
