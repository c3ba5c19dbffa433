#pragma once
// DiagnosticsModel: diagnostics as a table: place, cause, fix. The severity is an icon with a shape of its
// own, and a word for screen readers.

#include <QAbstractTableModel>

#include "engine/core/diagnostic.h"

namespace sluice::ui {

class DiagnosticsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Place, Cause, Fix, ColumnCount };

  using QAbstractTableModel::QAbstractTableModel;

  void setDiagnostics(Diagnostics diagnostics);
  const Diagnostics& diagnostics() const { return diagnostics_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  Diagnostics diagnostics_;
};

QString severityText(Severity severity);

}  // namespace sluice::ui
