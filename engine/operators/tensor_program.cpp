// TensorProgram: a block of a transformer, or any program in writing, over whole tensors, before anything is
// tiled or streamed. It stands in a program until the schedule's step compile_tensors replaces it by the
// tasks that it is compiled to; it has no streams and does not run itself.

#include "engine/operators/operator.h"

namespace sluice::inline operators::tensor_program {

namespace {

Diagnostic uncompiled(const ShapeContext& t) {
  return t.problem(
      "operator-rule", "",
      "it computes whole tensors; it has to be compiled to kernels and streams before it can run",
      "add the step compile_tensors to the schedule, with program = \"" + t.op.origin + "\"");
}

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  return uncompiled(t);
}

simulator::Process behaviour(const Instance&, simulator::Context& me) {
  me.fail("operator-rule", 0, "a tensor program does not run before it is compiled",
          "add the step compile_tensors");
  co_return;
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "TensorProgram",
              .category = "Higher order",
              .summary = "A transformer block over whole tensors, which the step compile_tensors compiles to "
                         "streams.",
              .paper = "StreamTensor 6",
              .parameters =
                  {choiceParameter("model", "whose sizes it has", {"gpt2", "qwen", "llama", "gemma"},
                                   Value("gpt2")),
                   choiceParameter("phase", "prompt: all tokens at once; decode: one token more",
                                   {"prompt", "decode"}, Value("prompt")),
                   integerParameter("tokens",
                                    "of the prompt; decode: that attention looks at, the new one included", 1,
                                    Value(64), "tokens"),
                   integerParameter("blocks", "layers, one after the other", 1, Value(1)),
                   choiceParameter("quantisation", "widths of weights and activations",
                                   {"W4A8", "W8A8", "W4A16", "FP16", "BF16", "FP32"}, Value("W4A8")),
                   {"text",
                    ParameterKind::Text,
                    Value(""),
                    0,
                    {},
                    "a program of one's own in place of the model, as 'sluice-cli import MODEL.onnx' writes "
                    "it: program @name { %x = input tensor<64x256xi8> ... return %y }",
                    {}},
                   listParameter("sizes",
                                 "of the names behind the text's own, as in program @name(seq) {...}, whose "
                                 "extents are expressions over them, as in tensor<$(2*seq)x256xi8>",
                                 0, Value(std::vector<Value>{}))},
              .inputs = {},
              .outputs = {},
              .rules = {.shape = "No streams: tensors, until compile_tensors makes streams of them.",
                        .cost = "What it is compiled to says.",
                        .timing = "It does not run; its kernels do."},
          },
      .shape = shape,
      .cost = noCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = unknownRates,
      .holds_program = true,
  };
  return definition;
}

}  // namespace sluice::inline operators::tensor_program
