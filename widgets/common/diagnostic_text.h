#pragma once
// A diagnostic as sentences, for a line below a field or a note beside a drawing.

#include <QString>
#include <optional>

#include "engine/core/diagnostic.h"

namespace sluice::ui {

/// With a capital letter and a full stop.
QString sentence(const std::string& text);
/// "Cause. Fix."
QString causeAndFix(const Diagnostic& diagnostic);
/// "Column 7: cause. Fix." - the place only where it is one in the text.
QString inlineText(const Diagnostic& diagnostic);
/// "place: cause; fix"
QString placedText(const Diagnostic& diagnostic);
/// The column that a place names, from 1.
std::optional<int> columnOf(const Location& place);
/// Place, cause and fix as rich text.
QString richText(const Diagnostic& diagnostic);

}  // namespace sluice::ui
