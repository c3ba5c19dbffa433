#pragma once
// Edits of the document that fix what a diagnostic found: offered where the mistake is seen, made by the
// window and by `sluice-cli check --fix`.

#include "engine/core/result.h"
#include "engine/program/document.h"
#include "engine/program/operator_spec.h"

namespace sluice::inline program {

/// The edit with each name that `word` may have stood for; certain where only one is evident.
std::vector<FixEdit> spellingFixes(const FixEdit& edit, const std::string& word,
                                   const std::vector<std::string>& known);
/// Other names for a symbol in a parameter; none where `place` is no parameter of an operator.
std::vector<FixEdit> symbolFixes(const Location& place, const std::string& symbol,
                                 const std::vector<std::string>& known);

/// Other nodes for the end of a stream, or other ports of its node.
std::vector<FixEdit> nodeFixes(const Location& place, bool source, const Endpoint& end,
                               const std::vector<std::string>& nodes);
std::vector<FixEdit> portFixes(const Location& place, bool source, const Endpoint& end,
                               const std::vector<std::string>& ports);

/// "use 'Broadcast'", "set 'rank' to 1".
std::string text(const FixEdit& edit);
/// Errors: what it is about is not there any more.
Result<Done> applyFix(Document& document, const FixEdit& edit, const Catalog& catalog);

/// What a parameter of a new operator begins with: its default, what its spec suggests, or the least that may
/// be.
Value startingValue(const Document& document, const ParameterSpec& spec);

}  // namespace sluice::inline program
