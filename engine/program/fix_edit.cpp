// Edits that fix a document.

#include "engine/program/fix_edit.h"

#include <algorithm>
#include <charconv>

#include "engine/program/spelling.h"
#include "engine/program/stream_id.h"

namespace sluice::inline program {
namespace {

Node* nodeAt(Document& document, const std::string& path) {
  const std::size_t dot = path.rfind('.');
  Graph* graph = findGraph(document, dot == path.npos ? "" : path.substr(0, dot));
  if (!graph) return nullptr;
  const std::string name = dot == path.npos ? path : path.substr(dot + 1);
  const auto found = std::ranges::find(graph->nodes, name, &Node::name);
  return found == graph->nodes.end() ? nullptr : &*found;
}

bool isOfStream(const FixEdit& edit) {
  return edit.kind == FixEdit::Kind::SetEnd || edit.kind == FixEdit::Kind::RaiseDepth;
}

Diagnostic gone(const FixEdit& edit) {
  return error("unknown-node", Location(isOfStream(edit) ? Where::Stream : Where::Node, edit.at),
               "what was to be fixed is not there any more", "check the program again");
}

std::string withSymbol(const std::string& written, const std::string& from, const std::string& to) {
  std::string result;
  for (std::size_t i = 0; i < written.size();) {
    std::size_t end = i;
    while (end < written.size() && isIdentifier(written.substr(i, end + 1 - i))) ++end;
    const std::string word = written.substr(i, std::max<std::size_t>(end - i, 1));
    result += word == from ? to : word;
    i += word.size();
  }
  return result;
}

void replaceSymbol(Value& value, const FixEdit& edit) {
  if (auto* written = std::get_if<std::string>(&value))
    *written = *written == edit.from ? edit.to : withSymbol(*written, edit.from, edit.to);
  if (auto* list = std::get_if<std::vector<Value>>(&value))
    for (Value& each : *list) replaceSymbol(each, edit);
}

Result<Done> setEnd(Document& document, const FixEdit& edit) {
  Stream* stream = findStream(document, edit.at);
  const std::optional<Endpoint> wanted = parseEndpoint(edit.to);
  if (!stream || !wanted) return gone(edit);
  Endpoint& end = edit.field == "from" ? stream->from : stream->to;
  end.node = wanted->node;
  end.port = wanted->port;
  return Done{};
}

/// What is an expression stays one, so that knobs go on to count.
Result<Done> raiseDepth(Document& document, const FixEdit& edit) {
  Stream* stream = findStream(document, edit.at);
  std::int64_t least = 0;
  const char* end = edit.to.data() + edit.to.size();
  const bool whole = std::from_chars(edit.to.data(), end, least).ptr == end && least > 0;
  if (!stream || !whole) return gone(edit);
  const std::string* written = stream->depth ? stream->depth->string() : nullptr;
  stream->depth = written ? Value("max(" + *written + ", " + edit.to + ")") : Value(least);
  return Done{};
}

/// Of a stream's end, with `to` still to be said.
FixEdit endEdit(const Location& place, bool source) {
  const LocationPart* stream = place.find(Where::Stream);
  return {FixEdit::Kind::SetEnd, stream ? stream->name : "", source ? "from" : "to", {}, {}};
}

}  // namespace

std::vector<FixEdit> spellingFixes(const FixEdit& edit, const std::string& word,
                                   const std::vector<std::string>& known) {
  const std::vector<std::string> meant = closestSpellings(word, known);
  const std::optional<std::string> evident = evidentSpelling(word, known);
  std::vector<FixEdit> fixes(meant.size(), edit);
  for (std::size_t i = 0; i < meant.size(); ++i) {
    fixes[i].to = meant[i];
    fixes[i].certain = meant[i] == evident;
  }
  return fixes;
}

std::vector<FixEdit> symbolFixes(const Location& place, const std::string& symbol,
                                 const std::vector<std::string>& known) {
  const LocationPart *node = place.find(Where::Operator), *parameter = place.find(Where::Parameter);
  if (!node || !parameter) return {};
  return spellingFixes({FixEdit::Kind::ReplaceSymbol, node->name, parameter->name, symbol, {}}, symbol,
                       known);
}

std::vector<FixEdit> nodeFixes(const Location& place, bool source, const Endpoint& end,
                               const std::vector<std::string>& nodes) {
  std::vector<FixEdit> fixes = spellingFixes(endEdit(place, source), end.node, nodes);
  for (FixEdit& fix : fixes) fix.to += "." + end.port;
  return fixes;
}

std::vector<FixEdit> portFixes(const Location& place, bool source, const Endpoint& end,
                               const std::vector<std::string>& ports) {
  std::vector<FixEdit> fixes = spellingFixes(endEdit(place, source), end.port, ports);
  for (FixEdit& fix : fixes) fix.to = end.node + "." + fix.to;
  return fixes;
}

std::string text(const FixEdit& edit) {
  switch (edit.kind) {
    case FixEdit::Kind::SetEnd:
    case FixEdit::Kind::SetKind:
    case FixEdit::Kind::RenameParameter:
    case FixEdit::Kind::ReplaceSymbol:
      return "use '" + edit.to + "'";
    case FixEdit::Kind::RaiseDepth:
      return "raise the depth to " + edit.to;
    case FixEdit::Kind::AddParameter:
      return "set '" + edit.field + "' to what is suggested";
  }
  return {};
}

Result<Done> applyFix(Document& document, const FixEdit& edit, const Catalog& catalog) {
  if (edit.kind == FixEdit::Kind::SetEnd) return setEnd(document, edit);
  if (edit.kind == FixEdit::Kind::RaiseDepth) return raiseDepth(document, edit);
  Node* node = nodeAt(document, edit.at);
  if (!node) return gone(edit);
  const auto given = node->parameters.find(edit.field);
  const OperatorSpec* spec = catalog.find(node->kind);
  const ParameterSpec* parameter = spec ? spec->parameter(edit.field) : nullptr;
  switch (edit.kind) {
    case FixEdit::Kind::SetKind:
      node->kind = edit.to;
      return Done{};
    case FixEdit::Kind::AddParameter:
      if (!parameter || given != node->parameters.end()) return gone(edit);
      node->parameters[edit.field] = startingValue(document, *parameter);
      return Done{};
    case FixEdit::Kind::RenameParameter: {
      if (given == node->parameters.end() || node->parameters.contains(edit.to)) return gone(edit);
      auto moved = node->parameters.extract(given);
      moved.key() = edit.to;
      node->parameters.insert(std::move(moved));
      return Done{};
    }
    case FixEdit::Kind::ReplaceSymbol:
      if (given == node->parameters.end()) return gone(edit);
      replaceSymbol(given->second, edit);
      return Done{};
    case FixEdit::Kind::SetEnd:
    case FixEdit::Kind::RaiseDepth:
      break;  // above
  }
  return gone(edit);
}

Value startingValue(const Document& document, const ParameterSpec& spec) {
  if (spec.initial) return *spec.initial;
  if (spec.suggested) return *spec.suggested;
  const std::int64_t least = std::max<std::int64_t>(spec.range.minimum, 1);
  switch (spec.kind) {
    case ParameterKind::Integer:
      return least;
    case ParameterKind::Boolean:
      return false;
    case ParameterKind::Choice:
      return spec.choices.empty() ? Value("") : Value(spec.choices.front());
    case ParameterKind::IntegerList:
      return std::vector<Value>{Value(least)};
    case ParameterKind::Input:
      return document.inputs.empty() ? Value("") : Value(document.inputs.front().name);
    case ParameterKind::Text:
      return Value("");
    case ParameterKind::Orders:
      return std::vector<Value>{};
  }
  return {};
}

}  // namespace sluice::inline program
