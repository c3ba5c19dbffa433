#include "widgets/itensor/token_model.h"

#include <QFont>

#include "engine/itensor/access_sequence.h"

namespace sluice::ui {

QString tupleText(std::span<const std::int64_t> numbers) {
  QStringList words;
  for (const std::int64_t number : numbers) words << QString::number(number);
  return QStringLiteral("(%1)").arg(words.join(QStringLiteral(", ")));
}

TokenText tokenText(const ITensor& type, std::int64_t token) {
  AccessSequence at(type);
  at.seek(token);
  std::vector<std::int64_t> iteration;
  for (std::size_t d = 0; d < type.loops.size(); ++d) iteration.push_back(at.iteration(d));
  return {tupleText(iteration), tupleText(at.offset())};
}

void TokenModel::setType(std::optional<ITensor> type) {
  beginResetModel();
  type_ = std::move(type);
  marked_.reset();
  rows_ = type_ ? static_cast<int>(std::min<std::int64_t>(tokenCount(*type_), most_rows)) : 0;
  endResetModel();
}

void TokenModel::setMarked(std::optional<std::int64_t> token) {
  if (token == marked_) return;
  marked_ = token;
  if (rows_ > 0) emit dataChanged(index(0, 0), index(rows_ - 1, ColumnCount - 1));
}

int TokenModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : rows_;
}

int TokenModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant TokenModel::data(const QModelIndex& index, int role) const {
  const bool marked = marked_ == index.row();
  if (role == Qt::DisplayRole) {
    const TokenText text = tokenText(*type_, index.row());
    if (index.column() == Iteration) return text.iteration;
    if (index.column() == Offset) return text.offset;
    return marked ? QStringLiteral("%1 \u2260").arg(index.row()) : QString::number(index.row());
  }
  if (role == Qt::FontRole && marked) {
    QFont bold;
    bold.setBold(true);
    return bold;
  }
  if (role == Qt::ToolTipRole && marked) return tr("The first token in which the two streams differ");
  return {};
}

QVariant TokenModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role != Qt::DisplayRole || orientation != Qt::Horizontal) return {};
  return QStringList{tr("Token"), tr("Iteration"), tr("Offset")}.value(section);
}

}  // namespace sluice::ui
