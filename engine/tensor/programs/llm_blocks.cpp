#include "engine/tensor/programs/llm_blocks.h"

#include <optional>

namespace sluice::inline tensor {
namespace {

using Shape = std::vector<std::int64_t>;

/// Adds operators to a program, each with the tensor it writes.
class BlockBuilder {
 public:
  BlockBuilder(const TransformerModel& model, BlockPhase phase, const Quantisation& widths)
      : model_(model), phase_(phase), widths_(widths) {
    program_.name = model.name + (phase.tokens == phase.context ? " prompt block" : " decode block");
  }

  TensorProgram build() {
    const std::size_t x = tensor("x", {phase_.tokens, model_.hidden}, widths_.activations, TensorRole::Input);
    const std::size_t attended =
        residual("attention residual", x, attention(norm("attention norm", x)), "attention norm after");
    const std::size_t y =
        residual("feed-forward residual", attended, feedForward(norm("feed-forward norm", attended)),
                 "feed-forward norm after");
    program_.results.insert(program_.results.begin(), y);
    return std::move(program_);
  }

 private:
  std::size_t tensor(std::string name, Shape shape, Scalar scalar, TensorRole role) {
    program_.tensors.push_back({std::move(name), std::move(shape), scalar, role});
    return program_.tensors.size() - 1;
  }

  /// The last dimension of a tensor.
  std::int64_t width(std::size_t number) const { return program_.tensors[number].shape.back(); }

  std::size_t vector(const std::string& name, std::int64_t size) {
    return tensor(name, {size}, widths_.vectors, TensorRole::Weight);
  }

  std::size_t apply(const std::string& name, TensorOperatorKind kind, std::vector<std::size_t> inputs,
                    Shape shape) {
    const std::size_t output = tensor(name, std::move(shape), widths_.activations, TensorRole::Activation);
    program_.operators.push_back({name, kind, std::move(inputs), output, false, {}, {}, {}});
    return output;
  }

  /// An operator whose result has the shape of its first input.
  std::size_t same(const std::string& name, TensorOperatorKind kind, std::vector<std::size_t> inputs) {
    Shape shape = program_.tensors[inputs[0]].shape;
    return apply(name, kind, std::move(inputs), std::move(shape));
  }

  std::size_t linear(const std::string& name, std::size_t x, std::int64_t size, bool bias) {
    Shape shape = program_.tensors[x].shape;
    std::vector<std::size_t> inputs{
        x, tensor(name + " weight", {size, shape.back()}, widths_.weights, TensorRole::Weight)};
    if (bias) inputs.push_back(vector(name + " bias", size));
    shape.back() = size;
    return apply(name, TensorOperatorKind::Linear, std::move(inputs), std::move(shape));
  }

  std::size_t norm(const std::string& name, std::size_t x) {
    std::vector<std::size_t> inputs{x, vector(name + " gain", width(x))};
    if (model_.norm == TensorOperatorKind::LayerNorm) inputs.push_back(vector(name + " bias", width(x)));
    return same(name, model_.norm, std::move(inputs));
  }

  std::size_t residual(const std::string& name, std::size_t x, std::size_t branch, const std::string& after) {
    if (model_.norm_after) branch = norm(after, branch);
    return same(name, TensorOperatorKind::Add, {branch, x});
  }

  std::size_t transpose(const std::string& name, std::size_t x, std::vector<std::size_t> permutation) {
    Shape shape;
    for (const std::size_t from : permutation) shape.push_back(program_.tensors[x].shape[from]);
    const std::size_t output = apply(name, TensorOperatorKind::Transpose, {x}, std::move(shape));
    program_.operators.back().permutation = std::move(permutation);
    return output;
  }

