#include "widgets/timeline/timeline_rows.h"

#include <algorithm>
#include <map>

#include "widgets/common/document_paths.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {

namespace {

constexpr std::size_t many_instances = 2;

/// Regions and instances as a tree: "expert", in it "[3]", in it the operators.
struct Scope {
  std::map<std::string, Scope> inside;
  std::vector<std::string> order;  ///< of `inside`, as they came
  std::vector<OperatorId> own;
  std::size_t operators = 0;

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

class Builder {
 public:
  explicit Builder(const FlatGraph& graph) : graph_(graph) {
    for (OperatorId id = 0; id < graph.operators.size(); ++id) {
      const std::vector<std::string> parts = partsOf(graph.operators[id].name);
      Scope* scope = &top_;
      for (std::size_t i = 0; i + 1 < parts.size(); ++i) scope = &scope->at(parts[i]);
      scope->own.push_back(id);
    }
  }

  std::vector<TimelineRow> rows() {
    add(top_, {}, {}, 0);
    return std::move(rows_);
  }

 private:
  void collect(const Scope& scope, std::vector<OperatorId>& into) const {
    into.insert(into.end(), scope.own.begin(), scope.own.end());
    for (const auto& [name, inside] : scope.inside) collect(inside, into);
  }

  void add(const Scope& scope, const QString& path, const QString& origin, int depth) {
    for (const OperatorId id : scope.own) addOperator(id, depth);
    for (const std::string& name : scope.order) {
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
      add(inside, row.path, row.origin, depth + 1);
    }
  }

  void addOperator(OperatorId id, int depth) {
    const FlatOperator& op = graph_.operators[id];
    TimelineRow row;
    row.name = qt(partsOf(op.name).back());
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
  Scope top_;
  std::vector<TimelineRow> rows_;
};

}  // namespace

void TimelineRows::setGraph(const FlatGraph& graph) {
  QHash<QString, bool> collapsed;  // what the user chose stays
  for (const TimelineRow& row : all_)
    if (row.kind == TimelineRow::Kind::Region) collapsed[row.path] = row.collapsed;
  all_ = Builder(graph).rows();
  for (TimelineRow& row : all_) row.collapsed = collapsed.value(row.path, row.collapsed);
  update();
}

void TimelineRows::clear() {
  all_.clear();
  update();
}

void TimelineRows::setFilter(const QString& text) {
  filter_ = text.trimmed();
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
    matches[i] = all_[i].path.contains(filter_, Qt::CaseInsensitive) || below[depth + 1];
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
                        isWithin(wanted, shown_[i].origin.toStdString());
    if (around && best < 0) best = static_cast<int>(i);
  }
  return best;
}

}  // namespace sluice::ui
