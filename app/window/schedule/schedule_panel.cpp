#include "app/window/schedule/schedule_panel.h"

#include <QAbstractTextDocumentLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QMouseEvent>
#include <QPainter>
#include <QShortcut>
#include <QStyledItemDelegate>
#include <QTextDocument>
#include <QTextOption>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>

#include "app/window/edit/step_text.h"

namespace sluice::ui {
namespace {

constexpr int html_role = Qt::UserRole;
constexpr int margin = 6;

/// A check box, and beside it a few lines of rich text.
class StepDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const override {
    QStyleOptionViewItem option = given;
    initStyleOption(&option, index);
    option.text.clear();
    const QStyle* style = option.widget->style();
    // The box belongs to the first line.
    QStyleOptionViewItem box = option;
    box.features.setFlag(QStyleOptionViewItem::HasCheckIndicator, false);
    style->drawControl(QStyle::CE_ItemViewItem, &box, painter, option.widget);
    box.rect = checkRect(option);
    box.state.setFlag(option.checkState == Qt::Checked ? QStyle::State_On : QStyle::State_Off);
    style->drawPrimitive(QStyle::PE_IndicatorItemViewItemCheck, &box, painter, option.widget);
    QTextDocument text;
    lay(text, option, index);
    const bool chosen = option.state.testFlag(QStyle::State_Selected);
    QAbstractTextDocumentLayout::PaintContext context;
    context.palette = option.palette;
    if (chosen) context.palette.setColor(QPalette::Text, option.palette.color(QPalette::HighlightedText));
    painter->save();
    painter->translate(textLeft(option), option.rect.top() + margin);
    text.documentLayout()->draw(painter, context);
    painter->restore();
  }

  QSize sizeHint(const QStyleOptionViewItem& given, const QModelIndex& index) const override {
    QStyleOptionViewItem option = given;
    initStyleOption(&option, index);
    const auto* view = qobject_cast<const QAbstractItemView*>(option.widget);
    if (view) option.rect = QRect(0, 0, view->viewport()->width(), 0);
    QTextDocument text;
    lay(text, option, index);
    return {option.rect.width(), static_cast<int>(std::ceil(text.size().height())) + 2 * margin};
  }

 protected:
  bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override {
    bool toggles = false;
    if (event->type() == QEvent::MouseButtonRelease) {
      const QRect box = checkRect(option).adjusted(-4, -4, 4, 4);
      toggles = box.contains(static_cast<QMouseEvent*>(event)->pos());
    } else if (event->type() == QEvent::KeyPress) {
      toggles = static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space;
    }
    if (!toggles) return false;
    const bool on = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    return model->setData(index, on ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
  }

 private:
  static QRect checkRect(const QStyleOptionViewItem& option) {
    const QStyle* style = option.widget->style();
    const int side = style->pixelMetric(QStyle::PM_IndicatorWidth, &option, option.widget);
    const int line = option.fontMetrics.height();
    return {option.rect.left() + margin, option.rect.top() + margin + (line - side) / 2, side, side};
  }
  static int textLeft(const QStyleOptionViewItem& option) { return checkRect(option).right() + 2 * margin; }
  static void lay(QTextDocument& text, const QStyleOptionViewItem& option, const QModelIndex& index) {
    text.setDocumentMargin(0);
    text.setDefaultFont(option.font);
    QTextOption wrap;
    wrap.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    text.setDefaultTextOption(wrap);
    text.setTextWidth(std::max(60, option.rect.right() - textLeft(option) - margin));
    text.setHtml(index.data(html_role).toString());
  }
};

/// Laid out again when its width changes: the rows wrap.
class StepList : public QListWidget {
 public:
  using QListWidget::QListWidget;

 protected:
  void resizeEvent(QResizeEvent* event) override {
    QListWidget::resizeEvent(event);
    scheduleDelayedItemsLayout();
  }
};

}  // namespace

SchedulePanel::SchedulePanel(QWidget* parent)
    : QWidget(parent), list_(new StepList), hint_(new QLabel), buttons_(new QWidget) {
  setObjectName(QStringLiteral("schedulePanel"));
  setFocusProxy(list_);
  list_->setObjectName(QStringLiteral("scheduleSteps"));
  list_->setAccessibleName(tr("Steps of the schedule"));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setItemDelegate(new StepDelegate(list_));
  list_->setDragDropMode(QAbstractItemView::InternalMove);
  list_->setDefaultDropAction(Qt::MoveAction);
  list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setResizeMode(QListView::Adjust);
  hint_->setObjectName(QStringLiteral("scheduleHint"));
  hint_->setWordWrap(true);
  hint_->setEnabled(false);
  hint_->setContentsMargins(12, 10, 12, 4);
  hint_->setText(
      tr("No steps: the program is simulated as it is drawn. Add one here, or right-click a region "
         "on the canvas."));
  buildButtons();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(buttons_);
  layout->addWidget(hint_);
  layout->addWidget(list_, 1);
  connectList();
  setDocument({}, {});
}

QToolButton* SchedulePanel::button(const char* name, const QString& text, const QString& tip,
                                   const QKeySequence& key) {
  auto* made = new QToolButton;
  made->setObjectName(QString::fromLatin1(name));
  made->setText(text);
  made->setToolTip(key.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, key.toString()));
  made->setAccessibleName(tip);
  made->setAutoRaise(true);
  buttons_->layout()->addWidget(made);
  if (key.isEmpty()) return made;
  auto* shortcut = new QShortcut(key, list_, nullptr, nullptr, Qt::WidgetShortcut);
  connect(shortcut, &QShortcut::activated, made, &QToolButton::click);
  return made;
}

