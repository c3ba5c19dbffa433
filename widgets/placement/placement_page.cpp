#include "widgets/placement/placement_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/common/plain_table.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/trust_line.h"
#include "widgets/placement/parts_model.h"

namespace sluice::ui {
namespace {

constexpr int most_total_rows = 6, widest_name = 380;

QTableView* makeTable(const char* name, const QString& title, QAbstractItemModel* model) {
  auto* table = new QTableView;
  table->setObjectName(QString::fromLatin1(name));
  table->setAccessibleName(title);
  table->setModel(model);
  makePlain(*table);
  table->horizontalHeader()->setStretchLastSection(false);
  return table;
}

void fitColumns(QTableView& table) {
  table.resizeColumnsToContents();
  if (table.columnWidth(0) > widest_name) table.setColumnWidth(0, widest_name);
}

}  // namespace

PlacementPage::PlacementPage(QWidget* parent)
    : QWidget(parent),
      programs_(new QComboBox),
      platforms_(new QComboBox),
      filter_(new QLineEdit),
      notice_(new QLabel),
      parts_model_(new PartsModel(this)),
      totals_model_(new TotalsModel(this)),
      sorted_(new QSortFilterProxyModel(this)) {
  setObjectName(QStringLiteral("placementPage"));
  sorted_->setSourceModel(parts_model_);
  sorted_->setSortRole(PartsModel::sort_role);
  sorted_->setFilterKeyColumn(-1);
  sorted_->setFilterCaseSensitivity(Qt::CaseInsensitive);
  totals_ = makeTable("placementTotals", tr("Resources that are used, and that there are"), totals_model_);
  parts_ = makeTable("placementParts", tr("Resources of each part"), sorted_);
  for (QTableView* table : {totals_, parts_}) table->setToolTip(modelOnly());
  parts_->setSortingEnabled(true);
  parts_->sortByColumn(PartsModel::FirstResource, Qt::DescendingOrder);
  notice_->setObjectName(QStringLiteral("placementNotice"));
  notice_->setWordWrap(true);
  notice_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  notice_->setContentsMargins(10, 4, 10, 4);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(buildTop());
  layout->addWidget(notice_);
  layout->addWidget(totals_);
  layout->addWidget(parts_, 1);
  connect(parts_, &QTableView::activated, this, [this](const QModelIndex& index) {
    emit partChosen(index.siblingAtColumn(PartsModel::Name).data().toString());
  });
  setPrograms({});
}

QWidget* PlacementPage::buildTop() {
  programs_->setObjectName(QStringLiteral("placementProgram"));
  programs_->setAccessibleName(tr("Compiled program"));
  platforms_->setObjectName(QStringLiteral("placementPlatform"));
  platforms_->setAccessibleName(tr("Card"));
  auto* open = new QPushButton(tr("&Open…"));
  open->setObjectName(QStringLiteral("openPlatform"));
  open->setToolTip(tr("Take a card from a machine file (JSON)"));
  open->setAutoDefault(false);
  filter_->setObjectName(QStringLiteral("placementFilter"));
  filter_->setAccessibleName(tr("Parts that are listed"));
  filter_->setPlaceholderText(tr("Filter parts"));
  filter_->setClearButtonEnabled(true);
  auto* label = new QLabel(tr("&Card"));
  label->setBuddy(platforms_);
  auto* top = new QWidget;
  auto* row = new QHBoxLayout(top);
  row->setContentsMargins(10, 8, 10, 4);
  row->addWidget(programs_);
  row->addWidget(label);
  row->addWidget(platforms_);
  row->addWidget(open);
  row->addStretch(1);
  row->addWidget(filter_);
  connect(programs_, &QComboBox::activated, this, &PlacementPage::changed);
  connect(platforms_, &QComboBox::activated, this, &PlacementPage::changed);
  connect(open, &QPushButton::clicked, this, &PlacementPage::platformFileWanted);
  connect(filter_, &QLineEdit::textChanged, sorted_, &QSortFilterProxyModel::setFilterFixedString);
  return top;
}

void PlacementPage::setPrograms(const QStringList& programs) {
  const QString before = program();
  programs_->clear();
  programs_->addItems(programs);
  programs_->setCurrentIndex(std::max(0, programs_->findText(before)));
  programs_->setVisible(programs.size() > 1);
  if (programs.isEmpty()) {
    setPlaced({});
    tell(
        tr("No tensor program is compiled here: add the step compile_tensors to the schedule, or open a "
           "model."));
  }
}

void PlacementPage::addPlatform(const QString& name, const QString& title) {
  int index = platforms_->findData(name);
  if (index < 0) {
    platforms_->addItem(title, name);
    index = platforms_->count() - 1;
  }
  platforms_->setCurrentIndex(index);
}

QString PlacementPage::program() const {
  return programs_->currentText();
}

QString PlacementPage::platform() const {
  return platforms_->currentData().toString();
}

QString PlacementPage::notice() const {
  return notice_->text();
}

void PlacementPage::tell(const QString& notice) {
  notice_->setText(notice);
}

void PlacementPage::setPlaced(const PlacedOnCard& placed) {
  placed_ = placed;
  tell(placed.problem.isEmpty()
           ? tr("LUTs, flip-flops and DSPs are estimated from published syntheses; memories are "
                "counted in whole blocks.")
           : tr("No room on this card. %1 Shown is what the design would need; marked is what exceeds "
                "the part of a die that may be used.")
                 .arg(placed.problem));
  totals_model_->setTotals(placed.totals);
  parts_model_->setParts(placed.parts, totalResources(placed.platform));
  for (QTableView* table : {totals_, parts_}) fitColumns(*table);
  const int rows = std::min(totals_model_->rowCount(), most_total_rows);
  totals_->setFixedHeight(totals_->horizontalHeader()->sizeHint().height() +
                          rows * totals_->verticalHeader()->defaultSectionSize() + 4);
}

}  // namespace sluice::ui
