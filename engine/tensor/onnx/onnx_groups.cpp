// Groups of operators that exporters take apart, found again: an activation is a function of one tensor and
// of constants through Erf, Tanh or Sigmoid; a normalization one through the mean over the last dimension.
// The look of a group only makes it a candidate: it is joined if it computes one of the known functions.

#include <algorithm>
#include <numeric>

#include "engine/tensor/onnx/onnx_functions.h"
#include "engine/tensor/onnx/onnx_model.h"

namespace sluice::inline tensor {

namespace {

constexpr std::int64_t onnx_float16 = 10, onnx_bfloat16 = 16;
constexpr int most_steps = 10;
constexpr std::size_t most_readers = 32;

class Groups {
 public:
  explicit Groups(OnnxGraph& graph) : graph_(graph) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      for (const std::string& output : graph.nodes[i].outputs) producers_[output] = i;
      for (const std::string& input : graph.nodes[i].inputs) consumers_[input].push_back(i);
      for (const std::string& value : graph.nodes[i].captured) consumers_[value].push_back(i);
    }
    results_.insert(graph.outputs.begin(), graph.outputs.end());
  }

  Diagnostics join(const std::stop_token& stop) {
    for (std::size_t i = 0; i < graph_.nodes.size() && !stop.stop_requested(); ++i) {
      const std::string& op = graph_.nodes[i].op;
      if (gone_.contains(i) || graph_.nodes[i].inputs.empty() || graph_.nodes[i].outputs.empty()) continue;
      if (op == "Erf" || op == "Tanh" || op == "Sigmoid") activation(i);
      if (op == "ReduceMean") normalization(i);
    }
    std::vector<OnnxNode> left;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      if (!gone_.contains(i)) left.push_back(std::move(graph_.nodes[i]));
    graph_.nodes = std::move(left);
    return std::move(notes_);
  }

 private:
  static bool pointwise(const std::string& op) {
    for (const char* known :
         {"Add", "Sub", "Mul", "Div", "Pow", "Sqrt", "Neg", "Reciprocal", "Erf", "Tanh", "Sigmoid", "Cast"})
      if (op == known) return true;
    return false;
  }
  bool scalar(const std::string& value) const {
    const auto found = graph_.values.find(value);
    if (found == graph_.values.end() || !found->second.constant || !found->second.shape) return false;
    return std::ranges::all_of(*found->second.shape, [](std::int64_t extent) { return extent == 1; });
  }
  bool vectorConstant(const std::string& value) const {
    const auto found = graph_.values.find(value);
    return found != graph_.values.end() && found->second.constant && found->second.shape &&
           found->second.shape->size() == 1 && !scalar(value);
  }

  /// Whether `value` is a function of x and constants alone; collects the nodes that make it.
  bool functionOf(const std::string& x, const std::string& value, std::set<std::size_t>& nodes,
                  int steps = 0) const {
    if (value == x || scalar(value)) return true;
    const auto producer = producers_.find(value);
    if (producer == producers_.end() || steps > most_steps) return false;
    const OnnxNode& node = graph_.nodes[producer->second];
    if (gone_.contains(producer->second) || node.inputs.size() > 2 ||
        (!pointwise(node.op) && !meanOfRows(node)))
      return false;
    if (!nodes.insert(producer->second).second) return true;  // seen before; a failure ends the whole search
    for (std::size_t i = 0; i < argumentsOf(node); ++i)
      if (!functionOf(x, node.inputs[i], nodes, steps + 1)) return false;
    return true;
  }

  /// Over the last dimension.
  bool meanOfRows(const OnnxNode& node) const {
    if (node.op != "ReduceMean" || node.inputs.empty()) return false;
    // Without the dimension the mean would be taken from other rows.
    if (const auto keep = node.integers.find("keepdims"); keep != node.integers.end() && keep->second == 0)
      return false;
    std::vector<std::int64_t> axes;
    if (const auto list = node.lists.find("axes"); list != node.lists.end()) axes = list->second;
    if (node.inputs.size() > 1 && graph_.values.contains(node.inputs[1]))
      axes = graph_.values.at(node.inputs[1]).integers().value_or(axes);
    const auto value = graph_.values.find(node.inputs[0]);
    const bool known = value != graph_.values.end() && value->second.shape;
    const std::int64_t last = known ? static_cast<std::int64_t>(value->second.shape->size()) - 1 : -1;
    return axes.size() == 1 && (axes[0] == -1 || axes[0] == last);
  }

  /// The only reader of a value, if it is one.
  std::optional<std::size_t> onlyConsumer(const std::string& value) const {
    const auto found = consumers_.find(value);
    if (found == consumers_.end() || found->second.size() != 1) return {};
    if (results_.contains(value)) return {};
    return found->second[0];
  }

