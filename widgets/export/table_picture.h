#pragma once
// TablePicture: a table of the window as papers print one - rules above, below and under the titles, no lines
// between - and as LaTeX source, from any model of items. Children of an item stand below it, indented.

#include "widgets/export/exportable.h"

class QAbstractItemModel;

namespace sluice::ui {

/// What a table is, beside its items.
struct TableLabels {
  QString name;                             ///< of its files: "stalls"
  QString title;                            ///< for people
  std::function<QStringList()> notes = {};  ///< lines above it: what A and B are
};

/// Rows and columns as the model has them now. Columns that have no room and rows beyond a page are counted
/// in a line below; `csv` has them all. The model must outlive what is made of it.
Exportable exportable(const QAbstractItemModel& model, const TableLabels& labels,
                      std::function<QString()> csv);

}  // namespace sluice::ui
