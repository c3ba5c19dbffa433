#include "widgets/common/flow_layout.h"

#include <algorithm>
#include <utility>

namespace sluice::ui {
namespace {

using Line = QList<std::pair<QLayoutItem*, QRect>>;

/// Every widget in the middle of the height of its line.
void place(const Line& line, int height) {
  for (const auto& [item, area] : line) item->setGeometry(area.translated(0, (height - area.height()) / 2));
}

}  // namespace

FlowLayout::FlowLayout(QWidget* parent) : QLayout(parent) {
  setSpacing(4);
}

FlowLayout::~FlowLayout() {
  qDeleteAll(items_);
}

QLayoutItem* FlowLayout::takeAt(int index) {
  return index >= 0 && index < items_.size() ? items_.takeAt(index) : nullptr;
}

int FlowLayout::heightForWidth(int width) const {
  return arrange(QRect(0, 0, width, 0), false);
}

QSize FlowLayout::sizeHint() const {
  int width = 0, height = 0, shown = 0;
  for (const QLayoutItem* item : items_) {
    if (item->isEmpty()) continue;
    const QSize wanted = item->sizeHint();
    width += wanted.width() + (shown++ > 0 ? spacing() : 0);
    height = std::max(height, wanted.height());
  }
  const QMargins around = contentsMargins();
  return QSize(width, height).grownBy(around);
}

QSize FlowLayout::minimumSize() const {
  QSize least;
  for (const QLayoutItem* item : items_)
    if (!item->isEmpty()) least = least.expandedTo(item->minimumSize());
  return least.grownBy(contentsMargins());
}

void FlowLayout::setGeometry(const QRect& area) {
  QLayout::setGeometry(area);
  arrange(area, true);
}

int FlowLayout::arrange(const QRect& area, bool move) const {
  const QRect inside = area.marginsRemoved(contentsMargins());
  Line line;
  int x = inside.x(), y = inside.y(), height = 0;
  for (QLayoutItem* item : items_) {
    if (item->isEmpty()) continue;
    QSize size = item->sizeHint();
    size.setWidth(std::min(size.width(), std::max(inside.width(), item->minimumSize().width())));
    if (item->hasHeightForWidth()) size.setHeight(item->heightForWidth(size.width()));
    if (!line.isEmpty() && x + size.width() > inside.x() + inside.width()) {
      if (move) place(line, height);
      line.clear();
      x = inside.x();
      y += height + spacing();
      height = 0;
    }
    line.append({item, QRect(QPoint(x, y), size)});
    x += size.width() + spacing();
    height = std::max(height, size.height());
  }
  if (move) place(line, height);
  return y + height - area.y() + contentsMargins().bottom();
}

}  // namespace sluice::ui
