#include "app/window/edit/connect_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>

#include "widgets/canvas/graph_scene.h"

namespace sluice::ui {
namespace {

void offer(QComboBox* list, const std::string& node, const std::vector<ScenePort>& ports) {
  for (const ScenePort& port : ports) list->addItem(QString::fromStdString(node + "." + port.name));
}

}  // namespace

ConnectDialog::ConnectDialog(const GraphCanvas& canvas, GraphCanvas::LinkRule rule, QWidget* parent)
    : QDialog(parent),
      rule_(std::move(rule)),
      source_(new QComboBox),
      target_(new QComboBox),
      reason_(new QLabel) {
  setObjectName(QStringLiteral("connectDialog"));
  setWindowTitle(tr("Connect Two Ports"));
  const SceneModel& model = canvas.graphScene()->picture().model;
  const std::string selected = canvas.selectedNode().toStdString();
  const std::size_t here = model.visibleBox(selected);
  const std::size_t group = here == nowhere ? 0 : model.boxes[here].group;
  if (group < model.groups.size()) {
    graph_ = model.groups[group].path;
    for (const std::size_t box : model.groups[group].boxes) {
      offer(source_, model.boxes[box].name, model.boxes[box].outputs);
      offer(target_, model.boxes[box].name, model.boxes[box].inputs);
    }
    if (const std::size_t frame = model.groups[group].frame; frame != nowhere) {
      offer(source_, "region", model.boxes[frame].inputs);
      offer(target_, "region", model.boxes[frame].outputs);
    }
  }
  if (here != nowhere && !model.boxes[here].outputs.empty())
    source_->setCurrentText(
        QString::fromStdString(model.boxes[here].name + "." + model.boxes[here].outputs.front().name));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
  connect_ = buttons->button(QDialogButtonBox::Ok);
  connect_->setText(tr("Connect"));
  auto* form = new QFormLayout(this);
  form->addRow(tr("&From output"), source_);
  form->addRow(tr("&To input"), target_);
  form->addRow(reason_);
  form->addRow(buttons);
  source_->setAccessibleName(tr("From output"));
  target_->setAccessibleName(tr("To input"));
  reason_->setWordWrap(true);
  reason_->setMinimumSize(420, 60);
  reason_->setAlignment(Qt::AlignTop);
  source_->setFocus();  // arrow keys choose at once
  connect(source_, &QComboBox::currentTextChanged, this, &ConnectDialog::check);
  connect(target_, &QComboBox::currentTextChanged, this, &ConnectDialog::check);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  check();
}

std::optional<LinkWish> ConnectDialog::wish() const {
  if (source_->currentText().isEmpty() || target_->currentText().isEmpty()) return std::nullopt;
  return LinkWish{graph_, source_->currentText().toStdString(), target_->currentText().toStdString()};
}

QString ConnectDialog::reason() const {
  return reason_->text();
}

void ConnectDialog::check() {
  const std::optional<LinkWish> wanted = wish();
  const QString why = wanted ? rule_(*wanted) : tr("There is nothing to connect.");
  reason_->setText(why.isEmpty() ? QStringLiteral("\u2714 ") + tr("They fit.")
                                 : QStringLiteral("\u2716 ") + why);
  connect_->setEnabled(why.isEmpty());
}

}  // namespace sluice::ui
