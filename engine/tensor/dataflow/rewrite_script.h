#pragma once
// Rewrites in writing, as the command line, a schedule and the window have them; and the list of all places
// of a design where one is legal, or why it is not.

#include <span>
#include <stop_token>
#include <string>

#include "engine/tensor/dataflow/rewrites.h"

namespace sluice {

/// "fold stream 'a.out0 -> b.in0'", "vectorise stream '...' by 2x4", "fold everywhere": what text() makes of
/// a choice. "none" changes nothing, so that a knob may leave a rewrite out.
Result<RewriteStep> applyWritten(const DataflowDesign& design, const std::string& written,
                                 const std::stop_token& stop = {});

/// One after the other; a stop request makes it fail.
Result<std::vector<RewriteStep>> applyWritten(const DataflowDesign& design,
                                              std::span<const std::string> written,
                                              const std::stop_token& stop = {});

struct RewriteOffer {
  RewriteChoice choice;               ///< with the argument that is suggested there
  std::string place;                  ///< its name
  std::optional<Diagnostic> refused;  ///< why it is not legal
};

/// Every place of the rewrite's kind.
std::vector<RewriteOffer> offersOf(const DataflowDesign& design, const DataflowRewrite& rewrite);

}  // namespace sluice
