// Equal layers of a program found and folded into one.

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "engine/core/characters.h"
#include "engine/tensor/programs/folded_program.h"
#include "engine/tensor/programs/renumber.h"
#include "engine/tensor/programs/repeated_layers.h"

namespace sluice::inline tensor {
namespace {

/// "layers.1.w": "layers.", 1, ".w". Numbers with zeros in front are text.
struct NumberedName {
  std::vector<std::string> texts;  ///< one more than the numbers
  std::vector<std::int64_t> numbers;
};

NumberedName numbersIn(const std::string& name) {
  NumberedName parts{{""}, {}};
  for (std::size_t at = 0; at < name.size();) {
    std::size_t end = at;
    while (end < name.size() && isDigit(name[end])) ++end;
    std::int64_t number = 0;
    const bool leading_zero = name[at] == '0' && end > at + 1;
    if (end == at || end - at > 9 || leading_zero) {
      end = std::max(end, at + 1);
      parts.texts.back().append(name, at, end - at);
    } else {
      std::from_chars(name.data() + at, name.data() + end, number);
      parts.numbers.push_back(number);
      parts.texts.emplace_back();
    }
    at = end;
  }
  return parts;
}

/// "7", "$(layer)", "$(2*layer + 1)" or "$(7, 9, 12)" for these numbers; the last only if `any`.
std::optional<std::string> commonNumber(const std::vector<std::int64_t>& numbers, bool any) {
  const std::int64_t begin = numbers[0], step = numbers[1] - begin;
  bool follows = step >= 0;
  std::string list;
  for (std::size_t layer = 0; layer < numbers.size(); ++layer) {
    follows = follows && numbers[layer] == begin + static_cast<std::int64_t>(layer) * step;
    list += (layer == 0 ? "" : ", ") + std::to_string(numbers[layer]);
  }
  if (!follows) return any ? std::optional("$(" + list + ")") : std::nullopt;
  if (step == 0) return std::to_string(begin);
  const std::string product = step == 1 ? layer_number : std::to_string(step) + "*" + layer_number;
  return begin == 0 ? "$(" + product + ")" : "$(" + product + " + " + std::to_string(begin) + ")";
}

/// One name for those of all layers: "layers.$(layer).w". Empty: they differ in more than numbers, or their
/// numbers do not follow the layer's and that is not `any` that will do.
std::optional<std::string> commonName(const std::vector<std::string>& names, bool any) {
  std::vector<NumberedName> parts;
  for (const std::string& name : names) {
    parts.push_back(numbersIn(name));
    if (parts.back().texts != parts.front().texts) return {};
  }
  std::string common = parts[0].texts[0];
  for (std::size_t i = 0; i < parts[0].numbers.size(); ++i) {
    std::vector<std::int64_t> numbers;
    for (const NumberedName& part : parts) numbers.push_back(part.numbers[i]);
    const std::optional<std::string> number = commonNumber(numbers, any);
    if (!number) return {};
    common += *number + parts[0].texts[i + 1];
  }
  return common;
}

/// Tries layers at one place. Empty wherever they are not the same in all that they read.
class Folder {
 public:
  Folder(const TensorProgram& program, const RepeatedLayers& layers)
      : program_(program), layers_(layers), written_by_(writers(program)) {}

  std::optional<FoldedProgram> fold() {
    if (layers_.count < 2 || layers_.count > static_cast<std::size_t>(most_folded_layers)) return {};
    for (const TensorValue& tensor : program_.tensors)
      if (tensor.name.find("$(") != std::string::npos || !names_.insert(tensor.name).second) return {};
    if (!findReads() || carried_.empty()) return {};
    region_.begin = layers_.begin, region_.length = layers_.length;
    region_.count = static_cast<std::int64_t>(layers_.count);
    folded_.program.name = program_.name;
    addTensors();
    if (!addOperators() || !addResults()) return {};
    folded_.layers = {region_};
    return std::move(folded_);
  }

 private:
  enum class From { Layer, LayerBefore, Own, Shared };
  struct Read {
    From from = From::Shared;
    std::size_t tensor = 0;  ///< of the first layer, or what it takes from outside
    std::size_t given = 0;   ///< LayerBefore: by which of the layer's operators
    bool operator==(const Read&) const = default;
  };

