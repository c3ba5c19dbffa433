// LSTM, GRU, RNN: one step after the other, each a product of the state before it.

#include <algorithm>

#include "engine/tensor/onnx/onnx_converter.h"
#include "engine/tensor/onnx/onnx_inference.h"
#include "engine/tensor/onnx/onnx_operators.h"

namespace sluice::inline tensor {
namespace {

using Kind = TensorOperatorKind;

constexpr std::int64_t most_steps = 512;

std::int64_t gatesOf(const OnnxNode& node) {
  return node.op == "LSTM" ? 4 : node.op == "GRU" ? 3 : 1;
}

/// Y is [time, directions, batch, hidden], the last states [directions, batch, hidden].
void infer(OnnxInference& infer) {
  const OnnxShape x = infer.shape(0), r = infer.shape(2);
  if (x.size() != 3 || r.size() != 3 || integerOf(infer.node(), "layout", 0) != 0) OnnxInference::giveUp();
  infer.result(0, {x[0], r[0], x[1], r[2]});
  infer.result(1, {r[0], x[1], r[2]});
  infer.result(2, {r[0], x[1], r[2]});
}

/// One direction of a node.
class Recurrence {
 public:
  Recurrence(OnnxConverter& to, const OnnxNode& node, std::int64_t direction,
             const std::vector<Kind>& functions)
      : to_(to),
        node_(node),
        functions_(functions),
        direction_(direction),
        gates_(gatesOf(node)),
        x_(to.tensor(node.inputs[0])),
        scalar_(to.scalar(node.inputs[0])) {
    const OnnxShape x = to.shape(node.inputs[0]), w = to.shape(node.inputs[1]), r = to.shape(node.inputs[2]);
    steps_ = x[0], batch_ = x[1], hidden_ = r[2];
    name_ = node.name + (w[0] == 1 ? "" : direction == 0 ? " there" : " back");
    const std::int64_t rows = gates_ * hidden_;
    recurrence_ = own(2, {rows, hidden_}, "recurrent weight");
    std::vector<std::size_t> inputs{x_, own(1, {rows, x[2]}, "weight")};
    if (has(3)) {
      const std::size_t both = own(3, {2 * rows}, "biases");
      inputs.push_back(to.sliced(both, 0, 0, rows, told("bias")));
      bias_ = to.sliced(both, 0, rows, rows, told("recurrent bias"));
    }
    from_input_ = made({Kind::Linear, std::move(inputs)}, "of inputs", {steps_, batch_, rows});
    state_ = initial(5);
    if (node.op == "LSTM") cell_ = initial(6);
  }

  /// Of all steps, in the order of time: [time, batch, hidden].
  std::size_t run(bool reverse) {
    std::vector<std::size_t> states(static_cast<std::size_t>(steps_));
    for (std::int64_t i = 0; i < steps_; ++i) {
      const std::int64_t time = reverse ? steps_ - 1 - i : i;
      step_ = " at " + std::to_string(time);
      step(time);
      states[static_cast<std::size_t>(time)] =
          to_.reshaped(state_, {1, batch_, hidden_}, told("state of time"));
    }
    step_.clear();
    return together(to_, states, told("states"));
  }
  std::size_t state() const { return state_; }
  std::size_t cell() const { return cell_; }

  static std::size_t together(OnnxConverter& to, std::vector<std::size_t> parts, const std::string& result) {
    constexpr std::ptrdiff_t most_inputs = 256;  // of a Concat
    for (std::size_t n = 1; std::ssize(parts) > most_inputs; ++n) {
      std::vector<std::size_t> fewer{
          joined(to, {parts.begin(), parts.begin() + most_inputs}, result + " part " + std::to_string(n))};
      fewer.insert(fewer.end(), parts.begin() + most_inputs, parts.end());
      parts = std::move(fewer);
    }
    return parts.size() == 1 ? parts[0] : joined(to, parts, result);
  }

