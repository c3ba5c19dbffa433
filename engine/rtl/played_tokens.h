#pragma once
// The tokens that a source of a program gives, for the test bench to play.

#include <cstdint>
#include <string>

#include "engine/core/result.h"
#include "engine/operators/stream_type.h"
#include "engine/program/flat_graph.h"

namespace sluice::inline rtl {

struct PlayedTokens {
  std::string lines;  ///< a token a line, in hexadecimal digits: resources/rtl/played_tokens.sv
  std::uint64_t count = 0;
  std::uint64_t value_bits = 64;  ///< that a token's value needs
};

/// The numbers of an input, one a line in hexadecimal digits.
std::string numberLines(const std::vector<std::int64_t>& numbers);

/// An operator without inputs and without memory. Errors: more than 2^20 tokens.
Result<PlayedTokens> playedTokens(const FlatGraph& graph, OperatorId source, const InputSet& inputs);

/// Bits of a token that chooses among that many targets, a multiple of 4; 0: it is no selector.
std::uint64_t selectorBits(const StreamType& type, const FlatGraph& graph);

}  // namespace sluice::inline rtl