  std::size_t operatorAt(std::size_t layer, std::size_t offset) const {
    return layers_.begin + layer * layers_.length + offset;
  }

  /// Which operator of the layer writes it.
  std::optional<std::size_t> offsetIn(std::size_t layer, std::size_t tensor) const {
    const auto writer = written_by_[tensor];
    if (!writer || *writer < operatorAt(layer, 0) || *writer >= operatorAt(layer + 1, 0)) return {};
    return *writer - operatorAt(layer, 0);
  }

  /// How a layer but the first reads `tensor` where the first reads `of_first`.
  std::optional<Read> readOf(std::size_t layer, std::size_t of_first, std::size_t tensor) {
    if (const auto offset = offsetIn(layer, tensor))
      return offsetIn(0, of_first) == offset ? std::optional(Read{From::Layer, of_first}) : std::nullopt;
    if (offsetIn(0, of_first)) return {};
    if (const auto offset = offsetIn(layer - 1, tensor)) return Read{From::LayerBefore, of_first, *offset};
    if (tensor == of_first) return Read{From::Shared, of_first};
    if (written_by_[tensor] || written_by_[of_first] ||
        program_.tensors[tensor].role != program_.tensors[of_first].role)
      return {};
    std::vector<std::size_t>& own = own_[of_first];
    own.resize(layers_.count, of_first);
    if (own[layer] != of_first && own[layer] != tensor) return {};
    own[layer] = tensor;
    return Read{From::Own, of_first};
  }

  bool findReads() {
    reads_.resize(layers_.length);
    for (std::size_t offset = 0; offset < layers_.length; ++offset) {
      const std::vector<std::size_t> of_first = readTensors(program_.operators[operatorAt(0, offset)]);
      for (std::size_t layer = 1; layer < layers_.count; ++layer) {
        const std::vector<std::size_t> tensors = readTensors(program_.operators[operatorAt(layer, offset)]);
        for (std::size_t i = 0; i < tensors.size(); ++i) {
          const std::optional<Read> read = readOf(layer, of_first[i], tensors[i]);
          if (!read || (layer > 1 && reads_[offset][i] != *read)) return false;
          if (layer == 1) reads_[offset].push_back(*read);
        }
      }
    }
    for (const std::vector<Read>& some : reads_)
      for (const Read& read : some)
        if (read.from == From::LayerBefore) carried_.insert({{read.tensor, read.given}, carried_.size()});
    return ownDiffer();
  }

  /// A tensor that is a layer's own is no other layer's, and shared by none.
  bool ownDiffer() const {
    std::set<std::size_t> owned;
    for (const auto& [first, tensors] : own_)
      for (const std::size_t tensor : tensors)
        if (!owned.insert(tensor).second) return false;
    return std::ranges::none_of(reads_, [&](const std::vector<Read>& some) {
      return std::ranges::any_of(some, [&](const Read& read) {
        return (read.from == From::Shared || read.from == From::LayerBefore) && owned.contains(read.tensor);
      });
    });
  }

  std::size_t add(TensorValue value, std::string name) {
    value.name = std::move(name);
    folded_.program.tensors.push_back(std::move(value));
    return folded_.program.tensors.size() - 1;
  }
  std::size_t add(std::size_t tensor) { return add(program_.tensors[tensor], program_.tensors[tensor].name); }

  /// The name of what stands in the first layer for `tensors`, one of each.
  std::string nameOf(std::vector<std::size_t> tensors) const {
    if (isLast(tensors.back())) tensors.pop_back();  // which has a name of its own
    std::vector<std::string> names;
    for (const std::size_t tensor : tensors) names.push_back(program_.tensors[tensor].name);
    if (names.size() < 2) return names[0];
    const bool kept = !written_by_[tensors[0]] || isResult(tensors[0]);
    return commonName(names, kept).value_or(names[0]);
  }

  bool isResult(std::size_t tensor) const {
    return std::ranges::find(program_.results, tensor) != program_.results.end();
  }

  std::vector<std::size_t> outputsAt(std::size_t offset) const {
    std::vector<std::size_t> outputs;
    for (std::size_t layer = 0; layer < layers_.count; ++layer)
      outputs.push_back(program_.operators[operatorAt(layer, offset)].output);
    return outputs;
  }

