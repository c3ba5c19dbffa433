#pragma once
// The edits that the window makes to a document, each a plain function, so that undo and tests need no
// window. Paths and origins are those of the canvas; one that leads nowhere changes nothing.

#include <optional>
#include <string>

#include "engine/program/document.h"

namespace sluice::ui {

void setParameter(Document& document, const std::string& path, const std::string& name, const Value& value);
void setCount(Document& document, const std::string& path, const Value& value);
void setDepth(Document& document, const std::string& origin, const std::optional<Value>& depth);
void setPosition(Document& document, const std::string& path, Position at);
void setCollapsed(Document& document, const std::string& path, bool collapsed);
void makeDefaults(Document& document, const KnobValues& knobs);

/// Whether two documents compute the same; places on the canvas, titles, help and the defaults of knobs do
/// not count.
bool sameMeaning(const Document& a, const Document& b);

}  // namespace sluice::ui