 private:
  /// Along time, or directions: the first dimension.
  static std::size_t joined(OnnxConverter& to, const std::vector<std::size_t>& parts,
                            const std::string& result) {
    OnnxShape shape = to.at(parts[0]).shape;
    shape[0] = 0;
    for (const std::size_t part : parts) shape[0] += to.at(part).shape[0];
    return to.step({result, Kind::Concat, parts, 0, false, {}, {}, {}}, result, shape);
  }

  struct Step {
    Kind kind;
    std::vector<std::size_t> inputs;
  };

  bool has(std::size_t input) const { return input < node_.inputs.size() && !node_.inputs[input].empty(); }
  std::string told(const std::string& what) const { return name_ + " " + what + step_; }
  std::size_t made(Step step, const std::string& what, const OnnxShape& shape) {
    return to_.add({{}, step.kind, std::move(step.inputs), 0, false, {}, {}, {}}, told(what), shape, scalar_);
  }
  /// An input's part for this direction.
  std::size_t own(std::size_t input, const OnnxShape& shape, const std::string& what) {
    const std::string& name = node_.inputs[input];
    if (to_.shape(name)[0] == 1) return to_.viewed(name, shape);
    return to_.reshaped(to_.sliced(to_.tensor(name), 0, direction_, 1, told(what + " alone")), shape,
                        told(what));
  }
  std::size_t initial(std::size_t input) {
    const OnnxShape shape{batch_, hidden_};
    return has(input) ? own(input, shape, "first state " + std::to_string(input))
                      : made({Kind::Fill, {}}, "first state " + std::to_string(input), shape);
  }
  /// A part of [batch, gates * hidden].
  std::size_t gate(std::size_t all, std::int64_t first, std::int64_t count, const std::string& what) {
    return to_.sliced(all, 1, first * hidden_, count * hidden_, told(what));
  }
  std::size_t sum(std::size_t a, std::size_t b, const std::string& what) {
    return made({Kind::Add, {a, b}}, what, to_.at(a).shape);
  }
  std::size_t product(std::size_t a, std::size_t b, const std::string& what) {
    return made({Kind::Mul, {a, b}}, what, to_.at(a).shape);
  }
  std::size_t function(std::size_t which, std::size_t x, const std::string& what) {
    return made({functions_[which], {x}}, what, to_.at(x).shape);
  }
  std::size_t ofState(std::size_t state, std::size_t weight, std::optional<std::size_t> bias,
                      const std::string& what) {
    std::vector<std::size_t> inputs{state, weight};
    if (bias) inputs.push_back(*bias);
    return made({Kind::Linear, std::move(inputs)}, what, {batch_, to_.at(weight).shape[0]});
  }

  void step(std::int64_t time) {
    const std::size_t x = to_.reshaped(to_.sliced(from_input_, 0, time, 1, told("input")),
                                       {batch_, gates_ * hidden_}, told("row of input"));
    if (node_.op == "GRU") return gru(x);
    const std::size_t all = sum(x, ofState(state_, recurrence_, bias_, "of state"), "gates");
    if (node_.op == "LSTM")
      lstm(all);
    else
      state_ = function(0, all, "state");
  }

  /// Gates of input, output, forgetting, and the new cell.
  void lstm(std::size_t all) {
    const std::size_t in = function(0, gate(all, 0, 1, "input part"), "input gate"),
                      out = function(0, gate(all, 1, 1, "output part"), "output gate"),
                      keep = function(0, gate(all, 2, 1, "forget part"), "forget gate"),
                      fresh = function(1, gate(all, 3, 1, "cell part"), "fresh cell");
    cell_ = sum(product(keep, cell_, "kept"), product(in, fresh, "taken in"), "cell");
    state_ = product(out, function(2, cell_, "cell function"), "state");
  }