  bool isLast(std::size_t tensor) const {
    const auto offset = offsetIn(layers_.count - 1, tensor);
    return offset && std::ranges::any_of(
                         carried_, [&](const auto& carried) { return carried.first.second == *offset; });
  }

  /// In the order of the text: from outside, before, taken; the layer's; given, behind.
  void addTensors() {
    std::set<std::size_t> own;
    for (const auto& [first, tensors] : own_) own.insert(tensors.begin(), tensors.end());
    for (std::size_t tensor = 0; tensor < program_.tensors.size(); ++tensor)
      if (!written_by_[tensor] && !own.contains(tensor)) to_[tensor] = add(tensor);
    for (std::size_t op = 0; op < layers_.begin; ++op) addOutput(op);
    for (const auto& [key, number] : carried_)
      taken_[key] = add(asActivation(key.first), freeName("layer input", number));
    region_.tensors = folded_.program.tensors.size();
    for (const auto& [first, tensors] : own_)
      in_layer_[first] = add(program_.tensors[first], nameOf(tensors));
    for (std::size_t offset = 0; offset < layers_.length; ++offset) {
      const std::vector<std::size_t> outputs = outputsAt(offset);
      in_layer_[outputs[0]] = add(program_.tensors[outputs[0]], nameOf(outputs));
    }
    region_.owned = folded_.program.tensors.size() - region_.tensors;
    std::map<std::size_t, std::size_t> lasts;  // by offset
    for (const auto& [key, number] : carried_) {
      const std::size_t given = outputsAt(key.second).front(), last = outputsAt(key.second).back();
      if (!lasts.contains(key.second)) lasts[key.second] = add(last);
      to_[last] = lasts[key.second];
      region_.carried.push_back({0, taken_.at(key), in_layer_.at(given), to_[last]});
    }
    for (std::size_t op = operatorAt(layers_.count, 0); op < program_.operators.size(); ++op) addOutput(op);
  }

  std::string freeName(std::string name, std::size_t number) const {
    if (number > 0) name += " " + std::to_string(number + 1);
    while (names_.contains(name)) name += "'";
    return name;
  }

  TensorValue asActivation(std::size_t tensor) const {
    TensorValue value = program_.tensors[tensor];
    value.role = TensorRole::Activation;
    return value;
  }

  void addOutput(std::size_t op) { to_[program_.operators[op].output] = add(program_.operators[op].output); }

  bool addOperators() {
    auto carried = region_.carried.begin();
    for (const auto& [key, number] : carried_) {
      if (!to_.contains(key.first)) return false;
      (carried++)->initial = to_.at(key.first);
    }
    bool found = true;
    const auto outside = [&](std::size_t tensor) {
      found = found && to_.contains(tensor);
      return found ? to_.at(tensor) : 0;
    };
    for (std::size_t op = 0; op < program_.operators.size(); ++op) {
      if (op == layers_.begin) {
        for (std::size_t offset = 0; offset < layers_.length; ++offset) addLayerOperator(offset);
        op = operatorAt(layers_.count, 0);
        if (op == program_.operators.size()) break;
      }
      folded_.program.operators.push_back(renumbered(program_.operators[op], outside));
    }
    return found;
  }

  void addLayerOperator(std::size_t offset) {
    const TensorOperator& op = program_.operators[operatorAt(0, offset)];
    std::size_t next = 0;
    TensorOperator made = renumbered(op, [&](std::size_t tensor) {
      if (next == reads_[offset].size()) return in_layer_.at(tensor);  // what it writes
      const Read& read = reads_[offset][next++];
      if (read.from == From::LayerBefore) return taken_.at({read.tensor, read.given});
      return read.from == From::Shared ? to_.at(tensor) : in_layer_.at(tensor);
    });
    std::vector<std::string> names;
    for (std::size_t layer = 0; layer < layers_.count; ++layer)
      names.push_back(program_.operators[operatorAt(layer, offset)].name);
    made.name = op.name == program_.tensors[op.output].name ? folded_.program.tensors[made.output].name
                                                            : commonName(names, false).value_or(op.name);
    folded_.program.operators.push_back(std::move(made));
  }

