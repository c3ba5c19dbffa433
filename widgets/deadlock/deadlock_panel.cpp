#include "widgets/deadlock/deadlock_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <map>
#include <utility>

#include "widgets/common/quantity.h"
#include "widgets/deadlock/near_miss_box.h"
#include "widgets/deadlock/repair_box.h"

namespace sluice::ui {
namespace {

constexpr int group_role = Qt::UserRole;

bool isWaitCycle(const WaitGroup& group) {
  return group.kind == WaitGroup::Kind::WaitCycle;
}

QTreeWidgetItem* heading(QTreeWidget* tree, const QString& text) {
  auto* row = new QTreeWidgetItem(tree, {text});
  row->setData(0, group_role, -1);
  row->setFlags(row->flags() | Qt::ItemIsUserCheckable | Qt::ItemIsAutoTristate);
  row->setCheckState(0, Qt::Checked);
  return row;
}

/// Lists that scroll by themselves ask for no more height than they need, so that the page scrolls later.
class LowSplitter : public QSplitter {
 public:
  using QSplitter::QSplitter;
  QSize sizeHint() const override { return {QSplitter::sizeHint().width(), minimumSizeHint().height()}; }
};

/// In a low panel the parts of a page would lie on each other.
QScrollArea* scrolling(QWidget* page) {
  auto* area = new QScrollArea;
  area->setFrameShape(QFrame::NoFrame);
  area->setFocusPolicy(Qt::NoFocus);
  area->setWidgetResizable(true);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area->setWidget(page);
  return area;
}

}  // namespace

DeadlockPanel::DeadlockPanel(QWidget* parent)
    : QWidget(parent),
      pages_(new QStackedWidget),
      near_misses_(new NearMissBox),
      headline_(new QLabel),
      detail_(new QLabel),
      message_(new QLabel),
      groups_(new QTreeWidget),
      chain_(new QListWidget),
      closing_button_(new QPushButton),
      picture_(new QPushButton(tr("Export Pi&cture…"))),
      text_(new QPushButton(tr("Export Te&xt…"))),
      repair_(new RepairBox) {
  setObjectName(QStringLiteral("deadlockPanel"));
  build();
  connect(groups_, &QTreeWidget::currentItemChanged, this, [this](const QTreeWidgetItem* row) {
    if (!filling_ && row && row->data(0, group_role).toInt() >= 0) choose(row->data(0, group_role).toInt());
  });
  connect(groups_, &QTreeWidget::itemChanged, this, [this] {
    if (!filling_) emit groupChanged();
  });
  connect(chain_, &QListWidget::currentRowChanged, this, [this] {
    if (!filling_) tellStep();
  });
  connect(closing_button_, &QPushButton::clicked, this, [this](bool checked) {
    if (checked) return goToClosing();
    closing_ = false;
    showChain();
    emit groupChanged();
  });
  connect(picture_, &QPushButton::clicked, this, &DeadlockPanel::pictureRequested);
  connect(text_, &QPushButton::clicked, this, &DeadlockPanel::textRequested);
  connect(repair_, &RepairBox::streamChosen, this,
          [this](const QString& origin) { emit stepChosen({}, origin); });
  connect(near_misses_, &NearMissBox::streamChosen, this,
          [this](const QString& origin) { emit stepChosen({}, origin); });
  clear(tr("No deadlock."));
}

void DeadlockPanel::build() {
  headline_->setObjectName(QStringLiteral("deadlockHeadline"));
  detail_->setObjectName(QStringLiteral("deadlockDetail"));
  message_->setObjectName(QStringLiteral("deadlockMessage"));
  for (QLabel* label : {headline_, detail_, message_}) label->setWordWrap(true);
  groups_->setObjectName(QStringLiteral("deadlockWaitCycles"));
  groups_->setAccessibleName(tr("Wait cycles and who waits behind them"));
  groups_->setHeaderLabels({tr("Who waits"), tr("Closed at")});
  groups_->header()->setStretchLastSection(false);
  groups_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  groups_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  groups_->setUniformRowHeights(true);
  groups_->setTextElideMode(Qt::ElideMiddle);  // numbers in front, what differs at the end
  chain_->setObjectName(QStringLiteral("deadlockChain"));
  chain_->setAccessibleName(tr("Because chain"));
  chain_->setWordWrap(true);
  chain_->setResizeMode(QListView::Adjust);
  chain_->setSpacing(2);
  chain_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  closing_button_->setObjectName(QStringLiteral("deadlockClosing"));
  closing_button_->setAccessibleName(tr("Moment at which the wait cycle closed"));
  closing_button_->setCheckable(true);
  picture_->setObjectName(QStringLiteral("deadlockPicture"));
  picture_->setToolTip(tr("Write the canvas with its wait cycles as PDF, SVG or PNG"));
  text_->setObjectName(QStringLiteral("deadlockText"));
  text_->setToolTip(tr("Write the wait cycles, their sentences and the repair as text"));
  auto* exports = new QHBoxLayout;
  exports->addWidget(picture_);
  exports->addWidget(text_);
  auto* lists = new LowSplitter(Qt::Vertical);
  lists->setChildrenCollapsible(false);
  lists->addWidget(groups_);
  lists->addWidget(chain_);
  lists->setStretchFactor(0, 2);
  lists->setStretchFactor(1, 3);
  lists->setSizes({160, 320});
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->setSpacing(8);
  layout->addWidget(headline_);
  layout->addWidget(detail_);
  layout->addWidget(lists, 1);
  layout->addWidget(closing_button_);
  layout->addWidget(repair_);
  layout->addLayout(exports);
  layout->addWidget(message_);
  pages_->addWidget(near_misses_);
  pages_->addWidget(scrolling(page));
  auto* own = new QVBoxLayout(this);
  own->setContentsMargins(0, 0, 0, 0);
  own->addWidget(pages_);
}

void DeadlockPanel::clear(const QString& message) {
  const bool told = !explanation_.groups.isEmpty();
  explanation_ = {};
  current_ = -1;
  closing_ = false;
  filling_ = true;
  groups_->clear();
  chain_->clear();
  filling_ = false;
  repair_->setExplanation({});
  setMessage({});
  near_misses_->setMessage(message);
  pages_->setCurrentIndex(0);
  if (told) emit groupChanged();
}

void DeadlockPanel::setMessage(const QString& message) {
  message_->setText(message);
  message_->setVisible(!message.isEmpty());
}

void DeadlockPanel::setExplanation(const DeadlockExplanation& explanation) {
  const auto bare = [](const DeadlockExplanation& whole) {
    QList<WaitGroup> groups = whole.groups;
    for (WaitGroup& group : groups) group.verdict.clear(), group.repair.reset();
    return groups;
  };
  const bool same = bare(explanation) == bare(explanation_);
  explanation_ = explanation;
  const QString verdict =
      explanation.verdict.isEmpty() ? QString() : QStringLiteral(" · ") + explanation.verdict;
  headline_->setText(QStringLiteral("<b>%1%2</b>").arg(tr("Deadlock"), verdict));
  int wait_cycles = 0;
  for (const WaitGroup& group : explanation.groups) wait_cycles += isWaitCycle(group) ? 1 : 0;
  const QString waiting = explanation.operators == 1 ? tr("One operator waits")
                                                     : tr("%1 operators wait").arg(explanation.operators);
  const QString cycles = wait_cycles == 0   ? tr("none in a wait cycle")
                         : wait_cycles == 1 ? tr("in one wait cycle and behind it")
                                            : tr("in %1 wait cycles and behind them").arg(wait_cycles);
  detail_->setText(
      tr("%1, %2; the last wait began at cycle %3.").arg(waiting, cycles, exactCount(explanation.at)));
  repair_->setExplanation(explanation);
  pages_->setCurrentIndex(1);
  if (same) return showChain();
  setMessage({});
  fillTree();
  closing_ = false;
  choose(explanation.groups.isEmpty() ? -1 : 0);
}

QTreeWidgetItem* DeadlockPanel::rowOf(QTreeWidgetItem* parent, int group) {
  const WaitGroup& shown = explanation_.groups[group];
  QString title = shown.title;
  if (shown.kind == WaitGroup::Kind::Victim) title = tr("%1, %2 away").arg(title).arg(shown.distance);
  auto* row = new QTreeWidgetItem({title, shown.closed_at ? exactCount(*shown.closed_at) : QString()});
  row->setData(0, group_role, group);
  row->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
  row->setFlags(row->flags() | Qt::ItemIsUserCheckable);
  row->setCheckState(0, Qt::Checked);
  QStringList names;
  for (const WaitStep& step : shown.steps) names << step.name;
  row->setToolTip(0, title + QLatin1Char('\n') + names.join(tr(" waits for ")));
  if (parent)
    parent->addChild(row);
  else
    groups_->addTopLevelItem(row);
  return row;
}

/// "128 wait cycles alike, at expert.join", a place of the canvas.
QString DeadlockPanel::alikeText(const QList<int>& groups) const {
  const QString node = explanation_.groups[groups.front()].steps.front().node;
  const QString many = tr("%1 wait cycles alike").arg(groups.size());
  return node.isEmpty() ? many : tr("%1, at %2").arg(many, node);
}

void DeadlockPanel::fillTree() {
  filling_ = true;
  groups_->clear();
  std::map<int, QList<int>> alike;
  QList<int> order, stranded, victims;
  for (int i = 0; i < explanation_.groups.size(); ++i) {
    const WaitGroup& group = explanation_.groups[i];
    if (isWaitCycle(group)) {
      if (!alike.contains(group.alike)) order << group.alike;
      alike[group.alike] << i;
    } else {
      (group.kind == WaitGroup::Kind::Stranded ? stranded : victims) << i;
    }
  }
  const auto under = [this](const QString& title, const QList<int>& list) {
    if (list.isEmpty()) return;
    QTreeWidgetItem* parent = heading(groups_, title);
    for (const int group : list) rowOf(parent, group);
  };
  for (const int number : order) {
    const QList<int>& same = alike[number];
    if (same.size() == 1)
      rowOf(nullptr, same.front());
    else
      under(alikeText(same), same);
  }
  under(tr("Stranded (%1)").arg(stranded.size()), stranded);
  under(tr("Waiting behind (%1)").arg(victims.size()), victims);
  if (groups_->topLevelItemCount() == 1) groups_->expandAll();
  filling_ = false;
}

QSet<int> DeadlockPanel::shownGroups() const {
  QSet<int> shown;
  for (QTreeWidgetItemIterator row(groups_); *row; ++row) {
    const int group = (*row)->data(0, group_role).toInt();
    if (group >= 0 && (*row)->checkState(0) == Qt::Checked) shown.insert(group);
  }
  return shown;
}

void DeadlockPanel::choose(int group) {
  if (current_ != group) closing_ = false;
  current_ = group;
  filling_ = true;
  for (QTreeWidgetItemIterator row(groups_); *row; ++row)
    if ((*row)->data(0, group_role).toInt() == group) groups_->setCurrentItem(*row);
  filling_ = false;
  showChain();
  emit groupChanged();
}

void DeadlockPanel::showChain() {
  const int before = chain_->currentRow();
  repair_->setGroup(current_ >= 0 ? &explanation_.groups[current_] : nullptr);
  filling_ = true;
  chain_->clear();
  if (current_ >= 0) {
    for (const WaitStep& step : explanation_.groups[current_].steps) {
      QString line = step.sentence;
      for (const WaitedStream& stream : step.streams)
        if (closing_ && !stream.closing_fill.isEmpty())
          line += tr("\nthen %1 in it; last progress at cycle %2")
                      .arg(stream.closing_fill, exactCount(step.since));
      chain_->addItem(line);
    }
    chain_->setCurrentRow(before);
  }
  filling_ = false;
  const bool closes = current_ >= 0 && explanation_.groups[current_].closed_at;
  closing_button_->setVisible(closes);
  closing_button_->setChecked(closing_);
  if (closes)
    closing_button_->setText(
        tr("Go to cycle %1, when it closed").arg(exactCount(*explanation_.groups[current_].closed_at)));
}

int DeadlockPanel::currentStep() const {
  return chain_->currentRow();
}

void DeadlockPanel::tellStep() {
  const int row = chain_->currentRow();
  if (current_ < 0 || row < 0 || row >= explanation_.groups[current_].steps.size()) return;
  const WaitStep& step = explanation_.groups[current_].steps[row];
  emit stepChosen(step.node,
                  step.node.isEmpty() && !step.streams.isEmpty() ? step.streams.front().origin : QString());
}

void DeadlockPanel::goToClosing() {
  if (current_ < 0 || !explanation_.groups[current_].closed_at) return;
  closing_ = true;
  showChain();
  emit groupChanged();
  emit cycleRequested(*explanation_.groups[current_].closed_at);
}

void DeadlockPanel::walkWaitCycles(int step) {
  const auto size = static_cast<int>(explanation_.groups.size());
  QList<int> wait_cycles;
  for (int i = 0; i < size; ++i)
    if (isWaitCycle(explanation_.groups[i])) wait_cycles << i;
  if (wait_cycles.isEmpty())
    for (int i = 0; i < size; ++i) wait_cycles << i;
  if (wait_cycles.isEmpty()) return;
  const auto at = static_cast<int>(wait_cycles.indexOf(current_));
  const auto many = static_cast<int>(wait_cycles.size());
  choose(wait_cycles[at < 0 ? 0 : (at + step + many) % many]);
}

void DeadlockPanel::walkMembers(int step) {
  const int size = chain_->count();
  if (size == 0) return;
  const int at = chain_->currentRow();
  chain_->setCurrentRow(at < 0 ? (step > 0 ? 0 : size - 1) : (at + step + size) % size);
}

void DeadlockPanel::setStale(bool stale) {
  repair_->setStale(stale);
  headline_->setEnabled(!stale);
  detail_->setEnabled(!stale);
}

}  // namespace sluice::ui
