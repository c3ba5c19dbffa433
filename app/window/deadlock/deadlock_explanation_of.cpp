#include "app/window/deadlock/deadlock_explanation_of.h"

#include <QHash>
#include <QObject>
#include <QSet>
#include <algorithm>
#include <map>

#include "app/window/deadlock/deadlock_text.h"
#include "widgets/common/document_paths.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

class Teller {
 public:
  Teller(const PointResult& point, const GraphCorrespondence& shown)
      : graph_(point.symbolic.graph),
        run_(point.simulation),
        report_(*run_.deadlock),
        names_(shownNames(graph_)),
        shown_(shown) {}

  DeadlockExplanation tell(const std::vector<LockKind>& kinds) {
    DeadlockExplanation explanation;
    explanation.at = static_cast<qint64>(report_.at);
    explanation.operators = static_cast<int>(report_.blocked.size());
    for (std::size_t i = 0; i < report_.cycles.size(); ++i)
      explanation.groups << waitCycle(i, i < kinds.size() ? qt(text(kinds[i])) : QString());
    nameByDifference(explanation.groups);
    for (const OperatorId op : report_.stranded) explanation.groups << chain(op, WaitGroup::Kind::Stranded);
    for (const OperatorId op : report_.victims) explanation.groups << chain(op, WaitGroup::Kind::Victim);
    return explanation;
  }

  const Naming& names() const { return names_; }
  QString originShown(const std::string& origin) const {
    return shown_.streams.contains(origin) ? qt(origin) : QString();
  }

 private:
  WaitGroup waitCycle(std::size_t number, const QString& verdict) {
    const CircularWait& wait = report_.cycles[number];
    WaitGroup group = chain(wait.members.front(), WaitGroup::Kind::WaitCycle, wait.closed_at);
    group.title = QObject::tr("Wait cycle %1").arg(number + 1);
    group.verdict = verdict;
    group.closed_at = static_cast<qint64>(wait.closed_at);
    std::string key;
    for (const OperatorId op : wait.members) {
      key += graph_.operators[op].origin + ' ';
      for (const WaitClause::At& at : waitClause(graph_, *report_.find(op)).at)
        key += graph_.streams[at.stream].origin + ' ';
    }
    group.alike = alike_.try_emplace(key, static_cast<int>(alike_.size())).first->second;
    return group;
  }

  /// "Wait cycle 2 (expert[1])" among instances of one wait cycle, else "Wait cycle 2 (join)", an operator
  /// that is in no other.
  static void nameByDifference(QList<WaitGroup>& cycles) {
    struct Alike {
      QStringList first;          ///< of the first instance: where it begins, in parts
      QSet<qsizetype> differing;  ///< parts that not all instances share
    };
    const auto parts_of = [](const WaitGroup& cycle) {
      return cycle.steps.front().name.split(QLatin1Char('.'));
    };
    QHash<int, Alike> alike;
    QHash<QString, int> in_cycles;  // how many wait cycles have the member
    for (const WaitGroup& cycle : cycles) {
      const QStringList parts = parts_of(cycle);
      Alike& same = alike[cycle.alike];
      if (same.first.isEmpty()) same.first = parts;
      for (qsizetype at = 0; at < parts.size(); ++at)
        if (same.first.value(at) != parts[at]) same.differing << at;
      for (const WaitStep& step : cycle.steps) ++in_cycles[step.name];
    }
    for (WaitGroup& cycle : cycles) {
      const QStringList parts = parts_of(cycle);
      QStringList name;
      for (qsizetype at = 0; at < parts.size(); ++at)
        if (alike[cycle.alike].differing.contains(at)) name << parts[at];
      const auto own = std::find_if(cycle.steps.begin(), cycle.steps.end(),
                                    [&](const WaitStep& step) { return in_cycles[step.name] == 1; });
      if (name.isEmpty() && own != cycle.steps.end()) name << own->name;
      if (cycles.size() > 1 && !name.isEmpty())
        cycle.title = QObject::tr("%1 (%2)").arg(cycle.title, name.join(QLatin1Char('.')));
    }
  }

