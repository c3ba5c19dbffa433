#include "engine/simulator/backlog.h"

#include <algorithm>
#include <type_traits>

// These loops are compiled for wider SIMD units as well, and the best one is chosen when the program starts.
// Sanitizers cannot run that early. Integers in floating point: every version gives the same.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define SLUICE_FOR_EVERY_SIMD_UNIT \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SLUICE_FOR_EVERY_SIMD_UNIT
#endif

namespace sluice::inline simulator {

namespace {

/// The loop over that many channels; for as many as most memories have, its length is known beforehand.
template <class Loop>
[[gnu::always_inline]] inline auto overChannels(std::size_t count, Loop&& loop) {
  return count == 32 ? loop(std::integral_constant<std::size_t, 32>()) : loop(count);
}

}  // namespace

SLUICE_FOR_EVERY_SIMD_UNIT
double serve(const BacklogStep& step, const float* busy, const float* idle, double elapsed) {
  const double* __restrict in = step.in;
  double* __restrict out = step.out;
  return overChannels(
      step.count, [=](auto n) __attribute__((always_inline)) {
        double most = 0;
        for (std::size_t c = 0; c < n; ++c) {
          const double b = busy[c], i = idle[c];
          const double y = std::max(std::max(in[c] + b, i) - elapsed, 0.0);
          out[c] = y;
          most = std::max(most, y);
        }
        return most;
      });
}

SLUICE_FOR_EVERY_SIMD_UNIT
double serve(double* backlogs, std::size_t count, const PeriodicService& service) {
  const PeriodicService s = service;
  return overChannels(
      count, [=](auto n) __attribute__((always_inline)) {
        double most = 0;
        for (std::size_t c = 0; c < n; ++c) {
          const double b = s.busy[c], i = s.idle[c], rest_b = s.rest_busy[c], rest_i = s.rest_idle[c];
          const double whole =
              std::max(backlogs[c] + s.periods * b, i + (s.periods - 1) * std::max(b, s.length));
          const double y = std::max(std::max(whole + rest_b, s.periods * s.length + rest_i) - s.elapsed, 0.0);
          backlogs[c] = y;
          most = std::max(most, y);
        }
        return most;
      });
}

SLUICE_FOR_EVERY_SIMD_UNIT
double largest(const double* backlogs, const float* added, std::size_t count) {
  return overChannels(
      count, [=](auto n) __attribute__((always_inline)) {
        double most = 0;
        for (std::size_t c = 0; c < n; ++c)
          most = std::max(most, backlogs[c] + static_cast<double>(added[c]));
        return most;
      });
}

SLUICE_FOR_EVERY_SIMD_UNIT
double largest(const double* backlogs, std::size_t count) {
  double most = 0;
  for (std::size_t c = 0; c < count; ++c) most = std::max(most, backlogs[c]);
  return most;
}

}  // namespace sluice::inline simulator
