#pragma once
// TokenModel: the tokens of a stream as a table: number, iteration, offset. Rows are computed when they are
// asked for.

#include <QAbstractTableModel>

#include "engine/itensor/itensor.h"

namespace sluice::ui {

/// "(0, 4)".
QString tupleText(std::span<const std::int64_t> numbers);

struct TokenText {
  QString iteration, offset;
};
/// Of a token of the stream.
TokenText tokenText(const ITensor& type, std::int64_t token);

class TokenModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Token, Iteration, Offset, ColumnCount };
  static constexpr int most_rows = 100'000;

  using QAbstractTableModel::QAbstractTableModel;

  void setType(std::optional<ITensor> type);
  /// The token in which another stream differs first.
  void setMarked(std::optional<std::int64_t> token);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::optional<ITensor> type_;
  std::optional<std::int64_t> marked_;
  int rows_ = 0;
};

}  // namespace sluice::ui
