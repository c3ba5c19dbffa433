#include "app/window/schedule/step_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QSplitter>
#include <QTextBrowser>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>

#include "app/window/edit/step_text.h"
#include "app/window/schedule/step_choices.h"
#include "engine/program/spelling.h"
#include "engine/schedule/candidates.h"
#include "widgets/common/qt_text.h"
#include "widgets/inspector/page.h"
#include "widgets/inspector/value_text.h"

namespace sluice::ui {
namespace {

constexpr int patience = 120;  // ms between the last key and the preview
constexpr auto cycles_key = "schedule/show_cycles";

std::vector<std::string> namesFor(const Document& document) {
  std::vector<std::string> names;
  for (const Knob& knob : document.knobs) names.push_back(knob.name);
  for (const auto& [name, value] : document.constants) names.push_back(name);
  return names;
}

QString labelOf(const ArgumentSpec& spec) {
  QString label = qt(spec.name).replace(QLatin1Char('_'), QLatin1Char(' '));
  label[0] = label[0].toUpper();
  return label;
}

/// A list of texts on one line.
QString textsLine(const Value& value) {
  QStringList texts;
  const std::vector<Value> entries = value.list() ? *value.list() : std::vector<Value>{value};
  for (const Value& entry : entries) texts << qt(sluice::text(entry));
  return texts.join(QStringLiteral("; "));
}

Value textsOf(const QString& line) {
  std::vector<Value> texts;
  for (const QString& text : line.split(QLatin1Char(';'), Qt::SkipEmptyParts))
    if (!text.trimmed().isEmpty()) texts.emplace_back(text.trimmed().toStdString());
  return Value(std::move(texts));
}

}  // namespace

QString StepDialog::Field::text() const {
  return (combo ? combo->currentText() : line->text()).trimmed();
}

StepDialog::StepDialog(StepPlace place, const ScheduleStep& step, bool added, BackgroundWork* previewer,
                       QWidget* parent)
    : QDialog(parent),
      place_(std::move(place)),
      step_(step),
      previewer_(previewer),
      transformation_(new QComboBox),
      summary_(new QLabel),
      shown_(new QTextBrowser),
      cycles_(new QCheckBox(tr("Show c&ycles: simulate before and after the step"))),
      buttons_(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel)) {
  setObjectName(QStringLiteral("stepDialog"));
  setWindowTitle(added ? tr("Add a Step to the Schedule") : tr("Edit a Step of the Schedule"));
  auto* parts = new QSplitter(Qt::Horizontal);
  parts->setChildrenCollapsible(false);
  parts->setHandleWidth(1);
  parts->addWidget(buildForm());
  parts->addWidget(buildPreview());
  parts->setSizes({380, 660});
  buttons_->button(QDialogButtonBox::Ok)->setText(added ? tr("Add") : tr("Change"));
  buttons_->setContentsMargins(12, 8, 12, 12);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(parts, 1);
  layout->addWidget(buttons_);
  resize(1040, 600);
  debounce_.setSingleShot(true);
  debounce_.setInterval(patience);
  connect(&debounce_, &QTimer::timeout, this, &StepDialog::askPreview);
  connect(buttons_, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
  buildFields();
  connect(transformation_, &QComboBox::currentTextChanged, this, [this](const QString& name) {
    keepArguments();
    step_.transformation = name.toStdString();
    buildFields();
  });
}

StepDialog::~StepDialog() {
  if (previewer_) previewer_->forget();
}

QWidget* StepDialog::buildForm() {
  transformation_->setObjectName(QStringLiteral("transformation"));
  transformation_->setAccessibleName(tr("Transformation"));
  for (const Transformation* known : registeredTransformations())
    transformation_->addItem(qt(known->spec.name));
  if (step_.transformation.empty()) step_.transformation = transformation_->itemText(0).toStdString();
  transformation_->setCurrentText(qt(step_.transformation));
  summary_->setWordWrap(true);
  form_ = sectionForm();
  auto* content = new QWidget;
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(14, 14, 14, 14);
  layout->setSpacing(10);
  layout->addWidget(sectionTitle(tr("Transformation")));
  layout->addWidget(transformation_);
  layout->addWidget(summary_);
  layout->addLayout(form_);
  layout->addStretch();
  auto* scroll = new QScrollArea;
  scroll->setWidget(content);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  return scroll;
}

QWidget* StepDialog::buildPreview() {
  shown_->setObjectName(QStringLiteral("stepPreview"));
  shown_->setAccessibleName(tr("What the step does"));
  shown_->setFrameShape(QFrame::NoFrame);
  shown_->document()->setDocumentMargin(14);
  shown_->setPlaceholderText(tr("Finding out what the step does\u2026"));
  cycles_->setObjectName(QStringLiteral("showCycles"));
  cycles_->setToolTip(tr("All other totals are predicted; cycles take a run of the program"));
  cycles_->setChecked(QSettings().value(cycles_key, false).toBool());
  connect(cycles_, &QCheckBox::toggled, this, [this](bool wanted) {
    QSettings().setValue(cycles_key, wanted);
    changed();
  });
  auto* box = new QWidget;
  auto* layout = new QVBoxLayout(box);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(shown_, 1);
  auto* line = new QHBoxLayout;
  line->setContentsMargins(14, 6, 14, 6);
  line->addWidget(cycles_);
  layout->addLayout(line);
  return box;
}

void StepDialog::buildFields() {
  while (form_->rowCount() > 0) form_->removeRow(0);
  fields_.clear();
  const Transformation* known = findTransformation(step_.transformation);
  if (!known) return;
  summary_->setText(QStringLiteral("%1<br><i>%2</i>")
                        .arg(qt(known->spec.summary).toHtmlEscaped(), qt(known->spec.paper).toHtmlEscaped()));
  for (const ArgumentSpec& spec : known->spec.arguments) fields_.push_back(makeField(spec));
  for (Field& field : fields_)
    if (field.combo) fillCombo(field);
  changed();
}

StepDialog::Field StepDialog::makeField(const ArgumentSpec& spec) {
  Field field{spec};
  const auto given = step_.arguments.find(spec.name);
  const QString text = given == step_.arguments.end() ? QString() : qt(sluice::text(given->second));
  if (spec.kind == ArgumentKind::Texts) {
    field.line = new QLineEdit(given == step_.arguments.end() ? QString() : textsLine(given->second));
    field.line->setPlaceholderText(tr("none; several with ; between them"));
  } else if (spec.kind == ArgumentKind::Integers) {
    field.line = new QLineEdit(text);
    field.line->setPlaceholderText(tr("what is suggested; several as [2, 4]"));
  } else if (spec.kind == ArgumentKind::Integer) {
    field.line = new QLineEdit(text);
    if (spec.initial) field.line->setPlaceholderText(tr("%1 (default)").arg(qt(sluice::text(*spec.initial))));
    QStringList names;
    for (const std::string& name : namesFor(place_.before)) names << qt(name);
    field.line->setCompleter(new QCompleter(names, field.line));
  } else {
    field.combo = new QComboBox;
    field.combo->setEditable(spec.kind != ArgumentKind::Choice);
    field.combo->setInsertPolicy(QComboBox::NoInsert);
    field.combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  }
  QWidget* control = field.line ? static_cast<QWidget*>(field.line) : field.combo;
  control->setObjectName(QStringLiteral("argument.") + qt(spec.name));
  control->setAccessibleName(labelOf(spec));
  control->setToolTip(qt(spec.help));
  auto* box = new QWidget;
  auto* lines = new QVBoxLayout(box);
  lines->setContentsMargins(0, 0, 0, 4);
  lines->setSpacing(2);
  auto* row = new QHBoxLayout;
  row->addWidget(control, 1);
  if (spec.kind == ArgumentKind::Integer) {
    auto* knob = new QToolButton;
    knob->setObjectName(QStringLiteral("knob.") + qt(spec.name));
    knob->setText(tr("Knob\u2026"));
    knob->setToolTip(tr("Turn this argument into a knob, to explore its values"));
    knob->setAccessibleName(tr("Turn %1 into a knob").arg(labelOf(spec)));
    row->addWidget(knob);
    connect(knob, &QToolButton::clicked, this, [this, name = spec.name] { askForKnob(name); });
  }
  lines->addLayout(row);
  lines->addWidget(noteLabel(qt(spec.help)));
  auto* label = new QLabel(labelOf(spec));
  label->setBuddy(control);
  form_->addRow(label, box);
  const auto edited = [this, name = spec.name] { fieldEdited(name); };
  if (field.line) connect(field.line, &QLineEdit::textChanged, this, edited);
  if (field.combo) connect(field.combo, &QComboBox::currentTextChanged, this, edited);
  return field;
}

/// Keeps what stands there; an argument that must be given gets the only candidate, or the first choice.
void StepDialog::fillCombo(Field& field) {
  const auto given = step_.arguments.find(field.spec.name);
  QString text = field.text();
  if (text.isEmpty() && given != step_.arguments.end()) text = qt(sluice::text(given->second));
  const QSignalBlocker quiet(field.combo);
  field.combo->clear();
  for (const std::string& name : candidatesFor(field.spec)) field.combo->addItem(qt(name));
  if (field.spec.kind == ArgumentKind::Choice) {
    for (const Knob& knob : place_.before.knobs)
      if (knob.kind == KnobKind::Choice) field.combo->addItem(QLatin1Char('=') + qt(knob.name));
    if (!text.isEmpty() && field.combo->findText(text) < 0) field.combo->addItem(text);
  }
  const bool optional = field.spec.initial.has_value();
  QString first = optional ? QString() : field.combo->itemText(0);
  if (first == QLatin1String("none") && field.combo->count() > 1) first = field.combo->itemText(1);
  field.combo->setCurrentIndex(field.combo->findText(text.isEmpty() ? first : text));
  if (field.combo->isEditable()) field.combo->setEditText(text.isEmpty() ? first : text);
}

std::string StepDialog::textOf(ArgumentKind kind) const {
  for (const Field& field : fields_)
    if (field.spec.kind == kind) return field.text().toStdString();
  return {};
}

std::vector<std::string> StepDialog::candidatesFor(const ArgumentSpec& spec) const {
  if (spec.kind == ArgumentKind::CompiledProgram) {
    std::vector<std::string> programs;
    for (const auto& [path, program] : place_.compiled) programs.push_back(path);
    return programs;
  }
  const Transformation* known = findTransformation(step_.transformation);
  if (spec.kind == ArgumentKind::DesignPlace && known && known->rewrite)
    return designPlaces(place_.compiled, textOf(ArgumentKind::CompiledProgram), *known->rewrite);
  return candidates(place_.before, spec, textOf(ArgumentKind::Region));
}

void StepDialog::fieldEdited(const std::string& name) {
  const Field* edited = find(name);
  const auto follows = [&](const Field& field) {
    return (edited->spec.kind == ArgumentKind::Region && namesPort(field.spec)) ||
           (edited->spec.kind == ArgumentKind::CompiledProgram &&
            field.spec.kind == ArgumentKind::DesignPlace);
  };
  for (Field& field : fields_)
    if (edited && follows(field)) fillCombo(field);
  changed();
}

const StepDialog::Field* StepDialog::find(const std::string& name) const {
  for (const Field& field : fields_)
    if (field.spec.name == name) return &field;
  return nullptr;
}

std::optional<Value> StepDialog::valueOf(const Field& field, Diagnostics& wrong) const {
  const QString text = field.text();
  if (text.isEmpty()) return std::nullopt;
  if (field.combo) return Value(text.toStdString());
  if (field.spec.kind == ArgumentKind::Texts) return textsOf(text);
  const bool list = field.spec.kind == ArgumentKind::Integers;
  const ParameterKind kind = list ? ParameterKind::IntegerList : ParameterKind::Integer;
  ParameterSpec spec{field.spec.name, kind, {}, 0, {}, field.spec.help, ""};
  spec.range.minimum = std::numeric_limits<std::int64_t>::min();
  const Result<Value> value = parseValue(spec, text, namesFor(place_.before));
  if (value) return *value;
  for (const Diagnostic& each : value.diagnostics()) {
    wrong.push_back(each);
    wrong.back().place = Location(Where::Argument, field.spec.name);
  }
  return std::nullopt;
}

ScheduleStep StepDialog::step() const {
  ScheduleStep step{step_.transformation, {}, step_.enabled};
  Diagnostics wrong;
  for (const Field& field : fields_)
    if (const auto value = valueOf(field, wrong)) step.arguments[field.spec.name] = *value;
  return step;
}

std::vector<Knob> StepDialog::newKnobs() const {
  std::vector<Knob> named;
  const Values arguments = step().arguments;
  for (const Knob& knob : knobs_) {
    const bool used = std::any_of(arguments.begin(), arguments.end(),
                                  [&](const auto& argument) { return argument.second == Value(knob.name); });
    if (used) named.push_back(knob);
  }
  return named;
}

Result<Done> StepDialog::makeKnob(const std::string& argument, const std::string& name,
                                  const std::vector<std::int64_t>& values) {
  const Location place(Where::Argument, argument);
  const Field* field = find(argument);
  if (!field || field->spec.kind != ArgumentKind::Integer)
    return error("not-a-number", place, "it is no number", "choose an argument that is a number");
  const std::vector<std::string> taken = namesFor(place_.before);
  if (!isIdentifier(name) || std::find(taken.begin(), taken.end(), name) != taken.end())
    return error("invalid-name", place, "'" + name + "' is no free name", "use letters, digits and _");
  if (values.empty()) return error("missing-value", place, "a knob needs values", "write them as 1, 2, 4, 8");
  Knob knob;
  knob.name = name;
  knob.kind = KnobKind::List;
  knob.list = values;
  std::sort(knob.list.begin(), knob.list.end());
  knob.list.erase(std::unique(knob.list.begin(), knob.list.end()), knob.list.end());
  knob.initial = values.front();
  knob.help = step_.transformation + ": " + argument;
  knobs_.push_back(knob);
  Workload with = *place_.workload;
  with.document.knobs.push_back(knob);
  place_.workload = std::make_shared<const Workload>(std::move(with));
  place_.before.knobs.push_back(knob);
  place_.knobs[name] = knob.initial;
  field->line->setText(qt(name));
  return Done{};
}

void StepDialog::askForKnob(const std::string& argument) {
  const Field* field = find(argument);
  const QString now = field->text().isEmpty() ? field->line->placeholderText().section(QLatin1Char(' '), 0, 0)
                                              : field->text();
  const auto value = now.toLongLong();
  const QString proposal =
      value > 0 ? tr("%1: %2, %3, %4").arg(qt(argument)).arg(value).arg(2 * value).arg(4 * value)
                : tr("%1: 1, 2, 4, 8").arg(qt(argument));
  bool sure = false;
  const QString said = QInputDialog::getText(this, tr("Turn into a Knob"),
                                             tr("Name and values of the knob; it begins with the first:"),
                                             QLineEdit::Normal, proposal, &sure);
  if (!sure) return;
  std::vector<std::int64_t> values;
  for (const QString& each : said.section(QLatin1Char(':'), 1).split(QLatin1Char(','), Qt::SkipEmptyParts)) {
    bool number = false;
    values.push_back(each.trimmed().toLongLong(&number));
    if (!number) values.clear();
  }
  const std::string name = said.section(QLatin1Char(':'), 0, 0).trimmed().toStdString();
  if (const Result<Done> made = makeKnob(argument, name, values); !made) showPreview(made.diagnostics());
}

void StepDialog::keepArguments() {
  for (const auto& [name, value] : step().arguments) step_.arguments[name] = value;
}

void StepDialog::changed() {
  preview_.reset();
  runs_.reset();
  debounce_.start();
}

void StepDialog::askPreview() {
  Diagnostics wrong;
  for (const Field& field : fields_) valueOf(field, wrong);
  if (!wrong.empty()) {
    if (previewer_) previewer_->forget();
    return showPreview(wrong);
  }
  if (const QStringList wanted = missingArguments(); !wanted.empty()) {
    if (previewer_) previewer_->forget();
    return askFor(wanted);
  }
  ScheduleStep step = this->step();
  step.enabled = true;
  previewer_->ask([self = QPointer<StepDialog>(this), place = place_,
                   step = std::move(step)](const std::stop_token& stop) -> BackgroundWork::Answer {
    auto preview =
        std::make_shared<Result<StepPreview>>(previewStep(*place.workload, place.knobs, step, stop));
    return [self, preview] {
      if (self && !self->debounce_.isActive()) self->showPreview(std::move(*preview));
    };
  });
}

QStringList StepDialog::missingArguments() const {
  QStringList missing;
  for (const Field& field : fields_)
    if (!field.spec.initial && field.text().isEmpty()) missing << labelOf(field.spec);
  return missing;
}

/// Nothing is wrong yet: the user is on the way.
void StepDialog::askFor(const QStringList& arguments) {
  shown_->setHtml(
      QStringLiteral("<p>%1</p>")
          .arg(tr("Give %1 to see what the step does.")
                   .arg(QStringLiteral("<b>%1</b>").arg(arguments.join(QStringLiteral("</b>, <b>"))))));
  buttons_->button(QDialogButtonBox::Ok)->setEnabled(false);
}

void StepDialog::showPreview(Result<StepPreview> preview) {
  preview_ = std::move(preview);
  const bool legal = static_cast<bool>(*preview_);
  showKnown();
  buttons_->button(QDialogButtonBox::Ok)->setEnabled(legal);
  if (legal && cycles_->isChecked()) askRuns();
}

void StepDialog::askRuns() {
  ScheduleStep step = this->step();
  step.enabled = true;
  previewer_->ask([self = QPointer<StepDialog>(this), place = place_,
                   step = std::move(step)](const std::stop_token& stop) -> BackgroundWork::Answer {
    Workload with = *place.workload;
    const std::size_t position = with.document.schedule.size();
    with.document.schedule.push_back(step);
    StepRuns runs;
    runs.before = runWithSteps(with, position, place.knobs, stop);
    if (!stop.stop_requested()) runs.after = runWithSteps(with, position + 1, place.knobs, stop);
    return [self, runs = std::move(runs)] {
      if (!self || self->debounce_.isActive()) return;
      self->runs_ = runs;
      self->showKnown();
    };
  });
}

void StepDialog::showKnown() {
  if (!*preview_)
    return shown_->setHtml(
        QStringLiteral("<p>\u2716 %1</p>%2")
            .arg(tr("This step cannot be applied:"), diagnosticsHtml(preview_->diagnostics())));
  const QString waiting = cycles_->isChecked() && !runs_
                              ? QStringLiteral("<p><i>%1</i></p>").arg(tr("Simulating for the cycles\u2026"))
                              : QString();
  shown_->setHtml(waiting + previewHtml(**preview_, runs_));
}

}  // namespace sluice::ui
