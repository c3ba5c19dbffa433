#include "widgets/deadlock/repair_box.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <cmath>

#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

constexpr int stream_role = Qt::UserRole;

QLabel* wrapped(const char* name) {
  auto* label = new QLabel;
  label->setObjectName(QString::fromLatin1(name));
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  return label;
}

}  // namespace

RepairBox::RepairBox(QWidget* parent)
    : QWidget(parent),
      title_(wrapped("repairTitle")),
      reasons_(wrapped("lockReasons")),
      before_after_(wrapped("repairPrice")),
      progress_text_(wrapped("repairProgressText")),
      wait_cycle_(wrapped("waitCycleRepair")),
      changes_(new QTreeWidget),
      bar_(new QProgressBar),
      cancel_(new QPushButton(tr("Stop"))),
      apply_(new QPushButton(tr("Appl&y Repair"))),
      apply_wait_cycle_(new QPushButton) {
  setObjectName(QStringLiteral("repairBox"));
  build();
  connect(cancel_, &QPushButton::clicked, this, &RepairBox::cancelRequested);
  connect(apply_, &QPushButton::clicked, this, &RepairBox::applyRequested);
  connect(apply_wait_cycle_, &QPushButton::clicked, this, &RepairBox::applyWaitCycleRequested);
  connect(changes_, &QTreeWidget::itemClicked, this, [this](const QTreeWidgetItem* row) {
    const QString origin = row->data(0, stream_role).toString();
    if (!origin.isEmpty()) emit streamChosen(origin);
  });
  setExplanation({});
}

