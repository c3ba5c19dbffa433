// Kernels whose windows move over images: convolutions and pools. Tiles have their images whole, so that no
// window reaches over a tile; a convolution sums over tiles of its input's channels.

#include <limits>

#include "engine/tensor/hls/operator_code.h"

namespace sluice::inline tensor {
namespace {

using Kind = TensorOperatorKind;

/// The place in the image of a tap, in dimension k of the window: "row * 2 + tap_row - 1".
std::string placeText(const TensorWindow& window, std::size_t k, const char* result, const char* tap) {
  const std::int64_t factors[] = {window.strides[k], window.dilations[k]};
  const std::string names[] = {result, tap};
  return affineText(-window.padding[k], factors, names);
}

}  // namespace

void OperatorCode::makeWindowArrays() {
  const auto image = [](std::string name, const std::vector<std::int64_t>& tile, std::int64_t banks) {
    return HlsArray{std::move(name), {tile[0] * tile[1], tile[2], tile[3]}, {banks, 1, 1}};
  };
  const std::int64_t by_channel = factor(1, 2, tile_[1]);
  const bool deep = op_.kind == Kind::Conv;
  inputs_[0] = image("x0", tiles_[0], deep ? 1 : by_channel);
  result_ = image("result", tile_, by_channel);
  if (op_.inputs.size() > 1) inputs_[1] = {"x1", tiles_[1], {by_channel, 1, tiles_[1][2], tiles_[1][3]}};
}

/// Loops over the results of an image; inside, `y` and `x` are where a tap of the window meets the input, if
/// it does. The taps of a result ascend.
void OperatorCode::openTaps(CodeWriter& code) const {
  const bool pool = op_.inputs.size() == 1;
  const std::int64_t taps[] = {pool ? op_.window.size[0] : tiles_[1][2],
                               pool ? op_.window.size[1] : tiles_[1][3]};
  code.loop("tap_row", taps[0]);
  code.loop("tap_column", taps[1]);
  code.line("const int y = ", placeText(op_.window, 0, "row", "tap_row"),
            ", x = ", placeText(op_.window, 1, "column", "tap_column"), ";");
  code.open("if (y >= 0 && y < ", tiles_[0][2], " && x >= 0 && x < ", tiles_[0][3], ")");
}

void OperatorCode::closeTaps(CodeWriter& code) const {
  for (int i = 0; i < 3; ++i) code.close();
}

void OperatorCode::convolution(CodeWriter& code) const {
  const bool deep = op_.kind == Kind::Conv;
  const std::int64_t channels = tile_[1], by_channel = result_.banks[0], depth = tiles_[0][1];
  if (!deep) clear(code);
  if (deep) code.loop("c", depth);
  if (tile_[0] > 1) code.loop("batch", tile_[0]);
  code.loop("m", channels, by_channel);
  code.loop("row", tile_[2]);
  code.loop("column", tile_[3]);
  code.pragma("pipeline II=1");
  std::string m = "m";
  if (by_channel > 1) {
    code.loop("m_lane", by_channel);
    code.pragma("unroll");
    m = "m + m_lane";
  }
  openTaps(code);
  const auto plane = [&](std::int64_t planes, const std::string& own) {
    return tile_[0] > 1 ? joined("batch * ", planes, " + ", own) : own;
  };
  code.line("result[", plane(channels, m), "][row][column] += x1[", m, "][", deep ? "c" : "0",
            "][tap_row][tap_column] * x0[", plane(depth, deep ? "c" : m), "][y][x];");
  closeTaps(code);
  const int loops = 3 + deep + (tile_[0] > 1) + (by_channel > 1);
  for (int i = 0; i < loops; ++i) code.close();
}

void OperatorCode::pool(CodeWriter& code) const {
  const bool largest = op_.kind == Kind::MaxPool;
  code.loop("plane", result_.shape[0]);
  code.loop("row", tile_[2]);
  code.loop("column", tile_[3]);
  code.pragma("pipeline II=1");
  code.line("float all = ", largest ? floatLiteral(-std::numeric_limits<float>::infinity()) : "0.0f", ";");
  if (!largest) code.line("int met = 0;");
  openTaps(code);
  if (largest) {
    code.line("all = all < x0[plane][y][x] ? x0[plane][y][x] : all;");
  } else {
    code.line("all += x0[plane][y][x];");
    code.line("++met;");
  }
  closeTaps(code);
  code.line("result[plane][row][column] = all", largest ? "" : " / (met > 0 ? met : 1)", ";");
  for (int i = 0; i < 3; ++i) code.close();
}

/// A bias for each channel.
void OperatorCode::channelBias(CodeWriter& code) const {
  flatLoop(code, result_.size());
  code.line(result_.element("e"), " += x2[", coordinate("e", tile_, 1), "];");
  code.close();
}

}  // namespace sluice::inline tensor
