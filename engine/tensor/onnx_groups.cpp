// Groups of operators that exporters take apart, found again: an activation is a function of one tensor and
// of constants through Erf, Tanh or Sigmoid; a normalization one through the mean over the last dimension and
// a square root.

#include <algorithm>

#include "engine/tensor/onnx_model.h"

namespace sluice {

namespace {

constexpr int mostSteps = 10;
constexpr std::size_t mostReaders = 32;

class Groups {
 public:
  explicit Groups(OnnxGraph& graph) : graph_(graph) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      for (const std::string& output : graph.nodes[i].outputs) producers_[output] = i;
      for (const std::string& input : graph.nodes[i].inputs) consumers_[input].push_back(i);
    }
    results_.insert(graph.outputs.begin(), graph.outputs.end());
  }

  Diagnostics join() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
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
    if (producer == producers_.end() || steps > mostSteps) return false;
    const OnnxNode& node = graph_.nodes[producer->second];
    if (gone_.contains(producer->second) || node.inputs.size() > 2 ||
        (!pointwise(node.op) && !meanOfRows(node)))
      return false;
    if (!nodes.insert(producer->second).second) return true;  // seen before; a failure ends the whole search
    const std::size_t arguments =
        node.op == "ReduceMean" ? 1 : node.inputs.size();  // the axes are an input since opset 18
    for (std::size_t i = 0; i < arguments; ++i)
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
      axes = graph_.values.at(node.inputs[1]).integers.value_or(axes);
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

  void replace(const std::set<std::size_t>& nodes, std::size_t root, const std::string& op,
               std::vector<std::string> inputs) {
    notes_.push_back({Severity::Note, "node '" + graph_.nodes[root].name + "'",
                      std::to_string(nodes.size()) + " operators are taken together as " + op,
                      "export the operator itself if they are something else"});
    for (const std::size_t i : nodes)
      if (i != root) gone_.insert(i);
    OnnxNode& node = graph_.nodes[root];
    node.op = op;
    node.inputs = std::move(inputs);
    node.integers.clear();
    node.lists.clear();
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
    const bool sigmoid = graph_.nodes[function].op == "Sigmoid";
    for (const std::string& x : sources(graph_.nodes[function].inputs[0])) {
      std::optional<std::size_t> root;
      std::set<std::size_t> group;
      std::string value = graph_.nodes[function].outputs[0];
      for (int step = 0; step < 4; ++step) {
        const auto next = onlyConsumer(value);
        if (!next) break;
        std::set<std::size_t> nodes;
        if (graph_.nodes[*next].outputs.empty()) break;
        value = graph_.nodes[*next].outputs[0];
        if (!functionOf(x, value, nodes)) break;
        if (graph_.nodes[*next].op == "Mul" && closed(nodes, *next)) root = next, group = nodes;
      }
      if (!root || !readsDirectly(group, x)) continue;
      const bool plain = sigmoid && graph_.nodes[function].inputs[0] == x;
      replace(group, *root, plain ? "Silu" : "Gelu", {x});
      return;
    }
  }
  /// x * f(x): a product in the group reads x, perhaps halved.
  bool readsDirectly(const std::set<std::size_t>& group, const std::string& x) const {
    return std::ranges::any_of(group, [&](std::size_t i) {
      const OnnxNode& node = graph_.nodes[i];
      return node.op == "Mul" && std::ranges::find(node.inputs, x) != node.inputs.end();
    });
  }

  /// What a node leads to in a few steps.
  std::vector<std::size_t> downstream(std::size_t node) const {
    std::vector<std::size_t> found{node};
    for (std::size_t i = 0; i < found.size() && found.size() < mostReaders; ++i) {
      if (graph_.nodes[found[i]].outputs.empty()) continue;
      const auto readers = consumers_.find(graph_.nodes[found[i]].outputs[0]);
      if (readers == consumers_.end()) continue;
      for (const std::size_t reader : readers->second) {
        if (found.size() == mostReaders) break;
        if (std::ranges::find(found, reader) == found.end() && !graph_.nodes[reader].outputs.empty())
          found.push_back(reader);
      }
    }
    return found;
  }

  void normalization(std::size_t mean) {
    for (const std::string& x : sources(graph_.nodes[mean].inputs[0])) {
      std::optional<std::size_t> root;
      std::set<std::size_t> group;
      for (const std::size_t producer : downstream(mean)) {
        const OnnxNode& node = graph_.nodes[producer];
        std::set<std::size_t> nodes;
        const bool reciprocal = node.op == "Div" && !node.inputs.empty() && scalar(node.inputs[0]);
        if ((node.op != "Div" && node.op != "Mul") || reciprocal || !functionOf(x, node.outputs[0], nodes))
          continue;
        const auto has = [&](const char* what) {
          return std::ranges::any_of(nodes, [&](std::size_t i) { return graph_.nodes[i].op == what; });
        };
        if (nodes.contains(mean) && has("Sqrt") && closed(nodes, producer) && nodes.size() > group.size())
          root = producer, group = nodes;
      }
      if (!root) continue;
      scaled(x, *root, group);
      return;
    }
  }

  /// The gain, and the bias of a layer normalization, that follow.
  void scaled(const std::string& x, std::size_t root, std::set<std::size_t> group) {
    const bool centred =
        std::ranges::any_of(group, [&](std::size_t i) { return graph_.nodes[i].op == "Sub"; });
    std::vector<std::string> inputs{x};
    std::map<std::string, std::int64_t> type;  // of a cast that is taken along
    for (const char* op : {"Mul", "Add"}) {
      auto next = onlyConsumer(graph_.nodes[root].outputs[0]);
      while (next && graph_.nodes[*next].op == "Cast" && !graph_.nodes[*next].outputs.empty()) {
        root = *next;
        group.insert(root);
        type = graph_.nodes[root].integers;
        next = onlyConsumer(graph_.nodes[root].outputs[0]);
      }
      if (!next || graph_.nodes[*next].op != op || graph_.nodes[*next].inputs.size() != 2 ||
          graph_.nodes[*next].outputs.empty())
        break;
      const std::vector<std::string>& operands = graph_.nodes[*next].inputs;
      const auto vector =
          std::ranges::find_if(operands, [&](const std::string& v) { return vectorConstant(v); });
      if (vector == operands.end()) break;
      inputs.push_back(*vector);
      root = *next;
      group.insert(root);
      if (!centred) break;
    }
    replace(group, root, centred ? "LayerNormalization" : "RMSNormalization", std::move(inputs));
    graph_.nodes[root].integers = std::move(type);
  }

  OnnxGraph& graph_;
  std::map<std::string, std::size_t> producers_;
  std::map<std::string, std::vector<std::size_t>> consumers_;
  std::set<std::string> results_;
  std::set<std::size_t> gone_;
  Diagnostics notes_;
};

}  // namespace

Diagnostics joinGroups(OnnxGraph& graph) {
  return Groups(graph).join();
}

}  // namespace sluice
