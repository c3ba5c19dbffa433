#pragma once
// What an HLS project of a compiled design has, before any of it is written: names, the words that streams
// and memories pass, the slots of FIFOs; and why a design has no project.
//
// All numbers are float32, as in functional mode: programs have no scales that narrower scalars would need.
// Scalars of the program are in comments; a beat of a stream and a word of a memory are at most 512 bits.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/tensor/lowering/compile.h"

namespace sluice::inline tensor {

/// Lanes of a beat or a memory word: 512 bits of float32.
constexpr std::int64_t most_lanes = 16;

struct HlsTask {
  std::string
      name;  ///< of its function; of a transfer or converter, what the names of both halves begin with
  std::string first, second;  ///< their functions: fetch and send, take and write, fill and drain
  std::string buffer;         ///< the ping-pong buffer between them
  std::string memory;         ///< the argument of a transfer
};

struct HlsStream {
  std::string name;
  std::int64_t lanes = 1;   ///< elements of a beat
  std::int64_t beats = 1;   ///< of a token: a tile, or a vector of one
  std::int64_t slots = 2;   ///< beats
  std::int64_t tokens = 2;  ///< the same as tokens
};

struct HlsTensor {
  std::string name;
  std::string address;      ///< function of an index that gives the address in external memory
  std::int64_t lanes = 1;   ///< elements of a word of its memory
  std::size_t storage = 0;  ///< the tensor whose memory it lies in
  bool moved = false;       ///< some transfer moves it, or the host reads or writes it
};

struct HlsPlan {
  const CompiledDesign* compiled = nullptr;  ///< outlives the plan
  std::vector<HlsTask> tasks;                ///< as those of the design
  std::vector<HlsStream> streams;
  std::vector<HlsTensor> tensors;
  std::vector<std::string> tops;   ///< a function for each group
  std::vector<std::size_t> order;  ///< tasks, producers first

  const DataflowDesign& design() const { return compiled->design; }
  std::vector<std::size_t> streamsInto(std::size_t task) const;  ///< by port
  std::vector<std::size_t> streamsFrom(std::size_t task) const;
  std::vector<std::size_t> tasksOf(std::size_t group) const;  ///< in the plan's order
};

/// Of a design that compile() or placeCompiled() made. Errors: an operator that has no HLS, sizes beyond
/// 2^31.
Result<HlsPlan> hlsPlan(const CompiledDesign& compiled);

}  // namespace sluice::inline tensor
