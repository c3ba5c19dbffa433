"""Mixtures of experts of transformers (Mixtral, Qwen3-MoE and their like) as the streaming program of the workload "moe"."""

from .._errors import refuse
from ._capture import Capture
from ._expert_program import expert_program


def is_block(module):
    """A block that routes tokens to experts whose weights are held in two tensors, or in DBRX's three."""
    experts = getattr(module, "experts", None)
    routed = hasattr(module, "gate") or hasattr(module, "router")
    return experts is not None and routed and (_has_three(experts) or hasattr(experts, "gate_up_proj") and hasattr(experts, "down_proj"))


def _has_three(experts):
    """DBRX: gate, up and down, the experts one below the other."""
    return all(hasattr(getattr(experts, "mlp", None), name) for name in ("w1", "v1", "w2"))


def _is_silu(experts):
    import torch

    found = next((each for each in (getattr(experts, "act_fn", None), getattr(getattr(experts, "mlp", None), "activation_fn", None)) if each), None)
    return found is torch.nn.functional.silu or "SiLU" in type(found).__name__, getattr(found, "__name__", type(found).__name__)


def _is_clamped(experts):
    """The SwiGLU of gpt-oss: clamped, with a factor in the sigmoid."""
    return hasattr(experts, "alpha") and hasattr(experts, "limit")


def why_not(module):
    """Why the streaming program does not compute what a block computes; "" where it does."""
    experts = module.experts
    silu, activation = _is_silu(experts)
    if not _is_clamped(experts) and not silu:
        return f"the experts' activation is {activation}, not SiLU"
    if _has_three(experts):
        return ""
    if _is_clamped(experts) and not _has_biases(experts):
        return "the experts' SwiGLU is clamped, and they have no biases"
    if getattr(experts, "has_post_expert_norm", False) or experts.gate_up_proj.dim() != 3:
        return "the experts' weights are of another layout"
    down = experts.down_proj if _is_transposed(experts) else experts.down_proj.transpose(1, 2)
    gate_up = experts.gate_up_proj if _is_transposed(experts) else experts.gate_up_proj.transpose(1, 2)
    if gate_up.shape[2] != 2 * down.shape[1] or gate_up.shape[1] != down.shape[2]:
        return "the experts' weights are of another layout"
    return ""


def _has_biases(experts):
    return getattr(experts, "gate_up_proj_bias", None) is not None


def _is_transposed(experts):
    """Whether weights are [expert, in, out]."""
    (_, first, second), (_, inner, hidden) = experts.gate_up_proj.shape, experts.down_proj.shape
    return getattr(experts, "is_transposed", second == 2 * inner and first == hidden)


def _halves(experts, both):
    """Gate and up of a tensor that has both in its last dimension."""
    inner = both.shape[-1] // 2
    if getattr(experts, "is_concatenated", True):
        return both[..., :inner], both[..., inner:]
    return both[..., ::2], both[..., 1::2]


def _weights(experts):
    """By the program's names, in the module's own sign: w [expert, in, out], b [expert, out]."""
    if _has_three(experts):
        parts = {name: getattr(experts.mlp, name).detach().float() for name in ("w1", "v1", "w2")}
        gate, up, down = (each.view(-1, experts.ffn_hidden_size, each.shape[1]) for each in parts.values())
        return {"w_gate": gate.transpose(1, 2), "w_up": up.transpose(1, 2), "w_down": down}
    turned = (lambda each: each) if _is_transposed(experts) else (lambda each: each.transpose(1, 2))
    gate, up = _halves(experts, turned(experts.gate_up_proj.detach()).float())
    found = {"w_gate": gate, "w_up": up, "w_down": turned(experts.down_proj.detach()).float()}
    if _has_biases(experts):
        found["b_gate"], found["b_up"] = _halves(experts, experts.gate_up_proj_bias.detach().float())
        found["b_down"] = experts.down_proj_bias.detach().float()
    return found


def _check(experts, weights, call, place):
    """Refuses experts that compute something else: what is named alike need not be alike."""
    import torch

    rows, chosen, factors, output = (each.detach() for each in call)
    rows, made = rows.float(), torch.zeros(output.shape)
    for token in range(rows.shape[0]):
        for choice, expert in enumerate(chosen[token].tolist()):
            gate, up, down = (weights[f"w_{each}"][expert] for each in ("gate", "up", "down"))
            offsets = [weights[f"b_{each}"][expert] if "b_gate" in weights else 0 for each in ("gate", "up", "down")]
            g, u = rows[token] @ gate + offsets[0], rows[token] @ up + offsets[1]
            if _is_clamped(experts):
                g, u = g.clamp(max=experts.limit), u.clamp(-experts.limit, experts.limit)
                hidden = (u + 1) * g * torch.sigmoid(g * experts.alpha)
            else:
                hidden = torch.nn.functional.silu(g) * u
            made[token] += float(factors[token, choice]) * (hidden @ down + offsets[2])
    allowed = 1e-4 if next(experts.parameters()).dtype == torch.float32 else 3e-2
    if (made - output.float()).abs().max() > allowed * output.float().abs().max():
        refuse("unsupported-operator", place, "its experts do not compute a SwiGLU as it is known here", "write its program with sluice.Builder")


