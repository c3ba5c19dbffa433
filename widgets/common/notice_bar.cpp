#include "widgets/common/notice_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "widgets/common/breakable.h"

namespace sluice::ui {

NoticeBar::NoticeBar(QWidget* parent)
    : QFrame(parent),
      label_(new QLabel),
      parts_(new QBoxLayout(QBoxLayout::LeftToRight, this)),
      buttons_(new QHBoxLayout) {
  setObjectName(QStringLiteral("noticeBar"));
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  label_->setObjectName(QStringLiteral("noticeText"));
  parts_->setContentsMargins(10, 4, 6, 4);
  parts_->addWidget(label_, 1);
  parts_->addLayout(buttons_);
  buttons_->addStretch();
  parent->installEventFilter(this);
  hide();
}

void NoticeBar::tell(const Notice& notice) {
  waiting_.removeIf([&](const Notice& other) { return other.id == notice.id; });
  waiting_ << notice;
  showFirst();
}

void NoticeBar::drop(const QString& id) {
  waiting_.removeIf([&](const Notice& other) { return other.id == id; });
  showFirst();
}

QString NoticeBar::text() const {
  return waiting_.isEmpty() ? QString() : waiting_.first().text;
}

void NoticeBar::showFirst() {
  while (buttons_->count() > 1) {
    const QLayoutItem* item = buttons_->takeAt(1);
    item->widget()->hide();
    item->widget()->deleteLater();  // it may be the one that was pressed
    delete item;
  }
  if (waiting_.isEmpty()) return hide();
  const Notice& notice = waiting_.first();
  label_->setText(breakable(notice.text));
  setAccessibleName(notice.text);
  for (const Notice::Choice& choice : notice.choices) {
    auto* button = new QPushButton(choice.text);
    button->setAutoDefault(false);
    buttons_->addWidget(button);
    connect(button, &QPushButton::clicked, this, [this, id = notice.id, run = choice.run] {
      drop(id);
      if (run) run();
    });
  }
  show();
  place();
  raise();
}

/// Where the view is narrow its words go on in further lines, above the buttons.
void NoticeBar::place() {
  const int room = parentWidget()->width() - 24;
  label_->setWordWrap(false);
  parts_->setDirection(QBoxLayout::LeftToRight);
  const int wanted = sizeHint().width();
  if (wanted > room) {
    label_->setWordWrap(true);
    parts_->setDirection(QBoxLayout::TopToBottom);
  }
  resize(std::min(wanted, room), wanted > room ? heightForWidth(room) : sizeHint().height());
  // Below, where a page of text and the graph have least.
  move((parentWidget()->width() - width()) / 2, parentWidget()->height() - height() - 12);
}

bool NoticeBar::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize && isVisible()) place();
  return QFrame::eventFilter(watched, event);
}

}  // namespace sluice::ui
