#include "app/window/designs/find_designs_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include "app/window/explore/constraint_editor.h"
#include "app/window/explore/form_row.h"
#include "app/window/shell/named.h"
#include "engine/designer/request.h"
#include "engine/schedule/transformation.h"
#include "widgets/common/diagnostic_text.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

constexpr int designs_dialog_width = 660, list_lines = 7;
constexpr int most_designs = 1'000'000, most_minutes = 7 * 24 * 60;

QListWidgetItem* addChoice(QListWidget* list, const QString& text, const QStringList& names, bool checked) {
  auto* item = new QListWidgetItem(text, list);
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
  item->setCheckState(checked ? Qt::Checked : Qt::Unchecked);
  item->setData(Qt::UserRole, names);
  return item;
}

/// The names behind the entries that are checked.
std::set<std::string> checkedNames(const QListWidget& list) {
  std::set<std::string> names;
  for (int row = 0; row < list.count(); ++row)
    if (list.item(row)->checkState() == Qt::Checked)
      for (const QString& name : list.item(row)->data(Qt::UserRole).toStringList())
        names.insert(name.toStdString());
  return names;
}

bool allChecked(const QListWidget& list) {
  for (int row = 0; row < list.count(); ++row)
    if (list.item(row)->checkState() != Qt::Checked) return false;
  return true;
}

/// Those of compiled designs are many, and go together.
void listTransformations(QListWidget* list) {
  QStringList rewrites;
  for (const Transformation* known : registeredTransformations()) {
    const QString name = qt(known->spec.name);
    if (known->rewrite)
      rewrites << name;
    else
      addChoice(list, name, {name}, true)->setToolTip(sentence(known->spec.summary));
  }
  if (rewrites.isEmpty()) return;
  addChoice(list, QObject::tr("rewrites of compiled designs (%1)").arg(rewrites.size()), rewrites, true)
      ->setToolTip(rewrites.join(QStringLiteral(", ")));
}

QHBoxLayout* beside(QWidget* first, const QString& between, QWidget* second) {
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(first);
  auto* label = new QLabel(between);
  label->setBuddy(second);
  label->setContentsMargins(12, 0, 0, 0);
  row->addWidget(label);
  row->addWidget(second);
  row->addStretch(1);
  return row;
}

}  // namespace

