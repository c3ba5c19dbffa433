#include "widgets/itensor/itensor_examples.h"

#include <array>

namespace sluice::ui {
namespace {

constexpr std::array examples = {
    ITensorExample{"a", "Row by row, tiles of 2x2",
                   "itensor<2x2xf32, iter_space: [4,4]*[2,2], iter_map: (d0,d1)->(d0,d1)>", "8x8"},
    ITensorExample{"b", "Column by column, tiles of 4x2",
                   "itensor<4x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d1,d0)>", "8x8"},
    ITensorExample{"c", "As (b), every column of tiles sent twice",
                   "itensor<4x2xf32, iter_space: [4,2,2]*[2,1,4], iter_map: (d0,d1,d2)->(d2,d0)>", "8x8"},
    ITensorExample{"quiz a", "Tiles wider than their step",
                   "itensor<4x4xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d1,d0)>", "8x8"},
    ITensorExample{"quiz b", "Tiles as large as their steps",
                   "itensor<4x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d1,d0)>", "8x8"},
    ITensorExample{"quiz c", "Tiles less high than their step",
                   "itensor<2x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d1,d0)>", "8x8"},
    ITensorExample{"quiz d", "Tiles smaller than both steps",
                   "itensor<2x1xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d1,d0)>", "8x8"},
};

}  // namespace

std::span<const ITensorExample> itensorExamples() {
  return examples;
}

}  // namespace sluice::ui
