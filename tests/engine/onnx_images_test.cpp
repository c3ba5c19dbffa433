// Convolutions and pools of volumes, transposed convolutions, patches put together, places between elements,
// responses, frames of signals: what
// imported models compute is compared with loops written here.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "tests/engine/support/onnx_values.h"

namespace sluice::onnx_images_test {

using namespace testing_support;
using namespace testing_support::onnx;
using testing::HasSubstr;
using testing_support::onnx::Shape;

FloatTensor made(const Model& model, TensorSet given) {
  return resultWithWeights(model, std::move(given), true);
}

/// One of [1, 2, 5, 4, 3] with a kernel of [3, 2, taps, 2, 1]; strides, pads and dilations of the first
/// dimension.
void expectVolume(std::int64_t taps, std::int64_t stride, std::int64_t before, std::int64_t behind,
                  std::int64_t dilation) {
  const FloatTensor x = tensorOf({1, 2, 5, 4, 3}),
                    w = tensorOf({3, 2, static_cast<std::size_t>(taps), 2, 1}, 2), b = tensorOf({3}, 3);
  Model model =
      Model().input("x", {1, 2, 5, 4, 3}).floats("w", {3, 2, taps, 2, 1}, w.data).floats("b", {3}, b.data);
  model.output("y").node("Conv", {"x", "w", "b"}, "y",
                         Model::ints("strides", {stride, 1, 2}) +
                             Model::ints("pads", {before, 0, 0, behind, 1, 0}) +
                             Model::ints("dilations", {dilation, 1, 1}));
  const std::int64_t depth = (5 + before + behind - (taps - 1) * dilation - 1) / stride + 1;
  std::vector<double> wanted;
  for (std::int64_t m = 0; m < 3; ++m)
    for (std::int64_t z = 0; z < depth; ++z)
      for (std::int64_t row = 0; row < 4; ++row)
        for (std::int64_t column = 0; column < 2; ++column) {
          double sum = b.data[static_cast<std::size_t>(m)];
          for (std::int64_t c = 0; c < 2; ++c)
            for (std::int64_t tap = 0; tap < taps; ++tap)
              for (std::int64_t k = 0; k < 2; ++k) {
                const std::int64_t from = z * stride + tap * dilation - before;
                if (from < 0 || from >= 5 || row + k >= 4) continue;
                sum += static_cast<double>(
                    x.data[static_cast<std::size_t>(((c * 5 + from) * 4 + row + k) * 3 + column * 2)] *
                    w.data[static_cast<std::size_t>(((m * 2 + c) * taps + tap) * 2 + k)]);
              }
          wanted.push_back(sum);
        }
  expectNear(made(model, {{"x", x}}), {1, 3, static_cast<std::size_t>(depth), 4, 2}, wanted);
}

/// The same of channels in groups: [1, 4, 4, 3, 3] with a kernel of [m, 4 / groups, 2, 2, 1].
void expectGroupedVolume(std::int64_t groups, std::int64_t m) {
  SCOPED_TRACE(std::to_string(groups) + " groups");
  const std::int64_t channels = 4 / groups;
  const FloatTensor x = tensorOf({1, 4, 4, 3, 3}),
                    w = tensorOf({static_cast<std::size_t>(m), static_cast<std::size_t>(channels), 2, 2, 1},
                                 2),
                    b = tensorOf({static_cast<std::size_t>(m)}, 3);
  Model model = Model()
                    .input("x", {1, 4, 4, 3, 3})
                    .floats("w", {m, channels, 2, 2, 1}, w.data)
                    .floats("b", {m}, b.data);
  model.output("y").node("Conv", {"x", "w", "b"}, "y",
                         Model::integer("group", groups) + Model::ints("pads", {1, 0, 0, 0, 0, 0}));
  std::vector<double> wanted;
  for (std::int64_t k = 0; k < m; ++k)
    for (std::int64_t z = 0; z < 4; ++z)
      for (std::int64_t row = 0; row < 2; ++row)
        for (std::int64_t column = 0; column < 3; ++column) {
          double sum = b.data[static_cast<std::size_t>(k)];
          for (std::int64_t c = 0; c < channels; ++c)
            for (std::int64_t tap = 0; tap < 4; ++tap) {
              const std::int64_t from = z + tap / 2 - 1, channel = k / (m / groups) * channels + c;
              if (from < 0) continue;
              sum += static_cast<double>(
                  x.data[static_cast<std::size_t>(((channel * 4 + from) * 3 + row + tap % 2) * 3 + column)] *
                  w.data[static_cast<std::size_t>((k * channels + c) * 4 + tap)]);
            }
          wanted.push_back(sum);
        }
  expectNear(made(model, {{"x", x}}), {1, static_cast<std::size_t>(m), 4, 2, 3}, wanted);
}

TEST(OnnxImages, VolumesAreConvolvedInGroups) {
  expectGroupedVolume(4, 4);  // each channel for itself
  expectGroupedVolume(4, 8);
  expectGroupedVolume(2, 6);
}

TEST(OnnxImages, VolumesAreConvolved) {
  expectVolume(2, 2, 0, 0, 1);  // side by side
  expectVolume(3, 1, 1, 1, 1);
  expectVolume(2, 2, 1, 0, 2);
}

/// [1, 4, 3, 2] in groups, each element given to every tap of its windows.
void expectTransposed(std::int64_t groups, std::int64_t taps, std::int64_t stride, std::int64_t pad,
                      std::int64_t more, std::int64_t dilation) {
  SCOPED_TRACE(std::to_string(groups) + " groups, taps " + std::to_string(taps));
  const std::int64_t channels = 4 / groups;
  const FloatTensor x = tensorOf({1, 4, 3, 2}),
                    w = tensorOf({4, 2, static_cast<std::size_t>(taps), static_cast<std::size_t>(taps)}, 2);
  Model model = Model().input("x", {1, 4, 3, 2}).floats("w", {4, 2, taps, taps}, w.data).output("y");
  model.node("ConvTranspose", {"x", "w"}, "y",
             Model::ints("strides", {stride, stride}) + Model::ints("pads", {pad, pad, pad, pad}) +
                 Model::ints("output_padding", {more, more}) +
                 Model::ints("dilations", {dilation, dilation}) + Model::integer("group", groups));
  const auto extent = [&](std::int64_t from) {
    return (from - 1) * stride + (taps - 1) * dilation + 1 + more - 2 * pad;
  };
  const std::int64_t high = extent(3), wide = extent(2);
  std::vector<double> wanted(static_cast<std::size_t>(2 * groups * high * wide), 0.0);
  for (std::int64_t c = 0; c < 4; ++c)
    for (std::int64_t m = 0; m < 2; ++m)
      for (std::int64_t at = 0; at < 6; ++at)
        for (std::int64_t tap = 0; tap < taps * taps; ++tap) {
          const std::int64_t row = at / 2 * stride + tap / taps * dilation - pad,
                             column = at % 2 * stride + tap % taps * dilation - pad;
          if (row < 0 || row >= high || column < 0 || column >= wide) continue;
          wanted[static_cast<std::size_t>(((c / channels * 2 + m) * high + row) * wide + column)] +=
              static_cast<double>(x.data[static_cast<std::size_t>(c * 6 + at)] *
                                  w.data[static_cast<std::size_t>((c * 2 + m) * taps * taps + tap)]);
        }
  expectNear(made(model, {{"x", x}}),
             {1, static_cast<std::size_t>(2 * groups), static_cast<std::size_t>(high),
              static_cast<std::size_t>(wide)},
             wanted);
}

TEST(OnnxImages, TransposedWindowsOverlap) {
  expectTransposed(1, 3, 2, 1, 1, 1);
  expectTransposed(2, 3, 1, 0, 0, 1);
  expectTransposed(4, 4, 2, 1, 0, 1);
  expectTransposed(1, 2, 2, 0, 0, 1);  // side by side
  expectTransposed(1, 3, 2, 0, 0, 2);
  Model gaps = Model().input("x", {1, 1, 3, 3}).weight("w", {1, 1, 1, 1}).output("y");
  EXPECT_THAT(refusal(gaps.node("ConvTranspose", {"x", "w"}, "y", Model::ints("strides", {2, 2}))),
              HasSubstr("leave gaps"));
}

TEST(OnnxImages, PatchesBecomeAnImage) {
  const FloatTensor x = tensorOf({1, 12, 4});  // 2 channels, patches of 2 x 3, two rows of two
  Model model =
      Model().input("x", {1, 12, 4}).integers("image", {4, 6}).integers("block", {2, 3}).output("y");
  model.node("Col2Im", {"x", "image", "block"}, "y", Model::ints("strides", {2, 3}));
  std::vector<double> wanted;
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t row = 0; row < 4; ++row)
      for (std::size_t column = 0; column < 6; ++column)
        wanted.push_back(x.data[((c * 2 + row % 2) * 3 + column % 3) * 4 + row / 2 * 2 + column / 3]);
  expectNear(made(model, {{"x", x}}), {1, 2, 4, 6}, wanted, 0);
  Model over = Model().input("x", {1, 12, 4}).integers("image", {4, 6}).integers("block", {2, 3}).output("y");
  EXPECT_THAT(refusal(over.node("Col2Im", {"x", "image", "block"}, "y")),
              HasSubstr("its blocks do not go with its image"));
}

