#include "engine/operators/task.h"

#include "engine/operators/functional.h"

namespace sluice::inline operators {
namespace {

/// Where output `port` has its rows in the list `tile`.
std::size_t tileOf(std::size_t listed, std::size_t port) {
  return listed == 2 ? 0 : 2 * port;
}

std::optional<Diagnostic> checkTiles(const ShapeContext& t, std::size_t outputs) {
  const auto& tile = t.op.parameters.list("tile");
  if (tile.size() != 2 && tile.size() != 2 * outputs) {
    return t.problem(
        "operator-rule", "",
        "tile has " + std::to_string(tile.size()) + " numbers for " + std::to_string(outputs) + " outputs",
        "write tile as [rows, columns], or so for every output one after another");
  }
  constexpr std::int64_t limit = 1 << 24;
  for (const BoundInteger& extent : tile) {
    if (extent.value <= limit) continue;
    return t.problem("out-of-range", "", "a tile extent of " + std::to_string(extent.value) + " is too large",
                     "keep rows and columns at 16777216 or below");
  }
  return {};
}

}  // namespace

ParameterSpec taskTileParameter() {
  return listParameter("tile", "rows and columns of the tokens that leave; for each output if they differ", 1,
                       Value(std::vector<Value>{1, 1}));
}

ParameterSpec taskScalarParameter() {
  return choiceParameter("scalar", "type of an element; i8 counts bytes", {"i8", "f32", "f16", "u64"},
                         Value("i8"));
}

std::optional<Diagnostic> checkTaskCounts(const ShapeContext& t, std::initializer_list<const char*> names) {
  const auto too_large = [&](const char* name, std::int64_t value) {
    return t.problem("out-of-range", "", std::string(name) + " = " + std::to_string(value) + " is too large",
                     "keep it at " + std::to_string(most_task_count) + " or below");
  };
  for (const char* name : names) {
    const BoundValue& value = t.op.parameters.values().at(name);
    if (const auto* number = std::get_if<BoundInteger>(&value)) {
      if (number->value > most_task_count) return too_large(name, number->value);
      continue;
    }
    for (const BoundInteger& number : std::get<std::vector<BoundInteger>>(value))
      if (number.value > most_task_count) return too_large(name, number.value);
  }
  return {};
}

std::optional<Diagnostic> checkTaskInput(const ShapeContext& t, std::size_t port, const Expr& tokens,
                                         const std::string& parameter) {
  const Expr arriving = elementCount(t.in(port).shape);
  if (!t.differ(arriving, tokens)) return {};
  return t.problem(
      "shape-mismatch", t.portName(port),
      "it takes " + tokens.text() + " tokens, but " + text(t.in(port)) + " has " + arriving.text(),
      "set " + parameter + " to what arrives, or connect another stream");
}

Result<std::vector<StreamType>> taskOutputs(const ShapeContext& t, std::span<const Expr> tokens) {
  if (auto wrong = checkTiles(t, tokens.size())) return *wrong;
  const auto& tile = t.op.parameters.list("tile");
  const Scalar scalar = scalarOf(t.op);
  std::vector<StreamType> outputs;
  for (std::size_t port = 0; port < tokens.size(); ++port) {
    const std::size_t at = tileOf(tile.size(), port);
    const TileType type{scalar, Dim::fixed(tile[at].symbolic), Dim::fixed(tile[at + 1].symbolic)};
    outputs.push_back({{Dim::fixed(1), Dim::fixed(tokens[port])}, type, {}, {}});
  }
  return outputs;
}

TaskValues* taskValues(const Instance& instance) {
  return instance.functional ? instance.functional->task(instance.op) : nullptr;
}

std::vector<simulator::Token> taskTokens(const Instance& instance, std::size_t outputs) {
  const std::vector<std::uint64_t> tile = instance.list("tile");
  const int bytes = storedBytes(scalarOf(instance.op), instance.machine);
  std::vector<simulator::Token> tokens;
  for (std::size_t port = 0; port < outputs; ++port) {
    const std::size_t at = tileOf(tile.size(), port);
    tokens.push_back(simulator::Token::tile(static_cast<std::uint32_t>(tile[at]),
                                            static_cast<std::uint32_t>(tile[at + 1]),
                                            static_cast<std::uint8_t>(bytes), false));
  }
  return tokens;
}

}  // namespace sluice::inline operators
