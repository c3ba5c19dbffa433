#include "app/window/deadlock/deadlock_story_of.h"

#include <QObject>
#include <algorithm>
#include <map>
#include <string_view>

#include "engine/simulator/because.h"
#include "widgets/common/document_paths.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

void replaceAll(std::string& text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

/// A line may break before an arrow, but not within it.
QString withArrows(const std::string& sentence) {
  return qt(sentence).replace(QLatin1String(" -> "), QStringLiteral(" → "));
}

class Teller {
 public:
  Teller(const PointResult& point, const ProgramMatch& shown)
      : graph_(point.symbolic.graph), run_(point.simulation), report_(*run_.deadlock), shown_(shown) {}

  DeadlockStory tell(const std::vector<LockKind>& kinds) {
    DeadlockStory story;
    story.at = static_cast<qint64>(report_.at);
    story.operators = static_cast<int>(report_.blocked.size());
    for (std::size_t i = 0; i < report_.cycles.size(); ++i)
      story.groups << circle(i, i < kinds.size() ? qt(text(kinds[i])) : QString());
    for (const OperatorId op : report_.stranded) story.groups << chain(op, WaitGroup::Kind::Stranded);
    for (const OperatorId op : report_.victims) story.groups << chain(op, WaitGroup::Kind::Victim);
    return story;
  }

  /// A sentence about any operators, as who wrote the program would say it.
  QString plain(std::string sentence) const {
    if (sentence.find(".broadcast") != std::string::npos)
      for (const FlatOperator& op : graph_.operators) sentence = withoutBroadcasts(std::move(sentence), op);
    return withArrows(sentence);
  }

  QString originShown(const std::string& origin) const { return qt(shown_.stream(origin).value_or("")); }

 private:
  WaitGroup circle(std::size_t number, const QString& verdict) {
    const CircularWait& wait = report_.cycles[number];
    WaitGroup group = chain(wait.members.front(), WaitGroup::Kind::Circle, wait.closed_at);
    group.title = QObject::tr("Circle %1").arg(number + 1);
    if (const std::string place = instance(wait); !place.empty())
      group.title += QStringLiteral(", ") + qt(place);
    group.verdict = verdict;
    group.closed_at = static_cast<qint64>(wait.closed_at);
    std::string key;
    for (const OperatorId op : wait.members) {
      key += graph_.operators[op].origin + ' ';
      for (const StreamId stream : waitedFor(*report_.find(op))) key += graph_.streams[stream].origin + ' ';
    }
    group.alike = alike_.try_emplace(key, static_cast<int>(alike_.size())).first->second;
    return group;
  }

  /// "expert[3]", if the circle is in an instance of a region.
  std::string instance(const CircularWait& wait) const {
    const std::string& name = graph_.operators[wait.members.front()].name;
    const std::size_t bracket = name.rfind(']', name.rfind('.'));
    return bracket == std::string::npos ? "" : name.substr(0, bracket + 1);
  }

  WaitGroup chain(OperatorId op, WaitGroup::Kind kind, std::optional<Cycles> closed = {}) const {
    WaitGroup group;
    group.kind = kind;
    group.title = nameOf(graph_.operators[op]);
    group.distance = static_cast<int>(report_.find(op)->distance);
    for (const BecauseStep& step : becauseSteps(graph_, report_, op)) {
      const BlockedOperator& blocked = *report_.find(step.op);
      const FlatOperator& who = graph_.operators[step.op];
      WaitStep told{shown_.nodes.contains(who.origin) ? qt(who.origin) : QString(),
                    nameOf(who),
                    plain(step.sentence, blocked),
                    {},
                    static_cast<qint64>(blocked.since)};
      for (const StreamId id : waitedFor(blocked)) told.streams << waited(blocked, id, closed);
      group.steps << told;
    }
    return group;
  }

  WaitedStream waited(const BlockedOperator& blocked, StreamId id, std::optional<Cycles> closed) const {
    const FlatStream& stream = graph_.streams[id];
    WaitedStream result{feedsInferredBroadcast(graph_, stream) ? QString() : originShown(stream.origin),
                        stream.producer == blocked.op,
                        {}};
    if (!closed || id >= run_.occupancy.size()) return result;
    if (const auto fill = fillAt(run_.occupancy[id], *closed))
      result.closing_fill = QStringLiteral("%1/%2").arg(*fill).arg(stream.depth);
    return result;
  }

  /// "exp"; the broadcast that elaboration put behind exp.out is "exp.out" to who wrote the program.
  static QString nameOf(const FlatOperator& op) {
    QString name = qt(op.name);
    if (isInferredBroadcast(op)) name.chop(static_cast<int>(std::string_view(".broadcast").size()));
    return name;
  }

  /// The sentence without operators that nobody wrote.
  std::string withoutBroadcasts(std::string sentence, const FlatOperator& op) const {
    if (!isInferredBroadcast(op)) return sentence;
    for (std::size_t out = 0; out < op.outputs.size(); ++out)
      replaceAll(sentence, op.name + ".out[" + std::to_string(out) + "]", nameOf(op).toStdString());
    replaceAll(sentence, op.name, nameOf(op).toStdString());
    return sentence;
  }

  QString plain(std::string sentence, const BlockedOperator& blocked) const {
    for (const StreamId id : waitedFor(blocked))
      for (const OperatorId end : {graph_.streams[id].producer, graph_.streams[id].consumer})
        sentence = withoutBroadcasts(std::move(sentence), graph_.operators[end]);
    return withArrows(sentence);
  }

  const FlatGraph& graph_;
  const SimulationResult& run_;
  const DeadlockReport& report_;
  const ProgramMatch& shown_;
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

DeadlockStory deadlockStory(const PointResult& point, const Unlock* unlocked, const ProgramMatch& shown) {
  Teller teller(point, shown);
  DeadlockStory story = teller.tell(unlocked ? unlocked->cycles : std::vector<LockKind>{});
  story.on_chip_bytes = point.symbolic.total.on_chip_bytes.value_or(0);
  if (!unlocked) return story;
  story.verdict = qt(text(unlocked->kind));
  for (const std::string& reason : unlocked->reasons) story.reasons << teller.plain(reason);
  story.gave_up = unlocked->gave_up;
  for (std::size_t i = 0; i < unlocked->circle_repairs.size(); ++i) {
    const std::optional<CircleRepair>& own = unlocked->circle_repairs[i];
    if (!own || !own->verified) continue;
    ProposedRepair& proposed = story.groups[static_cast<int>(i)].repair.emplace(proposal(*own, teller));
    proposed.ends = own->ends;
    proposed.left = static_cast<int>(own->left);
  }
  if (unlocked->repair) story.repair = proposal(*unlocked->repair, teller);
  return story;
}

}  // namespace sluice::ui
