#pragma once
// TimelineRows: which rows a timeline has - regions and their instances, operators, streams - and which of
// them show: regions can be collapsed, rows filtered by their names.

#include <QHash>
#include <QSet>
#include <QString>
#include <QStringList>
#include <vector>

#include "engine/program/flat_graph.h"

namespace sluice::ui {

struct TimelineRow {
  enum class Kind { Region, Process, Stream };
  Kind kind = Kind::Process;
  QString name;    ///< in its region
  QString path;    ///< in the graph: "expert[3].gate", a stream's whole name
  QString origin;  ///< in the document: a node path, a stream's origin
  int depth = 0;   ///< of regions around it
  bool collapsed = false;
  std::vector<OperatorId> processes;  ///< one, or all of the region
  std::vector<StreamId> streams;      ///< one, of a stream row
  std::uint64_t capacity = 0;         ///< of its FIFO, tokens
};

/// Cycles in which operators are at work, by their names.
using BusyCycles = QHash<QString, double>;

class TimelineRows {
 public:
  /// The row that those that hardly do anything are folded into.
  static QString idlePath();
  /// Regions with many instances start collapsed. The busiest come first where it is known who is, and of
  /// more than a handful those that hardly do anything are folded into one row behind them; else rows are in
  /// the order of the program.
  void setGraph(const FlatGraph& graph, const BusyCycles& busy = {});
  void clear();
  /// Rows whose path holds the text, in whatever case, with the regions around them.
  void setFilter(const QString& text) { setFilter(QStringList(text)); }
  void setFilter(const QStringList& texts);  ///< those that hold any of them
  void setCollapsed(const QString& path, bool collapsed);
  void setAllCollapsed(bool collapsed);
  void setStreamsShown(bool shown);

  const std::vector<TimelineRow>& all() const { return all_; }
  const std::vector<TimelineRow>& shown() const { return shown_; }
  /// Position among those shown, or -1; of an operator hidden in a collapsed region: that of the region.
  int rowOf(OperatorId process) const;
  int rowOf(const QString& origin) const;

 private:
  void update();

  std::vector<TimelineRow> all_, shown_;
  QStringList filter_;
  bool streams_shown_ = true;
};

}  // namespace sluice::ui