  /// Of what a group's nodes make, only the root's is read outside of it.
  bool closed(const std::set<std::size_t>& nodes, std::size_t root) const {
    return std::ranges::all_of(nodes, [&](std::size_t i) {
      if (i == root) return true;
      return std::ranges::all_of(graph_.nodes[i].outputs, [&](const std::string& output) {
        const auto readers = consumers_.find(output);
        return !results_.contains(output) && readers != consumers_.end() &&
               std::ranges::all_of(readers->second,
                                   [&](std::size_t reader) { return nodes.contains(reader); });
      });
    });
  }

  /// Something in it has elements of 16 bits.
  bool isRounded(const std::set<std::size_t>& nodes) const {
    return std::ranges::any_of(nodes, [&](std::size_t i) {
      return std::ranges::any_of(graph_.nodes[i].inputs, [&](const std::string& input) {
        const auto value = graph_.values.find(input);
        return value != graph_.values.end() &&
               (value->second.type == onnx_float16 || value->second.type == onnx_bfloat16);
      });
    });
  }

  struct Candidate {
    std::size_t root = 0;
    std::set<std::size_t> nodes;
    std::optional<KnownFunction> known;
  };

  void replace(const Candidate& group, std::vector<std::string> inputs) {
    notes_.push_back(
        note("approximated", placeOf(graph_.nodes[group.root]),
             std::to_string(group.nodes.size()) + " operators are taken together as " + group.known->op,
             "they compute the same function"));
    for (const std::size_t i : group.nodes) {
      if (i == group.root) continue;
      gone_.insert(i);
      notes_.back().related.push_back(placeOf(graph_.nodes[i]));
    }
    OnnxNode& node = graph_.nodes[group.root];
    const std::size_t origin = node.origin;
    node = {group.known->op, node.name, std::move(inputs), node.outputs, {}, {}, {}, {}, {}};
    node.origin = origin;
    if (group.known->by_tanh) node.texts["approximate"] = "tanh";
    if (group.known->epsilon) node.numbers["epsilon"] = *group.known->epsilon;
  }

  /// What `value` is where `x` is a row of numbers.
  RowFunction rowFunction(const std::string& x, const std::string& value) const {
    return [this, x, value](const NumberRow& row) {
      std::map<std::string, NumberRow> rows{{x, row}};
      return rowOf(value, rows, row.size());
    };
  }
  /// Of a function of the rows that are there already.
  std::optional<NumberRow> rowOf(const std::string& value, std::map<std::string, NumberRow>& rows,
                                 std::size_t width) const {
    if (const auto known = rows.find(value); known != rows.end()) return known->second;
    if (scalar(value)) {
      const std::optional<double> number = graph_.values.at(value).number();
      if (!number) return {};
      return NumberRow(width, *number);
    }
    const OnnxNode& node = graph_.nodes[producers_.at(value)];
    std::vector<NumberRow> operands;
    for (std::size_t i = 0; i < argumentsOf(node); ++i) {
      auto operand = rowOf(node.inputs[i], rows, width);
      if (!operand) return {};
      operands.push_back(*std::move(operand));
    }
    NumberRow row(width, 0);
    for (std::size_t i = 0; i < width; ++i) {
      NumberRow numbers;
      for (const NumberRow& operand : operands) numbers.push_back(operand[i]);
      const auto made = node.op == "ReduceMean" ? meanOf(operands[0]) : computed(node.op, numbers);
      if (!made) return {};
      row[i] = *made;
    }
    return rows[value] = row;
  }
  static std::optional<double> meanOf(const NumberRow& row) {
    return std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(row.size());
  }
  /// The axes of a mean are an input since opset 18.
  static std::size_t argumentsOf(const OnnxNode& node) {
    return node.op == "ReduceMean" ? 1 : node.inputs.size();
  }
  std::vector<double> constantsOf(const std::set<std::size_t>& nodes) const {
    std::vector<double> numbers;
    for (const std::size_t i : nodes)
      for (const std::string& input : graph_.nodes[i].inputs)
        if (scalar(input) && graph_.values.at(input).number())
          numbers.push_back(*graph_.values.at(input).number());
    return numbers;
  }

  /// Tensors that the argument of a function may be a function of.
  std::vector<std::string> sources(const std::string& value) const {
    std::vector<std::string> found{value};
    for (std::size_t i = 0; i < found.size() && i < 16; ++i) {
      const auto producer = producers_.find(found[i]);
      if (producer == producers_.end()) continue;
      const OnnxNode& node = graph_.nodes[producer->second];
      if (!pointwise(node.op) || node.inputs.size() > 2) continue;
      for (const std::string& input : node.inputs)
        if (!scalar(input) && std::ranges::find(found, input) == found.end()) found.push_back(input);
    }
    return found;
  }