  /// Gates of updating and resetting, and the new state; `linear_before_reset` says what is reset.
  void gru(std::size_t x) {
    const bool before = integerOf(node_, "linear_before_reset", 0) != 0;
    const std::size_t two = 2 * static_cast<std::size_t>(hidden_);
    std::size_t update, reset, fresh;
    if (before) {
      const std::size_t all = ofState(state_, recurrence_, bias_, "of state");
      const std::size_t gates = function(
          0, sum(gate(x, 0, 2, "gate part"), gate(all, 0, 2, "gate part of state"), "gate sum"), "gates");
      update = gate(gates, 0, 1, "update gate"), reset = gate(gates, 1, 1, "reset gate");
      fresh = product(reset, gate(all, 2, 1, "fresh part of state"), "reset part");
    } else {
      const auto rows = [&](std::size_t tensor, std::int64_t begin, std::int64_t count,
                            const std::string& what) {
        return to_.sliced(tensor, 0, begin, count, told(what));
      };
      const auto bias = [&](std::int64_t begin, std::int64_t count) {
        return bias_ ? std::optional(rows(*bias_, begin, count, "bias from " + std::to_string(begin)))
                     : std::nullopt;
      };
      const auto gate_rows = static_cast<std::int64_t>(two);
      const std::size_t of_state = ofState(state_, rows(recurrence_, 0, gate_rows, "gate weight"),
                                           bias(0, gate_rows), "gates of state");
      const std::size_t gates = function(0, sum(gate(x, 0, 2, "gate part"), of_state, "gate sum"), "gates");
      update = gate(gates, 0, 1, "update gate"), reset = gate(gates, 1, 1, "reset gate");
      fresh = ofState(product(reset, state_, "reset state"),
                      rows(recurrence_, gate_rows, hidden_, "fresh weight"), bias(gate_rows, hidden_),
                      "fresh part of state");
    }
    fresh = function(1, sum(gate(x, 2, 1, "fresh part"), fresh, "fresh sum"), "fresh state");
    // (1 - update) * fresh + update * state
    const std::size_t change = made({Kind::Sub, {state_, fresh}}, "change", {batch_, hidden_});
    state_ = sum(fresh, product(update, change, "changed"), "state");
  }

