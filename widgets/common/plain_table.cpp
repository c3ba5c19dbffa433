#include "widgets/common/plain_table.h"

#include <QHeaderView>
#include <QTableView>

namespace sluice::ui {

void makePlain(QTableView& table) {
  table.setSelectionBehavior(QAbstractItemView::SelectRows);
  table.setAlternatingRowColors(true);
  table.setShowGrid(false);
  table.setFrameShape(QFrame::NoFrame);
  table.setTabKeyNavigation(false);
  table.verticalHeader()->hide();
  table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + 8);
  table.horizontalHeader()->setHighlightSections(false);
}

}  // namespace sluice::ui