FindDesignsDialog::FindDesignsDialog(const Document& document, QWidget* parent)
    : QDialog(parent), document_(document) {
  setObjectName(QStringLiteral("findDesignsDialog"));
  setWindowTitle(tr("Find Designs"));
  auto* form = new QFormLayout;
  form->setHorizontalSpacing(14);
  form->setVerticalSpacing(10);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  buildGoals(*form);
  buildLimits(*form);
  buildLists(*form);
  status_ = named(new QLabel, "designsStatus", tr("Whether it can start"));
  status_->setWordWrap(true);
  keepHeight(status_, 2);
  buttons_ = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
  buttons_->button(QDialogButtonBox::Ok)->setText(tr("Start"));
  buttons_->button(QDialogButtonBox::Ok)->setObjectName(QStringLiteral("designsStart"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(16, 14, 16, 14);
  layout->addLayout(form);
  layout->addStretch(1);
  layout->addWidget(status_);
  layout->addWidget(buttons_);
  connectFields();
  refresh();
  resize(designs_dialog_width, layout->totalHeightForWidth(designs_dialog_width));
}

void FindDesignsDialog::buildGoals(QFormLayout& form) {
  const QString places[] = {tr("First objective"), tr("Second objective")};
  const char* const names[] = {"designsObjective1", "designsObjective2"};
  auto* column = new QVBoxLayout;
  column->setSpacing(4);
  for (std::size_t k = 0; k < objectives_.size(); ++k) {
    auto* combo = named(new QComboBox, names[k], places[k]);
    for (const MetricSpec* metric : registeredMetrics())
      combo->addItem((metric->smaller_is_better ? tr("%1 \u2013 smallest") : tr("%1 \u2013 largest"))
                         .arg(metricAxisLabel(qt(metric->name))),
                     qt(metric->name));
    combo->setCurrentIndex(combo->findData(qt(defaultObjectives()[k])));
    column->addWidget(combo);
    objectives_[k] = combo;
  }
  constraints_ = new ConstraintEditor;
  addRow(form, tr("&Objectives"), column, objectives_[0]);
  addRow(form, tr("&Constraints"), constraints_, constraints_->first());
}

void FindDesignsDialog::buildLimits(QFormLayout& form) {
  budget_ = named(new QSpinBox, "designsBudget", tr("Budget: the most designs that are simulated"));
  budget_->setRange(1, most_designs);
  budget_->setGroupSeparatorShown(true);
  budget_->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
  budget_->setSuffix(tr(" designs"));
  budget_->setValue(static_cast<int>(DesignRequest{}.budget));
  budget_->setToolTip(tr("The most designs that are simulated"));
  minutes_ = named(new QSpinBox, "designsMinutes", tr("Minutes after which no further design is begun"));
  minutes_->setRange(0, most_minutes);
  minutes_->setSuffix(tr(" min"));
  minutes_->setSpecialValueText(tr("no limit"));
  minutes_->setToolTip(tr("No further design is begun after so many minutes; 0: no limit"));
  const QString plain = tr("Begin without the &steps that the program has");
  plain_ = named(new QCheckBox(plain), "designsPlain", QString(plain).remove(QLatin1Char('&')));
  plain_->setEnabled(!document_.schedule.empty());
  addRow(form, tr("&Budget"), beside(budget_, tr("&Time"), minutes_), budget_);
  form.addRow(QString(), plain_);
}

void FindDesignsDialog::buildLists(QFormLayout& form) {
  allowed_ = named(new QListWidget, "designsAllowed", tr("Transformations that may be used"));
  listTransformations(allowed_);
  locked_ = named(new QListWidget, "designsLocked", tr("Regions and operators that no step may change"));
  for (const Node& node : document_.program.nodes) addChoice(locked_, qt(node.name), {qt(node.name)}, false);
  for (QListWidget* list : {allowed_, locked_})
    list->setMinimumHeight(list_lines * list->fontMetrics().lineSpacing());
  addRow(form, tr("Trans&formations"), allowed_, allowed_);
  addRow(form, tr("&Locked"), locked_, locked_);
}

void FindDesignsDialog::connectFields() {
  for (QComboBox* combo : objectives_)
    connect(combo, &QComboBox::currentIndexChanged, this, &FindDesignsDialog::refresh);
  connect(constraints_, &ConstraintEditor::changed, this, &FindDesignsDialog::refresh);
  for (QSpinBox* number : {budget_, minutes_})
    connect(number, &QSpinBox::valueChanged, this, &FindDesignsDialog::refresh);
  for (QListWidget* list : {allowed_, locked_})
    connect(list, &QListWidget::itemChanged, this, &FindDesignsDialog::refresh);
  connect(buttons_, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

bool FindDesignsDialog::fromPlain() const {
  return plain_->isChecked();
}

DesignRequest FindDesignsDialog::request() const {
  DesignRequest request;
  request.objectives.clear();
  for (const QComboBox* combo : objectives_)
    request.objectives.push_back(combo->currentData().toString().toStdString());
  if (Result<std::vector<Constraint>> constraints = constraints_->constraints())
    request.constraints = *std::move(constraints);
  request.budget = static_cast<std::uint64_t>(budget_->value());
  if (minutes_->value() > 0) request.seconds = 60.0 * minutes_->value();
  if (!allChecked(*allowed_)) request.allowed = checkedNames(*allowed_);
  request.locked = checkedNames(*locked_);
  return request;
}

void FindDesignsDialog::refresh() {
  QString problem;
  if (!constraints_->constraints()) {
    problem = tr("Not every constraint can be read.");
  } else if (checkedNames(*allowed_).empty()) {
    problem = tr("No transformation may be used: check one at least.");
  } else if (const Diagnostics why = checkRequest(document_, request()); !why.empty()) {
    problem = qt(text(why.front().place)) + QStringLiteral(": ") + inlineText(why.front());
  }
  buttons_->button(QDialogButtonBox::Ok)->setEnabled(problem.isEmpty());
  status_->setText(problem.isEmpty() ? tr("Simulates at most %1 designs.").arg(exactCount(budget_->value()))
                                     : QStringLiteral("\u26a0 ") + problem);
}

}  // namespace sluice::ui