TEST(OnnxImages, PatchesThatOverlapAreAddedUp) {
  const FloatTensor x = tensorOf({2, 12, 9});  // 2 channels, patches of 2 x 3, three rows of three
  Model model =
      Model().input("x", {2, 12, 9}).integers("image", {4, 7}).integers("block", {2, 3}).output("y");
  model.node(
      "Col2Im", {"x", "image", "block"}, "y",
      Model::ints("strides", {1, 2}) + Model::ints("dilations", {2, 1}) + Model::ints("pads", {1, 0, 0, 0}));
  std::vector<double> wanted(2 * 2 * 4 * 7, 0.0);
  for (std::size_t i = 0; i < x.data.size(); ++i) {
    const std::size_t patch = i % 9, tap = i / 9 % 6, channel = i / 54;
    const std::size_t row = patch / 3 + 2 * (tap / 3), column = 2 * (patch % 3) + tap % 3;
    if (row > 0 && row < 5) wanted[(channel * 4 + row - 1) * 7 + column] += static_cast<double>(x.data[i]);
  }
  expectNear(made(model, {{"x", x}}), {2, 2, 4, 7}, wanted);
}

TEST(OnnxImages, PlacesLieBetweenElements) {
  const FloatTensor x = tensorOf({2, 3, 4, 5});
  FloatTensor grid = tensorOf({2, 3, 2, 2}, 5);
  for (float& place : grid.data) place *= 1.3F;  // some lie outside
  for (const bool corners : {false, true})
    for (const bool border : {false, true}) {
      Model model = Model().input("x", {2, 3, 4, 5}).input("g", {2, 3, 2, 2}).output("y");
      model.node("GridSample", {"x", "g"}, "y",
                 Model::integer("align_corners", corners ? 1 : 0) +
                     Model::word("padding_mode", border ? "border" : "zeros") +
                     Model::word("mode", "linear"));
      const auto place = [&](std::size_t n, std::size_t at, std::size_t k, double extent) {
        const double unit = grid.data[(n * 6 + at) * 2 + k];
        const double number = corners ? (unit + 1) / 2 * (extent - 1) : ((unit + 1) * extent - 1) / 2;
        return border ? std::min(std::max(number, 0.0), extent - 1) : number;
      };
      std::vector<double> wanted;
      for (std::size_t n = 0; n < 2; ++n)
        for (std::size_t c = 0; c < 3; ++c)
          for (std::size_t at = 0; at < 6; ++at) {
            const double row = place(n, at, 1, 4), column = place(n, at, 0, 5);
            const double top = std::floor(row), left = std::floor(column);
            double sum = 0;
            for (int corner = 0; corner < 4; ++corner) {
              const double i = top + corner / 2, k = left + corner % 2;
              if (i < 0 || i > 3 || k < 0 || k > 4) continue;
              sum += (1 - std::abs(row - i)) * (1 - std::abs(column - k)) *
                     static_cast<double>(x.data[((n * 3 + c) * 4 + static_cast<std::size_t>(i)) * 5 +
                                                static_cast<std::size_t>(k)]);
            }
            wanted.push_back(sum);
          }
      expectNear(made(model, {{"x", x}, {"g", grid}}), {2, 3, 3, 2}, wanted);
    }
  Model nearest = Model().input("x", {1, 1, 2, 2}).input("g", {1, 1, 1, 2}).output("y");
  EXPECT_THAT(refusal(nearest.node("GridSample", {"x", "g"}, "y", Model::word("mode", "nearest"))),
              HasSubstr("by 'nearest'"));
}

