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
from transformers.models.dbrx.modeling_dbrx import DbrxFFN
from transformers.models.deepseek_v3.modeling_deepseek_v3 import DeepseekV3MoE
from transformers.models.gpt_oss.modeling_gpt_oss import GptOssMLP
from transformers.models.lfm2_moe.modeling_lfm2_moe import Lfm2MoeSparseMoeBlock
from transformers.models.llama4.modeling_llama4 import Llama4TextMoe

SIZES = {
    "vocab_size": 64, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4,
    "num_key_value_heads": 2, "max_position_embeddings": 64,
}  # fmt: skip


def drawn(module):
    """With random weights, biases included."""
    torch.manual_seed(2)
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return module.eval()


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

    def test_what_is_no_module_or_of_bfloat16_is_refused(self):
        with refused(self, "wrong-type"):
            sluice.torch.from_module(3, (torch.randn(1, 4),))
        with refused(self, "wrong-type") as caught:
            sluice.torch.from_module(torch.nn.Linear(4, 4).bfloat16(), (torch.randn(1, 4).bfloat16(),))
        self.assertIn("'weight' is of bfloat16", str(caught.exception))
        with refused(self, "wrong-type") as caught:
            sluice.torch.from_module(torch.nn.ReLU(), (torch.randn(1, 4).bfloat16(),))
        self.assertIn("'an argument' is of bfloat16", str(caught.exception))

    def test_other_layouts_of_experts_compute_what_their_modules_compute(self):
        lfm2 = transformers.Lfm2MoeConfig(
            hidden_size=32, intermediate_size=48, moe_intermediate_size=24, num_experts=6, num_experts_per_tok=2, num_dense_layers=0, num_hidden_layers=1,
            layer_types=["full_attention"],
        )  # fmt: skip
        experts = {"ffn_hidden_size": 24, "moe_num_experts": 6, "moe_top_k": 2, "hidden_size": 32}
        dbrx = transformers.DbrxConfig(d_model=32, n_heads=4, ffn_config=experts)
        for block in (Lfm2MoeSparseMoeBlock(lfm2), DbrxFFN(dbrx)):
            with self.subTest(type(block).__name__):
                captured = sluice.torch.from_module(drawn(block), (torch.randn(2, 8, 32),))
                self.assertEqual(captured.inputs["routing"].shape, (16, 2))
                self.assertLess(captured.largest_error(), 1e-5)

    def test_experts_that_see_all_tokens_are_those_of_the_tokens_that_are_theirs(self):
        config = transformers.Llama4TextConfig(hidden_size=32, intermediate_size=24, num_local_experts=4, num_experts_per_tok=1)
        block = drawn(Llama4TextMoe(config))
        captured = sluice.torch.from_module(block, (torch.randn(1, 8, 32),))
        self.assertEqual(captured.blocks["experts"].inputs["routing"].shape, (8, 1))
        self.assertLess(captured.largest_error(), 1e-5)
        self.assertLess(captured.blocks["experts"].largest_error(), 1e-5)
        chosen = block.router(torch.zeros(8, 32) + torch.arange(8)[:, None])[1].argmax(dim=-1)
        trace = sluice.torch.record_routing(block, ((torch.zeros(8, 32) + torch.arange(8)[:, None])[None],))
        numpy.testing.assert_array_equal(trace[""][1:, 0], chosen[1:])
        block.router.top_k = 2
        with refused(self, "unsupported-operator") as caught:
            sluice.torch.record_routing(block, (torch.randn(1, 8, 32),))
        self.assertIn("a token goes to several", str(caught.exception))

    def test_experts_with_biases_and_a_clamp_compute_what_the_module_computes(self):
        block = drawn(GptOssMLP(transformers.GptOssConfig(hidden_size=32, intermediate_size=48, num_local_experts=8, num_experts_per_tok=2)))
        block.experts.limit = 1.5  # which many numbers are beyond
        captured = sluice.torch.from_module(block, (2 * torch.randn(2, 8, 32),))
        for knobs in ({"tiling": "static", "tile": 8}, {"tiling": "dynamic", "regions": 4}):
            self.assertLess(captured.largest_error(knobs), 1e-5)
        self.assertTrue((numpy.abs(captured.tensors["b_up"]) > 0).all())
        block.experts.alpha = 1.0  # what is captured follows the module's numbers
        other = sluice.torch.from_module(block, (2 * torch.randn(2, 8, 32),))
        self.assertLess(other.largest_error(), 1e-5)
        trace = sluice.torch.record_routing(block, (torch.randn(2, 8, 32),))
        self.assertEqual(trace[""].shape, (16, 2))

    def test_shared_experts_are_around_those_that_tokens_are_routed_to(self):
        sizes = dict(
            hidden_size=32, moe_intermediate_size=16, n_routed_experts=8, num_local_experts=8, num_experts_per_tok=2, n_shared_experts=1,
            n_group=2, topk_group=1,
        )  # fmt: skip
        captured = sluice.torch.from_module(drawn(DeepseekV3MoE(transformers.DeepseekV3Config(**sizes))), (torch.randn(2, 8, 32),))
        self.assertLess(captured.largest_error(), 1e-4)
        self.assertLess(captured.blocks["experts"].largest_error(), 1e-4)

    def test_experts_that_compute_something_else_under_known_names_are_refused(self):
        block = mixtral().model.layers[0].mlp
        forward = block.experts.forward
        block.experts.forward = lambda *given: 1.01 * forward(*given)
        with refused(self, "unsupported-operator") as caught:
            sluice.torch.from_module(block, (torch.randn(1, 4, 32),))
        self.assertIn("do not compute a SwiGLU", str(caught.exception))


