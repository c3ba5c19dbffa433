// A folded program with all of its layers.

#include "engine/tensor/programs/folded_program.h"

#include <algorithm>
#include <set>

#include "engine/tensor/programs/renumber.h"
#include "engine/tensor/programs/size_expression.h"

namespace sluice::inline tensor {
namespace {

constexpr std::size_t most_unfolded_operators = 100'000;

class Unfolder {
 public:
  explicit Unfolder(const FoldedProgram& folded) : folded_(folded) {
    whole_.name = folded.program.name;
    to_.resize(folded.program.tensors.size());
  }

  Result<TensorProgram> unfold() {
    for (const FoldedLayers& layers : folded_.layers) SLUICE_CHECK(check(layers));
    SLUICE_CHECK(checkReaders());
    SLUICE_CHECK(tensors());
    SLUICE_CHECK(operators());
    for (const std::size_t result : folded_.program.results) {
      const FoldedLayers* layers = layersOf(result);
      for (std::int64_t layer = 0; layer < (layers ? layers->count : 1); ++layer)
        whole_.results.push_back(layers ? owned(*layers, layer, result) : to_[result]);
    }
    return std::move(whole_);
  }

 private:
  const TensorValue& tensor(std::size_t number) const { return folded_.program.tensors[number]; }

  const FoldedLayers* layersOf(std::size_t number) const {
    const auto found = std::ranges::find_if(
        folded_.layers, [number](const FoldedLayers& layers) { return layers.holds(number); });
    return found == folded_.layers.end() ? nullptr : &*found;
  }

  bool isOutside(std::size_t number) const {
    return !layersOf(number) && std::ranges::none_of(folded_.layers, [number](const FoldedLayers& layers) {
      return std::ranges::find(layers.carried, number, &CarriedTensor::taken) != layers.carried.end();
    });
  }

  Result<Done> check(const FoldedLayers& layers) const {
    const Location place = "the layers of '" + folded_.program.name + "'";
    if (layers.count < 1 || layers.count > most_folded_layers ||
        static_cast<std::size_t>(layers.count) * layers.length > most_unfolded_operators)
      return error(
          "out-of-range", place,
          std::to_string(layers.count) + " layers of " + std::to_string(layers.length) + " operators",
          "repeat 1 to " + std::to_string(most_folded_layers) + " layers, with " +
              std::to_string(most_unfolded_operators) + " operators in all");
    for (const CarriedTensor& carried : layers.carried) {
      if (!layers.holds(carried.given))
        return error("unknown-tensor", Location(Where::Tensor, tensor(carried.given).name),
                     "a layer hands it on without having made it", "yield a tensor of the layer itself");
      if (!isOutside(carried.initial))
        return error("unknown-tensor", Location(Where::Tensor, tensor(carried.initial).name),
                     "the first layer takes it, and it is of other layers",
                     "take what is there before the layers");
      for (const std::size_t taken : {carried.initial, carried.taken, carried.last})
        if (tensor(taken).shape != tensor(carried.given).shape ||
            tensor(taken).scalar != tensor(carried.given).scalar)
          return error("shape-mismatch", Location(Where::Tensor, tensor(carried.given).name),
                       "a layer hands on another type than it takes",
                       "yield a tensor of the type of '" + tensor(carried.initial).name + "'");
    }
    return Done{};
  }

  /// What a layer has of its own only its operators and the results may read.
  Result<Done> checkReaders() const {
    for (std::size_t op = 0; op < folded_.program.operators.size(); ++op) {
      for (const std::size_t read : readTensors(folded_.program.operators[op])) {
        const FoldedLayers* layers = layersOf(read);
        const bool taken = std::ranges::any_of(folded_.layers, [&](const FoldedLayers& some) {
          return !within(some, op) &&
                 std::ranges::find(some.carried, read, &CarriedTensor::taken) != some.carried.end();
        });
        if (taken || (layers && !within(*layers, op)))
          return error("unknown-tensor", Location(Where::Operator, folded_.program.operators[op].name),
                       "it reads '" + tensor(read).name + "', of which every layer has another",
                       "read what the layers give");
      }
    }
    return Done{};
  }

  static bool within(const FoldedLayers& layers, std::size_t op) {
    return op >= layers.begin && op < layers.begin + layers.length;
  }

  std::size_t owned(const FoldedLayers& layers, std::int64_t layer, std::size_t number) const {
    return to_[layers.tensors] + static_cast<std::size_t>(layer) * layers.owned + number - layers.tensors;
  }

