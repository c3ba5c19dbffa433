#include "engine/rtl/played_tokens.h"

#include <array>

#include "engine/operators/registry.h"
#include "engine/operators/simulate.h"

namespace sluice::inline rtl {
namespace {

constexpr std::uint64_t bits_of_numbers = 64;

std::string hexadecimal(std::uint64_t value, std::size_t digits) {
  constexpr std::string_view digit = "0123456789abcdef";
  std::string text(digits, '0');
  for (std::size_t i = digits; i-- > 0; value /= 16) text[i] = digit[value % 16];
  return text;
}

/// A bit for each target, the lowest one last.
std::string targetsText(const std::vector<std::uint32_t>& targets, std::uint64_t width) {
  constexpr std::string_view digit = "0123456789abcdef";
  std::vector<std::uint8_t> digits((width + 3) / 4, 0);
  for (const std::uint32_t target : targets)
    digits[target / 4] = static_cast<std::uint8_t>(digits[target / 4] | (1U << (target % 4)));
  std::string text;
  for (std::size_t i = digits.size(); i-- > 0;) text += digit[digits[i]];
  return text;
}

/// The source alone, and somebody who takes what it gives.
FlatGraph alone(const FlatGraph& graph, OperatorId source) {
  FlatGraph part;
  part.machine = graph.machine;
  part.knobs = graph.knobs;
  part.operators.push_back(graph.operators[source]);
  part.operators[0].outputs = {0};
  FlatOperator taker;
  taker.name = "taker";
  taker.spec = &operatorsByKind().at("Consumer")->spec;
  taker.inputs = {0};
  part.operators.push_back(std::move(taker));
  FlatStream stream = graph.streams[graph.operators[source].outputs[0]];
  stream.producer = 0, stream.consumer = 1;
  stream.producer_port = 0, stream.consumer_port = 0;
  part.streams.push_back(std::move(stream));
  return part;
}

}  // namespace

std::string numberLines(const std::vector<std::int64_t>& numbers) {
  std::string lines;
  for (const std::int64_t number : numbers)
    lines += hexadecimal(static_cast<std::uint64_t>(number), 16) + "\n";
  return lines;
}

Result<PlayedTokens> playedTokens(const FlatGraph& graph, OperatorId source, const InputSet& inputs) {
  constexpr std::uint64_t most = std::uint64_t{1} << 20;
  const FlatGraph part = alone(graph, source);
  SimulationOptions options;
  options.capture = {0};
  SLUICE_TRY(const Inference types, inferTypes(part, inputs));
  const SimulationResult run = simulate(part, inputs, options);
  const std::vector<CapturedToken>& tokens = run.captured.at(0);
  if (tokens.size() > most)
    return error("too-many", Location(Where::Operator, graph.operators[source].name),
                 "a test bench plays at most " + std::to_string(most) + " tokens of a source, not " +
                     std::to_string(tokens.size()),
                 "give a shorter input");
  PlayedTokens played;
  played.count = tokens.size();
  const SelectorType* selector = types.streams[0].element.selector();
  const std::uint64_t width =
      selector ? static_cast<std::uint64_t>(selector->width.value(graph.knobs).value_or(0)) : 0;
  if (selector) played.value_bits = std::max(bits_of_numbers, (width + 3) / 4 * 4);
  for (const CapturedToken& token : tokens) {
    const std::string value = selector ? targetsText(token.selected, width) : hexadecimal(token.scalar, 16);
    played.lines += value + hexadecimal(selector ? width : 1, 8) + hexadecimal(token.stop, 2) +
                    (selector ? "11" : "08") + "\n";
  }
  return played;
}

std::uint64_t selectorBits(const StreamType& type, const FlatGraph& graph) {
  const SelectorType* selector = type.element.selector();
  if (!selector) return 0;
  return (static_cast<std::uint64_t>(selector->width.value(graph.knobs).value_or(0)) + 3) / 4 * 4;
}

}  // namespace sluice::inline rtl
