#include "widgets/design/machine_editor.h"

#include <QVBoxLayout>
#include <algorithm>

#include "engine/energy/technology.h"
#include "widgets/common/qt_text.h"
#include "widgets/inspector/field_spec.h"
#include "widgets/inspector/page.h"

namespace sluice::ui {
MachineEditor::MachineEditor(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("machineEditor"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  rebuild();
}

void MachineEditor::setMachine(const Machine& machine, const std::vector<std::string>& names) {
  const bool other_fields =
      machine.hbm_model != shown_model_ || machine.technology != shown_technology_ || names != names_;
  machine_ = machine;
  names_ = names;
  if (other_fields) rebuild();
  showValues();
}

void MachineEditor::showValues() {
  for (const Row& row : rows_) row.editor->setValue(row.get(machine_));
}

void MachineEditor::rebuild() {
  rows_.clear();
  shown_model_ = machine_.hbm_model;
  // The field that asks for this may be at work still.
  if (fields_) fields_->hide(), fields_->deleteLater();
  fields_ = new QWidget;
  auto* form = sectionForm();
  fields_->setLayout(form);
  addField(form, &Machine::name);
  addField(form, &Machine::fifo_depth);
  addField(form, &Machine::on_chip_bandwidth);
  addField(form, &Machine::on_chip_capacity);
  addField(form, &Machine::scratchpads);
  form->addRow(sectionTitle(tr("Energy, power, area")));
  addTechnology(form);
  addField(form, &Machine::clock_mhz);
  form->addRow(sectionTitle(tr("Off-chip memory")));
  addField(form, &Machine::hbm_model);
  addField(form, &Machine::hbm_channels);
  addField(form, &Machine::hbm_request_bytes);
  addField(form, &Machine::hbm_latency);
  addField(form, &Machine::hbm_initiation_interval);
  addField(form, &Machine::hbm_start_up);
  if (machine_.hbm_model != HbmModel::Node) addTiming(form);
  form->addRow(sectionTitle(tr("Simulation")));
  addField(form, &Machine::hbm_controller_wait);
  addField(form, &Machine::mock_bf16);
  addField(form, &Machine::reference_mode);
  layout()->addWidget(fields_);
  fields_->show();
}

/// Those of the program, and the document's own file.
void MachineEditor::addTechnology(QFormLayout* form) {
  const std::string none = tr("none").toStdString();
  ParameterSpec spec = specOf(&Machine::technology);
  spec.kind = ParameterKind::Choice;
  spec.choices = builtinTechnologies();
  spec.choices.insert(spec.choices.begin(), none);
  if (const std::string& own = machine_.technology;
      !own.empty() && std::ranges::find(spec.choices, own) == spec.choices.end())
    spec.choices.push_back(own);
  shown_technology_ = machine_.technology;
  addRow(
      form, qt(fieldOf(&Machine::technology).label), spec,
      [none](const Machine& machine) {
        return Value(machine.technology.empty() ? none : machine.technology);
      },
      [none](Machine& machine, const Value& value) {
        machine.technology = *value.string() == none ? "" : *value.string();
      });
}

/// What differs from the preset is kept; the preset stands in the empty fields.
void MachineEditor::addTiming(QFormLayout* form) {
  form->addRow(sectionTitle(tr("Clocks and banks")));
  const Dram preset = Dram::preset(machine_.hbm_model);
  for (const Field<Dram>& field : fields<Dram>()) {
    ParameterSpec spec = specOf(field.as<std::uint64_t>());
    const std::string name = spec.name;
    const Value usual = valueOf(preset.*field.as<std::uint64_t>());
    spec.initial = usual;
    addRow(
        form, qt(name), spec,
        [name](const Machine& machine) {
          const auto given = machine.hbm_timing.find(name);
          return given == machine.hbm_timing.end() ? std::nullopt : std::optional(given->second);
        },
        [name, usual](Machine& machine, const Value& value) {
          machine.hbm_timing.erase(name);
          if (!(value == usual)) machine.hbm_timing[name] = value;
        });
  }
}

void MachineEditor::addRow(QFormLayout* form, const QString& label, const ParameterSpec& spec,
                           std::function<std::optional<Value>(const Machine&)> get,
                           std::function<void(Machine&, const Value&)> set) {
  auto* editor = new ParameterEditor(spec, {names_, {}, spec.kind == ParameterKind::Integer});
  form->addRow(withUnit(label, spec.unit), editor);
  rows_.push_back({editor, std::move(get)});
  connect(editor, &ParameterEditor::knobWanted, this, &MachineEditor::knobWanted);
  connect(editor, &ParameterEditor::edited, this, [this, editor, label, set = std::move(set)] {
    set(machine_, *editor->value());
    emit edited(label);
  });
}

template <class T>
void MachineEditor::addField(QFormLayout* form, T Machine::*member) {
  ParameterSpec spec = specOf(member);
  if (spec.kind == ParameterKind::Integer) spec.initial = valueOf(Machine().*member);
  addRow(
      form, qt(fieldOf(member).label), spec,
      [member](const Machine& machine) { return valueOf(machine.*member); },
      [member](Machine& machine, const Value& value) {
        setTo(value, machine.*member);
        if (std::is_same_v<T, HbmModel> && machine.hbm_model == HbmModel::Node) machine.hbm_timing.clear();
      });
}

}  // namespace sluice::ui
