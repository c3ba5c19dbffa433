"""A Mixtral layer from PyTorch to a frontier plot: routes of the model itself, its experts as a streaming program, all tilings compared."""

import sluice
import sluice.torch
import torch
import transformers


def explore(file="mixtral_frontier.svg"):
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 1, "num_attention_heads": 4, "num_key_value_heads": 2}
    config = transformers.MixtralConfig(**sizes, vocab_size=256, num_local_experts=8, num_experts_per_tok=2)
    model = transformers.MixtralForCausalLM(config)
    layer = sluice.torch.from_module(model.model.layers[0].mlp, (torch.randn(1, 64, 64),))
    print(layer, "computes as torch does, within", layer.largest_error())
    tokens = torch.randint(0, 256, (1, 64))
    routing = sluice.torch.record_routing(model, (tokens,))["model.layers.0.mlp"]
    found = sluice.explore(layer.program, inputs={"routing": routing}, objectives=["cycles", "on_chip_bytes"])
    found.plot(file, title="Mixtral layer, 64 tokens")
    return found


if __name__ == "__main__":
    print(explore().best("cycles"))
