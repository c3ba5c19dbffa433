#pragma once
// Transformer blocks as tensor programs: GPT-2, Qwen, Llama and Gemma with the sizes that StreamTensor's
// evaluation names, prompt and decode, any number of tokens, any widths.

#include <string>
#include <string_view>
#include <vector>

#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

struct TransformerModel {
  std::string name;
  std::int64_t layers = 1;
  std::int64_t hidden = 1;
  std::int64_t feed_forward = 1;
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t head_size = 1;
  std::int64_t vocabulary = 1;
  std::int64_t positions = 0;  ///< learned position embeddings; none with rotary ones
  TensorOperatorKind norm = TensorOperatorKind::RmsNorm;
  TensorOperatorKind activation = TensorOperatorKind::Silu;
  bool gated = true;             ///< feed-forward: activation(gate(x)) * up(x)
  bool projection_bias = false;  ///< of queries, keys and values
  bool other_bias = false;       ///< of all other linear operators
  bool rotary = true;
  bool norm_of_heads = false;  ///< queries and keys are normalised head by head
  bool norm_after = false;     ///< attention and feed-forward are normalised before the residual as well
  bool tied_embedding = true;  ///< the output projection is the embedding

  bool operator==(const TransformerModel&) const = default;
};

TransformerModel gpt2Medium();
TransformerModel qwenHalfBillion();
TransformerModel tinyLlama();
TransformerModel gemmaOneBillion();
/// The four, in the order of the paper's table.
std::vector<TransformerModel> publishedModels();
/// gpt2, qwen, llama or gemma.
Result<TransformerModel> modelNamed(std::string_view name);

struct Quantisation {
  Scalar weights;      ///< of matrices
  Scalar activations;  ///< and of the caches
  Scalar vectors;      ///< biases, gains, masks, angles: small, kept precise

  bool operator==(const Quantisation&) const = default;
};

/// W4A8, W8A8, W4A16 ... (integers, vectors in bf16); FP16, BF16, FP32.
Result<Quantisation> quantisationNamed(std::string_view name);

struct BlockPhase {
  std::int64_t tokens = 1;   ///< computed at once: the prompt's, or one
  std::int64_t context = 1;  ///< that attention looks at, the new ones included
};

/// All tokens of a prompt at once: causal mask, keys and values both used and handed out to the cache.
constexpr BlockPhase promptPhase(std::int64_t tokens) {
  return {tokens, tokens};
}
/// One token; keys and values of all tokens come from the caches in memory, the new ones go there first.
constexpr BlockPhase decodePhase(std::int64_t context) {
  return {1, context};
}

/// One layer. Its scale 1/sqrt(head size) is in the query weights.
Result<TensorProgram> transformerBlock(const TransformerModel& model, BlockPhase phase,
                                       const Quantisation& quantisation);

/// Of all layers, the embeddings and the last norm.
std::int64_t modelParameters(const TransformerModel& model);

}  // namespace sluice::inline tensor
