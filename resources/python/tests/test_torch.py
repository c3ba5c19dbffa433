"""PyTorch modules as programs, where torch, transformers, onnx and onnxscript are installed."""

import unittest

try:
    import onnx  # noqa: F401
    import onnxscript  # noqa: F401
    import torch
    import transformers
except ImportError as missing:
    raise unittest.SkipTest(f"sluice.torch is not tested: {missing}") from None

import numpy
import sluice
import sluice.torch
from support import refused

SIZES = {
    "vocab_size": 64, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4,
    "num_key_value_heads": 2, "max_position_embeddings": 64,
}  # fmt: skip


def mixtral():
    torch.manual_seed(1)
    return transformers.MixtralForCausalLM(transformers.MixtralConfig(**SIZES, num_local_experts=4, num_experts_per_tok=2))


class Experts(unittest.TestCase):
    def test_a_block_computes_what_the_module_computes(self):
        captured = sluice.torch.from_module(mixtral().model.layers[0].mlp, (torch.randn(2, 8, 32),))
        self.assertEqual(captured.inputs["routing"].shape, (16, 2))
        for knobs in ({"tiling": "static", "tile": 8}, {"tiling": "dynamic"}):
            self.assertLess(captured.largest_error(knobs), 1e-5)
        captured.tensors["w_up"] = captured.tensors["w_up"] + 1
        self.assertGreater(captured.largest_error(), 1e-3)

    def test_routing_is_recorded_and_is_an_input(self):
        model, tokens = mixtral(), torch.randint(0, 64, (1, 24))
        traces = sluice.torch.record_routing(model, (tokens,))
        self.assertEqual(list(traces), ["model.layers.0.mlp"])
        trace = traces["model.layers.0.mlp"]
        self.assertEqual((trace.shape, trace.dtype), ((24, 2), numpy.int64))
        self.assertTrue((trace[:, 0] != trace[:, 1]).all())
        twice = sluice.torch.record_routing(model, [{"input_ids": tokens}, {"input_ids": tokens}])
        numpy.testing.assert_array_equal(twice["model.layers.0.mlp"], numpy.concatenate([trace, trace]))
        program = sluice.workload("moe", B=24, D=32, E=4, F=64, K=2, f=16)
        self.assertEqual(sluice.simulate(program, inputs={"routing": trace}).state, "done")

    def test_what_is_not_understood_is_refused_with_its_reason(self):
        block = mixtral().model.layers[0].mlp
        block.experts.act_fn = torch.nn.GELU()
        with refused(self, "unsupported-operator") as caught:
            sluice.torch.from_module(block, (torch.randn(1, 4, 32),))
        self.assertIn("GELU", str(caught.exception))
        with refused(self, "unsupported-operator"):
            sluice.torch.record_routing(torch.nn.Linear(2, 2), (torch.randn(1, 2),))


class Models(unittest.TestCase):
    def test_a_model_is_the_program_around_its_experts(self):
        captured = sluice.torch.from_module(mixtral(), (torch.randint(0, 64, (1, 16)),))
        self.assertEqual(list(captured.blocks), ["model.layers.0.mlp"])
        self.assertLess(captured.largest_error(), 1e-4)
        self.assertLess(captured.blocks["model.layers.0.mlp"].largest_error(), 1e-4)
        self.assertIn("model.layers.0.self_attn.q_proj.weight transposed", captured.tensors)
        names = captured.simulate().operators["name"]
        self.assertTrue(any("layers_0_self_attn_q_proj" in each for each in names), names)
        cuts = {cut["operator"] for cut in captured.coverage["cuts"]}
        self.assertLessEqual({"Gather", "router"}, cuts)
        self.assertGreater(captured.coverage["macs_understood"], 0.95 * captured.coverage["macs"])
