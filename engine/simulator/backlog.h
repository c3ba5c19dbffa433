#pragma once
// What requests do to the backlogs of the memory's channels, all channels at once. A backlog is how much
// later than the next arrival a channel can begin a service; integers in doubles, because every SIMD unit has
// a maximum of floating-point numbers.

#include <cstddef>

namespace sluice::inline simulator {

/// `in` and `out` do not overlap.
struct BacklogStep {
  const double* in;   ///< n backlogs
  double* out;        ///< n
  std::size_t count;  ///< n
};

/// After some cycles, `elapsed` of them, that bring service times `busy`; a channel that was free at first
/// becomes free at `idle`. Returns the largest backlog then.
double serve(const BacklogStep& step, const float* busy, const float* idle, double elapsed);

/// `periods` periods of `length` cycles that do as `busy` and `idle` say, and then some cycles, `rest_busy`
/// and `rest_idle`; `elapsed` in all.
struct PeriodicService {
  const float *busy, *idle, *rest_busy, *rest_idle;
  double periods, length, elapsed;
};
/// What becomes of `backlogs`; returns the largest then. The map of a period iterates in closed form: max(y +
/// q busy, idle + (q - 1) max(busy, length)) after q of them; none: of length 0, with `busy` and `idle` of 0.
double serve(double* backlogs, std::size_t count, const PeriodicService& service);

/// The largest sum of a backlog and what comes on top of it.
double largest(const double* backlogs, const float* added, std::size_t count);
double largest(const double* backlogs, std::size_t count);

}  // namespace sluice::inline simulator
