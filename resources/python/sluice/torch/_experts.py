"""Mixtures of experts of transformers (Mixtral, Qwen3-MoE and their like) as the streaming program of the workload "moe"."""

from .._errors import refuse
from .._program import Program, workload
from ._capture import Capture


def is_block(module):
    """A block that routes tokens to experts whose weights are held in two tensors."""
    experts = getattr(module, "experts", None)
    return experts is not None and hasattr(experts, "gate_up_proj") and hasattr(experts, "down_proj") and hasattr(module, "gate")


def why_not(module):
    """Why the streaming program does not compute what a block computes; "" where it does."""
    experts = module.experts
    activation = type(getattr(experts, "act_fn", None)).__name__
    if "SiLU" not in activation:
        return f"the experts' activation is {activation}, not SiLU"
    if getattr(experts, "gate_up_proj_bias", None) is not None:
        return "the experts have biases"
    if experts.gate_up_proj.shape[1] != 2 * experts.down_proj.shape[2]:
        return "the experts' weights are of another layout"
    return ""


def has_shared(module):
    """Whether every token also goes to an expert of its own, which is no part of the streaming program."""
    return any(hasattr(module, name) for name in ("shared_expert", "shared_experts"))


def stand_in(module):
    """What the streaming program takes the place of: the whole block, or, where experts are shared, those that tokens are routed to."""
    return module.experts if has_shared(module) else module


class Recorder:
    """What went into the experts of blocks, and what came out of the blocks, while it is entered."""

    def __init__(self, blocks):
        self.blocks = blocks
        self.calls = {name: [] for name in blocks}  #: name -> [(rows, expert numbers, weights, output)]
        self._hooks = []

    def __enter__(self):
        for name, block in self.blocks.items():
            self._hooks.append(block.experts.register_forward_hook(self._hook(name)))
        return self

    def _hook(self, name):
        def record(_, given, output):
            rows, chosen, weights = (each.detach() for each in given[:3])
            self.calls[name].append((rows, chosen, weights, output.detach()))

        return record

    def __exit__(self, *_):
        for hook in self._hooks:
            hook.remove()

    def routing(self, name):
        """Expert numbers [tokens, k] of all calls."""
        import numpy

        found = [chosen.cpu().numpy().astype("int64") for _, chosen, _, _ in self.calls[name]]
        return numpy.concatenate(found) if found else numpy.zeros((0, 0), "int64")


def _tile(features):
    """Columns of a weight tile: the largest divisor up to 64."""
    return max(each for each in range(1, min(64, features) + 1) if features % each == 0)


def _named(program):
    """The off-chip tensors under the names of the block."""
    data = program.data
    tensors = {"x_load": ("x", ["B", "D"]), "weight_load": ("routing_weights", ["B", "K"]), "store": ("y", ["B", "D"])}
    for node in data["program"]["nodes"]:
        if node["name"] in tensors:
            name, shape = tensors[node["name"]]
            node["parameters"].update(tensor=name, tensor_shape=shape)
    return program.edited(data)


def capture_block(name, block, call):
    """Of a block, with one of its recorded calls."""
    reason = why_not(block)
    if reason:
        refuse("unsupported-operator", f"module '{name or type(block).__name__}'", reason, "write its program with sluice.Builder")
    rows, chosen, weights, output = call
    experts, inner = block.experts, block.experts.down_proj.shape[2]
    tokens, hidden = rows.shape
    sizes = {"B": tokens, "D": hidden, "E": experts.down_proj.shape[0], "F": inner, "K": chosen.shape[1], "f": _tile(inner)}
    program = _named(workload("moe", "", **sizes))
    up = experts.gate_up_proj.detach().transpose(1, 2)
    tensors = {
        "x": rows, "routing_weights": weights, "w_gate": up[..., :inner], "w_up": up[..., inner:],
        "w_down": experts.down_proj.detach().transpose(1, 2),
    }  # fmt: skip
    arrays = {key: each.float().cpu().contiguous().numpy() for key, each in tensors.items()}
    macs = tokens * chosen.shape[1] * 3 * hidden * inner
    router = tokens * hidden * sizes["E"]
    elements = sum(each.size for each in arrays.values()) * 4
    cut = {"node": f"{name}.gate".lstrip("."), "operator": "router", "why": "its choices are the routing input", "macs": router}
    coverage = {
        "nodes": 2, "nodes_understood": 1, "macs": macs + router, "macs_understood": macs, "bytes": elements, "bytes_understood": elements,
        "pieces": 1, "cuts": [cut],
    }  # fmt: skip
    routing = {"routing": chosen.cpu().numpy().astype("int64")}
    named = Program(program._document, ".", f"{name or type(block).__name__}")
    return Capture(name, named, coverage, arrays, {"y": output.float().cpu().numpy()}, routing)
