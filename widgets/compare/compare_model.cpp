#include "widgets/compare/compare_model.h"

#include <QColor>
#include <QCoreApplication>
#include <cmath>

#include "engine/core/csv.h"
#include "engine/core/quantity_text.h"
#include "widgets/common/document_paths.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {

namespace {

const auto percent = QStringLiteral("%");  // the unit of shares

QString numberText(const std::optional<double>& value, const QString& unit) {
  if (!value) return QStringLiteral("\u2013");
  if (unit == percent) return percentage(*value).number;
  if (*value >= 0 && *value == std::floor(*value)) return exactNumber(static_cast<std::uint64_t>(*value));
  return qt(significantDigits(*value, 5));
}

/// "operator, by name"; "stream, not measured".
QString matchText(const ComparedMatch& match) {
  const auto word = [](const char* text) { return QCoreApplication::translate("Compare", text); };
  if (match.of == ComparedMatch::Of::Measurement) return word("measured, not in the program");
  const QString part = match.of == ComparedMatch::Of::Operator ? word("operator") : word("stream");
  if (match.by.empty()) return word("%1, not measured").arg(part);
  return word("%1, by %2").arg(part, qt(match.by));
}

QString shareWithArrow(double share) {
  const QString arrow = share > 0 ? QStringLiteral("\u25b2 ") : QStringLiteral("\u25bc ");
  if (share >= 9.995) return arrow + QChar(0x00d7) + tickLabel(share + 1);  // as the figures tell it
  return arrow + percentChange(share, std::abs(share) < 0.1 ? 2 : 1);
}

}  // namespace

QString changeText(const ComparedValue& value) {
  if (!value.a && !value.b) return {};
  const auto word = [](const char* text) { return QCoreApplication::translate("Compare", text); };
  if (!value.a) return word("only in B");
  if (!value.b) return word("only in A");
  const std::optional<double> change = value.change();
  if (!change) return word("new");
  if (*change == 0) return QStringLiteral("=");
  return shareWithArrow(*change);
}

QString errorText(const ComparedValue& value) {
  if (!value.a || !value.b) return {};
  if (*value.a == *value.b) return QStringLiteral("=");
  const std::optional<double> error = value.error();
  return error ? shareWithArrow(*error) : QStringLiteral("+") + numberText(*value.a - *value.b, {});
}

CompareModel::CompareModel(Table table, QObject* parent) : QAbstractTableModel(parent), table_(table) {}

void CompareModel::addOperators(const Comparison& comparison) {
  for (const ComparedOperator& op : comparison.operators) {
    const QString place = qt(op.place);
    const auto add = [&](const QString& what, const ComparedValue& value, bool neutral = false) {
      const bool nothing = measured_ && value.a == 0 && value.b == 0;
      if ((value.a || value.b) && !nothing)
        rows_.push_back({place, what, place, value, true, neutral || measured_});
    };
    add(tr("busy cycles"), op.busy, true);
    add(tr("starved cycles"), op.starved);
    add(tr("blocked cycles"), op.blocked);
    add(tr("memory wait cycles"), op.memory);
    add(tr("cycles in all"), op.total);
    add(tr("done at cycle"), op.finished);
    if (op.count_a == op.count_b) continue;
    const ComparedValue count{static_cast<double>(op.count_a), static_cast<double>(op.count_b)};
    rows_.push_back({place, tr("instances"), place, count, true, true});
  }
}

void CompareModel::addStreams(const Comparison& comparison) {
  for (const ComparedStream& stream : comparison.streams) {
    const QString name = qt(shortStreamName(stream.name));
    const QString place = qt(stream.origin_b.empty() ? stream.origin_a : stream.origin_b);
    const auto add = [&](const QString& what, const ComparedValue& value) {
      if (value.a || value.b) rows_.push_back({name, what, place, value, true, true});
    };
    add(tr("depth"), stream.depth);
    add(tr("most tokens at once"), stream.most);
    add(tr("tokens"), stream.tokens);
  }
}

