#pragma once
// AccessPicture: what is drawn of a type - the tokens that a two-dimensional slice of the tensor meets, in
// their order, and the parts of the slice that are never sent, sent too often, or not of the tensor. Bounded,
// so that a type of any size takes no longer to look at than a small one.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/itensor/itensor.h"

namespace sluice::ui {

/// Two dimensions of a tensor, the others held at one index. A dimension that the tensor does not have counts
/// as one of extent 1.
struct TensorSlice {
  std::size_t rows = 0, columns = 1;
  std::vector<std::int64_t> at;  ///< per dimension of the tensor; those of rows and columns are not read

  bool operator==(const TensorSlice&) const = default;
};

struct ElementRect {
  std::int64_t row = 0, column = 0, rows = 0, columns = 0;

  bool contains(std::int64_t r, std::int64_t c) const {
    return r >= row && r < row + rows && c >= column && c < column + columns;
  }
  bool operator==(const ElementRect&) const = default;
};

/// A tile of the tensor and the tokens that send it.
struct PicturePlace {
  ElementRect elements;
  std::vector<std::int64_t> tokens;  ///< ascending
};

enum class FlawKind { Gap, Overlap, Outside };

struct PictureFlaw {
  FlawKind kind = FlawKind::Gap;
  ElementRect elements;
};

struct AccessPicture {
  ElementRect drawn;  ///< the tensor and all its tokens
  ElementRect tensor;
  std::vector<PicturePlace> places;  ///< in the order of their first tokens
  std::vector<std::size_t> path;     ///< the place of every drawn token, in the order of the stream
  std::vector<std::int64_t> tokens;  ///< their numbers
  std::vector<PictureFlaw> flaws;
  std::int64_t stream = 0;  ///< tokens of the whole stream
  bool complete = true;     ///< every token of the slice is drawn; flaws are only known then
};

/// Of one picture: tokens drawn, tokens of the stream looked at, and patches examined for flaws.
constexpr std::int64_t most_drawn_tokens = 4096;
constexpr std::int64_t most_walked_tokens = 1 << 18;
constexpr std::size_t most_patches = 1 << 18;

AccessPicture accessPicture(const ITensor& type, std::span<const std::int64_t> shape,
                            const TensorSlice& slice);

/// The first token in which two streams differ.
struct Parting {
  std::int64_t token = 0;
  bool found = true;  ///< false: the first `token` tokens agree, and no more were compared
};

/// Nothing for the same stream. The end of the shorter stream is a difference.
std::optional<Parting> partingOf(const ITensor& a, const ITensor& b);

}  // namespace sluice::ui
