#pragma once
// Elaboration: document x knob values -> flat graph.
//
// A replicated region is expanded operator by operator (all instances of its first node, then all of its
// second ...), the order in which STeP's reference front end builds experts; memory ports are numbered in
// this order. A source with several streams gets a Broadcast, appended after all other operators, its
// consumers in the order of the streams (engine/program/README.md, "Elaboration").

#include <stop_token>

#include "engine/core/result.h"
#include "engine/program/document.h"
#include "engine/program/flat_graph.h"

namespace sluice::inline program {

/// Errors name the node and parameter or the stream: unknown kind, missing or unknown parameter, wrong type,
/// value below minimum, overflow, unconnected or doubly fed port, bundle widths that differ, unknown
/// endpoint, cyclic constants, knob value not allowed; and a stop request.
Result<FlatGraph> elaborate(const Document& document, const KnobValues& knobs, const Catalog& catalog,
                            std::stop_token stop = {});

/// The same of a program that is still being written: ports may be open. Their places in the operators hold
/// `open_port`; everything else is as strict.
Result<FlatGraph> elaborateDraft(const Document& document, const KnobValues& knobs, const Catalog& catalog);
/// What stands for the stream of an open port in a draft.
constexpr StreamId open_port = static_cast<StreamId>(-1);

/// Everything elaborate() would say, but for all regions and at the default knobs, plus warnings (unused
/// constant, knob or input). At a stop request only that.
Diagnostics check(const Document& document, const Catalog& catalog, const std::stop_token& stop = {});

}  // namespace sluice::inline program
