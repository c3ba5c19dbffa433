#include "widgets/design/machine_editor.h"

#include <QVBoxLayout>
#include <array>

#include "engine/program/number_ranges.h"
#include "widgets/inspector/page.h"

namespace sluice::ui {
namespace {

using Get = std::function<std::optional<Value>(const Machine&)>;
using Set = std::function<void(Machine&, const Value&)>;

/// As machine files name them.
constexpr std::array models{std::pair{HbmModel::Node, "node"}, std::pair{HbmModel::Hbm2, "hbm2"},
                            std::pair{HbmModel::Hbm3, "hbm3"}};

/// The range stands in the tooltip; the check refuses what is beyond it.
ParameterSpec integer(std::string_view name, std::string_view unit, const Range& range, const QString& help,
                      std::optional<Value> initial) {
  const std::string tip = help.isEmpty() ? text(range) : help.toStdString() + "; " + text(range);
  return {std::string(name), ParameterKind::Integer, std::move(initial), range.minimum, {}, tip,
          std::string(unit)};
}

ParameterSpec flag(const char* name, const QString& help) {
  return {name, ParameterKind::Boolean, std::nullopt, 0, {}, help.toStdString(), ""};
}

}  // namespace

MachineEditor::MachineEditor(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("machineEditor"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  rebuild();
}

void MachineEditor::setMachine(const Machine& machine, const std::vector<std::string>& names) {
  const bool other_fields = machine.hbm_model != shown_model_ || names != names_;
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
  addRow(
      form, tr("Name"), {"name", ParameterKind::Text, std::nullopt, 0, {}, "", ""},
      [](const Machine& machine) { return Value(machine.name); },
      [](Machine& machine, const Value& value) { machine.name = *value.string(); });
  addNumber(form, tr("FIFO depth"), tr("Of every stream that has none of its own"), &Machine::fifo_depth);
  addNumber(form, tr("On-chip bandwidth"), tr("Of one on-chip memory unit"), &Machine::on_chip_bandwidth);
  addNumber(form, tr("On-chip capacity"), tr("0: unlimited"), &Machine::on_chip_capacity);
  addNumber(form, tr("Scratchpads"), tr("Shared on-chip memory units; 0: every operator has its own"),
            &Machine::scratchpads);
  addMemory(form);
  if (machine_.hbm_model != HbmModel::Node) addTiming(form);
  form->addRow(sectionTitle(tr("Simulation")));
  addNumber(form, tr("Controller wait"),
            tr("Whether memory counts as waiting until an answer or until the cycle before. The reference "
               "simulator gives both"),
            &Machine::hbm_controller_wait);
  addFlag(form, tr("bfloat16 moves"), flag("mock_bf16", tr("float32 tiles move as 2 bytes an element")),
          &Machine::mock_bf16);
  addFlag(form, tr("As the reference"),
          flag("reference_mode", tr("Off: what the reference simulator does oddly is done sensibly")),
          &Machine::reference_mode);
  layout()->addWidget(fields_);
  fields_->show();
}

void MachineEditor::addMemory(QFormLayout* form) {
  form->addRow(sectionTitle(tr("Off-chip memory")));
  ParameterSpec model{"hbm_model", ParameterKind::Choice, std::nullopt, 0, {}, "", ""};
  model.help = tr("node: the reference's, by the numbers below; hbm2, hbm3: down to the banks").toStdString();
  for (const auto& [each, name] : models) model.choices.push_back(name);
  addRow(
      form, tr("Model"), model,
      [](const Machine& machine) {
        return Value(models[static_cast<std::size_t>(machine.hbm_model)].second);
      },
      [](Machine& machine, const Value& value) {
        for (const auto& [each, name] : models)
          if (*value.string() == name) machine.hbm_model = each;
        if (machine.hbm_model == HbmModel::Node) machine.hbm_timing.clear();
      });
  addNumber(form, tr("Channels"), {}, &Machine::hbm_channels);
  addNumber(form, tr("Request"), {}, &Machine::hbm_request_bytes);
  addNumber(form, tr("Latency"), {}, &Machine::hbm_latency);
  addNumber(form, tr("Initiation interval"), tr("Between requests of one channel"),
            &Machine::hbm_initiation_interval);
  addNumber(form, tr("Start-up"), tr("Paid by every request in reference mode"), &Machine::hbm_start_up);
}

/// What differs from the preset is kept; the preset stands in the empty fields.
void MachineEditor::addTiming(QFormLayout* form) {
  form->addRow(sectionTitle(tr("Clocks and banks")));
  const Dram preset = Dram::preset(machine_.hbm_model);
  for (const MemoryNumber& number : memoryNumbers()) {
    const std::string name(number.name);
    const Value usual(static_cast<std::int64_t>(preset.*number.member));
    addRow(
        form, QString::fromStdString(name), integer(name, number.unit, number.range, {}, usual),
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

void MachineEditor::addRow(QFormLayout* form, const QString& label, const ParameterSpec& spec, Get get,
                           Set set) {
  auto* editor = new ParameterEditor(spec, {names_, {}});
  form->addRow(withUnit(label, spec.unit), editor);
  rows_.push_back({editor, std::move(get)});
  connect(editor, &ParameterEditor::edited, this, [this, editor, label, set = std::move(set)] {
    set(machine_, *editor->value());
    emit edited(label);
  });
}

void MachineEditor::addNumber(QFormLayout* form, const QString& label, const QString& help,
                              Value Machine::*number) {
  const MachineNumber& known = machineNumber(number);
  addRow(
      form, label, integer(known.name, known.unit, known.range, help, Machine().*number),
      [number](const Machine& machine) { return machine.*number; },
      [number](Machine& machine, const Value& value) { machine.*number = value; });
}

void MachineEditor::addFlag(QFormLayout* form, const QString& label, const ParameterSpec& spec,
                            bool Machine::*flag) {
  addRow(
      form, label, spec, [flag](const Machine& machine) { return Value(machine.*flag); },
      [flag](Machine& machine, const Value& value) { machine.*flag = *value.boolean(); });
}

}  // namespace sluice::ui
