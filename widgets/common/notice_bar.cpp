#include "widgets/common/notice_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace sluice::ui {

NoticeBar::NoticeBar(QWidget* parent) : QFrame(parent), label_(new QLabel), row_(new QHBoxLayout(this)) {
  setObjectName(QStringLiteral("noticeBar"));
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  label_->setObjectName(QStringLiteral("noticeText"));
  row_->setContentsMargins(10, 4, 6, 4);
  row_->addWidget(label_, 1);
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
  return waiting_.isEmpty() ? QString() : label_->text();
}

void NoticeBar::showFirst() {
  while (row_->count() > 1) {
    const QLayoutItem* item = row_->takeAt(1);
    item->widget()->hide();
    item->widget()->deleteLater();  // it may be the one that was pressed
    delete item;
  }
  if (waiting_.isEmpty()) return hide();
  const Notice& notice = waiting_.first();
  label_->setText(notice.text);
  setAccessibleName(notice.text);
  for (const Notice::Choice& choice : notice.choices) {
    auto* button = new QPushButton(choice.text);
    button->setAutoDefault(false);
    row_->addWidget(button);
    connect(button, &QPushButton::clicked, this, [this, id = notice.id, run = choice.run] {
      drop(id);
      if (run) run();
    });
  }
  show();
  place();
  raise();
}

void NoticeBar::place() {
  adjustSize();
  const int room = parentWidget()->width() - 24;
  resize(std::min(width(), room), height());
  // Below, where a page of text and the graph have least.
  move((parentWidget()->width() - width()) / 2, parentWidget()->height() - height() - 12);
}

bool NoticeBar::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize && isVisible()) place();
  return QFrame::eventFilter(watched, event);
}

}  // namespace sluice::ui