void CompareModel::setComparison(const Comparison& comparison) {
  beginResetModel();
  rows_.clear();
  measured_ = comparison.measured;
  switch (table_) {
    case Table::Metrics:
      for (const ComparedMetric& metric : comparison.metrics)
        rows_.push_back({qt(metric.metric->title),
                         metric.metric->kind == MetricKind::Fraction ? percent : qt(metric.metric->unit),
                         {},
                         metric.value,
                         metric.metric->smaller_is_better,
                         measured_});
      break;
    case Table::Operators:
      addOperators(comparison);
      break;
    case Table::Streams:
      addStreams(comparison);
      break;
    case Table::Causes:
      for (const ComparedCause& cause : comparison.causes)
        rows_.push_back({qt(cause.cause),
                         measured_ ? tr("cycles of all operators measured") : tr("lost cycles"),
                         qt(cause.cause), cause.lost, true, measured_});
      break;
    case Table::Matches:
      for (const ComparedMatch& match : comparison.matches)
        rows_.push_back({qt(match.name), matchText(match), {}, {}, true, true});
  }
  endResetModel();
}

std::optional<double> CompareModel::shareOf(const Row& row) const {
  return measured_ ? row.value.error() : row.value.change();
}
QString CompareModel::shareText(const Row& row) const {
  return measured_ ? errorText(row.value) : changeText(row.value);
}

QString CompareModel::placeAt(int row) const {
  return row >= 0 && row < rowCount() ? rows_[static_cast<std::size_t>(row)].place : QString();
}

int CompareModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int CompareModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : table_ == Table::Matches ? A : ColumnCount;
}

QVariant CompareModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole && index.column() >= A)
    return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::UserRole) {  // for sorting
    if (index.column() == A) return row.value.a.value_or(-1);
    if (index.column() == B) return row.value.b.value_or(-1);
    if (index.column() == Change) return std::abs(row.value.b.value_or(0) - row.value.a.value_or(0));
    return data(index, Qt::DisplayRole);
  }
  if (role == Qt::BackgroundRole && index.column() == Change && !row.neutral) {
    const auto change = row.value.change();
    if (!change || *change == 0) return {};
    const bool better = (*change < 0) == row.less_is_better;
    QColor colour(better ? 0x0072b2 : 0xd55e00);  // Okabe and Ito
    colour.setAlphaF(static_cast<float>(std::min(0.45, 0.12 + std::abs(*change) * 0.4)));
    return colour;
  }
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case Name:
      return row.name;
    case What:
      return row.what;
    case A:
      return numberText(row.value.a, row.what);
    case B:
      return numberText(row.value.b, row.what);
    default:
      return shareText(row);
  }
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue((section >= A ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  if (measured_ && section >= A)
    return QStringList{tr("Model"), tr("Measured"), tr("Error")}.value(section - A);
  const QString name = table_ != Table::Causes ? tr("Name")
                       : measured_             ? tr("Cycles went to")
                                               : tr("To blame");
  const QString what = table_ == Table::Metrics   ? tr("Unit")
                       : table_ == Table::Matches ? tr("Matched")
                                                  : tr("What");
  return QStringList{name, what, QStringLiteral("A"), QStringLiteral("B"), tr("B against A")}.value(section);
}

QString CompareModel::csv() const {
  if (table_ == Table::Matches) {
    CsvTable table({"name", "matched"});
    for (const Row& row : rows_) table.row({row.name.toStdString(), row.what.toStdString()});
    return QString::fromStdString(table.text());
  }
  CsvTable table(measured_ ? std::vector<std::string>{"name", "what", "model", "measured", "error"}
                           : std::vector<std::string>{"name", "what", "a", "b", "change"});
  for (const Row& row : rows_) {
    const auto number = [](const std::optional<double>& value) { return value ? csvNumber(*value) : ""; };
    const QString unit = row.what == percent ? QString() : row.what;  // the data are shares of one
    table.row({row.name.toStdString(), unit.toStdString(), number(row.value.a), number(row.value.b),
               number(shareOf(row))});
  }
  return QString::fromStdString(table.text());
}

}  // namespace sluice::ui
