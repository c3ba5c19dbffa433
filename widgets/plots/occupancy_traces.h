#pragma once
// Which FIFOs of a run are worth a line: the fullest. Those that were chosen stay while runs come and go.

#include <array>

#include "engine/explorer/evaluate.h"
#include "widgets/plots/occupancy_plot.h"

namespace sluice::ui {

inline constexpr std::size_t most_traces = 4;

/// How full the FIFO was on average, 0..1.
double meanFill(const OccupancySeries& series, std::uint64_t depth, Cycles end);
/// The fullest streams of a run, at most `most_traces`; of all, or of those that are called `stream` (a name
/// or an origin).
std::vector<OccupancyTrace> fullestTraces(const PointResult& point, const std::string& stream = {});

/// The streams of a plot by their names, each with a place, which is its style. Runs of other knobs may lack
/// one: it keeps its place for when it is back.
class ChosenStreams {
 public:
  struct Chosen {
    std::size_t candidate = 0;  ///< which of the candidates
    int place = 0;
  };

  void clear() { places_ = {}; }
  /// The next run is of another program: places of streams that it lacks are free.
  void setOtherProgram() { other_program_ = true; }
  /// By place. `candidates`: names, the most wanted first; they get the free places.
  std::vector<Chosen> choose(const std::vector<std::string>& candidates);

 private:
  std::array<std::string, most_traces> places_;
  bool other_program_ = false;
};

}  // namespace sluice::ui
