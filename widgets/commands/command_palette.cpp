#include "widgets/commands/command_palette.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/commands/fuzzy.h"

namespace sluice::ui {
namespace {

constexpr int index_role = Qt::UserRole, place_role = Qt::UserRole + 1, keys_role = Qt::UserRole + 2;

/// The title on the left, where it is found beside it, its keys on the right.
class EntryDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const override {
    QStyledItemDelegate::paint(painter, given, index);
    QStyleOptionViewItem option = given;
    initStyleOption(&option, index);
    const bool chosen = option.state.testFlag(QStyle::State_Selected);
    const auto group = option.state.testFlag(QStyle::State_Enabled) ? QPalette::Normal : QPalette::Disabled;
    QColor colour = option.palette.color(group, chosen ? QPalette::HighlightedText : QPalette::Text);
    const QRect rect = option.rect.adjusted(0, 0, -10, 0);
    painter->save();
    painter->setPen(colour);
    painter->drawText(rect, Qt::AlignRight | Qt::AlignVCenter, index.data(keys_role).toString());
    colour.setAlphaF(0.75F);
    painter->setPen(colour);
    const int left = 14 + option.fontMetrics.horizontalAdvance(index.data().toString());
    painter->drawText(rect.adjusted(left + 12, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                      index.data(place_role).toString());
    painter->restore();
  }
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    return QStyledItemDelegate::sizeHint(option, index) + QSize(0, 8);
  }
};

}  // namespace

CommandPalette::CommandPalette(QList<PaletteEntry> entries, QWidget* parent)
    : QFrame(parent), entries_(std::move(entries)), field_(new QLineEdit), list_(new QListWidget) {
  setObjectName(QStringLiteral("commandPalette"));
  setAttribute(Qt::WA_DeleteOnClose);
  setAccessibleName(tr("Commands"));
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  field_->setObjectName(QStringLiteral("commandField"));
  field_->setPlaceholderText(tr("Type a command"));
  field_->setAccessibleName(tr("Type a command"));
  field_->installEventFilter(this);
  list_->setObjectName(QStringLiteral("commandList"));
  list_->setAccessibleName(tr("Commands that fit"));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setItemDelegate(new EntryDelegate(list_));
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setUniformItemSizes(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->addWidget(field_);
  layout->addWidget(list_);
  connect(field_, &QLineEdit::textChanged, this, &CommandPalette::fill);
  connect(list_, &QListWidget::itemClicked, this, &CommandPalette::run);
  fill();
}

void CommandPalette::open() {
  const QSize room = parentWidget()->size();
  resize(QSize(620, 420).boundedTo(room - QSize(40, room.height() / 4)));
  move((room.width() - width()) / 2, room.height() / 8);
  before_ = window()->focusWidget();
  show();
  raise();
  field_->setFocus(Qt::OtherFocusReason);
}

/// The keyboard goes back to where it was.
void CommandPalette::leave() {
  QWidget* before = before_;
  close();
  if (before && before->isVisible()) before->setFocus(Qt::OtherFocusReason);
}

void CommandPalette::setRecent(const QStringList& names) {
  recent_ = names;
  fill();
}

void CommandPalette::fill() {
  struct Found {
    int score;
    int index;
  };
  std::vector<Found> found;
  for (int i = 0; i < entries_.size(); ++i) {
    const PaletteEntry& entry = entries_[i];
    std::optional<int> score = fuzzyScore(field_->text(), entry.title);
    // "view theme" finds the theme: the menu counts, a little less.
    if (const auto wide = fuzzyScore(field_->text(), entry.place + QLatin1Char(' ') + entry.title); wide)
      score = std::max(score.value_or(*wide - 20), *wide - 20);
    if (!score) continue;
    const auto recent = recent_.indexOf(entry.action->objectName());
    if (field_->text().isEmpty()) score = recent < 0 ? 0 : static_cast<int>(1000 - recent);
    if (!entry.action->isEnabled()) *score -= 5000;
    found.push_back({*score, i});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return a.score > b.score; });
  list_->clear();
  for (const Found& each : found) {
    const PaletteEntry& entry = entries_[each.index];
    QStringList keys;
    for (const QKeySequence& key : entry.action->shortcuts()) keys << key.toString(QKeySequence::NativeText);
    auto* item = new QListWidgetItem(entry.title, list_);
    item->setData(index_role, each.index);
    item->setData(place_role, entry.place);
    item->setData(keys_role, keys.join(QStringLiteral(", ")));
    item->setToolTip(entry.action->toolTip());
    if (!entry.action->isEnabled()) item->setFlags(Qt::ItemIsSelectable);
  }
  list_->setCurrentRow(0);
}

void CommandPalette::run() {
  const QListWidgetItem* item = list_->currentItem();
  if (!item) return;
  QAction* action = entries_[item->data(index_role).toInt()].action;
  if (!action->isEnabled()) return;
  leave();
  emit chosen(action);
}

bool CommandPalette::takeKey(int key) {
  const int rows = list_->count();
  const int step = key == Qt::Key_Down       ? 1
                   : key == Qt::Key_Up       ? -1
                   : key == Qt::Key_PageDown ? 8
                   : key == Qt::Key_PageUp   ? -8
                                             : 0;
  if (step != 0) {
    if (rows > 0) list_->setCurrentRow(std::clamp(list_->currentRow() + step, 0, rows - 1));
    return true;
  }
  if (key == Qt::Key_Escape) {
    leave();
    return true;
  }
  if (key != Qt::Key_Return && key != Qt::Key_Enter) return false;
  run();
  return true;
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched != field_) return QFrame::eventFilter(watched, event);
  if (event->type() == QEvent::KeyPress) return takeKey(static_cast<QKeyEvent*>(event)->key());
  if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    event->accept();  // it closes the palette, whatever else it calls in the window
    return true;
  }
  if (event->type() == QEvent::FocusOut) {
    // Another window, or the field's own menu, may have the keyboard for a while.
    const Qt::FocusReason reason = static_cast<QFocusEvent*>(event)->reason();
    if (reason != Qt::ActiveWindowFocusReason && reason != Qt::PopupFocusReason) close();
  }
  return QFrame::eventFilter(watched, event);
}

}  // namespace sluice::ui
