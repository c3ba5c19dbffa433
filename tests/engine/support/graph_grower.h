#pragma once
// Grows a random graph: keeps the streams that nobody reads yet, with what is known of their shape, and hangs
// operators on them.

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/engine/support/flat_builder.h"
#include "tests/engine/support/random_graphs.h"

namespace sluice {

/// A stream that nobody reads yet.
struct OpenEnd {
  static constexpr std::int64_t unknown = -1;

  Output from;
  std::vector<std::int64_t> dims;  ///< outermost first; unknown: ragged, or only the run knows it
  std::int64_t structure = 0;      ///< streams with the same number have the same stops
  std::int64_t most = 0;           ///< at most this many tokens
  std::int64_t rows = 0, cols = 0;
  std::string scalar = "f32";
  bool whole = true;  ///< dims tell the stops (not after a Streamify of several repeats)

  std::int64_t rank() const { return static_cast<std::int64_t>(dims.size()) - 1; }
  bool floating() const { return scalar == "f32" || scalar == "f16"; }
  bool known() const;
  std::int64_t innermost(std::int64_t count) const;  ///< product of the inner dimensions, or unknown
};

class GraphGrower {
 public:
  /// `reference`: only what the executable reference model knows.
  explicit GraphGrower(std::uint64_t seed, bool reference = false);
  RandomGraph grow();
  RandomGraph growMemory();

 private:
  static constexpr std::int64_t most_tokens = 72;

  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
  }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  bool chance(std::int64_t percent) { return below(100) < percent; }
  std::vector<std::int64_t> smallShape(std::int64_t most_dims);
  void newDepth();  ///< of the streams that come next: mostly shallow

  // Ends: take one out, put one back. `same` keeps dims and structure.
  OpenEnd take(std::size_t index);
  std::optional<OpenEnd> takeAny();
  void put(OpenEnd end) { ends_.push_back(std::move(end)); }
  OpenEnd through(const OpenEnd& end, const std::string& kind, const Settings& settings);
  OpenEnd fresh(OpenEnd end);  ///< with a structure of its own
  std::vector<OpenEnd> split(const OpenEnd& end, std::size_t ways);

  void machine();
  RandomGraph finished();
  void source();
  void load();
  void tiles();
  void metadata();
  void cacheAddresses();
  void groupsOfNumbers();
  void dynamicLoad();
  std::string extents(const std::vector<std::int64_t>& shape);
  std::string integers(const std::vector<std::int64_t>& shape, std::int64_t low, std::int64_t high);
  OpenEnd numbers(const std::vector<std::int64_t>& shape, std::int64_t low, std::int64_t high);
  void step();

  // Steps on one end; each gives back what is open afterwards, or leaves the end as it was.
  void map(OpenEnd end);
  void accumulate(OpenEnd end);
  void accumulateRows(OpenEnd end);
  void reshape(OpenEnd end);
  void reshapeOuter(OpenEnd end);
  void flatten(OpenEnd end);
  void promote(OpenEnd end);
  void repeat(OpenEnd end);
  void expandStatic(OpenEnd end);
  void flatMap(OpenEnd end);
  void broadcast(OpenEnd end);
  void bufferize(OpenEnd end);
  void accumulateBuffers(OpenEnd end);
  void scan(OpenEnd end);
  void splitTile(OpenEnd end);
  void takeLast(OpenEnd end);
  void promoteOuter(OpenEnd end);
  void reshapePadStream(OpenEnd end);
  void interleave(OpenEnd end);
  void loadRef(OpenEnd end);
  void store(OpenEnd end);
  void route(OpenEnd end);
  void expandBack(OpenEnd end);
  void expandOne(OpenEnd end);
  void repeatBack(OpenEnd end);
  void forkJoin(OpenEnd end);
  void join(OpenEnd end);
  void parallelize(OpenEnd end);
  void scatter(OpenEnd end);
  void offsets(OpenEnd end);
  void signal(OpenEnd end);
  void kernel(OpenEnd end);
  void convertLayout(OpenEnd end);
  void sweep(OpenEnd end);
  void loopScan(OpenEnd end);
  void shuffle(OpenEnd end);
  void filterRows(OpenEnd end);

  void count(std::optional<OpenEnd> trigger);
  void storeTensor(const OpenEnd& end);
  void combine(const OpenEnd& a, const OpenEnd& b, bool careless);
  OpenEnd mapped(const OpenEnd& end);
  OpenEnd summed(const OpenEnd& end, std::int64_t rank);
  void streamBack(const OpenEnd& buffers, std::int64_t rank);
  void streamRepeatedly(const OpenEnd& buffers, std::int64_t rank);
  bool streamByReference(OpenEnd buffers, std::int64_t rank);
  bool streamByView(const OpenEnd& buffers, std::int64_t rank);
  static bool losesRank(const OpenEnd& buffers, std::int64_t rank);
  Settings switching(std::int64_t ways, std::int64_t rank);
  Settings compute(const std::string& function);
  std::string selectors(const std::vector<std::int64_t>& groups, std::int64_t ways, bool nonempty);
  Output control(const std::string& input, bool flat);
  std::vector<OpenEnd> lanes(const OpenEnd& end, const std::vector<Output>& outputs, std::int64_t rank);
  void eagerMerge(std::vector<OpenEnd> parts, const OpenEnd& whole, std::int64_t rank);
  void gather(const OpenEnd& addresses);
  void reassemble(std::vector<OpenEnd> parts, const OpenEnd& whole, std::int64_t rank, Output control);

  bool reference_;
  FlatBuilder builder_;
  InputSet inputs_;
  std::mt19937_64 random_;
  std::vector<OpenEnd> ends_;
  std::int64_t structures_ = 0;
};

}  // namespace sluice