void SchedulePanel::buildButtons() {
  auto* row = new QHBoxLayout(buttons_);
  row->setContentsMargins(6, 3, 6, 3);
  row->setSpacing(2);
  add_ = button("addStep", tr("Add\u2026"), tr("Add a step"), {});
  edit_ = button("editStep", tr("Edit\u2026"), tr("Edit the step"), {});
  row->addStretch();
  up_ = button("moveStepUp", tr("\u2191"), tr("Move the step up"), QKeySequence(Qt::ALT | Qt::Key_Up));
  down_ =
      button("moveStepDown", tr("\u2193"), tr("Move the step down"), QKeySequence(Qt::ALT | Qt::Key_Down));
  remove_ = button("removeStep", tr("\u2715"), tr("Remove the step"), QKeySequence(Qt::Key_Delete));
  connect(add_, &QToolButton::clicked, this, &SchedulePanel::addRequested);
  connect(edit_, &QToolButton::clicked, this, [this] { emit editRequested(selected()); });
  connect(up_, &QToolButton::clicked, this, [this] { moveBy(-1); });
  connect(down_, &QToolButton::clicked, this, [this] { moveBy(1); });
  connect(remove_, &QToolButton::clicked, this, [this] { emit removeRequested(selected()); });
}

void SchedulePanel::connectList() {
  connect(list_, &QListWidget::currentRowChanged, this, &SchedulePanel::updateButtons);
  connect(list_, &QListWidget::itemActivated, this,
          [this](const QListWidgetItem* item) { emit editRequested(list_->row(item)); });
  connect(list_, &QListWidget::itemChanged, this, [this](const QListWidgetItem* item) {
    if (!filling_) emit enableRequested(list_->row(item), item->checkState() == Qt::Checked);
  });
  // The list has moved its row already; the document follows once the drop is over.
  connect(
      list_->model(), &QAbstractItemModel::rowsMoved, this,
      [this](const QModelIndex&, int from, int, const QModelIndex&, int before) {
        emit moveRequested(from, before > from ? before - 1 : before);
      },
      Qt::QueuedConnection);
}

void SchedulePanel::moveBy(int distance) {
  const int to = selected() + distance;
  if (selected() < 0 || to < 0 || to >= list_->count()) return;
  emit moveRequested(selected(), to);
}

void SchedulePanel::setDocument(const Document& document, const KnobValues& knobs) {
  const bool same_steps = document.schedule == document_.schedule;
  document_ = document;
  knobs_ = knobs;
  if (!same_steps) trace_.reset();
  const int row = selected();
  filling_ = true;
  const int count = static_cast<int>(document.schedule.size());
  while (list_->count() > count) delete list_->takeItem(list_->count() - 1);
  while (list_->count() < count) list_->addItem(new QListWidgetItem);
  for (int i = 0; i < count; ++i) show(i);
  filling_ = false;
  if (row >= count) list_->setCurrentRow(count - 1);
  hint_->setVisible(count == 0);
  list_->setMinimumHeight(count == 0 ? 1 : 0);  // the hint needs the room
  updateButtons();
}

void SchedulePanel::setTrace(const std::shared_ptr<const ScheduleTrace>& trace) {
  if (trace && trace->steps.size() != document_.schedule.size()) return;  // of an older document
  trace_ = trace;
  filling_ = true;
  for (int i = 0; i < list_->count(); ++i) show(i);
  filling_ = false;
  list_->doItemsLayout();
}

void SchedulePanel::show(int row) {
  const auto position = static_cast<std::size_t>(row);
  const ScheduleStep& step = document_.schedule[position];
  QListWidgetItem* item = list_->item(row);
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable | Qt::ItemIsDragEnabled);
  item->setCheckState(step.enabled ? Qt::Checked : Qt::Unchecked);
  const QString title = QStringLiteral("%1. %2").arg(row + 1).arg(stepTitle(step));
  const QString arguments = stepArguments(step, document_, knobs_);
  QString effect, effect_html;
  if (trace_) {
    const ScheduleTrace::Step& told = trace_->steps[position];
    effect = stepEffect(told);
    effect_html = QStringLiteral("<i>%1</i>").arg(effect.toHtmlEscaped());
    if (told.state == ScheduleTrace::Step::State::Refused) {
      effect_html = QStringLiteral("\u2716 ") + diagnosticsHtml(told.diagnostics);
      for (const Diagnostic& each : told.diagnostics)
        effect += QStringLiteral(": %1; %2")
                      .arg(QString::fromStdString(each.cause), QString::fromStdString(each.fix));
    }
  }
  const QString shown_title =
      step.enabled ? title.toHtmlEscaped() : QStringLiteral("<s>%1</s>").arg(title.toHtmlEscaped());
  QString html = QStringLiteral("<b>%1</b>").arg(shown_title);
  if (!arguments.isEmpty()) html += QStringLiteral("<br>") + arguments.toHtmlEscaped();
  if (!effect_html.isEmpty()) html += QStringLiteral("<br>") + effect_html;
  item->setData(html_role, html);
  item->setText(QStringLiteral("%1 (%2) %3").arg(title, arguments, effect));  // for who listens, and search
  item->setToolTip(tr("Double-click to edit"));
}

void SchedulePanel::select(int step) {
  list_->setCurrentRow(step);
}

int SchedulePanel::selected() const {
  return list_->currentRow();
}

void SchedulePanel::updateButtons() {
  const int row = selected(), count = list_->count();
  for (QToolButton* button : {edit_, remove_}) button->setEnabled(row >= 0);
  up_->setEnabled(row > 0);
  down_->setEnabled(row >= 0 && row + 1 < count);
}

}  // namespace sluice::ui
