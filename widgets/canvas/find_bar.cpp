#include "widgets/canvas/find_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include "widgets/common/corner.h"

namespace sluice::ui {

FindBar::FindBar(QWidget* parent) : QFrame(parent), field_(new QLineEdit), count_(new QLabel) {
  setObjectName(QStringLiteral("findBar"));
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  field_->setObjectName(QStringLiteral("findField"));
  field_->setAccessibleName(tr("Find nodes and streams"));
  field_->setPlaceholderText(tr("Find nodes and streams"));
  field_->setMinimumWidth(220);
  field_->installEventFilter(this);
  count_->setObjectName(QStringLiteral("findCount"));
  count_->setMinimumWidth(56);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(6, 4, 4, 4);
  row->setSpacing(4);
  row->addWidget(field_, 1);
  row->addWidget(count_);
  const auto button = [&](const QString& text, const QString& name, auto&& run) {
    auto* made = new QToolButton;
    made->setText(text);
    made->setToolTip(name);
    made->setAccessibleName(name);
    made->setAutoRaise(true);
    connect(made, &QToolButton::clicked, this, run);
    row->addWidget(made);
  };
  button(QStringLiteral("\u2191"), tr("Previous (Shift+Return)"), [this] { previous(); });
  button(QStringLiteral("\u2193"), tr("Next (Return)"), [this] { next(); });
  button(QStringLiteral("\u2715"), tr("Close (Esc)"), [this] {
    hide();
    emit closed();
  });
  connect(field_, &QLineEdit::textChanged, this, &FindBar::search);
  hide();
  keepInCorner(this, Qt::TopRightCorner);
}

void FindBar::setEntries(const QList<FindEntry>& entries) {
  entries_ = entries;
}

QString FindBar::countText() const {
  return count_->text();
}

void FindBar::open() {
  emit opened();
  adjustSize();
  QFrame::show();
  raise();
  field_->setFocus();
  field_->selectAll();
  search();
}

void FindBar::search() {
  const QStringList words = field_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  hits_.clear();
  for (const FindEntry& entry : entries_) {
    const bool fits = std::all_of(words.begin(), words.end(), [&](const QString& word) {
      return entry.text.contains(word, Qt::CaseInsensitive);
    });
    if (fits && !words.isEmpty()) hits_ << entry.key;
  }
  show(hits_.isEmpty() ? -1 : 0);
}

void FindBar::step(int distance) {
  const int count = static_cast<int>(hits_.size());
  if (count > 0) show((current_ + distance + count) % count);
}

void FindBar::show(int index) {
  current_ = index;
  count_->setText(field_->text().isEmpty() ? QString()
                  : index < 0              ? tr("nothing")
                                           : tr("%1 of %2").arg(index + 1).arg(hits_.size()));
  if (index >= 0) emit found(hits_[index]);
}

bool FindBar::eventFilter(QObject* watched, QEvent* event) {
  if (watched != field_ || event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  if (key->key() == Qt::Key_Escape) {
    hide();
    emit closed();
    return true;
  }
  if (key->key() != Qt::Key_Return && key->key() != Qt::Key_Enter) return false;
  step(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
  return true;
}

}  // namespace sluice::ui
