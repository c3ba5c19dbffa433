#pragma once
// Two runs side by side: metrics, operators, streams and the causes of stalls, matched by their places in the
// documents. The runs may differ in knobs, schedule, machine, inputs or be of two files; instances of a
// region are taken together.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/explorer/evaluate.h"
#include "engine/simulator/stalls.h"

namespace sluice::inline explorer {

/// What a comparison needs of one run: a fraction of the memory of the run.
struct RunProfile {
  struct Operators {  ///< of one place
    std::string kind;
    std::size_t count = 0;
    double busy = 0, starved = 0, blocked = 0, finished = 0;
  };
  struct Streams {  ///< of one name
    std::string origin;
    double depth = 0, tokens = 0, most = 0;
  };
  DesignPoint point;
  std::map<std::string, Operators> operators;
  std::map<std::string, Streams> streams;
  std::optional<std::map<std::string, double>> causes;  ///< lost cycles; of a run with a timeline
};

RunProfile profileOf(const PointResult& run);

/// A number of both runs; absent where one has none.
struct ComparedValue {
  std::optional<double> a, b;
  /// (b - a) / a; absent where it means nothing.
  std::optional<double> change() const;
  /// (a - b) / b, of a model and what was measured; absent where it means nothing.
  std::optional<double> error() const;
};

struct ComparedMetric {
  const MetricSpec* metric = nullptr;
  ComparedValue value;
};

/// An operator of the documents, its instances summed.
struct ComparedOperator {
  std::string place, kind;                         ///< "expert.gate"; as B calls it, or A where B has none
  std::string place_a;                             ///< as A calls it
  std::size_t count_a = 0, count_b = 0;            ///< instances; 0: that run has none
  ComparedValue busy, starved, blocked, finished;  ///< cycles; finished: of the last instance
  ComparedValue memory, total;                     ///< of a measured run alone: waits for memory; all cycles
};

struct ComparedStream {
  std::string name;                   ///< "expert.pack.out -> expert.gate.in"
  std::string origin_a, origin_b;     ///< in the documents
  ComparedValue depth, tokens, most;  ///< of one instance; summed; the most at once in any (recorded runs)
};

struct ComparedCause {
  std::string cause;
  ComparedValue lost;
};

/// A name of the program or of what was measured, and whether the other side has it.
struct ComparedMatch {
  enum class Of : std::uint8_t { Operator, Stream, Measurement };
  std::string name;
  Of of = Of::Operator;  ///< Measurement: the program has no such name
  std::string by = {};   ///< "name", "order": how it was found on the other side; empty: it was not
};

/// B may be what was measured of A's program instead of a run of the model (engine/measurements): then causes
/// are what the cycles of all measured operators went to, and what was not measured is absent.
struct Comparison {
  bool measured = false;
  std::vector<ComparedMetric> metrics;
  std::vector<ComparedOperator> operators;  ///< largest difference of busy and waiting cycles first
  std::vector<ComparedStream> streams;      ///< in the order of B
  std::vector<ComparedCause> causes;        ///< where both runs have a timeline
  std::vector<ComparedMatch> matches;       ///< of a measured run: those that are missing on a side first
};

Comparison compare(const RunProfile& a, const RunProfile& b);
Comparison compare(const PointResult& a, const PointResult& b);

}  // namespace sluice::inline explorer
