#include "widgets/timeline/timeline_rows.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>

#include "widgets/common/document_paths.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {

namespace {

constexpr std::size_t many_instances = 2;
constexpr double idle_share = 0.02;                   // of the work of the busiest operator
constexpr std::size_t least_idle = 2, all_shown = 8;  // of so few rows each is seen anyway

/// Regions and instances as a tree: "expert", in it "[3]", in it the operators.
struct Scope {
  std::map<std::string, Scope> inside;
  std::vector<std::string> order;  ///< of `inside`, as they came
  std::vector<OperatorId> own;
  double busy = 0;  ///< of all operators in it
  double most = 0;  ///< of the busiest of them

  Scope& at(const std::string& name) {
    if (!inside.contains(name)) order.push_back(name);
    return inside[name];
  }
};

/// "expert[3].gate" -> "expert", "[3]", "gate".
std::vector<std::string> partsOf(const std::string& name) {
  std::vector<std::string> parts(1);
  int brackets = 0;
  for (const char c : name) {
    if (c == '[' && brackets++ == 0 && !parts.back().empty()) parts.emplace_back();
    if (c == ']') --brackets;
    if (c == '.' && brackets == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// An inferred operator stands beside the one whose output it copies: "exp.out.broadcast" is one part.
std::vector<std::string> partsOf(const FlatOperator& op) {
  std::vector<std::string> parts = partsOf(op.name);
  if (!op.inferred) return parts;
  const std::size_t port = op.name.rfind('.', op.name.rfind('.') - 1);
  if (port == std::string::npos) return {op.name};
  parts = partsOf(op.name.substr(0, port));
  parts.back() += op.name.substr(port);
  return parts;
}

class Builder {
 public:
  Builder(const FlatGraph& graph, const BusyCycles& busy) : graph_(graph), busy_(busy) {
    for (OperatorId id = 0; id < graph.operators.size(); ++id) {
      const std::vector<std::string> parts = partsOf(graph.operators[id]);
      const double cycles = busyOf(id);
      Scope* scope = &top_;
      for (std::size_t i = 0;; ++i) {
        scope->busy += cycles;
        scope->most = std::max(scope->most, cycles);
        if (i + 1 >= parts.size()) break;
        scope = &scope->at(parts[i]);
      }
      scope->own.push_back(id);
    }
  }

  std::vector<TimelineRow> rows() {
    std::vector<Entry> entries = entriesOf(top_);
    const auto idle = std::stable_partition(entries.begin(), entries.end(), [this](const Entry& each) {
      return busy_.isEmpty() || each.most >= idle_share * top_.most;
    });
    const std::vector<Entry> last(idle, entries.end());
    if (entries.size() > all_shown && last.size() >= least_idle && idle != entries.begin()) {
      entries.erase(idle, entries.end());
      add(top_, entries, {}, {}, 0);
      addIdle(last);
    } else {
      add(top_, entriesOf(top_), {}, {}, 0);
    }
    return std::move(rows_);
  }

 private:
  /// An operator of a scope or, with a name, what is in it.
  struct Entry {
    OperatorId id = 0;
    const std::string* name = nullptr;
    double busy = 0, most = 0;
  };

  double busyOf(OperatorId id) const { return busy_.value(qt(graph_.operators[id].name)); }

  std::vector<Entry> entriesOf(const Scope& scope) const {
    std::vector<Entry> entries;
    for (const OperatorId id : scope.own) entries.push_back({id, nullptr, busyOf(id), busyOf(id)});
    bool instances = false;
    for (const std::string& name : scope.order) {
      const Scope& inside = scope.inside.at(name);
      entries.push_back({0, &name, inside.busy, inside.most});
      instances = instances || name.front() == '[';
    }
    // Instances keep the order of their numbers.
    if (!instances)
      std::stable_sort(entries.begin(), entries.end(),
                       [](const Entry& a, const Entry& b) { return a.busy > b.busy; });
    return entries;
  }

  void collect(const Scope& scope, std::vector<OperatorId>& into) const {
    into.insert(into.end(), scope.own.begin(), scope.own.end());
    for (const auto& [name, inside] : scope.inside) collect(inside, into);
  }

  void add(const Scope& scope, const std::vector<Entry>& entries, const QString& path, const QString& origin,
           int depth) {
    for (const Entry& entry : entries) {
      if (!entry.name) {
        addOperator(entry.id, depth);
        continue;
      }
      const std::string& name = *entry.name;
      const Scope& inside = scope.inside.at(name);
      const bool instance = name.front() == '[';
      TimelineRow row;
      row.kind = TimelineRow::Kind::Region;
      row.name = instance ? origin.section(QLatin1Char('.'), -1) + qt(name) : qt(name);
      row.path = path.isEmpty() || instance ? path + qt(name) : path + QLatin1Char('.') + qt(name);
      row.origin = instance ? origin : origin.isEmpty() ? qt(name) : origin + QLatin1Char('.') + qt(name);
      row.depth = depth;
      collect(inside, row.processes);
      std::sort(row.processes.begin(), row.processes.end());
      row.collapsed = inside.inside.size() > many_instances || instance;
      rows_.push_back(row);
      add(inside, entriesOf(inside), row.path, row.origin, depth + 1);
    }
  }

  /// Those of the whole program that wait or have finished nearly all of the time, folded.
  void addIdle(const std::vector<Entry>& entries) {
    TimelineRow row;
    row.kind = TimelineRow::Kind::Region;
    row.name = QCoreApplication::translate("TimelineRows", "%1 hardly busy").arg(entries.size());
    row.path = TimelineRows::idlePath();
    for (const Entry& entry : entries) {
      if (entry.name)
        collect(top_.inside.at(*entry.name), row.processes);
      else
        row.processes.push_back(entry.id);
    }
    std::sort(row.processes.begin(), row.processes.end());
    row.collapsed = true;
    rows_.push_back(row);
    add(top_, entries, {}, {}, 1);
  }

  void addOperator(OperatorId id, int depth) {
    const FlatOperator& op = graph_.operators[id];
    TimelineRow row;
    row.name = qt(partsOf(op).back());
    row.path = qt(op.name);
    row.origin = qt(op.origin);
    row.depth = depth;
    row.processes = {id};
    rows_.push_back(row);
    for (const StreamId stream : op.outputs) {
      const FlatStream& each = graph_.streams[stream];
      TimelineRow below;
      below.kind = TimelineRow::Kind::Stream;
      below.name = qt(shortStreamName(each.name));
      below.path = qt(each.name);
      below.origin = qt(each.origin);
      below.depth = depth + 1;
      below.streams = {stream};
      below.capacity = each.depth;
      rows_.push_back(below);
    }
  }

  const FlatGraph& graph_;
  const BusyCycles& busy_;
  Scope top_;
  std::vector<TimelineRow> rows_;
};

}  // namespace

QString TimelineRows::idlePath() {
  return QStringLiteral(" idle");  // no node has such a path
}

void TimelineRows::setGraph(const FlatGraph& graph, const BusyCycles& busy) {
  QHash<QString, bool> collapsed;  // what the user chose stays
  for (const TimelineRow& row : all_)
    if (row.kind == TimelineRow::Kind::Region) collapsed[row.path] = row.collapsed;
  all_ = Builder(graph, busy).rows();
  for (TimelineRow& row : all_) row.collapsed = collapsed.value(row.path, row.collapsed);
  update();
}

void TimelineRows::clear() {
  all_.clear();
  update();
}

void TimelineRows::setFilter(const QStringList& texts) {
  filter_.clear();
  for (const QString& text : texts)
    if (!text.trimmed().isEmpty()) filter_ << text.trimmed();
  update();
}

void TimelineRows::setCollapsed(const QString& path, bool collapsed) {
  for (TimelineRow& row : all_)
    if (row.kind == TimelineRow::Kind::Region && row.path == path) row.collapsed = collapsed;
  update();
}

void TimelineRows::setAllCollapsed(bool collapsed) {
  for (TimelineRow& row : all_) row.collapsed = collapsed && row.kind == TimelineRow::Kind::Region;
  update();
}

void TimelineRows::setStreamsShown(bool shown) {
  streams_shown_ = shown;
  update();
}

/// From the last row to the first: with a filter, a row also shows if one of those in it does.
void TimelineRows::update() {
  shown_.clear();
  std::vector<bool> matches(all_.size()), below;
  for (std::size_t i = all_.size(); i-- > 0;) {
    const auto depth = static_cast<std::size_t>(all_[i].depth);
    below.resize(std::max(below.size(), depth + 2));
    const bool wanted = filter_.isEmpty() || std::ranges::any_of(filter_, [&](const QString& text) {
                          return all_[i].path.contains(text, Qt::CaseInsensitive);
                        });
    matches[i] = wanted || below[depth + 1];
    below.resize(depth + 1);
    below[depth] = below[depth] || matches[i];
  }
  int hidden_below = -1;  // depth of the collapsed region that the rows are in
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const TimelineRow& row = all_[i];
    if (hidden_below >= 0 && row.depth > hidden_below) continue;
    hidden_below = -1;
    if (matches[i] && (streams_shown_ || row.kind != TimelineRow::Kind::Stream)) shown_.push_back(row);
    // A filter looks into collapsed regions.
    if (row.kind == TimelineRow::Kind::Region && row.collapsed && filter_.isEmpty()) hidden_below = row.depth;
  }
}

int TimelineRows::rowOf(OperatorId process) const {
  int found = -1;
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    const auto& processes = shown_[i].processes;
    if (std::binary_search(processes.begin(), processes.end(), process)) found = static_cast<int>(i);
  }
  return found;
}

int TimelineRows::rowOf(const QString& origin) const {
  const std::string wanted = origin.toStdString();
  int best = -1;
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    if (shown_[i].origin == origin) return static_cast<int>(i);
    const bool around = shown_[i].kind == TimelineRow::Kind::Region && shown_[i].collapsed &&
                        !shown_[i].origin.isEmpty() && isWithin(wanted, shown_[i].origin.toStdString());
    if (around && best < 0) best = static_cast<int>(i);
  }
  return best;
}

}  // namespace sluice::ui
