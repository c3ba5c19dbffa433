#pragma once
// Session: the one asynchronous interface between a window and the engine. The window submits what it wants
// to see; the session's own threads work and say when something has arrived; the window drains it when it
// likes. Nothing here blocks but the constructor of the first thread and the destructor (which cancels
// first).
//
// Every submit() gets a new generation. A newer submit() of the same kind cancels the older work, and events
// carry their generation, so that an older result never overwrites a newer one.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "engine/explorer/evaluate.h"
#include "engine/explorer/exploration_backend.h"
#include "engine/explorer/explore.h"
#include "engine/explorer/workload_set.h"

namespace sluice::inline explorer {

using Generation = std::uint64_t;

/// Asks for a point: the symbolic answer first, then the recorded simulation.
struct PointRequest {
  std::shared_ptr<const Workload> workload;
  KnobValues knobs;
  RecordMode mode = RecordMode::Record;
  std::shared_ptr<const WorkloadSet> traces = {};  ///< of the inputs that are sets; null: none is
};
/// What is searched for, and how: as in ExploreOptions. Left as it is, every combination of the knobs.
struct SearchRequest {
  std::string strategy = ExploreOptions{}.strategy;
  std::vector<std::string> objectives = ExploreOptions{}.objectives;
  std::uint64_t budget = ExploreOptions{}.budget;
  std::uint64_t seed = ExploreOptions{}.seed;
  Fidelity fidelity = ExploreOptions{}.fidelity;
  KnobValues fixed = {};  ///< knobs that do not vary
  std::vector<Constraint> constraints = {};
  std::filesystem::path store = {};  ///< every point goes into this result store; empty: into none
  std::string file = {};             ///< of the program, as the store is to call it
  bool resume = false;               ///< what the store knows is not evaluated again
  bool warm_start = false;           ///< begins with the points of this workload in the store
  double precision = 0;              ///< over a set of traces (distributions/stopping.h); 0: all of them
};
/// Asks for the design space, or for the best of it.
struct ExploreRequest {
  std::shared_ptr<const Workload> workload;
  SearchRequest search = {};
  BackendMaker backend = {};  ///< empty: one run a point
};
/// Why such a search of the document's space would not begin; empty if it would. Quick: nothing is evaluated,
/// and the store is not opened.
/// Over a set of traces objectives and constraints may be statistics.
Diagnostics checkSearch(const Document& document, const SearchRequest& search, bool over_traces = false);

struct SymbolicReady {
  Generation generation;
  KnobValues knobs;
  std::shared_ptr<const SymbolicResult> result;
};
struct PointReady {
  Generation generation;
  std::shared_ptr<const PointResult> result;
};
struct PointFailed {
  Generation generation;
  Diagnostics diagnostics;
};
struct PointProgress {
  Generation generation;
  double fraction;
  Cycles cycle;
  double seconds_spent;
  double seconds_left;
};
/// Points finished since the last drain, with their indices in the space.
struct ExplorePoints {
  Generation generation;
  std::vector<std::pair<std::uint64_t, DesignPoint>> points;
  ExploreProgress progress;
};
struct ExploreReady {
  Generation generation;
  std::shared_ptr<const Exploration> result;
};
struct ExploreFailed {
  Generation generation;
  Diagnostics diagnostics;
};

using SessionEvent = std::variant<SymbolicReady, PointReady, PointFailed, PointProgress, ExplorePoints,
                                  ExploreReady, ExploreFailed>;

class Session {
 public:
  /// `threads` of an exploration; 0 = one per core. `arrived` is called by one of the session's threads when
  /// there is something to drain where there was nothing: once, whatever follows before the next drain().
  explicit Session(unsigned threads = 0, std::function<void()> arrived = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Generation submit(PointRequest request);
  Generation submit(ExploreRequest request);
  void cancelPoint();
  void cancelExplore();
  bool pointRunning() const;
  bool exploreRunning() const;

  /// Everything that arrived since the last call, in order; events of cancelled or superseded generations are
  /// left out.
  std::vector<SessionEvent> drain();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::inline explorer
