"""PyTorch modules as programs: what torch.export sees of them as tensor programs, mixtures of experts as streaming programs.

    captured = sluice.torch.from_module(model, (embeddings,))
    captured.program             a sluice.Program; of the model's experts, which are cut out of it, captured.blocks["layers.0.mlp"].program
    captured.coverage            what was understood, and what was cut out and why
    captured.largest_error()     what the program computes beside what the module computed
    sluice.torch.attention_over_cache(model, (), {"input_ids": next_tokens, "past_key_values": cache})   a decoding step's attention

torch is imported when something here is called; a module also needs onnx and onnxscript, mixtures of experts alone do not.
"""

from ._attention import attention_over_cache
from ._capture import Capture
from ._modules import from_module, moe_blocks, record_routing

__all__ = ["Capture", "attention_over_cache", "from_module", "moe_blocks", "record_routing"]
