#include "app/window/designs/find_designs_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QSpinBox>
#include <QVBoxLayout>

#include "app/window/explore/constraint_editor.h"
#include "app/window/explore/form_row.h"
#include "app/window/explore/objective_field.h"
#include "app/window/explore/store_field.h"
#include "app/window/shell/named.h"
#include "engine/designer/request.h"
#include "engine/schedule/transformation.h"
#include "widgets/common/diagnostic_text.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

constexpr int designs_dialog_width = 660, list_lines = 7;
constexpr int most_designs = 1'000'000, most_minutes = 7 * 24 * 60, longest_schedule = 64;
constexpr qsizetype most_files = 20;  // whose locked parts are remembered

QString designsKey(const char* name) {
  return QStringLiteral("designs/") + QLatin1String(name);
}

QStringList namesOf(const std::set<std::string>& names) {
  QStringList list;
  for (const std::string& name : names) list << qt(name);
  return list;
}

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

QStringList uncheckedNames(const QListWidget& list) {
  QStringList names;
  for (int row = 0; row < list.count(); ++row)
    if (list.item(row)->checkState() != Qt::Checked)
      names << list.item(row)->data(Qt::UserRole).toStringList();
  return names;
}

/// Entries with one of the names.
void setChecked(QListWidget& list, const QStringList& names, Qt::CheckState state) {
  for (int row = 0; row < list.count(); ++row)
    for (const QString& name : list.item(row)->data(Qt::UserRole).toStringList())
      if (names.contains(name)) list.item(row)->setCheckState(state);
}

/// Parts of programs by their files, the newest first: what is locked in one has no meaning in another.
QStringList recallLocked(const QString& file) {
  for (const QVariant& each : QSettings().value(designsKey("locked")).toList())
    if (each.toMap().value(QStringLiteral("file")) == file)
      return each.toMap().value(QStringLiteral("names")).toStringList();
  return {};
}

void rememberLocked(const QString& file, const QStringList& names) {
  QVariantList kept = QSettings().value(designsKey("locked")).toList();
  kept.removeIf([&](const QVariant& each) { return each.toMap().value(QStringLiteral("file")) == file; });
  if (!names.isEmpty())
    kept.prepend(QVariantMap{{QStringLiteral("file"), file}, {QStringLiteral("names"), names}});
  QSettings().setValue(designsKey("locked"), kept.mid(0, most_files));
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

FindDesignsDialog::FindDesignsDialog(const Document& document, std::filesystem::path file, QWidget* parent)
    : QDialog(parent), document_(document), file_(std::move(file)) {
  setObjectName(QStringLiteral("findDesignsDialog"));
  setWindowTitle(tr("Find Designs"));
  auto* form = new QFormLayout;
  form->setHorizontalSpacing(14);
  form->setVerticalSpacing(10);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  buildGoals(*form);
  buildLimits(*form);
  buildStore(*form);
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
  recall();
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
    objectives_[k] = new ObjectiveField(names[k], places[k], false, isOverTraces(document_));
    column->addWidget(objectives_[k]);
  }
  constraints_ = new ConstraintEditor(isOverTraces(document_));
  addRow(form, tr("&Objectives"), column, objectives_[0]->metric());
  addRow(form, tr("&Constraints"), constraints_, constraints_->first());
}

