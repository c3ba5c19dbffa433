#pragma once
// FigureModel: a reproduced figure as a table: what was published, what we measured, how they compare, and
// whether it ran on the papers' traces or on synthetic input.

#include <QAbstractTableModel>

#include "engine/figures/figure.h"

namespace sluice::ui {

class FigureModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum class Rows { Points, Claims };
  /// Sorting by this role compares numbers, those within texts too ("tile 8" before "tile 16").
  static constexpr int sort_role = Qt::UserRole;

  explicit FigureModel(Rows rows, QObject* parent = nullptr);

  void setFigure(const FigureResult& figure);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row {
    QStringList texts;
    std::optional<double> published, ours, ratio;
    FigureInputs inputs;
    std::optional<double> other;  ///< see FigurePoint
    QString trust;
  };
  /// Published, ours or ratio; nothing for columns of text.
  std::optional<double> number(const Row& row, int column) const;
  bool isNumber(int column) const { return column >= texts_ && column < inputColumn(); }
  int inputColumn() const { return texts_ + 3; }

  Rows kind_;
  int texts_;  ///< columns of text before the three of numbers; the input comes last
  std::vector<Row> rows_;
};

}  // namespace sluice::ui
