#pragma once
// What an HLS project of a compiled design has, before any of it is written: names, the words that streams
// and memories pass, the slots of FIFOs; and why a design has no project.
//
// Numbers are float32, as in functional mode, or those of the program's scalars (number_format.h). A beat of
// a stream and a word of a memory are at most 512 bits.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/tensor/hls/number_format.h"
#include "engine/tensor/lowering/compile.h"

namespace sluice::inline tensor {

/// Of a beat or a memory word.
constexpr std::int64_t most_bits = 512;

struct HlsTask {
  std::string
      name;  ///< of its function; of a transfer or converter, what the names of both halves begin with
  std::string first, second;  ///< their functions: fetch and send, take and write, fill and drain
  std::string buffer;         ///< the ping-pong buffer between them
  std::string memory;         ///< the argument of a transfer
};

struct HlsFifo {
  std::string name;
  NumberFormat format;
  std::vector<std::int64_t> vector;  ///< that a token is of a tile; empty: all of it
  std::int64_t lanes = 1;            ///< elements of a beat
  std::int64_t beats = 1;            ///< of a token
  std::int64_t slots = 2;            ///< beats
  std::int64_t tokens = 2;           ///< the same as tokens
};

/// The FIFO that its consumer reads. A kernel whose tiles leave in vectors gives whole ones to a function of
/// their own, which sends the vectors of one while the kernel works on the next, as in the lowered program.
struct HlsStream : HlsFifo {
  std::string cutter;  ///< that function; empty: there is none
  HlsFifo tiles;       ///< the FIFO before it
  double holds = 2;    ///< tiles, that function's own among them

  /// The FIFO that its producer writes.
  const HlsFifo& given() const { return cutter.empty() ? *this : tiles; }
};

struct HlsTensor {
  std::string name;
  std::string address;  ///< function of an index that gives the address in external memory
  NumberFormat format;
  std::int64_t lanes = 1;   ///< elements of a word of its memory, a power of two
  std::size_t storage = 0;  ///< the tensor whose memory it lies in
  bool moved = false;       ///< some transfer moves it, or the host reads or writes it

  /// From an element to the next in memory: what it has, or its word's byte if that has no more.
  std::int64_t memoryBits() const { return lanes * format.bits < 8 ? 8 / lanes : format.bits; }
};

struct HlsPlan {
  const CompiledDesign* compiled = nullptr;  ///< outlives the plan
  std::vector<NumberFormat> formats;         ///< of the program's tensors; empty: all are float32
  std::vector<HlsTask> tasks;                ///< as those of the design
  std::vector<HlsStream> streams;
  std::vector<HlsTensor> tensors;
  std::vector<std::string> tops;   ///< a function for each group
  std::vector<std::size_t> order;  ///< tasks, producers first

  const DataflowDesign& design() const { return compiled->design; }
  NumberFormat formatOf(std::size_t tensor) const {
    return formats.empty() ? NumberFormat{} : formats[tensor];
  }
  std::vector<std::size_t> streamsInto(std::size_t task) const;  ///< by port
  std::vector<std::size_t> streamsFrom(std::size_t task) const;
  std::vector<std::size_t> tasksOf(std::size_t group) const;  ///< in the plan's order
};

/// Of a design that compile() or placeCompiled() made. `formats` of the tensors of its program, or none.
/// Errors: an operator that has no HLS, sizes beyond 2^31.
Result<HlsPlan> hlsPlan(const CompiledDesign& compiled, std::vector<NumberFormat> formats = {});

}  // namespace sluice::inline tensor
