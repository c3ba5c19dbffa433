#pragma once
// The edits that the window makes to a document, each a plain function, so that undo and tests need no
// window. Paths and origins are those of the canvas; one that leads nowhere changes nothing.

#include <optional>
#include <string>

#include "engine/program/document.h"
#include "engine/program/knob_defaults.h"

namespace sluice::ui {

void setParameter(Document& document, const std::string& path, const std::string& name, const Value& value);
void setCount(Document& document, const std::string& path, const Value& value);
void setDepth(Document& document, const std::string& origin, const std::optional<Value>& depth);
void setPosition(Document& document, const std::string& path, Position at);
void setCollapsed(Document& document, const std::string& path, bool collapsed);

/// Whether two documents compute the same; places and pins on the canvas, titles, help and the defaults of
/// knobs do not count.
bool sameMeaning(const Document& a, const Document& b);
/// The same of programs alone.
bool sameMeaning(const Graph& a, const Graph& b);

void addStep(Document& document, const ScheduleStep& step);
/// Before the step at `position`, or behind the last one.
void insertStep(Document& document, std::size_t position, const ScheduleStep& step);
// Positions beyond the schedule change nothing.
void replaceStep(Document& document, std::size_t position, const ScheduleStep& step);
void removeStep(Document& document, std::size_t position);
void enableStep(Document& document, std::size_t position, bool enabled);
/// The step stands at `to` afterwards.
void moveStep(Document& document, std::size_t from, std::size_t to);

}  // namespace sluice::ui