  WaitGroup chain(OperatorId op, WaitGroup::Kind kind, std::optional<Cycles> closed = {}) const {
    WaitGroup group;
    group.kind = kind;
    group.title = qt(names_.op(op));
    group.distance = static_cast<int>(report_.find(op)->distance);
    const std::vector<BecauseClause> clauses = becauseChain(graph_, report_, op);
    const std::vector<std::string> sentences = texts(clauses, names_);
    for (std::size_t at = 0; at < clauses.size(); ++at) {
      const WaitClause& wait = clauses[at].wait;
      const std::string& origin = graph_.operators[wait.op].origin;
      WaitStep told{shown_.nodes.contains(origin) ? qt(origin) : QString(),
                    qt(names_.op(wait.op)),
                    qt(sentences[at]),
                    {},
                    static_cast<qint64>(wait.since)};
      for (const WaitClause::At& each : wait.at) told.streams << waited(each, closed);
      group.steps << told;
    }
    return group;
  }

  WaitedStream waited(const WaitClause::At& at, std::optional<Cycles> closed) const {
    const FlatStream& stream = graph_.streams[at.stream];
    WaitedStream result{
        feedsInferredBroadcast(graph_, stream) ? QString() : originShown(stream.origin), at.full, {}};
    if (!closed || at.stream >= run_.occupancy.size()) return result;
    if (const auto fill = fillAt(run_.occupancy[at.stream], *closed))
      result.closing_fill = QStringLiteral("%1/%2").arg(*fill).arg(stream.depth);
    return result;
  }

  const FlatGraph& graph_;
  const SimulationResult& run_;
  const DeadlockReport& report_;
  const Naming names_;
  const GraphCorrespondence& shown_;
  std::map<std::string, int> alike_;
};

ProposedRepair proposal(const Repair& repair, const Teller& teller) {
  ProposedRepair proposed;
  for (const Repair::Change& change : repair.changes)
    proposed.changes << DepthChange{teller.originShown(change.origin),  qt(shortStreamName(change.stream)),
                                    static_cast<qint64>(change.from),   static_cast<qint64>(change.to),
                                    static_cast<int>(change.instances), change.bytes};
  proposed.bytes = repair.bytes;
  proposed.cycles = static_cast<qint64>(repair.cycles);
  proposed.minimal = repair.minimal;
  proposed.verified = repair.verified;
  return proposed;
}

}  // namespace

std::optional<std::uint64_t> fillAt(const OccupancySeries& series, Cycles cycle) {
  if (series.samples.empty()) return 0;
  const auto after =
      std::upper_bound(series.samples.begin(), series.samples.end(), cycle,
                       [](Cycles at, const OccupancySeries::Sample& sample) { return at < sample.time; });
  if (after == series.samples.begin()) return 0;
  const OccupancySeries::Sample& sample = *std::prev(after);
  // Decimated: the level inside an interval is known at its end alone, unless it did not change.
  if (series.interval > 1 && sample.low != sample.high && cycle + 1 < sample.time + series.interval)
    return std::nullopt;
  return sample.last;
}

DeadlockExplanation deadlockExplanation(const PointResult& point, const Unlock* unlocked,
                                        const GraphCorrespondence& shown) {
  Teller teller(point, shown);
  DeadlockExplanation explanation = teller.tell(unlocked ? unlocked->cycles : std::vector<LockKind>{});
  explanation.on_chip_bytes = point.symbolic.total.on_chip_bytes.value_or(0);
  if (!unlocked) return explanation;
  explanation.verdict = qt(text(unlocked->kind));
  for (const LockReason& reason : unlocked->reasons) explanation.reasons << qt(text(reason, teller.names()));
  explanation.gave_up = unlocked->gave_up;
  for (std::size_t i = 0; i < unlocked->cycle_repairs.size(); ++i) {
    const std::optional<CycleRepair>& own = unlocked->cycle_repairs[i];
    if (!own || !own->verified) continue;
    ProposedRepair& proposed = explanation.groups[static_cast<int>(i)].repair.emplace(proposal(*own, teller));
    proposed.ends = own->ends;
    proposed.left = static_cast<int>(own->left);
  }
  if (unlocked->repair) explanation.repair = proposal(*unlocked->repair, teller);
  return explanation;
}

}  // namespace sluice::ui
