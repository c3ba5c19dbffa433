#pragma once
// CompareModel: one table of a comparison - metrics, operators, streams or causes - with A, B and how much
// more or less B is, told by a word, an arrow and a colour. Where B was measured, it is the model, what was
// measured and the error; and one table has which names of both were taken for the same.

#include <QAbstractTableModel>
#include <vector>

#include "engine/explorer/compare.h"

namespace sluice::ui {

class CompareModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum class Table { Metrics, Operators, Streams, Causes, Matches };
  enum Column { Name, What, A, B, Change, ColumnCount };

  explicit CompareModel(Table table, QObject* parent = nullptr);

  void setComparison(const Comparison& comparison);
  /// The place or name that a row is about: a node path; a stream's origin in B, else in A; empty of others.
  QString placeAt(int row) const;
  QString csv() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row {
    QString name, what, place;
    ComparedValue value;
    bool less_is_better = true;
    bool neutral = false;  ///< neither more nor less is better
  };
  void addOperators(const Comparison& comparison);
  void addStreams(const Comparison& comparison);

  std::optional<double> shareOf(const Row& row) const;  ///< change or error
  QString shareText(const Row& row) const;

  Table table_;
  bool measured_ = false;
  std::vector<Row> rows_;
};

/// "+12.5 %", "new", "gone", "=".
QString changeText(const ComparedValue& value);
/// The same of ComparedValue::error(), with what is no share as a difference: "+120".
QString errorText(const ComparedValue& value);

}  // namespace sluice::ui
