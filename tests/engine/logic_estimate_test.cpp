// LUTs and flip-flops of logic: the estimates are the medians and fits of the published syntheses that they
// are said to be, and as far off as their page says.

#include "engine/tensor/placement/logic_estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/figures/published.h"

namespace sluice::logic_estimate_test {

using figures::PublishedRow;
using figures::publishedTable;
using figures::rowWith;

/// The middle one, or halfway between the two.
double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::vector<double> perLane(const std::string& column, const std::string& less = "") {
  std::vector<double> all;
  for (const PublishedRow& row : publishedTable("fpga_kernels"))
    all.push_back((row.number(column) - (less.empty() ? 0 : row.number(less))) / row.number("products"));
  return all;
}

TEST(LogicEstimate, RoutingLeavesThePublishedPart) {
  std::vector<double> luts, flip_flops;
  for (const PublishedRow& row : publishedTable("fpga_designs")) {
    luts.push_back(row.number("routed_lut") / row.number("expected_lut"));
    flip_flops.push_back(row.number("routed_ff") / row.number("expected_ff"));
  }
  EXPECT_NEAR(median(luts), routed_luts, 0.005);
  EXPECT_NEAR(median(flip_flops), routed_flip_flops, 0.005);
  EXPECT_GT(*std::ranges::min_element(luts), 0.47);  // as the page says
  EXPECT_LT(*std::ranges::max_element(luts), 0.98);
  EXPECT_GT(*std::ranges::min_element(flip_flops), 0.64);
  EXPECT_LT(*std::ranges::max_element(flip_flops), 0.94);
}

TEST(LogicEstimate, AKernelIsTheMedianOfThePublishedOnes) {
  constexpr std::int64_t lanes = 1000;
  const Resources float32 = kernelLogic(Scalar::F32, lanes, 2);
  const auto expected = [&](Resource resource, double part, std::int64_t width) {
    return static_cast<double>(float32[resource]) / part / static_cast<double>(width);
  };
  EXPECT_NEAR(expected(Resource::Lut, routed_luts, lanes), median(perLane("lut")), 1);
  EXPECT_NEAR(expected(Resource::Ff, routed_flip_flops, lanes), median(perLane("ff")), 1);
  EXPECT_NEAR(expected(Resource::Dsp, 1, lanes), median(perLane("dsp")), 0.02);
  // Eight of ten kernels lie within the errors of the page.
  const auto within = [](const std::vector<double>& all, double least, double most) {
    const double middle = median(all);
    const auto inside = std::ranges::count_if(
        all, [&](double value) { return value >= least * middle && value <= most * middle; });
    return static_cast<double>(inside) / static_cast<double>(all.size());
  };
  EXPECT_GE(within(perLane("lut"), 1 - 0.26, 1 + 0.52), 0.8);
  EXPECT_GE(within(perLane("ff"), 1 - 0.12, 1 + 0.44), 0.8);
  // Of integers there remains the control, by their width, and what is beside a DSP.
  const double control = median(perLane("lut", "operator_lut")),
               registers = median(perLane("ff", "operator_ff"));
  const double beside =
      rowWith(publishedTable("fpga_operators"), {{"operator", "mul"}, {"bits", "9"}}).number("lut");
  const Resources bytes = kernelLogic(Scalar::I8, lanes, 2);
  EXPECT_NEAR(static_cast<double>(bytes[Resource::Lut]) / lanes / routed_luts, control / 4 + beside, 0.3);
  EXPECT_NEAR(static_cast<double>(bytes[Resource::Ff]) / lanes / routed_flip_flops, registers / 4, 0.3);
  EXPECT_EQ(bytes[Resource::Dsp], lanes / 2);
  EXPECT_EQ(kernelLogic(Scalar::I8, 3, 1)[Resource::Dsp], 3);
}

TEST(LogicEstimate, FifosAreThePublishedOnes) {
  double squares = 0;
  std::size_t numbers = 0;
  for (const PublishedRow& row : publishedTable("fpga_fifos")) {
    const MemoryBuffer fifo{"", row.integer("bits"), row.integer("depth"), 1};
    const bool bram = row.integer("bram18") > 0;
    const PlacedBuffer placed{bram ? Resource::Bram : Resource::LutRam,
                              blocksOf(fifo, bram ? Resource::Bram : Resource::LutRam)};
    const Resources logic = fifoLogic(fifo, placed);
    for (const auto& [resource, column, part] :
         {std::tuple(Resource::Lut, "lut", routed_luts), {Resource::Ff, "ff", routed_flip_flops}}) {
      const double published = row.number(column) * part;
      const double error = static_cast<double>(logic[resource]) / published - 1;
      EXPECT_LT(std::abs(error), 0.3) << fifo.depth << " x " << fifo.word_bits << " " << column;
      // A whole number of few flip-flops is not to be met closer than to one.
      const double beyond = std::max(0.0, std::abs(static_cast<double>(logic[resource]) - published) - 1);
      squares += beyond / published * beyond / published;
      ++numbers;
    }
  }
  EXPECT_LT(std::sqrt(squares / static_cast<double>(numbers)), 0.06);
}

TEST(LogicEstimate, MovesAreThePublishedMedians) {
  const auto moves = publishedTable("fpga_moves");
  const auto lut = [&](const std::string& what) {
    return rowWith(moves, {{"what", what}}).number("lut_median");
  };
  const PublishedRow port =
      rowWith(publishedTable("fpga_operators"), {{"operator", "m_axi"}, {"bits", "512"}});
  const auto luts = [](const Resources& resources) { return static_cast<double>(resources[Resource::Lut]); };
  EXPECT_NEAR(luts(converterLogic()), routed_luts * (lut("write") + lut("read")), 1);
  EXPECT_NEAR(luts(loadLogic()), routed_luts * (port.number("lut") + lut("load")), 1);
  EXPECT_NEAR(luts(storeLogic()), routed_luts * (port.number("lut") + lut("store")), 1);
  EXPECT_EQ(loadLogic()[Resource::Bram], port.integer("bram18") / 2);
}

}  // namespace sluice::logic_estimate_test
