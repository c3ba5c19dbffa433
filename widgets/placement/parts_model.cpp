#include "widgets/placement/parts_model.h"

#include <QColor>

#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

QString nameOf(Resource resource) {
  return QString::fromLatin1(text(resource).data(), static_cast<qsizetype>(text(resource).size()));
}

QString helpOf(Resource resource) {
  switch (resource) {
    case Resource::Lut:
      return QObject::tr("Lookup tables, also those that are memory; estimated from published syntheses");
    case Resource::LutRam:
      return QObject::tr("Lookup tables that are memory, 64 bits each");
    case Resource::Ff:
      return QObject::tr("Flip-flops; estimated from published syntheses");
    case Resource::Bram:
      return QObject::tr("Blocks of memory of 18 kbit");
    case Resource::Uram:
      return QObject::tr("Blocks of memory of 4096 words of 72 bits");
    case Resource::Dsp:
      return QObject::tr("Multipliers; estimated from published syntheses");
  }
  return {};
}

double shareOf(std::int64_t used, std::int64_t available) {
  return available > 0 ? static_cast<double>(used) / static_cast<double>(available) : 0;
}

QVariant right() {
  return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
}

QVariant header(int section, int first_resource, const QStringList& names, int role) {
  if (role == Qt::TextAlignmentRole)
    return section >= first_resource ? right() : QVariant::fromValue(Qt::AlignLeft | Qt::AlignVCenter);
  if (section < first_resource) return role == Qt::DisplayRole ? names.value(section) : QVariant();
  const Resource resource = all_resources[static_cast<std::size_t>(section - first_resource)];
  if (role == Qt::ToolTipRole) return helpOf(resource);
  return role == Qt::DisplayRole ? nameOf(resource) : QVariant();
}

}  // namespace

void PartsModel::setParts(std::vector<PlacedPart> parts, const Resources& available) {
  beginResetModel();
  parts_ = std::move(parts);
  available_ = available;
  endResetModel();
}

int PartsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(parts_.size());
}

int PartsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : FirstResource + static_cast<int>(resource_count);
}

QVariant PartsModel::data(const QModelIndex& index, int role) const {
  const PlacedPart& row = parts_[static_cast<std::size_t>(index.row())];
  if (index.column() < FirstResource) {
    if (role != Qt::DisplayRole && role != sort_role && role != Qt::ToolTipRole) return {};
    if (index.column() == Group) return row.group;
    if (index.column() == Name) return qt(row.part.name);
    return role == Qt::ToolTipRole ? QVariant() : qt(std::string(text(row.part.kind)));
  }
  const Resource resource = all_resources[static_cast<std::size_t>(index.column() - FirstResource)];
  const std::int64_t used = row.part.resources[resource];
  switch (role) {
    case Qt::DisplayRole:
      return used == 0 ? QStringLiteral("\u2013") : exactCount(used);
    case Qt::ToolTipRole:
      return used == 0 ? QVariant()
                       : QObject::tr("%1 of the card's %2")
                             .arg(text(percentage(shareOf(used, available_[resource]))), nameOf(resource));
    case Qt::TextAlignmentRole:
      return right();
    case sort_role:
      return static_cast<qlonglong>(used);
    default:
      return {};
  }
}

QVariant PartsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  return header(section, FirstResource, {tr("Part"), tr("Kind"), tr("Group")}, role);
}

void TotalsModel::setTotals(std::vector<PlacedTotal> totals) {
  beginResetModel();
  totals_ = std::move(totals);
  endResetModel();
}

int TotalsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(totals_.size());
}

int TotalsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : 1 + static_cast<int>(resource_count);
}

QVariant TotalsModel::data(const QModelIndex& index, int role) const {
  const PlacedTotal& row = totals_[static_cast<std::size_t>(index.row())];
  if (index.column() == 0) return role == Qt::DisplayRole ? row.name : QVariant();
  const Resource resource = all_resources[static_cast<std::size_t>(index.column() - 1)];
  const std::int64_t used = row.used[resource], available = row.available[resource];
  switch (role) {
    case Qt::DisplayRole:
      if (available == 0 && used == 0) return QStringLiteral("\u2013");
      return QObject::tr("%1 (%2)").arg(exactCount(used), text(percentage(shareOf(used, available))));
    case Qt::ToolTipRole:
      return QObject::tr("%1 of %2, of which %3 may be used")
          .arg(exactCount(used), exactCount(available), exactCount(row.room[resource]));
    case Qt::TextAlignmentRole:
      return right();
    case Qt::BackgroundRole: {
      if (used <= row.room[resource]) return {};
      QColor beyond(0xd55e00);  // Okabe and Ito; the number says it, too
      beyond.setAlphaF(0.3F);
      return beyond;
    }
    default:
      return {};
  }
}

QVariant TotalsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  return header(section, 1, {tr("Used")}, role);
}

}  // namespace sluice::ui