void FindDesignsDialog::buildLimits(QFormLayout& form) {
  budget_ = named(new QSpinBox, "designsBudget", tr("Budget: the most designs that are simulated"));
  budget_->setRange(1, most_designs);
  budget_->setGroupSeparatorShown(true);
  budget_->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
  budget_->setSuffix(tr(" designs"));
  budget_->setToolTip(tr("The most designs that are simulated"));
  minutes_ = named(new QSpinBox, "designsMinutes", tr("Minutes after which no further design is begun"));
  minutes_->setRange(0, most_minutes);
  minutes_->setSuffix(tr(" min"));
  minutes_->setSpecialValueText(tr("no limit"));
  minutes_->setToolTip(tr("No further design is begun after so many minutes; 0: no limit"));
  steps_ = named(new QSpinBox, "designsSteps", tr("Most steps behind those of the program"));
  steps_->setRange(1, longest_schedule);
  steps_->setSuffix(tr(" at most"));
  steps_->setToolTip(tr("The most steps that a design has behind those of the program"));
  seed_ = named(new QSpinBox, "designsSeed", tr("Seed of the random choices"));
  seed_->setRange(0, most_designs);
  seed_->setToolTip(tr("The same seed makes the same random choices"));
  const QString plain = tr("Begin without the &steps that the program has");
  plain_ = named(new QCheckBox(plain), "designsPlain", QString(plain).remove(QLatin1Char('&')));
  plain_->setEnabled(!document_.schedule.empty());
  addRow(form, tr("&Budget"), beside(budget_, tr("&Time"), minutes_), budget_);
  addRow(form, tr("Ste&ps"), beside(steps_, tr("See&d"), seed_), steps_);
  form.addRow(QString(), plain_);
}

void FindDesignsDialog::buildStore(QFormLayout& form) {
  store_ = new StoreField;
  const QString known = tr("&Go on: do not simulate what the store knows");
  resume_ = named(new QCheckBox(known), "designsResume", QString(known).remove(QLatin1Char('&')));
  resume_->setToolTip(tr("A search that was stopped is taken up again where its choices are the same"));
  auto* field = new QVBoxLayout;
  field->setSpacing(4);
  field->addWidget(store_);
  field->addWidget(resume_);
  addRow(form, tr("&Result store"), field, store_->line());
}

void FindDesignsDialog::buildLists(QFormLayout& form) {
  allowed_ = named(new QListWidget, "designsAllowed", tr("Transformations that may be used"));
  listTransformations(allowed_);
  locked_ = named(new QListWidget, "designsLocked", tr("Regions and operators that no step may change"));
  for (const Node& node : document_.program.nodes) addChoice(locked_, qt(node.name), {qt(node.name)}, false);
  for (QListWidget* list : {allowed_, locked_}) {
    list->setMinimumHeight(list_lines * list->fontMetrics().lineSpacing());
    list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list->setTextElideMode(Qt::ElideMiddle);
  }
  // The names of the transformations are read whole, also in a narrow dialog.
  allowed_->setMinimumWidth(allowed_->sizeHintForColumn(0) +
                            allowed_->verticalScrollBar()->sizeHint().width() + 2 * allowed_->frameWidth());
  locked_->setMinimumWidth(24 * locked_->fontMetrics().averageCharWidth());
  auto* both = new QGridLayout;
  both->setHorizontalSpacing(12);
  int column = 0;
  for (const auto& [title, list] :
       {std::pair(tr("Trans&formations to use"), allowed_), {tr("&Locked parts"), locked_}}) {
    auto* label = new QLabel(title);
    label->setBuddy(list);
    both->addWidget(label, 0, column);
    both->addWidget(list, 1, column++);
  }
  addRow(form, tr("C&hanges"), both, allowed_);
}

