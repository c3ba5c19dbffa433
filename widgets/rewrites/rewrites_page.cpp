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

namespace sluice::ui {
namespace {

constexpr int kind_role = Qt::UserRole, place_role = Qt::UserRole + 1, legal_role = Qt::UserRole + 2,
              argumentRole = Qt::UserRole + 3;

const QString everywhere = QStringLiteral("everywhere");

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
  tree_->setHeaderLabels({tr("Rewrite and place"), tr("Legal"), tr("Argument, or what is in the way")});
  tree_->setUniformRowHeights(true);
  tree_->setAlternatingRowColors(true);
  tree_->setFrameShape(QFrame::NoFrame);
  tree_->header()->setStretchLastSection(true);
  tree_->setColumnWidth(0, 520);
  tree_->setColumnWidth(1, 70);
  connect(tree_, &QTreeWidget::currentItemChanged, this, &RewritesPage::select);
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

/// What was open and selected stays so.
void RewritesPage::showDesign() {
  QStringList open;
  for (int i = 0; i < tree_->topLevelItemCount(); ++i)
    if (tree_->topLevelItem(i)->isExpanded()) open << tree_->topLevelItem(i)->text(0);
  const QTreeWidgetItem* before = tree_->currentItem();
  const QVariant kind = before ? before->data(0, kind_role) : QVariant();
  const QVariant place = before ? before->data(0, place_role) : QVariant();
  const QSignalBlocker quiet(tree_);
  tree_->clear();
  applied_->clear();
  const RewritableDesign* shown = design();
  notice_->setText(shown ? QString() : tr("The schedule compiles no tensor program."));
  if (shown) {
    for (int each = 0; each < static_cast<int>(shown->rewrites.size()); ++each) addKind(*shown, each);
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
}

void RewritesPage::addKind(const RewritableDesign& design, int number) {
  const RewriteKind& kind = design.rewrites[static_cast<std::size_t>(number)];
  const QString wanted = filter_->text().trimmed();
  const bool named = kind.name.contains(wanted, Qt::CaseInsensitive);
  auto* top = new QTreeWidgetItem;
  int legal = 0;
  for (const RewriteSpot& spot : kind.spots) {
    const bool ok = spot.refused.isEmpty();
    legal += ok ? 1 : 0;
    const QString place = kind.place_kind + QLatin1Char(' ') + spot.place;
    if ((!ok && !refused_->isChecked()) || (!named && !place.contains(wanted, Qt::CaseInsensitive))) continue;
    auto* item = new QTreeWidgetItem(
        top, {place, ok ? tr("\u2713 yes") : tr("\u2716 no"), ok ? spot.argument : spot.refused});
    item->setToolTip(2, spot.refused);
    item->setData(0, kind_role, number);
    item->setData(0, place_role, spot.place);
    item->setData(0, legal_role, ok);
    item->setData(0, argumentRole, spot.argument);
    if (!ok) item->setForeground(0, palette().brush(QPalette::Disabled, QPalette::Text));
  }
  if (top->childCount() == 0 && !wanted.isEmpty() && !named) {
    delete top;
    return;
  }
  top->setText(0, kind.name);
  top->setText(1, legal == 0 ? tr("nowhere") : QString::number(legal));
  top->setText(2, kind.purpose);
  top->setData(0, legal_role, legal > 0);
  top->setData(0, kind_role, number);
  top->setData(0, place_role, everywhere);
  QFont bold = font();
  bold.setBold(legal > 0);
  top->setFont(0, bold);
  top->setToolTip(0, tr("Selected itself, it is applied wherever it is legal"));
  tree_->addTopLevelItem(top);
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
  argument_->setText(argument_->isEnabled() ? item->data(0, argumentRole).toString() : QString());
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