  void activation(std::size_t function) {
    for (const std::string& x : sources(graph_.nodes[function].inputs[0])) {
      Candidate best;
      std::string value = graph_.nodes[function].outputs[0];
      for (int step = 0; step < 4; ++step) {
        const auto next = onlyConsumer(value);
        if (!next || graph_.nodes[*next].outputs.empty()) break;
        Candidate group{*next, {}, {}};
        value = graph_.nodes[*next].outputs[0];
        if (!functionOf(x, value, group.nodes)) break;
        if (graph_.nodes[*next].op == "Cast" || !closed(group.nodes, *next)) continue;
        group.known = knownActivation(rowFunction(x, value), isRounded(group.nodes));
        if (group.known) best = std::move(group);
      }
      if (!best.known) continue;
      replace(best, {x});
      return;
    }
    tellUnread(function);
  }

  /// A constant without a value may be why a function was not known.
  void tellUnread(std::size_t node) {
    std::vector<std::size_t> around = downstream(node);
    for (const std::string& source : sources(graph_.nodes[node].inputs[0]))
      if (const auto producer = producers_.find(source); producer != producers_.end())
        around.push_back(producer->second);
    for (const std::size_t neighbour : around) {
      for (const std::string& input : graph_.nodes[neighbour].inputs) {
        if (!pointwise(graph_.nodes[neighbour].op) || !scalar(input) || graph_.values.at(input).number())
          continue;
        notes_.push_back(
            note("missing-data", placeOf(graph_.nodes[node]),
                 "whether it belongs to an activation or a normalization is not known: the value of '" +
                     input + "' is not in the file",
                 "save small constants in the model itself"));
        notes_.back().related.emplace_back(Where::Tensor, input);
        return;
      }
    }
  }

  /// What a node leads to in a few steps.
  std::vector<std::size_t> downstream(std::size_t node) const {
    std::vector<std::size_t> found{node};
    for (std::size_t i = 0; i < found.size() && found.size() < most_readers; ++i) {
      if (graph_.nodes[found[i]].outputs.empty()) continue;
      const auto readers = consumers_.find(graph_.nodes[found[i]].outputs[0]);
      if (readers == consumers_.end()) continue;
      for (const std::size_t reader : readers->second) {
        if (found.size() == most_readers) break;
        if (std::ranges::find(found, reader) == found.end() && !graph_.nodes[reader].outputs.empty())
          found.push_back(reader);
      }
    }
    return found;
  }

  void normalization(std::size_t mean) {
    for (const std::string& x : sources(graph_.nodes[mean].inputs[0])) {
      Candidate best;
      for (const std::size_t producer : downstream(mean)) {
        const OnnxNode& node = graph_.nodes[producer];
        Candidate group{producer, {}, {}};
        if ((node.op != "Div" && node.op != "Mul") || !functionOf(x, node.outputs[0], group.nodes)) continue;
        if (!group.nodes.contains(mean) || !closed(group.nodes, producer) ||
            group.nodes.size() <= best.nodes.size())
          continue;
        group.known = knownNormalization(rowFunction(x, node.outputs[0]), constantsOf(group.nodes),
                                         isRounded(group.nodes));
        if (group.known) best = std::move(group);
      }
      if (!best.known) continue;
      scaled(x, std::move(best));
      return;
    }
    tellUnread(mean);
  }

  /// The gain, and the bias of a layer normalization, that follow.
  void scaled(const std::string& x, Candidate group) {
    const bool centred = group.known->op == "LayerNormalization";
    std::vector<std::string> inputs{x};
    std::map<std::string, std::int64_t> type;  // of a cast that is taken along
    for (const char* op : {"Mul", "Add"}) {
      auto next = onlyConsumer(graph_.nodes[group.root].outputs[0]);
      while (next && graph_.nodes[*next].op == "Cast" && !graph_.nodes[*next].outputs.empty()) {
        group.root = *next;
        group.nodes.insert(group.root);
        type = graph_.nodes[group.root].integers;
        next = onlyConsumer(graph_.nodes[group.root].outputs[0]);
      }
      if (!next || graph_.nodes[*next].op != op || graph_.nodes[*next].inputs.size() != 2 ||
          graph_.nodes[*next].outputs.empty())
        break;
      const std::vector<std::string>& operands = graph_.nodes[*next].inputs;
      const auto vector =
          std::ranges::find_if(operands, [&](const std::string& v) { return vectorConstant(v); });
      if (vector == operands.end()) break;
      inputs.push_back(*vector);
      group.root = *next;
      group.nodes.insert(group.root);
      if (!centred) break;
    }
    replace(group, std::move(inputs));
    graph_.nodes[group.root].integers = std::move(type);
  }

  OnnxGraph& graph_;
  std::map<std::string, std::size_t> producers_;
  std::map<std::string, std::vector<std::size_t>> consumers_;
  std::set<std::string> results_;
  std::set<std::size_t> gone_;
  Diagnostics notes_;
};

}  // namespace

Diagnostics joinGroups(OnnxGraph& graph, const std::stop_token& stop) {
  return Groups(graph).join(stop);
}

}  // namespace sluice::inline tensor
