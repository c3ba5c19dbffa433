#include "engine/operators/order.h"

#include "engine/itensor/canonical.h"
#include "engine/itensor/converter_counts.h"
#include "engine/itensor/itensor_text.h"

namespace sluice::inline operators {
namespace {

constexpr const char* takes = "takes_order";
constexpr const char* gives = "gives_order";

ParameterSpec orderParameter(const char* name, std::string help) {
  return {name, ParameterKind::Orders, Value(std::vector<Value>{}), 0, {}, std::move(help), {}};
}

StreamOrder orderAt(const FlatOperator& op, const char* parameter, std::size_t port) {
  const auto found = op.parameters.values().find(parameter);
  if (found == op.parameters.values().end()) return nullptr;
  const auto& orders = std::get<std::vector<StreamOrder>>(found->second);
  if (orders.size() == 1) return orders.front();
  return port < orders.size() ? orders[port] : nullptr;
}

std::optional<Diagnostic> checkCount(const ShapeContext& t, const char* parameter, std::size_t ports) {
  const auto found = t.op.parameters.values().find(parameter);
  if (found == t.op.parameters.values().end()) return {};
  const std::size_t given = std::get<std::vector<StreamOrder>>(found->second).size();
  if (given <= 1 || given == ports) return {};
  return t.problem("operator-rule", "",
                   std::string(parameter) + " has " + std::to_string(given) + " types for " +
                       std::to_string(ports) + " ports",
                   "give one type for all ports, one for each (\"\" where nothing is said), or none");
}

/// `within`: where in the operator.
std::optional<Diagnostic> checkTokens(const ShapeContext& t, const char* parameter, const Location& within,
                                      const ITensor& order, const Shape& shape) {
  if (!t.differ(elementCount(shape), Expr(tokenCount(order)))) return {};
  return error("shape-mismatch", Location(Where::Operator, t.op.name) / within,
               std::string(parameter) + " " + text(order) + " is of " + std::to_string(tokenCount(order)) +
                   " tokens, but the stream " + text(shape) + " has " + elementCount(shape).text(),
               "give it a trip for every token, repeated ones included, or correct the shape");
}

/// What to set on a converter between the two, where there is one.
std::string converterFix(const ITensor& comes, const ITensor& taken) {
  const std::vector<ConverterCounts> ways = converterCounts(comes, taken);
  if (ways.empty()) return "make the producer send, or this operator take, the other order";
  const ConverterCounts& least = ways.front();
  return "insert a LayoutConverter with iterations = " + std::to_string(least.iterations) +
         ", fill = " + std::to_string(tokenCount(comes) / least.iterations) +
         ", drain = " + std::to_string(tokenCount(taken) / least.iterations) +
         ", buffer_bytes = " + std::to_string(least.bytes);
}

std::optional<Diagnostic> checkInput(const ShapeContext& t, std::size_t port) {
  const StreamOrder taken = takenOrder(t.op, port);
  if (!taken) return {};
  const Location within(Where::Port, t.portName(port));
  if (auto wrong = checkTokens(t, takes, within, *taken, t.in(port).shape)) return wrong;
  const StreamOrder& comes = t.in(port).order;
  if (!comes || sameStream(*comes, *taken)) return {};
  const FlatStream* stream = t.stream(port);  // of a draft there may be none
  const Location place =
      stream ? Location(Where::Stream, stream->origin, stream->name) : Location(Where::Operator, t.op.name);
  Diagnostic wrong = error("layout-mismatch", place,
                           "it brings " + text(*comes) + ", but " + t.op.name + " takes " + text(*taken),
                           converterFix(*comes, *taken));
  wrong.related = {Location(Where::Operator, t.op.name) / within};
  return wrong;
}

Diagnostics checkOrders(const ShapeContext& t, std::span<const StreamType> outputs) {
  if (auto wrong = checkCount(t, takes, t.inCount())) return {*wrong};
  if (auto wrong = checkCount(t, gives, outputs.size())) return {*wrong};
  Diagnostics problems;
  for (std::size_t port = 0; port < t.inCount(); ++port)
    if (auto wrong = checkInput(t, port)) problems.push_back(*std::move(wrong));
  for (std::size_t port = 0; port < outputs.size(); ++port)
    if (const StreamOrder given = givenOrder(t.op, port))
      if (auto wrong = checkTokens(t, gives, Location(Where::Parameter, gives), *given, outputs[port].shape))
        problems.push_back(*std::move(wrong));
  return problems;
}

}  // namespace

ParameterSpec takesOrderParameter() {
  return orderParameter(takes,
                        "order in which the tiles of an input must come, as an iterative tensor type; "
                        "of every input, or one for all");
}

ParameterSpec givesOrderParameter() {
  return orderParameter(gives,
                        "order in which the tiles of an output come, as an iterative tensor type; of "
                        "every output, or one for all");
}

StreamOrder takenOrder(const FlatOperator& op, std::size_t input) {
  return orderAt(op, takes, input);
}

StreamOrder givenOrder(const FlatOperator& op, std::size_t output) {
  return orderAt(op, gives, output);
}

Result<std::vector<StreamType>> outputTypes(const Operator& definition, const ShapeContext& t) {
  Result<std::vector<StreamType>> out = definition.shape(t);
  if (!out || definition.copies) return out;
  for (StreamType& type : *out) type.order.reset();
  if (!definition.ordered) return out;
  if (Diagnostics wrong = checkOrders(t, *out); !wrong.empty()) return wrong;
  for (std::size_t port = 0; port < out->size(); ++port) (*out)[port].order = givenOrder(t.op, port);
  return out;
}

}  // namespace sluice::inline operators
