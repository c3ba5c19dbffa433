#include "app/window/explore/vary_list.h"

#include <algorithm>

#include "engine/explorer/tables.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

constexpr int most_rows = 4;

}  // namespace

VaryList::VaryList(const Document& document, const KnobValues& present, QWidget* parent)
    : QListWidget(parent), knobs_(document.knobs), present_(present) {
  for (const Knob& knob : knobs_) {
    auto* item = new QListWidgetItem(
        tr("%1, now %2").arg(qt(knob.name), qt(knobText(knob, present_.at(knob.name)))), this);
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    item->setCheckState(Qt::Checked);
    item->setToolTip(tr("Unchecked, %1 keeps the value that it has now").arg(qt(knob.name)));
  }
  const int rows = std::clamp(count(), 1, most_rows);
  const int row = std::max(sizeHintForRow(0), fontMetrics().height());
  setFixedHeight(rows * row + 2 * frameWidth());
  connect(this, &QListWidget::itemChanged, this, &VaryList::changed);
}

KnobValues VaryList::fixed() const {
  KnobValues fixed;
  for (int i = 0; i < count(); ++i) {
    const std::string& name = knobs_[static_cast<std::size_t>(i)].name;
    if (item(i)->checkState() != Qt::Checked) fixed[name] = present_.at(name);
  }
  return fixed;
}

}  // namespace sluice::ui