class Attention(unittest.TestCase):
    def step(self, model, padding=(0, 20, 5)):
        """Arguments of a step behind 36 tokens, of which each request has so many that are padding."""
        tokens = torch.randint(1, 64, (len(padding), 37))
        mask = torch.ones_like(tokens)
        for request, count in enumerate(padding):
            mask[request, :count] = 0
        with torch.no_grad():
            past = model(input_ids=tokens[:, :-1], attention_mask=mask[:, :-1], use_cache=True).past_key_values
        return {"input_ids": tokens[:, -1:], "attention_mask": mask, "past_key_values": past, "use_cache": True}

    def test_a_step_over_a_cache_computes_what_the_module_computes(self):
        model = drawn(transformers.LlamaForCausalLM(transformers.LlamaConfig(**SIZES)))
        found = sluice.torch.attention_over_cache(model, (), self.step(model))
        self.assertEqual(list(found), ["model.layers.0.self_attn"])
        captured = found["model.layers.0.self_attn"]
        self.assertEqual(captured.inputs["lengths"].tolist(), [36, 36, 16, 16, 31, 31])
        for method in ("none", "interleaved", "dynamic"):
            self.assertLess(captured.largest_error({"method": method}), 1e-5)
        captured.tensors["v_cache"] = captured.tensors["v_cache"] * 1.01
        self.assertGreater(captured.largest_error(), 1e-3)

    def test_what_a_window_hides_is_not_read(self):
        config = transformers.MistralConfig(**{**SIZES, "num_key_value_heads": 1}, sliding_window=8)
        model = drawn(transformers.MistralForCausalLM(config))
        captured = sluice.torch.attention_over_cache(model, (), self.step(model))["model.layers.0.self_attn"]
        self.assertEqual(captured.inputs["lengths"].tolist(), [7, 7, 7])
        self.assertLess(captured.largest_error(), 1e-5)

    def test_more_than_one_token_and_models_without_attention_are_refused(self):
        model = drawn(transformers.LlamaForCausalLM(transformers.LlamaConfig(**SIZES)))
        with refused(self, "unsupported-operator") as caught:
            sluice.torch.attention_over_cache(model, (torch.randint(0, 64, (1, 4)),))
        self.assertIn("asked for 4 tokens at once", str(caught.exception))
        self.assertNotEqual(model.config._attn_implementation, "sluice_recorder")
        with refused(self, "unsupported-operator"):
            sluice.torch.attention_over_cache(torch.nn.Linear(2, 2), (torch.randn(1, 2),))


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
        self.assertEqual({"router"}, cuts)
        self.assertGreater(captured.coverage["macs_understood"], 0.95 * captured.coverage["macs"])

    def test_equal_layers_stand_once_and_what_is_cut_out_of_each_is_given(self):
        config = transformers.MixtralConfig(**{**SIZES, "num_hidden_layers": 3}, num_local_experts=4, num_experts_per_tok=2)
        captured = sluice.torch.from_module(drawn(transformers.MixtralForCausalLM(config)), (torch.randint(0, 64, (1, 16)),))
        node = next(each for each in captured.program.data["program"]["nodes"] if each["kind"] == "TensorProgram")
        self.assertIn("repeat $(layers)", node["parameters"]["text"])
        self.assertEqual(captured.program.data["constants"]["layers"], 3)
        self.assertEqual(len(captured.blocks), 3)
        self.assertLess(captured.largest_error(), 1e-4)
