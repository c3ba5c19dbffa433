"""Attention of transformers' decoders over a cache of keys and values as the streaming program of the workload "attention"."""

import contextlib

from .._errors import refuse
from .._program import Program, workload
from ._capture import Capture
from ._modules import called

TILE = 16  #: tokens in a tile of the cache
_recorder = "sluice_recorder"


@contextlib.contextmanager
def _recorded(model):
    """What goes into the attention of every module: module -> its last (query, key, value, mask, scaling, other arguments, output)."""
    try:
        import torch
        from transformers import AttentionInterface, AttentionMaskInterface
        from transformers.masking_utils import eager_mask
    except ImportError as error:
        refuse("missing-package", "sluice.torch.attention_over_cache", f"{error}", "pip install torch transformers")
    calls = {}

    def attend(module, query, key, value, attention_mask, scaling=None, dropout=0.0, **others):
        factor = query.shape[-1] ** -0.5 if scaling is None else scaling
        copies = query.shape[1] // key.shape[1]
        keys, values = (each.repeat_interleave(copies, dim=1) for each in (key, value))
        scores = query @ keys.transpose(2, 3) * factor
        if attention_mask is not None:
            scores = scores + attention_mask[..., : keys.shape[2]]
        output = (scores.softmax(-1, dtype=torch.float32).to(query.dtype) @ values).transpose(1, 2).contiguous()
        calls[module] = (query, key, value, attention_mask, factor, others, output)
        return output, None

    AttentionInterface.register(_recorder, attend)
    AttentionMaskInterface.register(_recorder, eager_mask)
    configs = {id(each.config): each.config for each in model.modules() if hasattr(getattr(each, "config", None), "_attn_implementation")}
    before = {key: config._attn_implementation for key, config in configs.items()}
    try:
        for config in configs.values():
            config._attn_implementation = _recorder
        yield calls
    finally:
        for key, config in configs.items():
            config._attn_implementation = before[key]


def _visible(mask, requests, length):
    """Which cached tokens each request sees, [requests, length]; None where some count for more than others."""
    import torch

    if mask is None:
        return torch.ones(requests, length, dtype=torch.bool)
    row = mask[:, 0, -1, :length].float().expand(requests, length)
    seen = row == 0
    return seen if bool((row[~seen] < -1e4).all()) and mask.shape[1] == 1 else None


def _why_not(query, mask, others, seen):
    if query.shape[2] != 1:
        return f"it is asked for {query.shape[2]} tokens at once, not for the next one"
    if others.get("s_aux") is not None:
        return "it has attention sinks"
    if others.get("softcap") is not None:
        return "its scores are capped"
    if seen is None:
        return "its mask does more than hide tokens"
    if not bool(seen.any(-1).all()):
        return "a request sees no token"
    return ""


def _cache(rows, seen, room):
    """The tokens that each request sees but the last one, in `room` rows a head; the last one by itself."""
    import torch

    requests, heads, _, size = rows.shape
    cache, new = torch.zeros(TILE + requests * heads * room, size), torch.zeros(requests * heads, size)
    for request in range(requests):
        for head in range(heads):
            number, own = request * heads + head, rows[request, head][seen[request]].float()
            begin = TILE + number * room
            cache[begin : begin + len(own) - 1] = own[:-1]
            new[number] = own[-1]
    return cache, new


def _captured(name, call):
    query, key, value, mask, factor, others, output = call
    requests, heads, length, size = key.shape
    seen = _visible(mask, requests, length)
    reason = _why_not(query, mask, others, seen)
    if not reason and value.shape[-1] != size:
        reason = f"a key has {size} elements and a value {value.shape[-1]}"
    if reason:
        refuse("unsupported-operator", f"module '{name}'", reason, "write its program with sluice.Builder")
    lengths = (seen.sum(-1) - 1).repeat_interleave(heads)
    room = (int(lengths.max()) // TILE + 1) * TILE
    copies = query.shape[1] // heads
    program = workload("attention", "", B=requests * heads, N=room, d=size, q=copies, kv=TILE)
    program = Program(program._document, ".", name)
    caches, fresh = zip(*(_cache(each.detach(), seen, room) for each in (key, value)))
    tensors = {
        "q": query.detach().float().reshape(-1, size) * factor, "k_cache": caches[0], "v_cache": caches[1], "k_new": fresh[0], "v_new": fresh[1],
    }  # fmt: skip
    arrays = {key: each.cpu().contiguous().numpy() for key, each in tensors.items()}
    macs = 2 * int((lengths + 1).sum()) * copies * size
    elements = 4 * sum(each.size for each in arrays.values())
    coverage = {
        "nodes": 1, "nodes_understood": 1, "macs": macs, "macs_understood": macs, "bytes": elements, "bytes_understood": elements,
        "pieces": 1, "cuts": [],
    }  # fmt: skip
    # Requests and their heads of keys are what the program calls requests: queries of one head of keys follow each other.
    expected = output.detach().float().reshape(requests * heads * copies, size)
    return Capture(name, program, coverage, arrays, {"y": expected.cpu().numpy()}, {"lengths": lengths.cpu().numpy().astype("int64")})


def attention_over_cache(model, args=(), kwargs=None):
    """Of a step that asks for one more token of every request, with a cache: name of the attention module -> Capture.

    Every head of keys of every request is a request of the program; its input `lengths` has the cached tokens that each sees. Projections
    and rotary embeddings are not part of it: `from_module` takes those. Raises sluice.Error.
    """
    training = model.training
    model.eval()
    try:
        with _recorded(model) as calls:
            called(model, args, kwargs)
    finally:
        model.train(training)
    names = {each: name for name, each in model.named_modules()}
    if not calls:
        refuse("unsupported-operator", "the model", "no attention of transformers is called", "see transformers.AttentionInterface")
    return {names[module]: _captured(names[module], call) for module, call in calls.items()}
