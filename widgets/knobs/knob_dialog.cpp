#include "widgets/knobs/knob_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <set>

#include "engine/explorer/explore.h"
#include "engine/explorer/tables.h"
#include "engine/program/fields.h"
#include "engine/symbolic/expr.h"
#include "widgets/common/diagnostic_text.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/inspector/value_text.h"
#include "widgets/knobs/knob_proposal.h"

namespace sluice::ui {
namespace {

QString numbersText(const std::vector<std::int64_t>& numbers) {
  QStringList texts;
  for (const std::int64_t number : numbers) texts << QString::number(number);
  return texts.join(QStringLiteral(", "));
}

QString choicesText(const std::vector<std::string>& choices) {
  QStringList texts;
  for (const std::string& choice : choices) texts << qt(choice);
  return texts.join(QStringLiteral("; "));
}

/// There are values, and none of them twice.
template <class T>
void checkEach(const std::vector<T>& values, const char* key, const std::string& example,
               Diagnostics& wrong) {
  const std::set<T> different(values.begin(), values.end());
  const Location place(Where::Field, key);
  if (values.empty())
    wrong.push_back(error("missing-value", place, "a knob needs values", "write them as " + example));
  else if (different.size() < values.size())
    wrong.push_back(error("duplicate-name", place, "a value stands there twice", "remove one of the two"));
}

bool hasBounds(KnobKind kind) {
  return kind == KnobKind::Range || kind == KnobKind::PowerOfTwo;
}

}  // namespace

KnobDialog::KnobDialog(const Knob& knob, KnobSurroundings surroundings, QWidget* parent)
    : QDialog(parent),
      knob_(knob),
      surroundings_(std::move(surroundings)),
      kind_(new QComboBox),
      form_(new QFormLayout),
      count_(new QLabel),
      buttons_(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel)) {
  setObjectName(QStringLiteral("knobDialog"));
  setWindowTitle(tr("Knob"));
  kind_->setObjectName(QStringLiteral("knobField.kind"));
  kind_->setAccessibleName(tr("Kind of values"));
  kind_->addItem(tr("List"), static_cast<int>(KnobKind::List));
  kind_->addItem(tr("Range"), static_cast<int>(KnobKind::Range));
  kind_->addItem(tr("Powers of two"), static_cast<int>(KnobKind::PowerOfTwo));
  kind_->addItem(tr("Choices"), static_cast<int>(KnobKind::Choice));
  kind_->setCurrentIndex(kind_->findData(static_cast<int>(knob.kind)));
  addField(*form_, "name", tr("&Name"), {});
  form_->addRow(tr("&Kind"), kind_);
  addField(*form_, "values", tr("&Values"), tr("1, 2, 4 or D/4, D/2, D"));
  addField(*form_, "choices", tr("Cho&ices"), tr("static; dynamic"));
  addField(*form_, "minimum", tr("Mini&mum"), tr("a number or an expression over constants"));
  addField(*form_, "maximum", tr("Ma&ximum"), tr("a number or an expression over constants"));
  addField(*form_, "step", tr("&Step"), {});
  addField(*form_, "default", tr("&Default"), tr("the first value"));
  addField(*form_, "help", tr("&Help"), tr("what it stands for"));
  count_->setObjectName(QStringLiteral("knobCount"));
  count_->setWordWrap(true);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(form_);
  layout->addWidget(count_);
  layout->addStretch();
  layout->addWidget(buttons_);
  fill("name", qt(knob.name));
  fill("help", qt(knob.help));
  showKind();
  for (const auto& [key, field] : fields_)
    connect(field.line, &QLineEdit::textChanged, this, &KnobDialog::check);
  connect(kind_, &QComboBox::currentIndexChanged, this, &KnobDialog::showKind);
  connect(buttons_, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
  fields_.at("name").line->setFocus();
  fields_.at("name").line->selectAll();
  resize(440, sizeHint().height());
}

void KnobDialog::addField(QFormLayout& form, const char* key, const QString& label, const QString& hint) {
  const QString name = QString::fromLatin1(key);
  Field field{new QWidget, new QLineEdit, new QLabel};
  field.line->setObjectName(QStringLiteral("knobField.") + name);
  field.line->setAccessibleName(QString(label).remove(QLatin1Char('&')));
  field.line->setPlaceholderText(hint);
  field.message->setObjectName(QStringLiteral("knobMessage.") + name);
  field.message->setWordWrap(true);
  field.message->hide();
  field.box->setFocusProxy(field.line);
  auto* lines = new QVBoxLayout(field.box);
  lines->setContentsMargins(0, 0, 0, 0);
  lines->setSpacing(2);
  lines->addWidget(field.line);
  lines->addWidget(field.message);
  form.addRow(label, field.box);
  fields_[key] = field;
}

QString KnobDialog::text(const char* key) const {
  return fields_.at(key).line->text().trimmed();
}

KnobKind KnobDialog::kind() const {
  return static_cast<KnobKind>(kind_->currentData().toInt());
}

/// What the user has typed stays.
void KnobDialog::fill(const char* key, const QString& text) {
  QLineEdit* line = fields_.at(key).line;
  if (!line->isModified()) line->setText(text);
}

void KnobDialog::showKind() {
  const KnobKind now = kind();
  const bool own = now == knob_.kind;
  const std::int64_t around = knob_.kind == KnobKind::Choice ? 1 : knob_.initial;
  const Knob shown = own ? knob_ : proposedKnob(now, around, surroundings_.range);
  fill("values", numbersText(shown.list));
  fill("choices", choicesText(shown.choices));
  fill("minimum", QString::number(shown.minimum));
  fill("maximum", QString::number(shown.maximum));
  fill("step", QString::number(shown.step));
  fill("default",
       now == KnobKind::Choice && shown.choices.empty() ? QString() : qt(knobText(shown, shown.initial)));
  const auto show = [&](const char* key, bool visible) {
    form_->setRowVisible(fields_.at(key).box, visible);
  };
  show("values", now == KnobKind::List);
  show("choices", now == KnobKind::Choice);
  show("minimum", hasBounds(now));
  show("maximum", hasBounds(now));
  show("step", now == KnobKind::Range);
  check();
}

/// The numbers that a field's expressions come to; none if one of them is wrong.
std::vector<std::int64_t> KnobDialog::numbers(const char* key, bool list, Diagnostics& wrong) const {
  ParameterSpec spec;
  spec.name = key;
  spec.kind = list ? ParameterKind::IntegerList : ParameterKind::Integer;
  spec.range = any_number;
  const Location place(Where::Field, key);
  std::vector<std::string> names;
  for (const auto& [name, value] : surroundings_.constants) names.push_back(name);
  const Result<Value> typed = parseValue(spec, text(key), names);
  if (!typed) {
    const Diagnostic& why = typed.diagnostics().front();
    const LocationPart* symbol = why.place.find(Where::Symbol);
    const bool other = symbol && std::ranges::find(surroundings_.others, symbol->name, &Knob::name) !=
                                     surroundings_.others.end();
    wrong.push_back(other ? error("unknown-symbol", place, "the values of a knob cannot follow another knob",
                                  "use numbers and constants")
                          : why);
    wrong.back().place = place;
    return {};
  }
  std::vector<std::int64_t> numbers;
  for (const Value& each : typed->list() ? *typed->list() : std::vector<Value>{*typed}) {
    const Result<Expr> expression = parseExpr(sluice::text(each));
    const auto value = expression ? expression->value(surroundings_.constants) : std::nullopt;
    if (value) {
      numbers.push_back(*value);
      continue;
    }
    wrong.push_back(error("overflow", place, "'" + sluice::text(each) + "' has no value",
                          "write what does not divide by zero and fits in 64 bits"));
    return {};
  }
  return numbers;
}

void KnobDialog::readValues(Knob& knob, Diagnostics& wrong) const {
  if (knob.kind == KnobKind::List) {
    const std::size_t before = wrong.size();
    knob.list = numbers("values", true, wrong);
    if (wrong.size() == before) checkEach(knob.list, "values", "1, 2, 4, 8", wrong);
  } else if (knob.kind == KnobKind::Choice) {
    for (const QString& choice : text("choices").split(QLatin1Char(';'), Qt::SkipEmptyParts))
      if (!choice.trimmed().isEmpty()) knob.choices.push_back(choice.trimmed().toStdString());
    checkEach(knob.choices, "choices", "static; dynamic", wrong);
  } else {
    const auto read = [&](const char* key, std::int64_t& number) {
      const std::vector<std::int64_t> typed = numbers(key, false, wrong);
      if (!typed.empty()) number = typed.front();
    };
    const std::size_t before = wrong.size();
    read("minimum", knob.minimum);
    read("maximum", knob.maximum);
    if (knob.kind == KnobKind::Range) read("step", knob.step);
    if (wrong.size() > before) return;
    if (knob.step < 1)
      wrong.push_back(error("out-of-range", Location(Where::Field, "step"), "a step is at least 1", "use 1"));
    else if (knob.minimum > knob.maximum)
      wrong.push_back(error("out-of-range", Location(Where::Field, "maximum"), "it is below the minimum",
                            "use at least " + std::to_string(knob.minimum)));
    else if (knob.size() == 0)
      wrong.push_back(error("missing-value", Location(Where::Field, "maximum"),
                            "there is no power of two between the two", "widen the bounds"));
    else if (knob.size() > Knob::max_values)
      wrong.push_back(error("too-many", Location(Where::Field, "maximum"),
                            "these are more than " + std::to_string(Knob::max_values) + " values",
                            "use a larger step, or powers of two"));
  }
}

void KnobDialog::readDefault(Knob& knob, Diagnostics& wrong) const {
  const Location place(Where::Field, "default");
  const bool first = text("default").isEmpty();
  if (knob.kind == KnobKind::Choice) {
    const auto found = std::ranges::find(knob.choices, text("default").toStdString());
    knob.initial = first ? 0 : found - knob.choices.begin();
  } else if (first) {
    knob.initial = knob.values().front();
  } else {
    const std::vector<std::int64_t> typed = numbers("default", false, wrong);
    if (typed.empty()) return;
    knob.initial = typed.front();
  }
  if (!knob.allows(knob.initial))
    wrong.push_back(error("out-of-range", place, "it is not one of the values",
                          "use " + knobText(knob, knob.values().front()) + ", or another of the values"));
}

Result<Knob> KnobDialog::knob() const {
  Knob knob;
  Diagnostics wrong;
  knob.name = text("name").toStdString();
  knob.kind = kind();
  knob.help = text("help").toStdString();
  if (const auto why = surroundings_.refused(knob.name)) wrong.push_back(*why);
  const std::size_t before = wrong.size();
  readValues(knob, wrong);
  if (wrong.size() == before) readDefault(knob, wrong);
  if (!wrong.empty()) return wrong;
  return knob;
}

void KnobDialog::check() {
  const Result<Knob> made = knob();
  std::map<std::string, QString> messages;
  if (!made)
    for (const Diagnostic& why : made.diagnostics())
      if (const LocationPart* field = why.place.find(Where::Field))
        messages.emplace(field->name, QStringLiteral("\u26a0 ") + causeAndFix(why));
  for (auto& [key, field] : fields_) {
    const auto message = messages.find(key);
    field.message->setText(message == messages.end() ? QString() : message->second);
    field.message->setVisible(message != messages.end());
  }
  buttons_->button(QDialogButtonBox::Ok)->setEnabled(static_cast<bool>(made));
  if (!made) return count_->setText(QStringLiteral("\u2013"));
  DesignSpace space{surroundings_.others};
  space.knobs.push_back(*made);
  count_->setText(tr("%1 values; %2 combinations of all knobs")
                      .arg(exactNumber(made->size()), exactNumber(space.size())));
}

}  // namespace sluice::ui
