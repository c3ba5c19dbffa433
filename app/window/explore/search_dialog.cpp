#include "app/window/explore/search_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <algorithm>

#include "app/window/document/document_controller.h"
#include "app/window/explore/constraint_editor.h"
#include "app/window/explore/form_row.h"
#include "app/window/explore/objective_field.h"
#include "app/window/explore/store_field.h"
#include "app/window/explore/vary_list.h"
#include "app/window/run/session_controller.h"
#include "app/window/shell/named.h"
#include "engine/explorer/search/strategies.h"
#include "widgets/common/diagnostic_text.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/inspector/page.h"

namespace sluice::ui {
namespace {

constexpr int most_spun = ExploreOptions::most_points, usual_budget = 1000, dialog_width = 660;
constexpr std::size_t most_objectives = 3;

QString key(const char* name) {
  return QStringLiteral("search/") + QLatin1String(name);
}

/// "96 points: tile (4) × ways (8) × depth (3)"; a product that cannot be numbered has no number here either.
QString sizeText(const DesignSpace& space) {
  const std::uint64_t size = space.size();
  QStringList knobs;
  for (const Knob& knob : space.knobs)
    if (knob.size() != 1) knobs << QObject::tr("%1 (%2)").arg(qt(knob.name), exactNumber(knob.size()));
  const QString points = size >= std::uint64_t{1} << 63 ? QObject::tr("more than 2^63 points")
                         : size == 1                    ? QObject::tr("1 point")
                                                        : QObject::tr("%1 points").arg(exactNumber(size));
  if (space.knobs.empty()) return QObject::tr("%1: the program has no knobs").arg(points);
  if (knobs.empty()) return QObject::tr("%1: no knob varies").arg(points);
  return QStringLiteral("%1: %2").arg(points, knobs.join(QStringLiteral(" \u00D7 ")));
}

/// The usual one, or what a smaller space needs.
int proposedBudget(const Document& document) {
  return static_cast<int>(
      std::clamp<std::uint64_t>(designSpace(document).size(), 1, std::uint64_t{usual_budget}));
}

QHBoxLayout* rowOf(std::initializer_list<QWidget*> parts) {
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  for (QWidget* part : parts) row->addWidget(part);
  return row;
}

/// One below the other, as one field; a layout of its own knows how high wrapped text is.
QVBoxLayout* columnOf(std::initializer_list<QWidget*> parts, int spacing) {
  auto* column = new QVBoxLayout;
  column->setSpacing(spacing);
  for (QWidget* part : parts) column->addWidget(part);
  return column;
}

}  // namespace

SearchDialog::SearchDialog(const Document& document, const KnobValues& knobs, std::filesystem::path file,
                           QWidget* parent)
    : QDialog(parent), document_(document), file_(std::move(file)), over_traces_(isOverTraces(document)) {
  setObjectName(QStringLiteral("searchDialog"));
  setWindowTitle(tr("Search the Design Space"));
  auto* form = new QFormLayout;
  form->setHorizontalSpacing(14);
  form->setVerticalSpacing(10);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  buildSpace(*form, knobs);
  buildStrategy(*form);
  buildGoals(*form);
  buildStore(*form);
  status_ = named(new QLabel, "searchStatus", tr("Whether it can start"));
  status_->setWordWrap(true);
  keepHeight(status_, 2);
  buttons_ = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
  buttons_->button(QDialogButtonBox::Ok)->setText(tr("Start"));
  buttons_->button(QDialogButtonBox::Ok)->setObjectName(QStringLiteral("searchStart"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(16, 14, 16, 14);
  layout->addLayout(form);
  layout->addStretch(1);
  layout->addSpacing(6);
  layout->addWidget(status_);
  layout->addWidget(buttons_);
  recall();
  connectFields();
  refresh();
  resize(dialog_width, layout->totalHeightForWidth(dialog_width));
}

void SearchDialog::buildSpace(QFormLayout& form, const KnobValues& knobs) {
  size_ = named(new QLabel, "searchSize", tr("Design space"));
  size_->setWordWrap(true);
  form.addRow(tr("Design space"), size_);
  vary_ = named(new VaryList(document_, knobs, this), "searchVary",
                tr("Knobs that vary; the others keep their value"));
  if (document_.knobs.size() > 1)
    addRow(form, tr("&Vary"), vary_, vary_);
  else
    vary_->hide();
}

void SearchDialog::buildStrategy(QFormLayout& form) {
  strategy_ = named(new QComboBox, "searchStrategy", tr("Strategy"));
  for (const Strategy& strategy : strategies()) {
    strategy_->addItem(qt(strategy.name), qt(strategy.name));
    strategy_->setItemData(strategy_->count() - 1, qt(strategy.summary), Qt::ToolTipRole);
  }
  summary_ = named(noteLabel({}), "searchSummary", tr("What the strategy does"));
  budget_ = named(new QSpinBox, "searchBudget", tr("Budget: the most points that are evaluated"));
  budget_->setRange(1, most_spun);
  budget_->setGroupSeparatorShown(true);
  budget_->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
  budget_->setSuffix(tr(" points"));
  budget_->setToolTip(tr("The most points that are evaluated"));
  seed_ = named(new QSpinBox, "searchSeed", tr("Seed of the random choices"));
  seed_->setRange(0, most_spun);
  seed_->setToolTip(tr("The same seed makes the same random choices"));
  auto* seed_label = new QLabel(tr("See&d"));
  seed_label->setBuddy(seed_);
  seed_label->setContentsMargins(12, 0, 0, 0);
  QHBoxLayout* numbers = rowOf({budget_, seed_label, seed_});
  numbers->addStretch(1);
  fidelity_ = named(new QComboBox, "searchFidelity", tr("Fidelity: what is found out of a point"));
  fidelity_->addItem(tr("symbolic \u2013 lower bounds, without a run"), qt(text(Fidelity::Symbolic)));
  fidelity_->addItem(tr("count \u2013 every metric, by a run"), qt(text(Fidelity::Count)));
  fidelity_->addItem(tr("record \u2013 the most tokens in the FIFOs, too"), qt(text(Fidelity::Record)));
  addRow(form, tr("S&trategy"), columnOf({strategy_, summary_}, 3), strategy_);
  addRow(form, tr("&Budget"), numbers, budget_);
  addRow(form, tr("&Fidelity"), fidelity_, fidelity_);
}

void SearchDialog::buildGoals(QFormLayout& form) {
  const QString places[] = {tr("First objective"), tr("Second objective"), tr("Third objective")};
  const char* const names[] = {"searchObjective1", "searchObjective2", "searchObjective3"};
  for (std::size_t k = 0; k < most_objectives; ++k)
    objectives_.push_back(new ObjectiveField(names[k], places[k], k > 0, over_traces_));
  constraints_ = new ConstraintEditor(over_traces_);
  precision_ = named(new QComboBox, "searchPrecision", tr("How many of the traces are run"));
  precision_->addItem(tr("all of them"), 0.0);
  for (const double share : {0.01, 0.02, 0.05})
    precision_->addItem(tr("until statistics are known to %1").arg(text(percentage(share))), share);
  addRow(form, tr("&Objectives"), columnOf({objectives_[0], objectives_[1], objectives_[2]}, 4),
         objectives_[0]->metric());
  if (over_traces_) {
    addRow(form, tr("Tra&ces"), precision_, precision_);
  } else {
    precision_->setParent(this);
    precision_->hide();
  }
  addRow(form, tr("&Constraints"), constraints_, constraints_->first());
}

void SearchDialog::buildStore(QFormLayout& form) {
  store_ = new StoreField;
  const QString known = tr("Do not &evaluate what the store knows");
  const QString first = tr("Begin with the store's &points of this program");
  resume_ = named(new QCheckBox(known), "searchResume", QString(known).remove(QLatin1Char('&')));
  warm_start_ = named(new QCheckBox(first), "searchWarmStart", QString(first).remove(QLatin1Char('&')));
  auto* field = new QVBoxLayout;
  field->setSpacing(4);
  field->addWidget(store_);
  field->addWidget(resume_);
  field->addWidget(warm_start_);
  addRow(form, tr("&Result store"), field, store_->line());
}

void SearchDialog::connectFields() {
  for (ObjectiveField* objective : objectives_)
    connect(objective, &ObjectiveField::changed, this, &SearchDialog::refresh);
  connect(vary_, &VaryList::changed, this, &SearchDialog::refresh);
  for (QComboBox* combo : {strategy_, fidelity_, precision_})
    connect(combo, &QComboBox::currentIndexChanged, this, &SearchDialog::refresh);
  for (QSpinBox* number : {budget_, seed_})
    connect(number, &QSpinBox::valueChanged, this, &SearchDialog::refresh);
  connect(constraints_, &ConstraintEditor::changed, this, &SearchDialog::refresh);
  connect(store_, &StoreField::changed, this, &SearchDialog::refresh);
  for (QCheckBox* box : {resume_, warm_start_})
    connect(box, &QCheckBox::toggled, this, &SearchDialog::refresh);
  connect(buttons_, &QDialogButtonBox::accepted, this, &SearchDialog::accept);
  connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

void SearchDialog::recall() {
  const QSettings kept;
  const auto choose = [&kept](QComboBox* combo, const char* name, const QString& first) {
    const int index = combo->findData(kept.value(key(name), first).toString());
    combo->setCurrentIndex(index >= 0 ? index : combo->findData(first));
  };
  const bool large = designSpace(document_).size() > std::uint64_t{usual_budget};
  choose(strategy_, "strategy", large ? QStringLiteral("nsga2") : qt(SearchRequest{}.strategy));
  choose(fidelity_, "level", qt(text(SearchRequest{}.fidelity)));
  budget_->setValue(kept.value(key("budget"), proposedBudget(document_)).toInt());
  seed_->setValue(kept.value(key("seed"), static_cast<int>(SearchRequest{}.seed)).toInt());
  QStringList objectives;
  for (const std::string& name : SearchRequest{}.objectives) objectives << qt(name);
  objectives = kept.value(key("objectives"), objectives).toStringList();
  for (std::size_t k = 0; k < most_objectives; ++k) {
    if (!objectives_[k]->setObjective(objectives.value(static_cast<qsizetype>(k))))
      objectives_[k]->metric()->setCurrentIndex(0);
  }
  precision_->setCurrentIndex(std::max(0, precision_->findData(kept.value(key("precision"), 0.0))));
  constraints_->setText(kept.value(key("constraints")).toString());
  store_->setText(kept.value(key("store")).toString());
  resume_->setChecked(kept.value(key("resume")).toBool());
  warm_start_->setChecked(kept.value(key("warmStart")).toBool());
}

void SearchDialog::remember() const {
  QSettings kept;
  kept.setValue(key("strategy"), strategy_->currentData());
  kept.setValue(key("level"), fidelity_->currentData());
  kept.setValue(key("seed"), seed_->value());
  // What was only proposed for this space is proposed anew for another.
  if (budget_->value() == proposedBudget(document_))
    kept.remove(key("budget"));
  else
    kept.setValue(key("budget"), budget_->value());
  QStringList objectives;
  for (const std::string& name : request().objectives) objectives << qt(name);
  kept.setValue(key("objectives"), objectives);
  if (over_traces_) kept.setValue(key("precision"), precision_->currentData());
  kept.setValue(key("constraints"), constraints_->text());
  kept.setValue(key("store"), store_->text());
  kept.setValue(key("resume"), resume_->isChecked());
  kept.setValue(key("warmStart"), warm_start_->isChecked());
}

SearchRequest SearchDialog::request() const {
  SearchRequest search;
  search.strategy = strategy_->currentData().toString().toStdString();
  search.budget = static_cast<std::uint64_t>(budget_->value());
  search.seed = static_cast<std::uint64_t>(seed_->value());
  search.fidelity = *fidelityOf(fidelity_->currentData().toString().toStdString());
  search.fixed = vary_->fixed();
  search.objectives.clear();
  for (const ObjectiveField* objective : objectives_) {
    const std::string name = objective->objective().toStdString();
    if (!name.empty()) search.objectives.push_back(name);
  }
  if (Result<std::vector<Constraint>> constraints = constraints_->constraints())
    search.constraints = *std::move(constraints);
  if (over_traces_) search.precision = precision_->currentData().toDouble();
  search.file = file_.string();
  search.store = store_->path(file_);
  if (search.store.empty()) return search;
  search.resume = resume_->isChecked();
  search.warm_start = warm_start_->isChecked();
  return search;
}

void SearchDialog::refresh() {
  const Strategy* strategy = findStrategy(strategy_->currentData().toString().toStdString());
  size_->setText(sizeText(designSpace(document_, vary_->fixed())));
  summary_->setText(sentence(strategy->summary));
  seed_->setEnabled(!strategy->whole_space);
  for (QCheckBox* box : {resume_, warm_start_}) box->setEnabled(!store_->isEmpty());
  if (constraints_->constraints()) return showProblem(checkSearch(document_, request(), over_traces_));
  buttons_->button(QDialogButtonBox::Ok)->setEnabled(false);
  status_->setText(tr("\u26a0 Not every constraint can be read."));
}

void SearchDialog::showProblem(const Diagnostics& why) {
  buttons_->button(QDialogButtonBox::Ok)->setEnabled(why.empty());
  if (!why.empty()) {
    const Diagnostic& first = why.front();
    return status_->setText(QStringLiteral("\u26a0 ") + qt(text(first.place)) + QStringLiteral(": ") +
                            inlineText(first));
  }
  const std::uint64_t size = designSpace(document_, vary_->fixed()).size();
  status_->setText(
      size <= request().budget
          ? tr("Evaluates at most all %1 points.").arg(exactNumber(size))
          : tr("Evaluates at most %1 of %2 points.").arg(exactNumber(request().budget), exactNumber(size)));
}

void SearchDialog::accept() {
  if (!buttons_->button(QDialogButtonBox::Ok)->isEnabled()) return;
  remember();
  QDialog::accept();
}

void openSearch(const DocumentController& documents, SessionController* session, QWidget* parent) {
  auto* dialog = new SearchDialog(documents.document(), documents.knobs(), documents.file(), parent);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  QObject::connect(dialog, &QDialog::accepted, session,
                   [dialog, session] { session->explore(dialog->request()); });
  dialog->open();
}

}  // namespace sluice::ui
