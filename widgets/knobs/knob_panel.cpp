#include "widgets/knobs/knob_panel.h"

#include <QAction>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <functional>

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
  const auto add = [&](const char* name, const QString& text, void (KnobPanel::*wanted)()) {
    auto* button = new QPushButton(text);
    button->setObjectName(QString::fromLatin1(name));
    connect(button, &QPushButton::clicked, this, wanted);
    layout->addWidget(button, 0, Qt::AlignLeft);
  };
  add("newKnob", tr("New Knob\u2026"), &KnobPanel::newKnobWanted);
  add("newKnobConstant", tr("New Constant\u2026"), &KnobPanel::newConstantWanted);
  layout->addStretch();
  setWidget(content);
  setKnobs({});
}

void KnobPanel::setKnobs(const std::vector<Knob>& knobs) {
  if (knobs != knobs_ || (knobs.empty() && summary_->text().isEmpty())) {
    // The row that asks for this may be at work still.
    for (KnobRow* row : rows_) row->setParent(nullptr), row->deleteLater();
    rows_.clear();
    knobs_ = knobs;
    for (const Knob& knob : knobs) {
      auto* row = new KnobRow(knob);
      connect(row, &KnobRow::valueChanged, this, [this, row, name = QString::fromStdString(knob.name)] {
        emit knobsChanged(values(), name, row->dragging());
      });
      connect(row, &KnobRow::dragFinished, this, &KnobPanel::dragFinished);
      addActions(row);
      list_->addWidget(row);
      rows_.push_back(row);
    }
    summary_->setText(knobs.empty() ? tr("No knobs.")
                                    : tr("%1 combinations").arg(exactNumber(DesignSpace{knobs}.size())));
  }
}

void KnobPanel::addActions(KnobRow* row) {
  row->setContextMenuPolicy(Qt::ActionsContextMenu);
  const auto add = [&](const char* name, const QString& text, const QKeySequence& key,
                       const std::function<void(const QString&)>& run) {
    auto* action = new QAction(text, row);
    action->setObjectName(QString::fromLatin1(name));
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    row->addAction(action);
    connect(action, &QAction::triggered, this,
            [run, knob = QString::fromStdString(row->knob().name)] { run(knob); });
  };
  add("editKnob", tr("&Edit\u2026"), QKeySequence(Qt::Key_F2),
      [this](const QString& knob) { emit editWanted(knob); });
  add("knobUp", tr("Move &Up"), QKeySequence(QStringLiteral("Alt+Up")),
      [this](const QString& knob) { emit moveWanted(knob, -1); });
  add("knobDown", tr("Move D&own"), QKeySequence(QStringLiteral("Alt+Down")),
      [this](const QString& knob) { emit moveWanted(knob, 1); });
  add("removeKnob", tr("&Delete"), QKeySequence(Qt::Key_Delete),
      [this](const QString& knob) { emit removeWanted(knob); });
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