  /// The heads of queries ([kv heads, queries per kv head, tokens, size]) or keys and values (without the
  /// second dimension), turned by their positions where `positioned`.
  std::size_t heads(const std::string& name, std::size_t x, bool queries, bool positioned) {
    const std::int64_t shared = model_.heads / model_.kv_heads;
    std::size_t split = apply(name + " heads", TensorOperatorKind::Reshape, {x},
                              queries ? Shape{phase_.tokens, model_.kv_heads, shared, model_.head_size}
                                      : Shape{phase_.tokens, model_.kv_heads, model_.head_size});
    if (positioned && model_.norm_of_heads) split = norm(name + " norm", split);
    std::size_t turned =
        transpose(name + " by head", split,
                  queries ? std::vector<std::size_t>{1, 2, 0, 3} : std::vector<std::size_t>{1, 0, 2});
    if (!positioned || !model_.rotary) return turned;
    return same(name + " rotary", TensorOperatorKind::Rotary, {turned, angles()});
  }

  std::size_t angles() {
    if (!angles_)
      angles_ = tensor("angles", {phase_.tokens, model_.head_size}, widths_.vectors, TensorRole::Table);
    return *angles_;
  }

  /// What attention reads: the keys or values just made, or those in the cache.
  std::size_t cached(const std::string& name, std::size_t made) {
    program_.results.push_back(made);
    if (phase_.tokens == phase_.context) return made;
    return tensor(name + " cache", {model_.kv_heads, phase_.context, model_.head_size}, widths_.activations,
                  TensorRole::Input);
  }

  std::size_t attention(std::size_t x) {
    const std::int64_t tokens = phase_.tokens, shared = model_.heads / model_.kv_heads;
    const bool bias = model_.projection_bias;
    const std::size_t q =
        heads("query", linear("query", x, model_.heads * model_.head_size, bias), true, true);
    const std::int64_t kv = model_.kv_heads * model_.head_size;
    const std::size_t k = cached("key", heads("key", linear("key", x, kv, bias), false, true));
    const std::size_t v = cached("value", heads("value", linear("value", x, kv, bias), false, false));
    std::size_t scores = apply("scores", TensorOperatorKind::BatchedMatmul, {q, k},
                               {model_.kv_heads, shared, tokens, phase_.context});
    program_.operators.back().transposed_right = true;
    if (tokens > 1) {
      const std::size_t mask = tensor("mask", {tokens, phase_.context}, widths_.vectors, TensorRole::Table);
      scores = same("masked scores", TensorOperatorKind::Add, {scores, mask});
    }
    const std::size_t weights = same("softmax", TensorOperatorKind::Softmax, {scores});
    const std::size_t mixed = apply("mix", TensorOperatorKind::BatchedMatmul, {weights, v},
                                    {model_.kv_heads, shared, tokens, model_.head_size});
    const std::size_t rows = transpose("mix by token", mixed, {2, 0, 1, 3});
    const std::size_t merged =
        apply("merged heads", TensorOperatorKind::Reshape, {rows}, {tokens, model_.heads * model_.head_size});
    return linear("projection", merged, model_.hidden, model_.other_bias);
  }

  std::size_t feedForward(std::size_t x) {
    const std::size_t gate = linear(model_.gated ? "gate" : "up", x, model_.feed_forward, model_.other_bias);
    std::size_t inner = same("activation", model_.activation, {gate});
    if (model_.gated)
      inner = same("gated", TensorOperatorKind::Mul,
                   {inner, linear("up", x, model_.feed_forward, model_.other_bias)});
    return linear("down", inner, model_.hidden, model_.other_bias);
  }

  const TransformerModel& model_;
  BlockPhase phase_;
  const Quantisation& widths_;
  TensorProgram program_;
  std::optional<std::size_t> angles_;
};

std::optional<std::uint16_t> widthIn(std::string_view digits) {
  if (digits.empty() || digits.size() > 2) return {};
  int width = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return {};
    width = width * 10 + (c - '0');
  }
  return width >= 1 && width <= 32 ? std::optional(static_cast<std::uint16_t>(width)) : std::nullopt;
}

}  // namespace

TransformerModel gpt2Medium() {
  TransformerModel model{"GPT-2", 24, 1024, 4096, 16, 16, 64, 50257, 1024};
  model.norm = TensorOperatorKind::LayerNorm;
  model.activation = TensorOperatorKind::Gelu;
  model.gated = model.rotary = false;
  model.projection_bias = model.other_bias = true;
  return model;
}

