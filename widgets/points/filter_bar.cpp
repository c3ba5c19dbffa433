#include "widgets/points/filter_bar.h"

#include <QAction>
#include <QCompleter>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/common/diagnostic_text.h"

namespace sluice::ui {

FilterBar::FilterBar(PointSelection* selection, QWidget* parent)
    : QWidget(parent),
      selection_(selection),
      field_(new QLineEdit),
      chips_(new QHBoxLayout),
      row_(new QHBoxLayout),
      count_(new QLabel),
      problem_(new QLabel) {
  setObjectName(QStringLiteral("filterBar"));
  field_->setObjectName(QStringLiteral("filterField"));
  field_->setAccessibleName(tr("Filter the points"));
  field_->setPlaceholderText(tr("Filter: cycles < 5k"));
  field_->setToolTip(tr("Keep the points of which this is true, as on-chip memory < 8 MB"));
  field_->setClearButtonEnabled(true);
  field_->setMinimumWidth(90);
  field_->setMaximumWidth(260);
  field_->installEventFilter(this);
  count_->setObjectName(QStringLiteral("filterCount"));
  count_->setEnabled(false);
  problem_->setObjectName(QStringLiteral("filterProblem"));
  problem_->setWordWrap(true);
  problem_->hide();
  chips_->setSpacing(4);
  row_->setContentsMargins(8, 4, 8, 0);
  row_->setSpacing(4);
  row_->addWidget(field_, 2);
  row_->addLayout(chips_);
  row_->addStretch(1);
  row_->addWidget(count_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addLayout(row_);
  layout->addWidget(problem_);
  connect(field_, &QLineEdit::returnPressed, this, &FilterBar::enter);
  connect(field_, &QLineEdit::textEdited, problem_, &QWidget::hide);
  connect(selection_, &PointSelection::filtersChanged, this, &FilterBar::renew);
  connect(selection_, &PointSelection::reset, this, &FilterBar::renew);
  connect(selection_, &PointSelection::added, this, &FilterBar::showCount);
  connect(selection_, &PointSelection::selectionChanged, this, &FilterBar::showCount);
  renew();
}

void FilterBar::addCommands(const QList<QAction*>& actions) {
  for (QAction* action : actions) {
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    button->setAutoRaise(true);
    button->setAccessibleName(action->toolTip());
    row_->addWidget(button);
  }
}

void FilterBar::focusField() {
  field_->setFocus(Qt::ShortcutFocusReason);
  field_->selectAll();
}

bool FilterBar::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    field_->clear();
    problem_->hide();
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

void FilterBar::enter() {
  if (field_->text().trimmed().isEmpty()) return;
  const Result<PointFilter> filter = parseFilter(field_->text(), *selection_->columns());
  problem_->setVisible(!filter);
  if (!filter) {
    problem_->setText(inlineText(filter.diagnostics().front()));
    return;
  }
  field_->clear();
  selection_->setRange(filter->column, filter->low, filter->high);
}

void FilterBar::renew() {
  showCount();
  if (shown_ == selection_->filters() && chips_->count() == static_cast<int>(shown_.size())) return;
  shown_ = selection_->filters();
  // While a brush is dragged only texts change: the buttons stay.
  while (chips_->count() > static_cast<int>(shown_.size())) {
    QLayoutItem* item = chips_->takeAt(chips_->count() - 1);
    item->widget()->hide();
    item->widget()->deleteLater();
    delete item;
  }
  while (chips_->count() < static_cast<int>(shown_.size())) {
    auto* chip = new QToolButton;
    const auto place = static_cast<std::size_t>(chips_->count());
    chip->setObjectName(QStringLiteral("filterChip%1").arg(place));
    connect(chip, &QToolButton::clicked, this, [this, place] { selection_->removeFilter(place); });
    chips_->addWidget(chip);
  }
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    auto* chip = static_cast<QToolButton*>(chips_->itemAt(static_cast<int>(i))->widget());
    const QString text = filterText(shown_[i], *selection_->columns());
    chip->setText(text + QStringLiteral("  \u2715"));
    chip->setToolTip(tr("Remove the filter: %1").arg(text));
    chip->setAccessibleName(chip->toolTip());
  }
}

QString FilterBar::countText() const {
  const std::size_t all = selection_->points().size(), shown = selection_->shownCount();
  QString text = shown != all ? tr("%1 of %2 points").arg(shown).arg(all)
                 : all == 1   ? tr("1 point")
                              : tr("%1 points").arg(all);
  if (!selection_->selected().empty()) text += tr(", %1 selected").arg(selection_->selected().size());
  return text;
}

void FilterBar::showCount() {
  count_->setText(countText());
}

}  // namespace sluice::ui
