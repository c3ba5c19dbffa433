#pragma once
// What a MetadataGen emits, and what is done with it, for who wants to know it before any run.

#include <cstdint>
#include <optional>

#include "engine/program/flat_graph.h"

namespace sluice::inline operators {

/// In the shape of its stream without the outermost dimension, which is 1. Its input must be there, and hold
/// what it asks for.
IntTensor metadataOf(const FlatOperator& op, const InputSet& inputs);
/// The position behind the last value that it takes.
std::size_t metadataEnd(const FlatOperator& op, const InputSet& inputs);

/// Of an operator that addresses a cache in which every request has a part.
struct RequestCache {
  std::uint64_t tiles = 0;  ///< of a request; 0: not said
  StreamId asked = 0;       ///< how many tiles of it each request asks for
};
/// Nothing: it addresses none.
std::optional<RequestCache> requestCache(const FlatOperator& op);

}  // namespace sluice::inline operators