/// By any factor, by each rule of coordinates and of halves.
TEST(OnnxImages, TheNearestElementIsTaken) {
  const FloatTensor x = tensorOf({1, 2, 5, 4});
  const auto expect = [&](const std::string& where, const std::string& halves, std::int64_t high,
                          std::int64_t wide, const std::vector<std::size_t>& rows,
                          const std::vector<std::size_t>& columns) {
    SCOPED_TRACE(where + ", " + halves);
    Model model = Model().input("x", {1, 2, 5, 4}).integers("sizes", {1, 2, high, wide}).output("y");
    model.node("Resize", {"x", "", "", "sizes"}, "y",
               Model::word("mode", "nearest") + Model::word("coordinate_transformation_mode", where) +
                   Model::word("nearest_mode", halves));
    std::vector<double> wanted;
    for (std::size_t c = 0; c < 2; ++c)
      for (const std::size_t row : rows)
        for (const std::size_t column : columns) wanted.push_back(x.data[(c * 5 + row) * 4 + column]);
    expectNear(made(model, {{"x", x}}), {1, 2, rows.size(), columns.size()}, wanted, 0);
  };
  expect("asymmetric", "floor", 3, 6, {0, 1, 3}, {0, 0, 1, 2, 2, 3});
  expect("half_pixel", "round_prefer_floor", 2, 2, {1, 3}, {0, 2});  // 0.75, 3.25; 0.5, 2.5
  expect("half_pixel", "round_prefer_ceil", 2, 2, {1, 3}, {1, 3});
  expect("align_corners", "ceil", 3, 3, {0, 2, 4}, {0, 2, 3});
}

