#pragma once
// How work grows with its size: a ratio of processor times, which tells n log n from n^2 on any machine.

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <limits>

namespace sluice::testing_support {

/// `work(size)`: the least processor time of three runs, in seconds.
template <class Work>
double processorTime(std::size_t size, const Work& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int run = 0; run < 3; ++run) {
    const std::clock_t start = std::clock();
    work(size);
    least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return least;
}

/// Whether eight times the size takes less than `most` times as long: 8 is n, 64 is n^2, 512 is n^3.
template <class Work>
bool growsSlowly(std::size_t size, const Work& work, double most = 32) {
  constexpr double least_measured = 1e-3;  // below it the clock's steps count
  return processorTime(8 * size, work) < most * std::max(processorTime(size, work), least_measured);
}

}  // namespace sluice::testing_support
