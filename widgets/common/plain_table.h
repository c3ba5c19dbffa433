#pragma once
// How the tables of Sluice look: whole rows in alternating colours, no grid, no frame, no row numbers.

class QTableView;

namespace sluice::ui {

void makePlain(QTableView& table);

}  // namespace sluice::ui