/// Of real and of complex numbers, shortened and with zeros behind them, and back.
TEST(OnnxImages, FourierTransforms) {
  const auto expect = [](std::int64_t parts, std::int64_t length, bool inverse, bool half) {
    SCOPED_TRACE(std::to_string(parts) + " parts, length " + std::to_string(length));
    const FloatTensor x = tensorOf({2, 5, 3, static_cast<std::size_t>(parts)});
    Model model = Model().input("x", {2, 5, 3, parts}).integers("n", {length}).output("y");
    model.node(
        "DFT", {"x", "n"}, "y",
        Model::integer("axis", 1) + Model::integer("inverse", inverse) + Model::integer("onesided", half));
    const std::int64_t count = half ? length / 2 + 1 : length;
    std::vector<double> wanted;
    for (std::int64_t row = 0; row < 2; ++row)
      for (std::int64_t k = 0; k < count; ++k)
        for (std::int64_t column = 0; column < 3; ++column) {
          std::complex<double> sum;
          for (std::int64_t n = 0; n < std::min<std::int64_t>(5, length); ++n) {
            const auto at = static_cast<std::size_t>(((row * 5 + n) * 3 + column) * parts);
            const std::complex<double> value{x.data[at], parts == 2 ? x.data[at + 1] : 0.0};
            const double angle =
                2 * std::acos(-1.0) * static_cast<double>(k * n) / static_cast<double>(length);
            sum += value * std::polar(1.0, inverse ? angle : -angle);
          }
          if (inverse) sum /= static_cast<double>(length);
          wanted.insert(wanted.end(), {sum.real(), sum.imag()});
        }
    expectNear(made(model, {{"x", x}}), {2, static_cast<std::size_t>(count), 3, 2}, wanted, 1e-5);
  };
  expect(1, 5, false, false);
  expect(2, 5, false, false);
  expect(2, 5, true, false);
  expect(1, 4, false, true);
  expect(1, 8, false, true);
}

