#include "widgets/common/empty_hint.h"

#include <QAbstractItemView>
#include <QEvent>

namespace sluice::ui {

EmptyHint::EmptyHint(QAbstractItemView* view, const QString& hint)
    : QLabel(hint, view->viewport()), view_(view) {
  setAlignment(Qt::AlignCenter);
  setWordWrap(true);
  setEnabled(false);
  setAttribute(Qt::WA_TransparentForMouseEvents);
  view->viewport()->installEventFilter(this);
  const QAbstractItemModel* model = view->model();
  connect(model, &QAbstractItemModel::modelReset, this, &EmptyHint::follow);
  connect(model, &QAbstractItemModel::rowsInserted, this, &EmptyHint::follow);
  connect(model, &QAbstractItemModel::rowsRemoved, this, &EmptyHint::follow);
  follow();
}

bool EmptyHint::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) follow();
  return QLabel::eventFilter(watched, event);
}

void EmptyHint::follow() {
  setGeometry(view_->viewport()->rect());
  setVisible(view_->model()->rowCount() == 0);
}

}  // namespace sluice::ui