  OnnxConverter& to_;
  const OnnxNode& node_;
  const std::vector<Kind>& functions_;
  std::int64_t direction_, gates_, steps_ = 0, batch_ = 0, hidden_ = 0;
  std::size_t x_, recurrence_ = 0, from_input_ = 0, state_ = 0, cell_ = 0;
  std::optional<std::size_t> bias_;
  Scalar scalar_;
  std::string name_, step_;
};

/// The functions of one direction, where each direction has the same.
std::vector<Kind> functionsOf(const OnnxNode& node, std::int64_t directions) {
  static const std::map<std::string, std::vector<Kind>> usual{
      {"LSTM", {Kind::Sigmoid, Kind::Tanh, Kind::Tanh}},
      {"GRU", {Kind::Sigmoid, Kind::Tanh}},
      {"RNN", {Kind::Tanh}}};
  static const std::map<std::string, Kind> known{
      {"Sigmoid", Kind::Sigmoid}, {"Tanh", Kind::Tanh}, {"Relu", Kind::Relu}};
  const std::vector<Kind>& own = usual.at(node.op);
  const auto given = node.words.find("activations");
  if (given == node.words.end()) return own;
  std::vector<Kind> functions;
  for (const std::string& name : given->second) {
    const auto function = known.find(name);
    if (function == known.end()) throw OnnxUnknown("its function " + name + " is not known");
    functions.push_back(function->second);
  }
  if (functions.size() != own.size() * static_cast<std::size_t>(directions))
    throw OnnxUnknown("its functions are not as many as it has gates");
  const std::vector<Kind> first(functions.begin(),
                                functions.begin() + static_cast<std::ptrdiff_t>(own.size()));
  for (std::size_t i = 0; i < functions.size(); ++i)
    if (functions[i] != first[i % own.size()]) throw OnnxUnknown("its directions have different functions");
  return first;
}

/// Shapes that go together, and nothing that a step here does not have.
void check(OnnxConverter& to, const OnnxNode& node) {
  const auto has = [&](std::size_t input) {
    return input < node.inputs.size() && !node.inputs[input].empty();
  };
  if (!has(1) || !has(2)) throw OnnxUnknown("its weights are not given");
  const OnnxShape x = to.shape(node.inputs[0]), w = to.shape(node.inputs[1]), r = to.shape(node.inputs[2]);
  if (x.size() != 3 || w.size() != 3 || r.size() != 3)
    throw OnnxUnknown("its inputs have not three dimensions");
  const std::int64_t rows = gatesOf(node) * r[2];
  if (w != OnnxShape{w[0], rows, x[2]} || r != OnnxShape{w[0], rows, r[2]} || w[0] < 1 || w[0] > 2 ||
      (has(3) && to.shape(node.inputs[3]) != OnnxShape{w[0], 2 * rows}))
    throw OnnxUnknown("the shapes of its weights do not go together");
  for (const std::size_t state : {5, 6})
    if (has(state) && to.shape(node.inputs[state]) != OnnxShape{w[0], x[1], r[2]})
      throw OnnxUnknown("the shapes of its first states do not go together");
  if (x[0] > most_steps || x[0] < 1)
    throw OnnxUnknown("it has no steps, or more than 512, each of which would be written out");
  if (has(4) && to.number(node.inputs[4]) != static_cast<double>(x[0]))
    throw OnnxUnknown("its sequences have lengths of their own");
  if (node.op == "LSTM" && has(7)) throw OnnxUnknown("its gates see the cell (peepholes)");
  if (integerOf(node, "layout", 0) != 0) throw OnnxUnknown("its layout is not that of time first");
  if (integerOf(node, "input_forget", 0) != 0) throw OnnxUnknown("its gates of input and forgetting are one");
  if (node.numbers.contains("clip")) throw OnnxUnknown("its numbers are clipped");
}

void convert(OnnxConverter& to, const OnnxNode& node) {
  check(to, node);
  const auto way = node.texts.find("direction");
  const std::string direction = way == node.texts.end() ? "forward" : way->second;
  const std::int64_t directions = to.shape(node.inputs[1])[0];
  if (directions == 2 ? direction != "bidirectional" : direction != "forward" && direction != "reverse")
    throw OnnxUnknown("its direction does not go with its weights");
  const std::vector<Kind> functions = functionsOf(node, directions);
  const OnnxShape x = to.shape(node.inputs[0]);
  const std::int64_t steps = x[0], batch = x[1], hidden = to.shape(node.inputs[2])[2];
  std::vector<std::size_t> all, states, cells;
  for (std::int64_t i = 0; i < directions; ++i) {
    Recurrence one(to, node, i, functions);
    const std::string which = node.name + (i == 0 ? " first" : " second");
    all.push_back(one.run(direction == "reverse" || i == 1));
    states.push_back(to.reshaped(one.state(), {1, batch, hidden}, which + " last state"));
    if (node.op == "LSTM") cells.push_back(to.reshaped(one.cell(), {1, batch, hidden}, which + " last cell"));
  }
  const auto read = [&](std::size_t output) {
    return output < node.outputs.size() && !node.outputs[output].empty() && to.isRead(node.outputs[output]);
  };
  if (read(0)) {
    std::size_t whole = to.reshaped(all[0], {steps, 1, batch, hidden}, node.name + " over time");
    if (directions == 2) {
      const std::size_t back = to.reshaped(all[1], {steps, 1, batch, hidden}, node.name + " over time back");
      TensorOperator both{{}, Kind::Concat, {whole, back}, 0, false, {}, {}, {}};
      both.axis = 1;
      whole = to.step(std::move(both), node.outputs[0] + " of both", {steps, 2, batch, hidden});
    }
    to.give(node, whole);
  }
  if (read(1)) to.give(node, Recurrence::together(to, states, node.outputs[1]), 1);
  if (read(2)) to.give(node, Recurrence::together(to, cells, node.outputs[2]), 2);
}

}  // namespace

std::span<const OnnxOperator> recurrencesOfOnnx() {
  static constexpr OnnxOperator all[] = {
      {"LSTM", infer, convert, true}, {"GRU", infer, convert, true}, {"RNN", infer, convert, true}};
  return all;
}

}  // namespace sluice::inline tensor