Model reading(const Shape& shape) {
  return Model().input("x", shape).output("y");
}
FloatTensor madeOf(const Model& model, const FloatTensor& x) {
  return resultWithWeights(model, {{"x", x}}, true);
}
double at(const FloatTensor& tensor, std::int64_t i) {
  return static_cast<double>(tensor.data.at(static_cast<std::size_t>(i)));
}
TEST(OnnxImages, ResponsesOfNeighbouringChannels) {
  const FloatTensor x = tensorOf({2, 5, 2, 3});
  for (const std::int64_t size : {3, 4}) {
    const Model model = reading({2, 5, 2, 3})
                            .node("LRN", {"x"}, "y",
                                  Model::integer("size", size) + Model::real("alpha", 0.5F) +
                                      Model::real("bias", 2.0F) + Model::real("beta", 0.6F));
    std::vector<double> wanted;
    for (std::int64_t i = 0; i < 60; ++i) {
      double squares = 0;
      for (std::int64_t c = i / 6 % 5 - (size - 1) / 2; c <= i / 6 % 5 + size / 2; ++c)
        if (c >= 0 && c < 5) squares += std::pow(at(x, i / 30 * 30 + c * 6 + i % 6), 2);
      wanted.push_back(at(x, i) /
                       std::pow(2.0 + 0.5 / static_cast<double>(size) * squares, static_cast<double>(0.6F)));
    }
    expectNear(madeOf(model, x), {2, 5, 2, 3}, wanted);
  }
}

TEST(OnnxImages, RootsOfSumsOfPowers) {
  const FloatTensor x = tensorOf({1, 2, 4, 4});
  for (const std::int64_t p : {1, 2, 3}) {
    const auto power = static_cast<double>(p);
    const std::string attribute = Model::integer("p", p);
    std::vector<double> whole(2, 0), windows;
    for (std::int64_t i = 0; i < 32; ++i)
      whole[static_cast<std::size_t>(i / 16)] += std::pow(std::abs(at(x, i)), power);
    for (double& sum : whole) sum = std::pow(sum, 1 / power);
    expectNear(madeOf(reading({1, 2, 4, 4}).node("GlobalLpPool", {"x"}, "y", attribute), x), {1, 2, 1, 1},
               whole);
    for (std::int64_t c = 0; c < 2; ++c)
      for (std::int64_t row = -1; row < 4; row += 2)
        for (std::int64_t column = 0; column < 4; column += 2) {
          double sum = 0;
          for (std::int64_t k = 0; k < 4; ++k)
            if (const std::int64_t r = row + k / 2; r >= 0 && r < 4)
              sum += std::pow(std::abs(at(x, (c * 4 + r) * 4 + column + k % 2)), power);
          windows.push_back(std::pow(sum, 1 / power));
        }
    const Model model = reading({1, 2, 4, 4})
                            .node("LpPool", {"x"}, "y",
                                  attribute + Model::ints("kernel_shape", {2, 2}) +
                                      Model::ints("strides", {2, 2}) + Model::ints("pads", {1, 0, 1, 0}));
    expectNear(madeOf(model, x), {1, 2, 3, 2}, windows);
  }
}

TEST(OnnxImages, PoolsOfVolumes) {
  const FloatTensor x = tensorOf({1, 2, 4, 3, 4});
  for (const bool mean : {false, true}) {
    const Model model = reading({1, 2, 4, 3, 4})
                            .node(mean ? "AveragePool" : "MaxPool", {"x"}, "y",
                                  Model::ints("kernel_shape", {2, 3, 2}) + Model::ints("strides", {2, 1, 2}) +
                                      Model::ints("pads", {1, 0, 0, 1, 0, 0}));
    std::vector<double> wanted;
    for (std::int64_t c = 0; c < 2; ++c)
      for (std::int64_t z = -1; z < 4; z += 2)
        for (std::int64_t column = 0; column < 4; column += 2) {
          double sum = 0, largest = -2, count = 0;
          for (std::int64_t k = 0; k < 12; ++k) {
            const std::int64_t depth = z + k / 6, row = k / 2 % 3;
            if (depth < 0 || depth >= 4) continue;
            const double value = at(x, ((c * 4 + depth) * 3 + row) * 4 + column + k % 2);
            sum += value, ++count, largest = std::max(largest, value);
          }
          wanted.push_back(mean ? sum / count : largest);
        }
    expectNear(madeOf(model, x), {1, 2, 3, 1, 2}, wanted);
  }
}

