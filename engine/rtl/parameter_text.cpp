#include "engine/rtl/parameter_text.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "engine/operators/off_chip.h"
#include "engine/rtl/sv_names.h"

namespace sluice::inline rtl {
namespace {

std::string number(std::uint64_t value) {
  return "64'd" + std::to_string(value);
}

/// The first element at index 0: SystemVerilog writes the last one first.
std::string list(const std::vector<std::int64_t>& elements) {
  std::string text;
  for (const std::int64_t element : elements)
    text = number(static_cast<std::uint64_t>(element)) + (text.empty() ? "" : ", ") + text;
  return elements.empty() ? "'0" : "{" + text + "}";
}

std::string valueText(const BoundValue& value) {
  struct Visitor {
    std::string operator()(const BoundInteger& integer) const {
      return number(static_cast<std::uint64_t>(integer.value));
    }
    std::string operator()(bool on) const { return on ? "1'b1" : "1'b0"; }
    std::string operator()(const std::string& text) const { return "\"" + text + "\""; }
    std::string operator()(const std::vector<BoundInteger>& elements) const {
      std::vector<std::int64_t> values;
      for (const BoundInteger& element : elements) values.push_back(element.value);
      return list(values);
    }
    std::string operator()(const std::vector<StreamOrder>&) const {
      throw std::logic_error("an order is no parameter of a module");
    }
  };
  return std::visit(Visitor{}, value);
}

std::string machineNumber(const BoundMachine& machine, const std::string& field) {
  struct Number {
    std::string_view name;
    std::uint64_t BoundMachine::*value;
  };
  constexpr std::array numbers{Number{"machine.on_chip_bandwidth", &BoundMachine::on_chip_bandwidth},
                               Number{"machine.hbm_request_bytes", &BoundMachine::hbm_request_bytes}};
  const auto found = std::ranges::find(numbers, field, &Number::name);
  if (found == numbers.end()) throw std::logic_error("no number of the machine: " + field);
  return number(machine.*found->value);
}

/// Bytes of an element as it is stored: of the operator's scalar, else of f32.
std::string elementBytes(const FlatOperator& op, const BoundMachine& machine) {
  const Scalar scalar = op.parameters.values().contains("scalar") ? scalarOf(op) : Scalar::F32;
  return std::to_string(storedBytes(scalar, machine));
}

/// "input.extents": the numbers of the input that the parameter names; "input.extents.size".
std::string inputText(const FlatOperator& op, const InputSet& inputs, std::string name) {
  const bool size = name.ends_with(".size");
  if (size) name.resize(name.size() - 5);
  const std::vector<std::int64_t>& values = inputs.at(op.parameters.string(name)).tensor.data;
  return size ? std::to_string(values.size()) : list(values);
}

std::string textOf(const FlatOperator& op, const BoundMachine& machine, const InputSet& inputs,
                   const GroupPlaces& groups, const std::string& source) {
  if (source == "groups.first") return std::to_string(groups.first);
  if (source == "groups.size") return std::to_string(groups.size);
  if (source.starts_with("input.")) return inputText(op, inputs, source.substr(6));
  if (source.starts_with("machine.")) return machineNumber(machine, source);
  if (source == "element_bytes") return elementBytes(op, machine);
  if (const std::size_t dot = source.find('.'); dot != std::string::npos)
    return std::to_string(op.parameters.list(source.substr(0, dot)).size());
  return valueText(op.parameters.values().at(source));
}

}  // namespace

Result<std::vector<std::pair<std::string, std::string>>> parameterTexts(const FlatOperator& op,
                                                                        const BoundMachine& machine,
                                                                        const InputSet& inputs,
                                                                        const GroupPlaces& groups,
                                                                        const RtlModule& module) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const ModuleParameter& parameter : module.parameters) {
    if (!parameter.choices.empty()) {
      const std::string& choice = op.parameters.string(parameter.source);
      if (std::ranges::find(parameter.choices, choice) == parameter.choices.end())
        return error(
            "unsupported-operator", Location(Where::Operator, op.name),
            "the RTL of '" + op.spec->kind + "' does not know the " + parameter.source + " '" + choice + "'",
            "it knows " + joined(parameter.choices, ", "));
    }
    texts.emplace_back(parameter.name, textOf(op, machine, inputs, groups, parameter.source));
  }
  return texts;
}

}  // namespace sluice::inline rtl
