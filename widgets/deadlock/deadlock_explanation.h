#pragma once
// A deadlock as the screen shows it: wait cycles with their chains of sentences, who waits behind them, what
// may be done. Plain values, with nodes by path and streams by origin as the canvas calls them.

#include <QList>
#include <QString>
#include <QStringList>
#include <optional>

namespace sluice::ui {

/// A stream at which somebody waits.
struct WaitedStream {
  QString origin;        ///< empty: not on the canvas
  bool full = false;     ///< else it is empty
  QString closing_fill;  ///< "3/3": what was in the FIFO when the wait cycle closed; empty: not recorded
  bool operator==(const WaitedStream&) const = default;
};

/// One wait, and its sentence.
struct WaitStep {
  QString node;  ///< path of who waits; empty: not on the canvas
  QString name, sentence;
  QList<WaitedStream> streams;
  qint64 since = 0;  ///< its last progress
  bool operator==(const WaitStep&) const = default;
};

struct DepthChange {
  QString origin;  ///< as the canvas calls it, or empty
  QString name;    ///< "x.out -> join.in1"
  qint64 from = 0, to = 0;
  int instances = 1;
  double bytes = 0;
  bool operator==(const DepthChange&) const = default;
};

struct ProposedRepair {
  QList<DepthChange> changes;
  double bytes = 0;
  qint64 cycles = 0;
  bool minimal = false, verified = false;
  bool ends = true;  ///< with these depths; else it deadlocks in `left` other wait cycles
  int left = 0;
  bool operator==(const ProposedRepair&) const = default;
};

struct WaitGroup {
  enum class Kind { WaitCycle, Stranded, Victim };
  Kind kind = Kind::WaitCycle;
  QString title;                         ///< "Wait cycle 2 (expert[1])", or who waits
  QString verdict;                       ///< "artificial"; empty: not known yet
  std::optional<qint64> closed_at;       ///< of a wait cycle
  int distance = 0;                      ///< of a victim
  QList<WaitStep> steps;                 ///< the chain; of a wait cycle, once around
  std::optional<ProposedRepair> repair;  ///< of a wait cycle by itself
  int alike = 0;  ///< wait cycles with the same number are instances of one: at the same places of the canvas
  bool operator==(const WaitGroup&) const = default;
};

struct DeadlockExplanation {
  qint64 at = 0;      ///< when the last wait began
  int operators = 0;  ///< how many wait
  QList<WaitGroup> groups;
  double on_chip_bytes = 0;  ///< before a repair
  // What the search has found out; the verdict is empty until it has.
  QString verdict;  ///< "artificial", "real", "undecided"
  QStringList reasons;
  std::optional<ProposedRepair> repair;
  bool gave_up = false;
  bool operator==(const DeadlockExplanation&) const = default;
};

/// The whole explanation in plain text, for a report or a bug tracker.
QString plainText(const DeadlockExplanation& explanation);

}  // namespace sluice::ui
