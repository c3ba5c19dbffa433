#include "widgets/figures/figure_model.h"

#include <cmath>
#include <limits>

#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

QString numberText(double value) {
  if (value >= 1000 && value < 1e15 && value == std::floor(value))
    return exactNumber(static_cast<std::uint64_t>(value));
  return QString::number(value, 'g', 5);
}

/// Every number padded with zeros, so that texts sort as people count.
QString countingOrder(const QString& text) {
  QString key, digits;
  const auto flush = [&] {
    key += digits.isEmpty() ? digits : digits.rightJustified(12, QLatin1Char('0'));
    digits.clear();
  };
  for (const QChar each : text) {
    if (each.isDigit()) {
      digits += each;
    } else {
      flush();
      key += each;
    }
  }
  flush();
  return key;
}

}  // namespace

FigureModel::FigureModel(Rows rows, QObject* parent)
    : QAbstractTableModel(parent), kind_(rows), texts_(rows == Rows::Points ? 3 : 1) {}

void FigureModel::setFigure(const FigureResult& figure) {
  beginResetModel();
  rows_.clear();
  if (kind_ == Rows::Points) {
    for (const FigurePoint& point : figure.points)
      rows_.push_back({{qt(point.series), qt(point.point), qt(point.metric)},
                       point.published,
                       point.ours,
                       point.ratio(),
                       point.inputs,
                       point.other,
                       qt(sluice::text(point.trust()))});
  } else {
    for (const FigureClaim& claim : figure.claims) {
      const bool comparable = claim.published && *claim.published != 0;
      rows_.push_back({{qt(claim.claim)},
                       claim.published,
                       claim.ours,
                       comparable ? std::optional(claim.ours / *claim.published) : std::nullopt,
                       claim.inputs,
                       {},
                       qt(sluice::text(claim.trust()))});
    }
  }
  endResetModel();
}

int FigureModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int FigureModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : inputColumn() + 1;
}

std::optional<double> FigureModel::number(const Row& row, int column) const {
  if (column == texts_) return row.published;
  if (column == texts_ + 1) return row.ours;
  if (column == texts_ + 2) return row.ratio;
  return std::nullopt;
}

namespace {

/// Its tool tip names the files that were missing.
QVariant inputData(const FigureInputs& inputs, int role) {
  if (role == Qt::DisplayRole || role == FigureModel::sort_role) return qt(text(inputs));
  if (role != Qt::ToolTipRole || inputs.synthetic.empty()) return {};
  QStringList names;
  for (const std::string& name : inputs.synthetic) names << qt(name);
  return FigureModel::tr("Synthetic input stands in for %1").arg(names.join(QStringLiteral(", ")));
}

}  // namespace

QVariant FigureModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  const int column = index.column();
  if (role == Qt::TextAlignmentRole)
    return int((isNumber(column) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (column == inputColumn()) return inputData(row.inputs, role);
  if (role == Qt::ToolTipRole && isNumber(column)) {
    QString tip = tr("Trust: %1").arg(row.trust);
    if (column == texts_ + 1 && row.other)
      tip += tr("\nThe reference takes one of two values (hbm_controller_wait). The other one gives %1")
                 .arg(numberText(*row.other));
    return tip;
  }
  if (role != Qt::DisplayRole && role != sort_role) return {};
  if (!isNumber(column)) return role == sort_role ? countingOrder(row.texts[column]) : row.texts[column];
  const std::optional<double> value = number(row, column);
  if (role == sort_role) return value.value_or(std::numeric_limits<double>::infinity());  // the last
  if (!value) return QStringLiteral("\u2013");
  return column == texts_ + 2 ? QString::number(*value, 'f', 4) : numberText(*value);
}

QVariant FigureModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role == Qt::TextAlignmentRole && orientation == Qt::Horizontal)
    return int((isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  if (orientation == Qt::Vertical) return section + 1;
  const QStringList numbers{tr("Published"), tr("Ours"), tr("Ours / published")};
  if (isNumber(section)) return numbers.value(section - texts_);
  if (section == inputColumn()) return tr("Input");
  const QStringList texts =
      kind_ == Rows::Points ? QStringList{tr("Series"), tr("Point"), tr("Metric")} : QStringList{tr("Claim")};
  return texts.value(section);
}

}  // namespace sluice::ui