  Result<std::string> nameOf(const std::string& name, std::int64_t layer) const {
    if (name.find("$(") == std::string::npos)
      return layer == 0 ? name : name + " " + std::to_string(layer + 1);
    const auto value = [layer](std::string_view inside) { return ofLayer(inside, layer); };
    if (std::optional<std::string> own = withExpressions(name, value)) return *std::move(own);
    return error("expression-syntax", Location(Where::Tensor, name),
                 "its name has no number for layer " + std::to_string(layer),
                 std::string("write sums and products of whole numbers and of '") + layer_number +
                     "', or a number for each layer");
  }

  /// The expression, or that of the layer where commas separate one for each.
  static std::optional<std::int64_t> ofLayer(std::string_view inside, std::int64_t layer) {
    const NamedSizes sizes{{layer_number, layer}};
    if (inside.find(',') == std::string_view::npos) return sizeOf(inside, sizes);
    for (; layer > 0; --layer) {
      const std::size_t comma = inside.find(',');
      if (comma == std::string_view::npos) return {};
      inside.remove_prefix(comma + 1);
    }
    return sizeOf(inside.substr(0, inside.find(',')), sizes);
  }

  /// The name behind the layers stays with the tensor that it stands for.
  Result<std::string> nameOf(const FoldedLayers& layers, std::int64_t layer, std::size_t number) const {
    if (layer + 1 == layers.count)
      if (const auto carried = std::ranges::find(layers.carried, number, &CarriedTensor::given);
          carried != layers.carried.end())
        return tensor(carried->last).name;
    return nameOf(tensor(number).name, layer);
  }

  Result<Done> add(TensorValue value, std::string name) {
    if (!names_.insert(name).second)
      return error("duplicate-name", Location(Where::Tensor, name), "two tensors have this name",
                   "give one of them another name");
    value.name = std::move(name);
    whole_.tensors.push_back(std::move(value));
    return Done{};
  }

  Result<Done> tensors() {
    std::set<std::size_t> standing;  // for others
    for (const FoldedLayers& layers : folded_.layers)
      for (const CarriedTensor& carried : layers.carried) standing.insert({carried.taken, carried.last});
    for (std::size_t number = 0; number < folded_.program.tensors.size(); ++number) {
      if (standing.contains(number)) continue;
      to_[number] = whole_.tensors.size();
      const FoldedLayers* layers = layersOf(number);
      if (!layers) {
        SLUICE_CHECK(add(tensor(number), tensor(number).name));
        continue;
      }
      for (std::int64_t layer = 0; layer < layers->count; ++layer) {
        for (std::size_t own = layers->tensors; own < layers->tensors + layers->owned; ++own) {
          SLUICE_TRY(std::string name, nameOf(*layers, layer, own));
          SLUICE_CHECK(add(tensor(own), std::move(name)));
        }
      }
      number += layers->owned - 1;
    }
    for (const FoldedLayers& layers : folded_.layers)
      for (const CarriedTensor& carried : layers.carried)
        to_[carried.last] = owned(layers, layers.count - 1, carried.given);
    return Done{};
  }

  Result<Done> operators() {
    for (std::size_t op = 0; op < folded_.program.operators.size(); ++op) {
      const auto layers = std::ranges::find(folded_.layers, op, &FoldedLayers::begin);
      if (layers == folded_.layers.end()) {
        whole_.operators.push_back(
            renumbered(folded_.program.operators[op], [&](std::size_t t) { return to_[t]; }));
        continue;
      }
      for (std::int64_t layer = 0; layer < layers->count; ++layer)
        for (std::size_t own = op; own < op + layers->length; ++own)
          SLUICE_CHECK(addOperator(*layers, layer, own));
      op += layers->length - 1;
    }
    return Done{};
  }

  Result<Done> addOperator(const FoldedLayers& layers, std::int64_t layer, std::size_t number) {
    const TensorOperator& op = folded_.program.operators[number];
    const bool as_output = op.name == tensor(op.output).name;
    whole_.operators.push_back(renumbered(op, [&](std::size_t t) {
      if (layers.holds(t)) return owned(layers, layer, t);
      const auto carried = std::ranges::find(layers.carried, t, &CarriedTensor::taken);
      if (carried == layers.carried.end()) return to_[t];
      return layer == 0 ? to_[carried->initial] : owned(layers, layer - 1, carried->given);
    }));
    TensorOperator& made = whole_.operators.back();
    made.name = whole_.tensors[made.output].name;
    if (as_output) return Done{};
    SLUICE_TRY(made.name, nameOf(op.name, layer));
    return Done{};
  }

  const FoldedProgram& folded_;
  TensorProgram whole_;
  std::vector<std::size_t> to_;  ///< tensors of the whole; of a layer's, the first one's
  std::set<std::string> names_;
};

}  // namespace

Result<TensorProgram> unfolded(const FoldedProgram& program) {
  return program.layers.empty() ? program.program : Unfolder(program).unfold();
}

}  // namespace sluice::inline tensor
