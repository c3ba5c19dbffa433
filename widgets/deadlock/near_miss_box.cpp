#include "widgets/deadlock/near_miss_box.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <cmath>

#include "engine/core/csv.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

constexpr int origin_role = Qt::UserRole;

QTreeWidgetItem* rowOf(const NearMissRow& miss) {
  const QString name =
      miss.instances > 1 ? NearMissBox::tr("%1 (%2 FIFOs)").arg(miss.name).arg(miss.instances) : miss.name;
  auto* row =
      new QTreeWidgetItem({name, QStringLiteral("%1 → %2").arg(miss.depth).arg(miss.depth - miss.fewer),
                           NearMissBox::tr("%1 cycles").arg(exactCount(miss.stall))});
  row->setData(0, origin_role, miss.origin);
  row->setToolTip(0, NearMissBox::tr("%1\nWith depth %2 these wait for each other: %3\nFull for %4 cycles")
                         .arg(name)
                         .arg(miss.depth - miss.fewer)
                         .arg(miss.members, exactCount(miss.full)));
  for (const int column : {1, 2}) row->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  return row;
}

}  // namespace

NearMissBox::NearMissBox(QWidget* parent)
    : QWidget(parent),
      message_(new QLabel),
      result_(new QLabel),
      within_(new QSpinBox),
      find_(new QPushButton(tr("Find &Near Misses"))),
      cancel_(new QPushButton(tr("Stop"))),
      bar_(new QProgressBar),
      rows_(new QTreeWidget) {
  setObjectName(QStringLiteral("nearMissBox"));
  message_->setObjectName(QStringLiteral("deadlockNothing"));
  result_->setObjectName(QStringLiteral("nearMissResult"));
  for (QLabel* label : {message_, result_}) label->setWordWrap(true);
  within_->setObjectName(QStringLiteral("nearMissSlots"));
  within_->setAccessibleName(tr("Slots that count as near"));
  within_->setRange(1, 64);
  within_->setValue(2);
  find_->setObjectName(QStringLiteral("findNearMisses"));
  find_->setToolTip(tr("Run again with fewer slots in each FIFO that was nearly full"));
  bar_->setAccessibleName(tr("Search for near misses"));
  bar_->setRange(0, 1000);
  bar_->setTextVisible(false);
  bar_->setFixedHeight(8);
  rows_->setObjectName(QStringLiteral("nearMisses"));
  rows_->setAccessibleName(tr("FIFOs that nearly deadlock"));
  rows_->setHeaderLabels({tr("Stream"), tr("Depth"), tr("Stall")});
  rows_->headerItem()->setToolTip(1, tr("The depth as it is, and the largest with which the run deadlocks"));
  rows_->headerItem()->setToolTip(2, tr("Cycles that the run would be shorter if the FIFO were unlimited"));
  rows_->setRootIsDecorated(false);
  rows_->setTextElideMode(Qt::ElideMiddle);
  rows_->header()->setStretchLastSection(false);
  rows_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  rows_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  auto* asked = new QLabel(tr("&Within slots:"));
  asked->setBuddy(within_);
  auto* ask = new QHBoxLayout;
  ask->addWidget(asked);
  ask->addWidget(within_);
  ask->addWidget(find_, 1);
  auto* running = new QHBoxLayout;
  running->addWidget(bar_, 1);
  running->addWidget(cancel_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->setSpacing(8);
  layout->addWidget(message_);
  layout->addLayout(ask);
  layout->addLayout(running);
  layout->addWidget(result_);
  layout->addWidget(rows_, 1);
  layout->addStretch();
  connect(find_, &QPushButton::clicked, this, [this] { emit searchRequested(within_->value()); });
  connect(cancel_, &QPushButton::clicked, this, &NearMissBox::cancelRequested);
  connect(rows_, &QTreeWidget::itemClicked, this, [this](const QTreeWidgetItem* row) {
    const QString origin = row->data(0, origin_role).toString();
    if (!origin.isEmpty()) emit streamChosen(origin);
  });
  clear();
}

void NearMissBox::setMessage(const QString& message) {
  message_->setText(message);
}

void NearMissBox::setAvailable(bool available) {
  available_ = available;
  updateParts();
}

int NearMissBox::within() const {
  return within_->value();
}

void NearMissBox::clear() {
  searching_ = false;
  rows_->clear();
  misses_.clear();
  result_->clear();
  updateParts();
}

void NearMissBox::setSearching(double fraction, int runs) {
  searching_ = true;
  bar_->setValue(static_cast<int>(std::lround(1000 * fraction)));
  result_->setText(tr("%1 runs…").arg(runs));
  updateParts();
}

void NearMissBox::setRows(const QList<NearMissRow>& rows, bool gave_up) {
  searching_ = false;
  rows_->clear();
  misses_ = rows;
  for (const NearMissRow& row : rows) rows_->addTopLevelItem(rowOf(row));
  QString text = rows.isEmpty() ? tr("No FIFO is within %1 slots of a deadlock.").arg(within_->value())
                                : tr("With the second depth these lock the run up; the nearest first.");
  if (gave_up) text += tr(" The search ended before all were tried.");
  result_->setText(text);
  updateParts();
}

QString NearMissBox::csv() const {
  CsvTable table({"stream", "fifos", "depth", "locks_up_at", "stall_cycles", "full_cycles", "members"});
  for (const NearMissRow& miss : misses_)
    table.row({miss.name.toStdString(), std::to_string(miss.instances), std::to_string(miss.depth),
               std::to_string(miss.depth - miss.fewer), std::to_string(miss.stall), std::to_string(miss.full),
               miss.members.toStdString()});
  return QString::fromStdString(table.text());
}

void NearMissBox::updateParts() {
  find_->setEnabled(available_ && !searching_);
  within_->setEnabled(available_ && !searching_);
  bar_->setVisible(searching_);
  cancel_->setVisible(searching_);
  result_->setVisible(!result_->text().isEmpty());
  rows_->setVisible(rows_->topLevelItemCount() > 0);
}

}  // namespace sluice::ui
