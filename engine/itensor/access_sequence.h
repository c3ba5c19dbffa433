#pragma once
// The tokens of a stream one by one, made as they are asked for: a stream of a billion tokens costs nothing
// until it is walked.

#include <span>

#include "engine/itensor/itensor.h"

namespace sluice::inline itensor {

class AccessSequence {
 public:
  /// Stands at the first token. The type is kept by reference.
  explicit AccessSequence(const ITensor& type);
  explicit AccessSequence(ITensor&&) = delete;

  std::int64_t count() const { return count_; }
  /// The number of the token it stands at; count() at the end.
  std::int64_t position() const { return position_; }
  bool atEnd() const { return position_ == count_; }
  /// To the next token; not past the end.
  void advance();
  /// To any token, in time proportional to the type and not to the distance; past the last one: the end.
  void seek(std::int64_t position);

  /// Of the token it stands at; of none at the end.
  std::span<const std::int64_t> index() const { return index_; }    ///< of every loop
  std::int64_t iteration(std::size_t d) const;                      ///< index times step
  std::span<const std::int64_t> offset() const { return offset_; }  ///< in every dimension

 private:
  void computeOffset();

  const ITensor& type_;
  std::int64_t count_ = 0, position_ = 0;
  std::vector<std::int64_t> index_, offset_;
};

}  // namespace sluice::inline itensor
