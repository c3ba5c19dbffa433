#include "widgets/timeline/stall_model.h"

#include <algorithm>
#include <utility>

#include "engine/core/csv.h"
#include "widgets/common/quantity.h"
#include "widgets/timeline/state_look.h"

namespace sluice::ui {

namespace {
constexpr quintptr group = ~quintptr{0};  ///< the internal id of causes; of victims: the number of the cause
}

StallModel::StallModel(QObject* parent) : QAbstractItemModel(parent) {}

Cycles StallModel::Group::others() const {
  Cycles left = blame.lost;
  if (victims)
    for (const StallRow& row : victims->rows) left -= row.lost;
  return left;
}

void StallModel::setStalls(TimelineRun run, StallFindings stalls) {
  beginResetModel();
  run_ = std::move(run);
  lost_ = stalls.report.lost;
  groups_.clear();
  for (std::size_t i = 0; i < stalls.report.causes.size(); ++i) {
    Group& of = groups_.emplace_back();
    of.blame = stalls.report.causes[i];
    if (i < stalls.victims.size()) of.victims = std::move(stalls.victims[i]);
  }
  endResetModel();
}

void StallModel::setVictims(int cause, StallVictims victims) {
  if (cause < 0 || cause >= rowCount()) return;
  Group& of = groups_[static_cast<std::size_t>(cause)];
  const QModelIndex parent = index(cause, 0);
  if (const int before = rowCount(parent); before > 0) {
    beginRemoveRows(parent, 0, before - 1);
    of.victims.reset();
    endRemoveRows();
  }
  const auto rows = static_cast<int>(victims.rows.size()) + (victims.left_out > 0 ? 1 : 0);
  of.asked = false;
  if (rows > 0) beginInsertRows(parent, 0, rows - 1);
  of.victims = std::move(victims);
  if (rows > 0) endInsertRows();
}

void StallModel::askAt(const QModelIndex& index) {
  if (!index.isValid()) return;
  const int cause = index.internalId() == group ? index.row() : static_cast<int>(index.internalId());
  Group& of = groups_[static_cast<std::size_t>(cause)];
  if ((of.victims && of.victims->left_out == 0) || std::exchange(of.asked, true)) return;
  emit victimsWanted(cause, of.victims ? 10 * of.victims->rows.size() : stall_detail);
}

bool StallModel::hasChildren(const QModelIndex& parent) const {
  return !parent.isValid() ? !groups_.empty() : parent.internalId() == group && parent.column() == 0;
}

/// A view that unfolds a cause asks for its victims.
bool StallModel::canFetchMore(const QModelIndex& parent) const {
  if (!parent.isValid() || parent.internalId() != group) return false;
  const Group& of = groupOf(parent);
  return !of.victims && !of.asked;
}

void StallModel::fetchMore(const QModelIndex& parent) {
  if (canFetchMore(parent)) askAt(parent);
}

const StallModel::Group& StallModel::groupOf(const QModelIndex& index) const {
  return groups_[index.internalId() == group ? static_cast<std::size_t>(index.row()) : index.internalId()];
}

const StallRow* StallModel::rowAt(const QModelIndex& index) const {
  if (!index.isValid()) return nullptr;
  const Group& of = groupOf(index);
  const std::size_t row = index.internalId() == group ? 0 : static_cast<std::size_t>(index.row());
  return of.victims && row < of.victims->rows.size() ? &of.victims->rows[row] : nullptr;
}

const StallCause* StallModel::causeAt(const QModelIndex& index) const {
  return index.isValid() ? &groupOf(index).blame.cause : nullptr;
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
  const auto& victims = groupOf(parent).victims;
  return victims ? static_cast<int>(victims->rows.size()) + (victims->left_out > 0 ? 1 : 0) : 0;
}

int StallModel::columnCount(const QModelIndex&) const {
  return ColumnCount;
}

double StallModel::share(Cycles lost) const {
  return static_cast<double>(lost) / static_cast<double>(std::max<Cycles>(1, lost_));
}

QString StallModel::textOf(const QModelIndex& index) const {
  const bool cause = index.internalId() == group;
  const Group& of = groupOf(index);
  const StallRow* row = cause ? nullptr : rowAt(index);
  const Cycles lost = cause ? of.blame.lost : row ? row->lost : of.others();
  switch (index.column()) {
    case Cause:
      if (cause) return QString::fromStdString(sluice::text(*run_.graph, of.blame.cause));
      return row ? QString::fromStdString(run_.graph->operators[row->victim].name)
                 : tr("%n more", nullptr, static_cast<int>(of.victims->left_out));
    case State:
      return row ? stateName(row->state) : QString();
    case Lost:
      return exactNumber(lost);
    default:
      return QStringLiteral("%1 %").arg(share(lost) * 100, 0, 'f', 2);
  }
}

QString StallModel::csv() const {
  CsvTable table({"to_blame", "held_up", "state", "lost_cycles", "share"});
  for (const Group& of : groups_) {
    const std::string cause = sluice::text(*run_.graph, of.blame.cause);
    const auto line = [&](const std::string& whom, const std::string& how, Cycles lost) {
      table.row({cause, whom, how, std::to_string(lost), csvNumber(share(lost))});
    };
    if (of.victims)
      for (const StallRow& row : of.victims->rows)
        line(run_.graph->operators[row.victim].name, sluice::text(row.state), row.lost);
    if (of.others() > 0) line("(others)", "", of.others());
  }
  return QString::fromStdString(table.text());
}

QVariant StallModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (role == Qt::DisplayRole) return textOf(index);
  if (role == Qt::TextAlignmentRole && index.column() >= Lost)
    return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole)
    return index.internalId() == group || rowAt(index) ? tr("Double click shows when.")
                                                       : tr("Double click lists more of them.");
  return {};
}

QVariant StallModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole && section >= Lost)
    return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole && section == Cause)
    return tr("Who is to blame for lost cycles; below, whom it held up");
  if (role != Qt::DisplayRole) return {};
  return QStringList{tr("To blame"), tr("How"), tr("Lost cycles"), tr("Share")}.value(section);
}

}  // namespace sluice::ui
