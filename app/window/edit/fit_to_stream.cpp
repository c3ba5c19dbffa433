#include "app/window/edit/fit_to_stream.h"

#include <algorithm>
#include <optional>
#include <set>

#include "engine/operators/draft.h"
#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"
#include "widgets/common/document_paths.h"

namespace sluice::ui {
namespace {

/// The size of the operator's tiles, if it is as it was at first.
Value* untouchedSize(Node& node) {
  const OperatorSpec* spec = builtInCatalog().find(node.kind);
  if (!spec || spec->inputs.size() != 1) return nullptr;
  for (const ParameterSpec& parameter : spec->parameters) {
    const auto value = node.parameters.find(parameter.name);
    const bool size = parameter.suggested && parameter.unit == "elements";
    if (size && value != node.parameters.end() && value->second == *parameter.suggested)
      return &value->second;
  }
  return nullptr;
}

std::optional<TileType> arrivingTile(const Document& document, const std::string& path,
                                     const KnobValues& knobs, const InputSet& inputs) {
  const Result<Draft> draft = typeDraft(document, knobs, inputs);
  if (!draft) return std::nullopt;
  for (const FlatOperator& op : draft->graph.operators) {
    if (op.origin != path || isInferredBroadcast(op) || op.inputs.size() != 1) continue;
    const StreamId stream = op.inputs.front();
    if (stream == open_port || !draft->streams[stream]) return std::nullopt;
    const TileType* tile = draft->streams[stream]->element.tile();
    return tile ? std::optional(*tile) : std::nullopt;
  }
  return std::nullopt;
}

/// As one writes it there; absent: it is not known before the run.
std::optional<Value> written(const Dim& extent, const std::vector<std::string>& names) {
  if (extent.kind != DimKind::Static) return std::nullopt;
  if (const auto number = extent.extent.constant()) return Value(*number);
  const std::set<std::string> symbols = extent.extent.symbols();
  const auto known = [&](const std::string& symbol) {
    return std::ranges::find(names, symbol) != names.end();
  };
  return std::ranges::all_of(symbols, known) ? std::optional(Value(extent.extent.text())) : std::nullopt;
}

}  // namespace

void fitToStream(Document& document, const std::string& path, const KnobValues& knobs,
                 const InputSet& inputs) {
  Node* node = findNode(document, path);
  Value* size = node ? untouchedSize(*node) : nullptr;
  const auto tile = size ? arrivingTile(document, path, knobs, inputs) : std::nullopt;
  if (!tile) return;
  const std::vector<std::string> names = namesInScope(document, path);
  const std::optional<Value> rows = written(tile->rows, names), cols = written(tile->cols, names);
  if (rows && cols) *size = std::vector<Value>{*rows, *cols};
}

}  // namespace sluice::ui