def has_shared(module):
    """Whether every token also goes to an expert of its own, which is no part of the streaming program."""
    return any(hasattr(module, name) for name in ("shared_expert", "shared_experts"))


def stand_in(module, gives_more):
    """What the streaming program takes the place of: the whole block, or, where experts are shared or the block also gives what its router
    computed, the experts that tokens are routed to."""
    return module.experts if gives_more or has_shared(module) else module


def _in_order(experts, rows, output):
    """Of experts that are each given all tokens, in zeros but for its own (Llama 4): one call with the tokens, and the expert of each."""
    import torch

    count = experts.gate_up_proj.shape[0]
    rows, output = (each.reshape(count, -1, each.shape[-1]) for each in (rows, output))
    own = rows.abs().sum(dim=-1) != 0  # [expert, token]
    if (own.sum(dim=0) > 1).any():
        refuse("unsupported-operator", "experts", "each scales what tokens bring by its own weight, and a token goes to several", "route each token to one")
    chosen = own.to(torch.int64).argmax(dim=0)
    tokens = torch.arange(rows.shape[1])
    return rows[chosen, tokens], chosen[:, None], torch.ones(rows.shape[1], 1), output[chosen, tokens]


class Recorder:
    """What went into the experts of blocks, and what came out of the blocks, while it is entered."""

    def __init__(self, blocks):
        self.blocks = blocks
        self.calls = {name: [] for name in blocks}  #: name -> [(rows, expert numbers, weights, output)]
        self.gives_more = set()  #: names of blocks that give more than the experts' output
        self._hooks = []

    def __enter__(self):
        for name, block in self.blocks.items():
            self._hooks.append(block.experts.register_forward_hook(self._hook(name), with_kwargs=True))
            self._hooks.append(block.register_forward_hook(self._result_hook(name)))
        return self

    def _hook(self, name):
        def record(experts, given, named, output):
            given = [each.detach() for each in (*given, *named.values())]
            if len(given) == 1:
                self.calls[name].append(_in_order(experts, given[0], output.detach()))
                return
            rows, chosen, weights = given[:3]
            flat = rows.shape[-1]
            self.calls[name].append((rows.reshape(-1, flat), chosen, weights, output.detach().reshape(-1, flat)))

        return record

    def _result_hook(self, name):
        def record(_, __, output):
            if not hasattr(output, "shape"):
                self.gives_more.add(name)

        return record

    def __exit__(self, *_):
        for hook in self._hooks:
            hook.remove()

    def routing(self, name):
        """Expert numbers [tokens, k] of all calls."""
        import numpy

        found = [chosen.cpu().numpy().astype("int64") for _, chosen, _, _ in self.calls[name]]
        return numpy.concatenate(found) if found else numpy.zeros((0, 0), "int64")


def capture_block(name, block, call):
    """Of a block, with one of its recorded calls."""
    reason = why_not(block)
    if reason:
        refuse("unsupported-operator", f"module '{name or type(block).__name__}'", reason, "write its program with sluice.Builder")
    rows, chosen, factors, output = call
    experts, weights = block.experts, _weights(block.experts)
    _check(experts, weights, call, f"module '{name or type(block).__name__}'")
    (tokens, hidden), (count, _, inner) = rows.shape, weights["w_gate"].shape
    sizes = {"B": tokens, "D": hidden, "E": count, "F": inner, "K": chosen.shape[1]}
    program = expert_program(sizes, "b_gate" in weights, _is_clamped(experts))
    program.name = name or type(block).__name__
    tensors = {"x": rows, "routing_weights": factors, **_as_read(experts, weights)}
    arrays = {key: each.float().cpu().contiguous().numpy() for key, each in tensors.items()}
    macs = tokens * chosen.shape[1] * 3 * hidden * inner
    router = tokens * hidden * count
    elements = sum(each.size for each in arrays.values()) * 4
    router_name = f"{name}.{'gate' if hasattr(block, 'gate') else 'router'}".lstrip(".")
    cut = {"node": router_name, "operator": "router", "why": "its choices are the routing input", "macs": router}
    coverage = {
        "nodes": 2, "nodes_understood": 1, "macs": macs + router, "macs_understood": macs, "bytes": elements, "bytes_understood": elements,
        "pieces": 1, "cuts": [cut],
    }  # fmt: skip
    routing = {"routing": chosen.cpu().numpy().astype("int64")}
    return Capture(name, program, coverage, arrays, {"y": output.float().cpu().numpy()}, routing)


def _as_read(experts, weights):
    """As the program reads them: a clamped SwiGLU takes gate and up with the other sign, and leaves its factor to the last product."""
    import torch

    if not _is_clamped(experts):
        return weights
    turned = {key: -each if key[2:] in ("gate", "up") else each for key, each in weights.items()}
    turned["w_down"] = weights["w_down"] / experts.alpha
    for name, number in {"low": -experts.limit, "scale": -experts.alpha, "turn": -1.0, "one": 1.0}.items():
        turned[f"swiglu_{name}"] = torch.full((weights["w_gate"].shape[0], 1), number)
    return turned
