#include "engine/simulator/backlog.h"

#include <algorithm>

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

SLUICE_FOR_EVERY_SIMD_UNIT
double serve(const BacklogStep& step, const float* busy, const float* idle, double elapsed) {
  const double* __restrict in = step.in;
  double* __restrict out = step.out;
  const std::size_t n = step.count;
  double most = 0;
  for (std::size_t c = 0; c < n; ++c) {
    const double b = busy[c], i = idle[c];
    const double y = std::max(std::max(in[c] + b, i) - elapsed, 0.0);
    out[c] = y;
    most = std::max(most, y);
  }
  return most;
}

SLUICE_FOR_EVERY_SIMD_UNIT
double serve(const BacklogStep& step, const PeriodicService& service) {
  const double* __restrict in = step.in;
  double* __restrict out = step.out;
  const std::size_t n = step.count;
  const PeriodicService s = service;
  const double whole_periods = s.periods * s.length;
  double most = 0;
  for (std::size_t c = 0; c < n; ++c) {
    const double b = s.busy[c], i = s.idle[c], rest_b = s.rest_busy[c], rest_i = s.rest_idle[c];
    const double whole = std::max(in[c] + s.periods * b, i + (s.periods - 1) * std::max(b, s.length));
    const double y = std::max(std::max(whole + rest_b, whole_periods + rest_i) - s.elapsed, 0.0);
    out[c] = y;
    most = std::max(most, y);
  }
  return most;
}

SLUICE_FOR_EVERY_SIMD_UNIT
Largest largest(const double* backlogs, const float* added, std::size_t count) {
  double sum = 0, most = 0;
  for (std::size_t c = 0; c < count; ++c) {
    sum = std::max(sum, backlogs[c] + static_cast<double>(added[c]));
    most = std::max(most, backlogs[c]);
  }
  return {sum, most};
}

SLUICE_FOR_EVERY_SIMD_UNIT
Largest largest(const double* backlogs, const PeriodicService& service, const float* added,
                std::size_t count) {
  const PeriodicService s = service;
  const double whole_periods = s.periods * s.length;
  double sum = 0, most = 0;
  for (std::size_t c = 0; c < count; ++c) {
    const double b = s.busy[c], i = s.idle[c], rest_b = s.rest_busy[c], rest_i = s.rest_idle[c];
    const double whole = std::max(backlogs[c] + s.periods * b, i + (s.periods - 1) * std::max(b, s.length));
    const double y = std::max(std::max(whole + rest_b, whole_periods + rest_i) - s.elapsed, 0.0);
    sum = std::max(sum, y + static_cast<double>(added[c]));
    most = std::max(most, y);
  }
  return {sum, most};
}

SLUICE_FOR_EVERY_SIMD_UNIT
double largest(const double* backlogs, std::size_t count) {
  double most = 0;
  for (std::size_t c = 0; c < count; ++c) most = std::max(most, backlogs[c]);
  return most;
}

}  // namespace sluice::inline simulator
