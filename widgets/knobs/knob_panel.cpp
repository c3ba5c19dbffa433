#include "widgets/knobs/knob_panel.h"

#include <QLabel>
#include <QVBoxLayout>

#include "engine/explorer/explore.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {

KnobPanel::KnobPanel(QWidget* parent) : QScrollArea(parent), list_(new QVBoxLayout), summary_(new QLabel) {
  setObjectName(QStringLiteral("knobPanel"));
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  summary_->setWordWrap(true);
  summary_->setEnabled(false);  // muted in every theme
  list_->setSpacing(12);
  list_->setContentsMargins(0, 0, 0, 0);
  auto* content = new QWidget;
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(12, 10, 12, 10);
  layout->setSpacing(12);
  layout->addLayout(list_);
  layout->addWidget(summary_);
  layout->addStretch();
  setWidget(content);
  setKnobs({});
}

void KnobPanel::setKnobs(const std::vector<Knob>& knobs) {
  if (knobs != knobs_ || (knobs.empty() && summary_->text().isEmpty())) {
    qDeleteAll(rows_);
    rows_.clear();
    knobs_ = knobs;
    for (const Knob& knob : knobs) {
      auto* row = new KnobRow(knob);
      connect(row, &KnobRow::valueChanged, this, [this, row, name = QString::fromStdString(knob.name)] {
        emit knobsChanged(values(), name, row->dragging());
      });
      connect(row, &KnobRow::dragFinished, this, &KnobPanel::dragFinished);
      list_->addWidget(row);
      rows_.push_back(row);
    }
    summary_->setText(knobs.empty() ? tr("No knobs.")
                                    : tr("%1 combinations").arg(exactNumber(DesignSpace{knobs}.size())));
  }
}

void KnobPanel::setValues(const KnobValues& values) {
  for (KnobRow* row : rows_) {
    const auto found = values.find(row->knob().name);
    if (found != values.end() && found->second != row->value()) row->setValue(found->second);
  }
}

KnobValues KnobPanel::values() const {
  KnobValues values;
  for (const KnobRow* row : rows_) values[row->knob().name] = row->value();
  return values;
}

}  // namespace sluice::ui
