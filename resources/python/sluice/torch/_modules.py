"""Modules: their mixtures of experts taken apart from the rest, which is exported."""

import contextlib

from .._errors import refuse
from . import _experts


def moe_blocks(model):
    """The mixtures of experts in a model: name of the module -> module."""
    return {name: each for name, each in model.named_modules() if _experts.is_block(each)}


def called(module, args, kwargs):
    import torch

    args = args if isinstance(args, (tuple, list)) else (args,)
    with torch.no_grad():
        return module(*args, **(kwargs or {}))


@contextlib.contextmanager
def _still(module):
    """Without dropout and without a cache, as it was afterwards."""
    training, config = module.training, getattr(module, "config", None)
    cache = getattr(config, "use_cache", None)
    module.eval()
    if cache:
        config.use_cache = False
    try:
        yield
    finally:
        module.train(training)
        if cache:
            config.use_cache = cache


def record_routing(model, inputs, kwargs=None):
    """The experts that each token goes to: name of the block -> int64 array [tokens, k], as inputs of kind "Routing" are.

    `inputs` are the arguments of one call of the model, or a list of dictionaries, one a call: the tokens follow each other then.
    """
    blocks = moe_blocks(model)
    if not blocks:
        refuse("unsupported-operator", "the model", "it has no mixture of experts that is known here", "see sluice.torch.moe_blocks()")
    with _still(model), _experts.Recorder(blocks) as recorder:
        for call in inputs if isinstance(inputs, list) else [inputs]:
            if isinstance(call, dict):
                called(model, (), {**call, **(kwargs or {})})
            else:
                called(model, call, kwargs)
    return {name: recorder.routing(name) for name in blocks}


def from_module(module, args=(), kwargs=None):
    """A Capture of a module that is called with these arguments.

    Mixtures of experts become streaming programs with the routing as their input, each in `.blocks`; what is around them becomes a tensor
    program by torch.export and the reader of ONNX models, whose operators carry the names of the modules. Raises sluice.Error.
    """
    import torch

    if not isinstance(module, torch.nn.Module):
        refuse("wrong-type", "from_module's module", f"{module!r} is no torch.nn.Module", "give a module, as in from_module(model, (x,))")
    blocks = moe_blocks(module)
    with _still(module):
        with _experts.Recorder(blocks) as recorder:
            called(module, args, kwargs)
        calls = {name: each[0] for name, each in recorder.calls.items() if each}
        if "" in blocks and not _experts.has_shared(module):
            return _experts.capture_block("", module, calls[""])
        if "" in blocks:  # what is shared is around the experts that tokens are routed to
            blocks["experts"], calls["experts"] = blocks.pop(""), calls.pop("")
        from ._dense import capture_dense

        known = {name: blocks[name] for name in calls if not _experts.why_not(blocks[name])}
        captured = {name: _experts.capture_block(name, block, calls[name]) for name, block in known.items()}
        replaced = {name: _experts.stand_in(block, name in recorder.gives_more) for name, block in blocks.items()}
        return capture_dense(module, args if isinstance(args, (tuple, list)) else (args,), kwargs or {}, blocks, replaced, captured)
