#include "widgets/design/inputs_editor.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/program/spelling.h"
#include "widgets/common/qt_text.h"
#include "widgets/inspector/field_spec.h"
#include "widgets/inspector/page.h"

namespace sluice::ui {
namespace {

constexpr std::size_t most_written = 64;         // values that are edited as text
constexpr std::int64_t most_elements = 1 << 20;  // of a shape that is typed

ParameterSpec spec(const char* name, ParameterKind kind) {
  return {name, kind, std::nullopt, 0, {}, "", ""};
}

}  // namespace

InputsEditor::InputsEditor(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("inputsEditor"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  rebuild();
}

void InputsEditor::setInputs(const std::vector<Input>& inputs) {
  if (inputs == inputs_) return;
  inputs_ = inputs;
  rebuild();
}

void InputsEditor::change(const QString& what) {
  emit edited(what);
  rebuild();  // another source has other fields
}

void InputsEditor::rebuild() {
  // The field that asks for this may be at work still.
  if (fields_) fields_->hide(), fields_->deleteLater();
  fields_ = new QWidget;
  auto* layout = new QVBoxLayout(fields_);
  layout->setContentsMargins(0, 0, 0, 0);
  for (std::size_t i = 0; i < inputs_.size(); ++i) addInput(i);
  auto* add = new QPushButton(tr("Add an Input"));
  add->setObjectName(QStringLiteral("addInput"));
  connect(add, &QPushButton::clicked, this, [this] {
    Input fresh;
    const auto taken = [this](const std::string& name) {
      return std::any_of(inputs_.begin(), inputs_.end(),
                         [&](const Input& each) { return each.name == name; });
    };
    for (int number = 1; fresh.name.empty() || taken(fresh.name); ++number)
      fresh.name = "input" + std::to_string(number);
    fresh.data = IntTensor{{1}, {1}};
    inputs_.push_back(std::move(fresh));
    change(tr("a new input"));
  });
  layout->addWidget(add, 0, Qt::AlignLeft);
  this->layout()->addWidget(fields_);
  fields_->show();
}

void InputsEditor::addInput(std::size_t number) {
  const QString name = qt(inputs_[number].name);
  auto* box = new QWidget;
  box->setObjectName(QStringLiteral("input.") + name);
  auto* form = sectionForm();
  box->setLayout(form);
  ParameterEditor* names =
      field(form, tr("Name"), spec("input_name", ParameterKind::Text), Value(inputs_[number].name));
  connect(names, &ParameterEditor::edited, this, [this, number, names] {
    const std::string before = inputs_[number].name, after = *names->value()->string();
    const bool taken =
        std::any_of(inputs_.begin(), inputs_.end(), [&](const Input& each) { return each.name == after; });
    if (!isIdentifier(after) || taken) return rebuild();  // the old name comes back
    emit renamed(qt(before), qt(after));
  });
  ParameterSpec kind = specOf(&Input::kind);
  kind.name = "input_kind";
  ParameterEditor* chosen = field(form, tr("Kind"), kind, valueOf(inputs_[number].kind));
  connect(chosen, &ParameterEditor::edited, this, [this, number, chosen] {
    setTo(*chosen->value(), inputs_[number].kind);
    change(tr("the kind of %1").arg(qt(inputs_[number].name)));
  });
  addFields(form, number);
  auto* buttons = new QHBoxLayout;
  auto* choose = new QPushButton(tr("Choose File\u2026"));
  choose->setObjectName(QStringLiteral("chooseFile.") + name);
  choose->setToolTip(tr("NumPy (.npy, .npz) or nested lists of integers (.json)"));
  connect(choose, &QPushButton::clicked, this, [this, number] { emit fileWanted(static_cast<int>(number)); });
  auto* remove = new QPushButton(tr("Remove"));
  remove->setObjectName(QStringLiteral("removeInput.") + name);
  remove->setAccessibleName(tr("Remove input %1").arg(name));
  connect(remove, &QPushButton::clicked, this, [this, number, name] {
    inputs_.erase(inputs_.begin() + static_cast<std::ptrdiff_t>(number));
    change(tr("the removed input %1").arg(name));
  });
  buttons->addWidget(choose);
  buttons->addWidget(remove);
  buttons->addStretch(1);
  form->addRow(buttons);
  fields_->layout()->addWidget(box);
}

ParameterEditor* InputsEditor::field(QFormLayout* form, const QString& label, const ParameterSpec& spec,
                                     const Value& value) {
  auto* editor = new ParameterEditor(spec, {});
  editor->setValue(value);
  form->addRow(withUnit(label, spec.unit), editor);
  return editor;
}

template <class T>
void InputsEditor::addField(QFormLayout* form, std::size_t number, T Input::*member) {
  const QString label = qt(fieldOf(member).label);
  ParameterEditor* editor = field(form, label, specOf(member), valueOf(inputs_[number].*member));
  connect(editor, &ParameterEditor::edited, this, [this, number, member, editor, label] {
    if (!setTo(*editor->value(), inputs_[number].*member)) return rebuild();  // the old value comes back
    emit edited(tr("%1 of %2").arg(label.toLower(), qt(inputs_[number].name)));
  });
}

/// Where the values come from: one of file, text, generator.
void InputsEditor::addFields(QFormLayout* form, std::size_t number) {
  const Input& input = inputs_[number];
  if (!input.file.empty()) {
    ParameterEditor* file =
        field(form, tr("File"), spec("input_file", ParameterKind::Text), Value(input.file));
    connect(file, &ParameterEditor::edited, this, [this, number, file] {
      inputs_[number].file = *file->value()->string();
      change(tr("the file of %1").arg(qt(inputs_[number].name)));
    });
  } else if (input.data) {
    addShape(form, number);
    if (input.data->data.size() <= most_written) {
      ParameterEditor* values = field(form, tr("Values"), spec("input_values", ParameterKind::IntegerList),
                                      valueOf(input.data->data));
      connect(values, &ParameterEditor::edited, this, [this, number, values] {
        std::vector<std::int64_t> typed;
        IntTensor& tensor = *inputs_[number].data;
        // Of a matrix whole rows; otherwise the old values come back.
        const std::size_t row =
            tensor.shape.empty() || tensor.shape[0] == 0 ? 1 : tensor.data.size() / tensor.shape[0];
        if (!setTo(*values->value(), typed) || typed.empty() || row == 0 || typed.size() % row != 0)
          return rebuild();
        if (tensor.shape.empty()) tensor.shape = {0};
        tensor.shape[0] = typed.size() / row;
        tensor.data = typed;
        change(tr("the values of %1").arg(qt(inputs_[number].name)));
      });
    }
  }
  if (input.kind == InputKind::Routing) addSynthetic(form, number);
}

/// Another shape keeps the values in their order; new ones are 0.
void InputsEditor::addShape(QFormLayout* form, std::size_t number) {
  const std::vector<std::size_t>& shape_now = inputs_[number].data->shape;
  const std::vector<std::int64_t> sizes(shape_now.begin(), shape_now.end());
  ParameterSpec shape = spec("input_shape", ParameterKind::IntegerList);
  shape.range = Range(1, most_elements);
  ParameterEditor* editor = field(form, tr("Shape"), shape, valueOf(sizes));
  connect(editor, &ParameterEditor::edited, this, [this, number, editor] {
    std::vector<std::int64_t> typed;
    bool fits = setTo(*editor->value(), typed) && !typed.empty();
    std::int64_t elements = 1;
    for (const std::int64_t size : typed)
      if (fits) fits = (elements *= size) <= most_elements;
    if (!fits) return rebuild();  // the old shape comes back
    inputs_[number].data->shape.assign(typed.begin(), typed.end());
    inputs_[number].data->data.resize(static_cast<std::size_t>(elements));
    change(tr("the shape of %1").arg(qt(inputs_[number].name)));
  });
}

/// What a routing is generated from; with values of its own, what it must fit.
void InputsEditor::addSynthetic(QFormLayout* form, std::size_t number) {
  addField(form, number, &Input::tokens);
  addField(form, number, &Input::experts);
  addField(form, number, &Input::top_k);
  if (!inputs_[number].file.empty() || inputs_[number].data) return;
  addField(form, number, &Input::counts);
  addField(form, number, &Input::seed);
}

}  // namespace sluice::ui
