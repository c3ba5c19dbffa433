#include "widgets/itensor/itensor_examples.h"

#include <array>

namespace sluice::ui {
namespace {

constexpr std::array examples = {
    ITensorExample{"a", "Figure 5(a)", "Row by row, tiles of 2x2",
                   "itensor<2x2xf32, iter_space: [4,4]*[2,2], iter_map: (d0,d1)->(d0,d1)>", "8x8"},
    ITensorExample{"b", "Figure 5(b)", "Column by column, tiles of 4x2",
                   "itensor<4x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d1,d0)>", "8x8"},
    ITensorExample{"c", "Figure 5(c)", "As 5(b), every column of tiles sent twice",
                   "itensor<4x2xf32, iter_space: [4,2,2]*[2,1,4], iter_map: (d0,d1,d2)->(d2,d0)>", "8x8"},
    ITensorExample{"quiz a", "Slides, question a", "Tiles wider than their step",
                   "itensor<4x4xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d1,d0)>", "8x8"},
    ITensorExample{"quiz b", "Slides, question b", "Tiles as large as their steps",
                   "itensor<4x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d1,d0)>", "8x8"},
    ITensorExample{"quiz c", "Slides, question c", "Tiles lower than their step",
                   "itensor<2x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d1,d0)>", "8x8"},
    ITensorExample{"quiz d", "Slides, question d", "Tiles smaller than both steps",
                   "itensor<2x1xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d1,d0)>", "8x8"},
};

}  // namespace

std::span<const ITensorExample> itensorExamples() {
  return examples;
}

}  // namespace sluice::ui
