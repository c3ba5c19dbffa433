#include "widgets/rewrites/rewrites_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

constexpr int kind_role = Qt::UserRole, place_role = Qt::UserRole + 1, legal_role = Qt::UserRole + 2,
              argument_role = Qt::UserRole + 3, spot_role = Qt::UserRole + 4;

enum Column { Name, Legal, Gain, Details };

const QString everywhere = QStringLiteral("everywhere");

/// The best first; what is not known behind what is.
bool isBetter(const std::optional<RewriteGain>& one, const std::optional<RewriteGain>& other) {
  if (!one || !other) return one.has_value() && !other.has_value();
  return std::pair(one->on_chip, one->off_chip) < std::pair(other->on_chip, other->off_chip);
}

QString signedBytes(qint64 bytes) {
  return (bytes < 0 ? QStringLiteral("\u2212") : QStringLiteral("+")) + bytesText(std::abs(bytes));
}

QString gainText(const RewriteGain& gain) {
  QStringList parts;
  if (gain.on_chip != 0) parts << RewritesPage::tr("%1 on chip").arg(signedBytes(gain.on_chip));
  if (gain.off_chip != 0) parts << RewritesPage::tr("%1 off chip").arg(signedBytes(gain.off_chip));
  return parts.isEmpty() ? RewritesPage::tr("no bytes") : parts.join(QStringLiteral(", "));
}

/// Of all its places.
std::optional<RewriteGain> bestGain(const RewriteKind& kind) {
  std::optional<RewriteGain> best;
  for (const RewriteSpot& spot : kind.spots)
    if (isBetter(spot.gain, best)) best = spot.gain;
  return best;
}

bool sameEntry(const QTreeWidgetItem& item, const QVariant& kind, const QVariant& place) {
  return item.data(0, kind_role) == kind && item.data(0, place_role) == place;
}

}  // namespace

