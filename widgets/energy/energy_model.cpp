#include "widgets/energy/energy_model.h"

#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {

void EnergyModel::setBreakdown(const EnergyBreakdown& breakdown) {
  beginResetModel();
  breakdown_ = breakdown;
  endResetModel();
}

const EnergyBreakdown::Row& EnergyModel::rowAt(int row) const {
  return breakdown_.rows.at(static_cast<std::size_t>(row));
}

int EnergyModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(breakdown_.rows.size());
}

int EnergyModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : leakage_column + 1;
}

std::optional<double> EnergyModel::joules(const EnergyBreakdown::Row& row, int column) const {
  if (column == Total) return row.total();
  if (column == leakage_column) return row.leakage;
  return row.parts.*energy_parts[column - FirstPart].member;
}

QVariant EnergyModel::data(const QModelIndex& index, int role) const {
  const EnergyBreakdown::Row& row = rowAt(index.row());
  const int column = index.column();
  if (role == Qt::TextAlignmentRole)
    return QVariant((column == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole && role != sort_role) return {};
  if (column == Name) return row.name;
  const double share = breakdown_.share(row);
  if (column == Share) return role == sort_role ? QVariant(share) : QVariant(text(percentage(share)));
  const std::optional<double> value = joules(row, column);
  if (role == sort_role) return value.value_or(-1);
  return value ? text(quantity(*value, QStringLiteral("J"))) : QStringLiteral("\u2013");
}

QVariant EnergyModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::ToolTipRole && section == Share)
    return tr("Of the energy without leakage, which is of the whole chip and no part's");
  if (role != Qt::DisplayRole) return {};
  if (section == Name) return tr("Of");
  if (section == Total) return tr("Energy");
  if (section == Share) return tr("Of dynamic");
  if (section == leakage_column) return tr("Leakage");
  QString title = qt(energy_parts[section - FirstPart].title);
  title[0] = title[0].toUpper();
  return title;
}

}  // namespace sluice::ui