void RepairBox::build() {
  changes_->setObjectName(QStringLiteral("repairChanges"));
  changes_->setAccessibleName(tr("FIFOs to deepen"));
  changes_->setHeaderLabels({tr("Stream"), tr("Depth"), tr("Bytes")});
  changes_->setRootIsDecorated(false);
  changes_->header()->setStretchLastSection(false);
  changes_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  changes_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  changes_->setTextElideMode(Qt::ElideMiddle);
  bar_->setObjectName(QStringLiteral("repairProgress"));
  bar_->setAccessibleName(tr("Search for a repair"));
  bar_->setRange(0, 1000);
  bar_->setTextVisible(false);
  bar_->setFixedHeight(8);
  cancel_->setObjectName(QStringLiteral("repairCancel"));
  cancel_->setToolTip(tr("Stop the search; the best repair so far stays"));
  apply_->setObjectName(QStringLiteral("applyRepair"));
  apply_->setToolTip(tr("Write these depths into the program; one undo takes them back"));
  apply_wait_cycle_->setObjectName(QStringLiteral("applyWaitCycleRepair"));
  apply_wait_cycle_->setAccessibleName(tr("Apply the repair of this wait cycle"));
  apply_wait_cycle_->setToolTip(tr("Write only the depths of this wait cycle; one undo takes them back"));
  auto* running = new QHBoxLayout;
  running->addWidget(bar_, 1);
  running->addWidget(cancel_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(6);
  layout->addWidget(title_);
  layout->addLayout(running);
  layout->addWidget(progress_text_);
  layout->addWidget(reasons_);
  layout->addWidget(changes_);
  layout->addWidget(before_after_);
  layout->addWidget(apply_);
  layout->addWidget(wait_cycle_);
  layout->addWidget(apply_wait_cycle_);
}

void RepairBox::setSearching(const SearchState& state) {
  searching_ = true;
  bar_->setValue(static_cast<int>(std::lround(1000 * state.fraction)));
  QString text = state.runs == 1 ? tr("1 run") : tr("%1 runs").arg(state.runs);
  if (state.bytes) text += tr(", best so far +%1").arg(bytesText(*state.bytes));
  if (state.runs > 0) text += tr(", at most %1 left").arg(durationText(state.seconds_left));
  progress_text_->setText(text);
  title_->setText(tr("<b>Looking for the smallest repair…</b>"));
  updateParts();
}

void RepairBox::setExplanation(const DeadlockExplanation& explanation) {
  searching_ = false;
  whole_ = explanation.repair;
  of_wait_cycle_ = false;
  changes_->clear();
  before_after_->clear();
  QStringList reasons = explanation.reasons;
  if (explanation.gave_up)
    reasons << (explanation.repair ? tr("The search ended before a smaller repair could be ruled out.")
                                   : tr("The search ended before it found a repair."));
  const QString bullet = reasons.size() > 1 ? QStringLiteral("• ") : QString();
  reasons_->setText(bullet + reasons.join(QLatin1Char('\n') + bullet));
  if (explanation.repair) {
    showRepair(*explanation.repair, explanation.on_chip_bytes);
  } else if (!explanation.verdict.isEmpty()) {
    title_->setText(explanation.verdict == QLatin1String("real")
                        ? tr("<b>No depth helps.</b> The cause is not a shallow FIFO:")
                        : tr("<b>No repair found.</b>"));
  } else {
    title_->clear();
  }
  updateParts();
}

void RepairBox::showRepair(const ProposedRepair& repair, double on_chip_bytes) {
  title_->setText(repair.minimal ? tr("<b>Repair</b>, the smallest possible:")
                                 : tr("<b>Repair</b>, the smallest found:"));
  for (const DepthChange& change : repair.changes) {
    const QString name =
        change.instances > 1 ? tr("%1 (%2 FIFOs)").arg(change.name).arg(change.instances) : change.name;
    auto* row = new QTreeWidgetItem({name, tr("%1 → %2").arg(exactCount(change.from), exactCount(change.to)),
                                     QStringLiteral("+") + bytesText(change.bytes)});
    row->setData(0, stream_role, change.origin);
    row->setToolTip(0, name);
    row->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
    row->setTextAlignment(2, Qt::AlignRight | Qt::AlignVCenter);
    changes_->addTopLevelItem(row);
  }
  const int rows = std::min(6, changes_->topLevelItemCount());
  changes_->setFixedHeight(changes_->header()->sizeHint().height() + 2 * changes_->frameWidth() +
                           rows * (changes_->fontMetrics().height() + 8) + 2);
  const QString now =
      on_chip_bytes > 0 ? tr("never ends, %1 on chip").arg(bytesText(on_chip_bytes)) : tr("never ends");
  const QString then =
      tr("ends at cycle %1, +%2 in FIFOs").arg(exactCount(repair.cycles), bytesText(repair.bytes));
  before_after_->setText(
      tr("Now: %1.<br>Then: <b>%2</b>%3")
          .arg(now, then, repair.verified ? tr(" (checked by a run).") : tr(" (not verified).")));
}

void RepairBox::setGroup(const WaitGroup* group) {
  // The whole repair is offered already.
  of_wait_cycle_ = group && group->repair && !(whole_ && whole_->changes == group->repair->changes);
  if (of_wait_cycle_) {
    const ProposedRepair& own = *group->repair;
    QStringList depths;
    for (const DepthChange& change : own.changes)
      depths << tr("%1: %2 → %3").arg(change.name, exactCount(change.from), exactCount(change.to));
    const QString then = own.ends        ? tr("ends at cycle %1").arg(exactCount(own.cycles))
                         : own.left == 1 ? tr("deadlocks in one other wait cycle")
                         : own.left > 1  ? tr("deadlocks in %1 other wait cycles").arg(own.left)
                                         : tr("does not end yet");
    wait_cycle_->setText(tr("<b>%1 by itself</b>, %2:<br>%3<br>Then: <b>+%4 in FIFOs</b>; the run %5.")
                             .arg(group->title.toHtmlEscaped(),
                                  own.minimal ? tr("the smallest repair") : tr("the smallest found"),
                                  depths.join(QStringLiteral("\n")).toHtmlEscaped().replace('\n', "<br>"),
                                  bytesText(own.bytes), then));
    apply_wait_cycle_->setText(tr("Apply to %1 &Only").arg(group->title));
  }
  updateParts();
}

void RepairBox::setStale(bool stale) {
  stale_ = stale;
  updateParts();
}

bool RepairBox::canApply() const {
  return whole_ && whole_->verified && !stale_ && !searching_;
}

bool RepairBox::canApplyWaitCycle() const {
  return of_wait_cycle_ && !stale_ && !searching_;
}

void RepairBox::updateParts() {
  for (QWidget* widget :
       {static_cast<QWidget*>(bar_), static_cast<QWidget*>(cancel_), static_cast<QWidget*>(progress_text_)})
    widget->setVisible(searching_);
  reasons_->setVisible(!searching_ && !reasons_->text().isEmpty());
  changes_->setVisible(!searching_ && changes_->topLevelItemCount() > 0);
  before_after_->setVisible(!searching_ && !before_after_->text().isEmpty());
  apply_->setVisible(!searching_ && changes_->topLevelItemCount() > 0);
  apply_->setEnabled(canApply());
  wait_cycle_->setVisible(!searching_ && of_wait_cycle_);
  apply_wait_cycle_->setVisible(!searching_ && of_wait_cycle_);
  apply_wait_cycle_->setEnabled(canApplyWaitCycle());
  title_->setVisible(!title_->text().isEmpty());
}

}  // namespace sluice::ui
