#pragma once
// DiagnosticsModel: diagnostics as rows: place, cause, fix, code; below each the edits that fix it, and the
// other places that take part.
// The severity is an icon with a shape of its own, and a word for screen readers.

#include <QAbstractItemModel>

#include "engine/core/diagnostic.h"

namespace sluice::ui {

class DiagnosticsModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column { Place, Cause, Fix, Code, ColumnCount };

  using QAbstractItemModel::QAbstractItemModel;

  void setDiagnostics(Diagnostics diagnostics);
  const Diagnostics& diagnostics() const { return diagnostics_; }

  /// Of an entry, or of one of its related places.
  const Diagnostic& diagnosticAt(const QModelIndex& index) const;
  const Location& placeAt(const QModelIndex& index) const;
  /// Null: the row is no edit.
  const FixEdit* fixAt(const QModelIndex& index) const;
  /// The row of the same entry, or of the same edit or place below it, as another model has there; the entry
  /// alone where it has no such row any more. Invalid: the entry is gone.
  QModelIndex sameAs(const DiagnosticsModel& other, const QModelIndex& there) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  /// The entry of the same code and place, if there is a choice that with the same words; or -1.
  int rowOf(const Diagnostic& entry) const;
  QVariant fixData(const FixEdit& fix, const QModelIndex& index, int role) const;
  QVariant relatedData(const QModelIndex& index, int role) const;

  Diagnostics diagnostics_;
};

QString severityText(Severity severity);

}  // namespace sluice::ui
