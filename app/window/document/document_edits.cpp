#include "app/window/document/document_edits.h"

#include <algorithm>
#include <utility>

#include "engine/program/appearance.h"
#include "widgets/common/document_paths.h"

namespace sluice::ui {
namespace {

Document withoutLooks(Document document) {
  dropAppearance(document);
  for (Knob& knob : document.knobs) {
    knob.help.clear();
    knob.initial = 0;  // the knobs' values are given to the engine, whatever the default is
  }
  return document;
}

}  // namespace

void setParameter(Document& document, const std::string& path, const std::string& name, const Value& value) {
  if (Node* node = findNode(document, path)) node->parameters[name] = value;
}

void setCount(Document& document, const std::string& path, const Value& value) {
  Node* node = findNode(document, path);
  if (node && node->body) node->body->count = value;
}

void setDepth(Document& document, const std::string& origin, const std::optional<Value>& depth) {
  if (Stream* stream = findStream(document, origin)) stream->depth = depth;
}

void setPosition(Document& document, const std::string& path, Position at) {
  if (Node* node = findNode(document, path)) node->at = at;
}

void setCollapsed(Document& document, const std::string& path, bool collapsed) {
  Node* node = findNode(document, path);
  if (node && node->body) node->body->collapsed = collapsed;
}

bool sameMeaning(const Document& a, const Document& b) {
  return withoutLooks(a) == withoutLooks(b);
}

/// Asked after each turn of a knob: graphs are copied only for the regions in them.
bool sameMeaning(const Graph& a, const Graph& b) {
  const auto without_looks = [](const Node& node) {
    Graph alone;
    alone.nodes.push_back(node);
    dropAppearance(alone);
    return std::move(alone.nodes.front());
  };
  return a.streams == b.streams && std::ranges::equal(a.nodes, b.nodes, [&](const Node& x, const Node& y) {
           if (x.name != y.name || x.kind != y.kind || x.parameters != y.parameters) return false;
           return (!x.body && !y.body) || without_looks(x) == without_looks(y);
         });
}

void addStep(Document& document, const ScheduleStep& step) {
  document.schedule.push_back(step);
}

void insertStep(Document& document, std::size_t position, const ScheduleStep& step) {
  const std::size_t before = std::min(position, document.schedule.size());
  document.schedule.insert(document.schedule.begin() + static_cast<std::ptrdiff_t>(before), step);
}

void replaceStep(Document& document, std::size_t position, const ScheduleStep& step) {
  if (position < document.schedule.size()) document.schedule[position] = step;
}

void removeStep(Document& document, std::size_t position) {
  if (position < document.schedule.size())
    document.schedule.erase(document.schedule.begin() + static_cast<std::ptrdiff_t>(position));
}

void enableStep(Document& document, std::size_t position, bool enabled) {
  if (position < document.schedule.size()) document.schedule[position].enabled = enabled;
}

void moveStep(Document& document, std::size_t from, std::size_t to) {
  if (from >= document.schedule.size() || to >= document.schedule.size()) return;
  const ScheduleStep step = document.schedule[from];
  removeStep(document, from);
  document.schedule.insert(document.schedule.begin() + static_cast<std::ptrdiff_t>(to), step);
}

}  // namespace sluice::ui