void FindDesignsDialog::connectFields() {
  for (ObjectiveField* objective : objectives_)
    connect(objective, &ObjectiveField::changed, this, &FindDesignsDialog::refresh);
  connect(constraints_, &ConstraintEditor::changed, this, &FindDesignsDialog::refresh);
  for (QSpinBox* number : {budget_, minutes_, steps_, seed_})
    connect(number, &QSpinBox::valueChanged, this, &FindDesignsDialog::refresh);
  for (QListWidget* list : {allowed_, locked_})
    connect(list, &QListWidget::itemChanged, this, &FindDesignsDialog::refresh);
  connect(store_, &StoreField::changed, this, &FindDesignsDialog::refresh);
  connect(buttons_, &QDialogButtonBox::accepted, this, &FindDesignsDialog::accept);
  connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

void FindDesignsDialog::recall() {
  const QSettings kept;
  const DesignRequest usual;
  const auto number = [&kept](QSpinBox* field, const char* name, std::uint64_t first) {
    field->setValue(kept.value(designsKey(name), static_cast<int>(first)).toInt());
  };
  const QStringList objectives = kept.value(designsKey("objectives")).toStringList();
  for (std::size_t k = 0; k < objectives_.size(); ++k) {
    if (!objectives_[k]->setObjective(objectives.value(static_cast<qsizetype>(k))))
      objectives_[k]->setObjective(qt(usual.objectives[k]));
  }
  constraints_->setText(kept.value(designsKey("constraints")).toString());
  number(budget_, "budget", usual.budget);
  number(minutes_, "minutes", 0);
  number(steps_, "steps", usual.most_steps);
  number(seed_, "seed", usual.seed);
  plain_->setChecked(kept.value(designsKey("plain")).toBool());
  store_->setText(kept.value(designsKey("store")).toString());
  resume_->setChecked(kept.value(designsKey("resume")).toBool());
  setChecked(*allowed_, kept.value(designsKey("notAllowed")).toStringList(), Qt::Unchecked);
  setChecked(*locked_, recallLocked(qt(file_.string())), Qt::Checked);
}

void FindDesignsDialog::remember() const {
  QSettings kept;
  QStringList objectives;
  for (const ObjectiveField* objective : objectives_) objectives << objective->objective();
  kept.setValue(designsKey("objectives"), objectives);
  kept.setValue(designsKey("constraints"), constraints_->text());
  kept.setValue(designsKey("budget"), budget_->value());
  kept.setValue(designsKey("minutes"), minutes_->value());
  kept.setValue(designsKey("steps"), steps_->value());
  kept.setValue(designsKey("seed"), seed_->value());
  kept.setValue(designsKey("plain"), plain_->isChecked());
  kept.setValue(designsKey("store"), store_->text());
  kept.setValue(designsKey("resume"), resume_->isChecked());
  kept.setValue(designsKey("notAllowed"), uncheckedNames(*allowed_));
  rememberLocked(qt(file_.string()), namesOf(checkedNames(*locked_)));
}

void FindDesignsDialog::proposeToGoOn() {
  QSettings().setValue(designsKey("resume"), true);
}

void FindDesignsDialog::accept() {
  if (!buttons_->button(QDialogButtonBox::Ok)->isEnabled()) return;
  remember();
  QDialog::accept();
}

DesignSearch FindDesignsDialog::search() const {
  DesignSearch search;
  DesignRequest& request = search.request;
  request.objectives.clear();
  for (const ObjectiveField* objective : objectives_)
    request.objectives.push_back(objective->objective().toStdString());
  if (Result<std::vector<Constraint>> constraints = constraints_->constraints())
    request.constraints = *std::move(constraints);
  request.budget = static_cast<std::uint64_t>(budget_->value());
  request.seed = static_cast<std::uint64_t>(seed_->value());
  request.most_steps = static_cast<std::size_t>(steps_->value());
  if (minutes_->value() > 0) request.seconds = 60.0 * minutes_->value();
  if (!allChecked(*allowed_)) request.allowed = checkedNames(*allowed_);
  request.locked = checkedNames(*locked_);
  search.from_plain = plain_->isEnabled() && plain_->isChecked();
  search.file = file_.string();
  search.store = store_->path(file_);
  search.resume = !search.store.empty() && resume_->isChecked();
  return search;
}

void FindDesignsDialog::refresh() {
  resume_->setEnabled(!store_->isEmpty());
  QString problem;
  if (!constraints_->constraints()) {
    problem = tr("Not every constraint can be read.");
  } else if (checkedNames(*allowed_).empty()) {
    problem = tr("No transformation may be used: check one at least.");
  } else if (const Diagnostics why = checkRequest(document_, search().request, isOverTraces(document_));
             !why.empty()) {
    problem = qt(text(why.front().place)) + QStringLiteral(": ") + inlineText(why.front());
  }
  buttons_->button(QDialogButtonBox::Ok)->setEnabled(problem.isEmpty());
  status_->setText(problem.isEmpty() ? tr("Simulates at most %1 designs.").arg(exactCount(budget_->value()))
                                     : QStringLiteral("\u26a0 ") + problem);
}

}  // namespace sluice::ui