  /// A layer's result is one of every layer.
  bool addResults() {
    std::map<std::size_t, std::size_t> of_layers;  // by offset: how many
    for (const std::size_t result : program_.results) {
      const auto writer = written_by_[result];
      const bool within = writer && *writer >= layers_.begin && *writer < operatorAt(layers_.count, 0);
      if (!within || (isLast(result) && !resultsOfAll(result))) {
        if (!to_.contains(result)) return false;
        folded_.program.results.push_back(to_.at(result));
        continue;
      }
      const std::size_t offset = (*writer - layers_.begin) % layers_.length;
      if (++of_layers[offset] == layers_.count)
        folded_.program.results.push_back(in_layer_.at(outputsAt(offset).front()));
    }
    return std::ranges::all_of(of_layers, [&](const auto& some) { return some.second == layers_.count; });
  }

  bool resultsOfAll(std::size_t result) const {
    const std::size_t offset = *offsetIn(layers_.count - 1, result);
    return std::ranges::all_of(outputsAt(offset), [&](std::size_t tensor) { return isResult(tensor); });
  }

  const TensorProgram& program_;
  const RepeatedLayers layers_;
  const std::vector<std::optional<std::size_t>> written_by_;
  std::vector<std::vector<Read>> reads_;                 ///< of each operator of a layer
  std::map<std::size_t, std::vector<std::size_t>> own_;  ///< by the first layer's: each layer's
  std::map<std::pair<std::size_t, std::size_t>, std::size_t>
      carried_;                                                       ///< taken by the first, offset: number
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> taken_;  ///< what stands for it
  std::map<std::size_t, std::size_t> to_, in_layer_;  ///< tensors outside the layers, of the first layer
  std::set<std::string> names_;                       ///< of all tensors
  FoldedLayers region_;
  FoldedProgram folded_;
};

/// The names of tensors from outside and of results, each with what it is; what programs compute, names
/// aside.
bool isSame(const TensorProgram& a, const TensorProgram& b) {
  if (a.tensors.size() != b.tensors.size() || a.operators.size() != b.operators.size()) return false;
  std::vector<std::optional<std::size_t>> to(a.tensors.size());
  bool same = true;
  const auto match = [&](std::size_t of_a, std::size_t of_b) {
    TensorValue one = a.tensors[of_a], other = b.tensors[of_b];
    if (one.role == TensorRole::Activation) one.name = other.name;
    same = same && one == other && to[of_a].value_or(of_b) == of_b;
    to[of_a] = of_b;
    return of_b;
  };
  for (std::size_t i = 0; i < a.operators.size(); ++i) {
    const TensorOperator& other = b.operators[i];
    std::vector<std::size_t> touched = readTensors(other);
    touched.push_back(other.output);
    if (readTensors(a.operators[i]).size() + 1 != touched.size()) return false;
    std::size_t next = 0;
    TensorOperator one = renumbered(a.operators[i], [&](std::size_t t) { return match(t, touched[next++]); });
    one.name = other.name;
    if (!same || one != other) return false;
  }
  std::set<std::string> results, others;
  for (const std::size_t result : a.results) results.insert(a.tensors[result].name);
  for (const std::size_t result : b.results) others.insert(b.tensors[result].name);
  return results == others;
}

}  // namespace

FoldedProgram folded(const TensorProgram& program) {
  const RepeatedLayers found = repeatedLayers(program);
  if (found.count == 0) return {program, {}};
  std::vector<RepeatedLayers> attempts = {found};
  // The first layer may be told apart by what it takes; layers of two kinds may take turns.
  attempts.push_back({found.count - 1, found.begin + found.length, found.length});
  attempts.push_back({found.count - 1, found.begin, found.length});
  attempts.push_back({found.count / 2, found.begin, 2 * found.length});
  for (const RepeatedLayers& layers : attempts) {
    std::optional<FoldedProgram> once = Folder(program, layers).fold();
    if (!once) continue;
    const Result<TensorProgram> whole = unfolded(*once);
    if (whole && isSame(program, *whole)) return *std::move(once);
  }
  return {program, {}};
}

}  // namespace sluice::inline tensor
