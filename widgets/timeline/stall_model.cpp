#include "widgets/timeline/stall_model.h"

#include <algorithm>
#include <map>

#include "engine/core/csv.h"
#include "widgets/common/quantity.h"
#include "widgets/timeline/state_look.h"

namespace sluice::ui {

namespace {
constexpr quintptr group = ~quintptr{0};  ///< the internal id of causes; of victims: the number of the cause
}

StallModel::StallModel(QObject* parent) : QAbstractItemModel(parent) {}

void StallModel::setStalls(TimelineRun run, StallReport stalls) {
  beginResetModel();
  run_ = std::move(run);
  stalls_ = std::move(stalls);
  std::map<StallCause, Group> by_cause;
  for (std::size_t i = 0; i < stalls_.rows.size(); ++i) {
    Group& of = by_cause[stalls_.rows[i].cause];
    of.cause = stalls_.rows[i].cause;
    of.lost += stalls_.rows[i].lost;
    of.rows.push_back(i);
  }
  groups_.clear();
  for (auto& [cause, each] : by_cause) groups_.push_back(std::move(each));
  std::stable_sort(groups_.begin(), groups_.end(),
                   [](const Group& a, const Group& b) { return a.lost > b.lost; });
  endResetModel();
}

const StallRow* StallModel::rowAt(const QModelIndex& index) const {
  if (!index.isValid()) return nullptr;
  const bool cause = index.internalId() == group;
  const Group& of = groups_[cause ? static_cast<std::size_t>(index.row()) : index.internalId()];
  return &stalls_.rows[of.rows[cause ? 0 : static_cast<std::size_t>(index.row())]];
}

const StallCause* StallModel::causeAt(const QModelIndex& index) const {
  const StallRow* row = rowAt(index);
  return row ? &row->cause : nullptr;
}

QModelIndex StallModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) : group);
}

QModelIndex StallModel::parent(const QModelIndex& index) const {
  if (!index.isValid() || index.internalId() == group) return {};
  return createIndex(static_cast<int>(index.internalId()), 0, group);
}

int StallModel::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid()) return static_cast<int>(groups_.size());
  if (parent.internalId() != group || parent.column() != 0) return 0;
  return static_cast<int>(groups_[static_cast<std::size_t>(parent.row())].rows.size());
}

int StallModel::columnCount(const QModelIndex&) const {
  return ColumnCount;
}

QString StallModel::textOf(const QModelIndex& index) const {
  const bool cause = index.internalId() == group;
  const StallRow& row = *rowAt(index);
  const Cycles lost = cause ? groups_[static_cast<std::size_t>(index.row())].lost : row.lost;
  switch (index.column()) {
    case Cause:
      return QString::fromStdString(cause ? sluice::text(*run_.graph, row.cause)
                                          : run_.graph->operators[row.victim].name);
    case State:
      return cause ? QString() : stateName(row.state);
    case Lost:
      return exactNumber(lost);
    default: {
      const double share = static_cast<double>(lost) / static_cast<double>(std::max<Cycles>(1, stalls_.lost));
      return QStringLiteral("%1 %").arg(share * 100, 0, 'f', 2);
    }
  }
}

QString StallModel::csv() const {
  CsvTable table({"to_blame", "held_up", "state", "lost_cycles", "share"});
  for (const Group& of : groups_)
    for (const std::size_t i : of.rows) {
      const StallRow& row = stalls_.rows[i];
      table.row({sluice::text(*run_.graph, row.cause), run_.graph->operators[row.victim].name,
                 sluice::text(row.state), std::to_string(row.lost),
                 csvNumber(static_cast<double>(row.lost) /
                           static_cast<double>(std::max<Cycles>(1, stalls_.lost)))});
    }
  return QString::fromStdString(table.text());
}

QVariant StallModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (role == Qt::DisplayRole) return textOf(index);
  if (role == Qt::TextAlignmentRole && index.column() >= Lost)
    return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole) return tr("Double click shows when.");
  return {};
}

QVariant StallModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole && section >= Lost)
    return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case Cause:
      return tr("To blame, whom it held up");
    case State:
      return tr("How");
    case Lost:
      return tr("Lost cycles");
    default:
      return tr("Share");
  }
}

}  // namespace sluice::ui