TransformerModel qwenHalfBillion() {
  TransformerModel model{"Qwen", 24, 896, 4864, 14, 2, 64, 151936};
  model.projection_bias = true;
  return model;
}

TransformerModel tinyLlama() {
  TransformerModel model{"Llama", 22, 2048, 5632, 32, 4, 64, 32000};
  model.tied_embedding = false;
  return model;
}

TransformerModel gemmaOneBillion() {
  TransformerModel model{"Gemma", 26, 1152, 6912, 4, 1, 256, 262144};
  model.activation = TensorOperatorKind::Gelu;
  model.norm_of_heads = model.norm_after = true;
  return model;
}

std::vector<TransformerModel> publishedModels() {
  return {gpt2Medium(), qwenHalfBillion(), tinyLlama(), gemmaOneBillion()};
}

Result<TransformerModel> modelNamed(std::string_view name) {
  if (name == "gpt2") return gpt2Medium();
  if (name == "qwen") return qwenHalfBillion();
  if (name == "llama") return tinyLlama();
  if (name == "gemma") return gemmaOneBillion();
  return error("unknown-name", "model '" + std::string(name) + "'", "there is no built-in model of that name",
               "use gpt2, qwen, llama or gemma");
}

Result<Quantisation> quantisationNamed(std::string_view name) {
  if (name == "FP16") return Quantisation{Scalar::F16, Scalar::F16, Scalar::F16};
  if (name == "BF16") return Quantisation{Scalar::BF16, Scalar::BF16, Scalar::BF16};
  if (name == "FP32") return Quantisation{};
  const std::size_t a = name.find('A');
  if (name.starts_with('W') && a != std::string_view::npos) {
    const auto weights = widthIn(name.substr(1, a - 1)), activations = widthIn(name.substr(a + 1));
    if (weights && activations)
      return Quantisation{
          {Scalar::Format::Signless, *weights}, {Scalar::Format::Signless, *activations}, Scalar::BF16};
  }
  return error("unknown-choice", "quantisation '" + std::string(name) + "'",
               "it is neither W<bits>A<bits> with 1 to 32 bits nor FP16, BF16 or FP32",
               "write for example W4A8: weights of 4 bits, activations of 8");
}

Result<TensorProgram> transformerBlock(const TransformerModel& model, BlockPhase phase,
                                       const Quantisation& quantisation) {
  const Location place = "block of '" + model.name + "'";
  if (phase.tokens < 1 || phase.context < phase.tokens)
    return error(
        "out-of-range", place,
        std::to_string(phase.tokens) + " tokens attend to a context of " + std::to_string(phase.context),
        "compute at least one token, and let the context include the new tokens");
  if (phase.tokens > 1 && phase.context != phase.tokens)
    return error("out-of-range", place, "several tokens are computed behind a filled cache",
                 "compute a whole prompt (context equal to tokens) or decode one token");
  if (model.kv_heads < 1 || model.heads % model.kv_heads != 0)
    return error("shape-mismatch", place,
                 std::to_string(model.heads) + " heads cannot share " + std::to_string(model.kv_heads) +
                     " key and value heads evenly",
                 "let the key and value heads divide the heads");
  TensorProgram program = BlockBuilder(model, phase, quantisation).build();
  Diagnostics found = verify(program);
  if (!found.empty()) return found;
  return program;
}

std::int64_t modelParameters(const TransformerModel& model) {
  const auto block = transformerBlock(model, promptPhase(1), Quantisation{});
  const std::int64_t embeddings = (model.tied_embedding ? 1 : 2) * model.vocabulary + model.positions;
  const std::int64_t last_norm = model.norm == TensorOperatorKind::LayerNorm ? 2 : 1;
  return model.layers * parameterCount(*block) + (embeddings + last_norm) * model.hidden;
}

}  // namespace sluice::inline tensor