RewritesPage::RewritesPage(QWidget* parent)
    : QWidget(parent),
      program_(new QComboBox),
      filter_(new QLineEdit),
      argument_(new QLineEdit),
      refused_(new QCheckBox(tr("Show where it is &not legal"))),
      tree_(new QTreeWidget),
      argument_label_(new QLabel),
      applied_label_(new QLabel),
      notice_(new QLabel),
      applied_(new QListWidget),
      apply_(new QPushButton(tr("&Apply"))),
      remove_(new QPushButton(tr("Take &Back"))) {
  setObjectName(QStringLiteral("rewritesPage"));
  tree_->setObjectName(QStringLiteral("rewrites"));
  tree_->setAccessibleName(tr("Rewrites and their places"));
  tree_->setHeaderLabels(
      {tr("Rewrite and place"), tr("Legal"), tr("Change"), tr("Argument, or what is in the way")});
  tree_->headerItem()->setToolTip(
      Gain, tr("What the rewrite changes with the suggested argument, the largest saving on chip first"));
  tree_->setUniformRowHeights(true);
  tree_->setAlternatingRowColors(true);
  tree_->setFrameShape(QFrame::NoFrame);
  tree_->header()->setStretchLastSection(true);
  tree_->setColumnWidth(Name, 390);
  tree_->setColumnWidth(Legal, 70);
  tree_->setColumnWidth(Gain, 290);
  connect(tree_, &QTreeWidget::currentItemChanged, this, [this] {
    select();
    if (const RewriteSpot* spot = currentSpot()) emit placeChosen(spot->nodes, spot->stream);
  });
  connect(tree_, &QTreeWidget::itemActivated, this, &RewritesPage::apply);
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(tree_);
  split->addWidget(buildBottom());
  split->setStretchFactor(0, 1);
  split->setChildrenCollapsible(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(buildTop());
  layout->addWidget(split, 1);
  showDesign();
}

QWidget* RewritesPage::buildTop() {
  program_->setObjectName(QStringLiteral("rewriteProgram"));
  program_->setAccessibleName(tr("Tensor program"));
  filter_->setObjectName(QStringLiteral("rewriteFilter"));
  filter_->setAccessibleName(tr("Only places with this text"));
  filter_->setPlaceholderText(tr("Filter rewrites and places"));
  filter_->setClearButtonEnabled(true);
  refused_->setObjectName(QStringLiteral("rewriteRefused"));
  notice_->setObjectName(QStringLiteral("rewriteNotice"));
  auto* top = new QWidget;
  auto* row = new QHBoxLayout(top);
  row->setContentsMargins(10, 8, 10, 8);
  auto* label = new QLabel(tr("&Program"));
  label->setBuddy(program_);
  row->addWidget(label);
  row->addWidget(program_);
  row->addWidget(filter_, 1);
  row->addWidget(refused_);
  row->addWidget(notice_);
  connect(program_, &QComboBox::currentIndexChanged, this, &RewritesPage::showDesign);
  connect(filter_, &QLineEdit::textChanged, this, &RewritesPage::showDesign);
  connect(refused_, &QCheckBox::toggled, this, &RewritesPage::showDesign);
  return top;
}

QWidget* RewritesPage::buildBottom() {
  argument_->setObjectName(QStringLiteral("rewriteArgument"));
  argument_->setAccessibleName(tr("Argument"));
  argument_label_->setBuddy(argument_);
  apply_->setObjectName(QStringLiteral("applyRewrite"));
  apply_->setAutoDefault(false);
  apply_->setToolTip(tr("Adds the rewrite to the schedule; undo takes it back"));
  remove_->setObjectName(QStringLiteral("removeRewrite"));
  remove_->setAutoDefault(false);
  remove_->setToolTip(tr("Takes the selected rewrite out of the schedule, or the last one"));
  applied_->setObjectName(QStringLiteral("appliedRewrites"));
  applied_->setAccessibleName(tr("Rewrites applied"));
  applied_->setFrameShape(QFrame::NoFrame);
  applied_->setWordWrap(true);
  auto* bottom = new QWidget;
  auto* layout = new QVBoxLayout(bottom);
  layout->setContentsMargins(10, 6, 10, 0);
  auto* row = new QHBoxLayout;
  row->addWidget(argument_label_);
  row->addWidget(argument_, 1);
  row->addWidget(apply_);
  row->addWidget(remove_);
  layout->addLayout(row);
  layout->addWidget(applied_label_);
  layout->addWidget(applied_, 1);
  connect(apply_, &QPushButton::clicked, this, &RewritesPage::apply);
  connect(argument_, &QLineEdit::returnPressed, this, &RewritesPage::apply);
  connect(remove_, &QPushButton::clicked, this, [this] {
    const RewritableDesign* shown = design();
    if (!shown || shown->applied.empty()) return;
    const int row_chosen = applied_->currentRow();
    const int chosen = row_chosen >= 0 ? row_chosen : applied_->count() - 1;
    emit removeRequested(shown->applied[static_cast<std::size_t>(chosen)].step);
  });
  return bottom;
}

const RewritableDesign* RewritesPage::design() const {
  const auto index = static_cast<std::size_t>(program_->currentIndex());
  return program_->currentIndex() >= 0 && index < designs_.size() ? &designs_[index] : nullptr;
}

void RewritesPage::setDesigns(std::vector<RewritableDesign> designs) {
  const QString chosen = program_->currentText();
  designs_ = std::move(designs);
  {
    const QSignalBlocker quiet(program_);
    program_->clear();
    for (const RewritableDesign& each : designs_) program_->addItem(each.program);
    program_->setCurrentIndex(designs_.empty() ? -1 : std::max(0, program_->findText(chosen)));
  }
  showDesign();
}

/// What was open, selected and typed stays so.
void RewritesPage::showDesign() {
  QStringList open;
  for (int i = 0; i < tree_->topLevelItemCount(); ++i)
    if (tree_->topLevelItem(i)->isExpanded()) open << tree_->topLevelItem(i)->text(0);
  const QTreeWidgetItem* before = tree_->currentItem();
  const QVariant kind = before ? before->data(0, kind_role) : QVariant();
  const QVariant place = before ? before->data(0, place_role) : QVariant();
  const QString typed = argument_->text();
  const QSignalBlocker quiet(tree_);
  tree_->clear();
  applied_->clear();
  const RewritableDesign* shown = design();
  notice_->setText(shown ? QString() : tr("The schedule compiles no tensor program."));
  if (shown) {
    QList<QTreeWidgetItem*> kinds;
    for (int each = 0; each < static_cast<int>(shown->rewrites.size()); ++each)
      if (QTreeWidgetItem* item = makeKind(*shown, each)) kinds << item;
    const auto best = [shown](const QTreeWidgetItem* item) {
      return bestGain(shown->rewrites[static_cast<std::size_t>(item->data(Name, kind_role).toInt())]);
    };
    std::stable_sort(kinds.begin(), kinds.end(),
                     [&](const QTreeWidgetItem* one, const QTreeWidgetItem* other) {
                       return isBetter(best(one), best(other));
                     });
    tree_->addTopLevelItems(kinds);
    for (const RewriteApplied& made : shown->applied)
      applied_->addItem(made.text + QStringLiteral("  \u2192  ") + made.difference);
  }
  for (int i = 0; i < tree_->topLevelItemCount(); ++i) {
    QTreeWidgetItem* item = tree_->topLevelItem(i);
    item->setExpanded(open.contains(item->text(0)) || !filter_->text().isEmpty());
    if (sameEntry(*item, kind, place)) tree_->setCurrentItem(item);
    for (int at = 0; at < item->childCount(); ++at)
      if (sameEntry(*item->child(at), kind, place)) tree_->setCurrentItem(item->child(at));
  }
  const bool any = shown && !shown->applied.empty();
  applied_label_->setText(any ? tr("Applied, in this order:") : tr("No rewrite is applied yet."));
  remove_->setEnabled(any);
  select();
  if (const QTreeWidgetItem* item = tree_->currentItem();
      item && argument_->isEnabled() && sameEntry(*item, kind, place))
    argument_->setText(typed);
}

QTreeWidgetItem* RewritesPage::makeSpot(const RewriteKind& kind, int number, std::size_t position) const {
  const RewriteSpot& spot = kind.spots[position];
  const bool ok = spot.refused.isEmpty();
  auto* item = new QTreeWidgetItem(
      {kind.place_kind + QLatin1Char(' ') + spot.place, ok ? tr("\u2713 yes") : tr("\u2716 no"),
       spot.gain ? gainText(*spot.gain) : QString(), ok ? spot.argument : spot.refused});
  if (spot.gain) item->setToolTip(Gain, spot.gain->all);
  item->setToolTip(Details, spot.refused);
  item->setData(Name, kind_role, number);
  item->setData(Name, place_role, spot.place);
  item->setData(Name, legal_role, ok);
  item->setData(Name, argument_role, spot.argument);
  item->setData(Name, spot_role, static_cast<int>(position));
  if (!ok) item->setForeground(Name, palette().brush(QPalette::Disabled, QPalette::Text));
  return item;
}

/// Null where the filter leaves nothing of it.
QTreeWidgetItem* RewritesPage::makeKind(const RewritableDesign& design, int number) const {
  const RewriteKind& kind = design.rewrites[static_cast<std::size_t>(number)];
  const QString wanted = filter_->text().trimmed();
  const bool named = kind.name.contains(wanted, Qt::CaseInsensitive);
  int legal = 0;
  std::vector<std::size_t> shown;
  for (std::size_t position = 0; position < kind.spots.size(); ++position) {
    const RewriteSpot& spot = kind.spots[position];
    const bool ok = spot.refused.isEmpty();
    legal += ok ? 1 : 0;
    const QString place = kind.place_kind + QLatin1Char(' ') + spot.place;
    if ((ok || refused_->isChecked()) && (named || place.contains(wanted, Qt::CaseInsensitive)))
      shown.push_back(position);
  }
  if (shown.empty() && !wanted.isEmpty() && !named) return nullptr;
  std::stable_sort(shown.begin(), shown.end(), [&](std::size_t one, std::size_t other) {
    return isBetter(kind.spots[one].gain, kind.spots[other].gain);
  });
  auto* top =
      new QTreeWidgetItem({kind.name, legal == 0 ? tr("nowhere") : QString::number(legal), {}, kind.purpose});
  for (const std::size_t position : shown) top->addChild(makeSpot(kind, number, position));
  if (const std::optional<RewriteGain> best = bestGain(kind))
    top->setText(Gain, legal == 1 ? gainText(*best) : tr("at best %1").arg(gainText(*best)));
  top->setData(Name, legal_role, legal > 0);
  top->setData(Name, kind_role, number);
  top->setData(Name, place_role, everywhere);
  QFont bold = font();
  bold.setBold(legal > 0);
  top->setFont(Name, bold);
  top->setToolTip(Name, tr("Selected itself, it is applied wherever it is legal"));
  return top;
}

const RewriteSpot* RewritesPage::currentSpot() const {
  const QTreeWidgetItem* item = tree_->currentItem();
  if (!design() || !item || !item->parent()) return nullptr;
  const RewriteKind& kind = design()->rewrites[static_cast<std::size_t>(item->data(Name, kind_role).toInt())];
  return &kind.spots[static_cast<std::size_t>(item->data(Name, spot_role).toInt())];
}

void RewritesPage::select() {
  const QTreeWidgetItem* item = tree_->currentItem();
  const bool legal = item && item->data(0, legal_role).toBool();
  const QString takes =
      item && item->parent()
          ? design()->rewrites[static_cast<std::size_t>(item->data(0, kind_role).toInt())].argument
          : QString();
  argument_label_->setText(takes.isEmpty() ? tr("Ar&gument") : tr("Ar&gument: %1").arg(takes));
  argument_->setEnabled(legal && !takes.isEmpty());
  argument_->setText(argument_->isEnabled() ? item->data(0, argument_role).toString() : QString());
  apply_->setEnabled(legal);
  apply_->setText(item && !item->parent() ? tr("&Apply Everywhere") : tr("&Apply"));
}

std::optional<RewriteWanted> RewritesPage::wanted() const {
  const QTreeWidgetItem* item = tree_->currentItem();
  if (!item || !item->data(0, legal_role).toBool()) return std::nullopt;
  return RewriteWanted{design()->program, design()->next_step, item->data(0, kind_role).toInt(),
                       item->data(0, place_role).toString(),
                       argument_->isEnabled() ? argument_->text().trimmed() : QString()};
}

void RewritesPage::apply() {
  if (const std::optional<RewriteWanted> rewrite = wanted()) emit applyRequested(*rewrite);
}

}  // namespace sluice::ui