TEST(OnnxImages, MeansCountWhatLiesOutside) {
  const FloatTensor x = tensorOf({1, 1, 3, 3});
  const Model model = reading({1, 1, 3, 3})
                          .node("AveragePool", {"x"}, "y",
                                Model::ints("kernel_shape", {2, 2}) + Model::ints("strides", {2, 2}) +
                                    bytes(5, bytes(1, "auto_pad") + bytes(4, "SAME_UPPER")) +
                                    Model::integer("count_include_pad", 1));
  expectNear(madeOf(model, x), {1, 1, 2, 2},
             {(at(x, 0) + at(x, 1) + at(x, 3) + at(x, 4)) / 4, (at(x, 2) + at(x, 5)) / 4,
              (at(x, 6) + at(x, 7)) / 4, at(x, 8) / 4});
}

TEST(OnnxImages, FramesOfSignals) {
  const FloatTensor x = tensorOf({2, 20, 1});
  const Model model = Model()
                          .input("x", {2, 20, 1})
                          .output("y")
                          .integers("step", {5})
                          .integers("length", {8})
                          .node("HannWindow", {"length"}, "w")
                          .node("STFT", {"x", "step", "w", "length"}, "y");
  std::vector<double> wanted;
  for (std::int64_t batch = 0; batch < 2; ++batch)
    for (std::int64_t frame = 0; frame < 3; ++frame)
      for (std::int64_t k = 0; k < 5; ++k) {
        double real = 0, imaginary = 0;
        for (std::int64_t n = 0; n < 8; ++n) {
          const double turn = 2 * std::numbers::pi / 8;
          const double value =
              at(x, batch * 20 + frame * 5 + n) * (0.5 - 0.5 * std::cos(turn * static_cast<double>(n)));
          real += value * std::cos(turn * static_cast<double>(k * n));
          imaginary -= value * std::sin(turn * static_cast<double>(k * n));
        }
        wanted.push_back(real), wanted.push_back(imaginary);
      }
  expectNear(madeOf(model, x), {2, 3, 5, 2}, wanted);
}

TEST(OnnxImages, GridsOfMaps) {
  const FloatTensor x = tensorOf({2, 2, 3});
  for (const bool corners : {false, true}) {
    const Model model = Model()
                            .input("x", {2, 2, 3})
                            .output("y")
                            .integers("size", {2, 1, 2, 3})
                            .node("AffineGrid", {"x", "size"}, "y", Model::integer("align_corners", corners));
    std::vector<double> wanted;
    for (std::int64_t n = 0; n < 2; ++n)
      for (std::int64_t row = 0; row < 2; ++row)
        for (std::int64_t column = 0; column < 3; ++column) {
          const double across = corners ? static_cast<double>(column) - 1
                                        : (2 * static_cast<double>(column) + 1) / 3 - 1,
                       down = corners ? 2 * static_cast<double>(row) - 1
                                      : (2 * static_cast<double>(row) + 1) / 2 - 1;
          for (std::int64_t k = 0; k < 2; ++k)
            wanted.push_back(at(x, n * 6 + k * 3) * across + at(x, n * 6 + k * 3 + 1) * down +
                             at(x, n * 6 + k * 3 + 2));
        }
    expectNear(madeOf(model, x), {2, 2, 3, 2}, wanted);
  }
}

TEST(OnnxImages, CroppedAndPaddedAroundTheCentre) {
  const FloatTensor x = tensorOf({5, 2});
  const Model model = reading({5, 2}).integers("shape", {2, 5}).node("CenterCropPad", {"x", "shape"}, "y");
  std::vector<double> wanted;
  for (std::int64_t row = 1; row < 3; ++row)
    for (std::int64_t column = -1; column < 4; ++column)
      wanted.push_back(column < 0 || column > 1 ? 0 : at(x, row * 2 + column));
  expectNear(madeOf(model, x), {2, 5}, wanted);
}

}  // namespace sluice::onnx_images_test
