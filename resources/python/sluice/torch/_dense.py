"""What torch.export sees of a module, by way of an ONNX model, whose reader knows the operators, and joins those that exporters take apart."""

import ast
import os
import re
import tempfile

from .. import _engine
from .._errors import refuse
from .._program import load
from ._capture import Capture
from ._experts import why_not


def _needed():
    try:
        import onnx
        import onnxscript  # noqa: F401
        import torch
    except ImportError as error:
        refuse("missing-package", "sluice.torch.from_module", f"{error}", "pip install torch onnx onnxscript")
    return torch, onnx


def _like(torch, made, given):
    """What experts give to the tokens that they are given, of which some may be no expert's."""
    rows = made.reshape(-1, given.shape[-1])
    missing = given.numel() // given.shape[-1] - rows.shape[0]
    return (torch.nn.functional.pad(rows, (0, 0, 0, missing)) if missing else rows).reshape(given.shape)


def _wrapped(torch, module, replaced):
    """The module with tensors as its outputs. What is replaced gives what comes in from outside; what it is given goes out."""

    class Around(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.module = module

        def forward(self, args, kwargs, made):
            seen, before = [], [each.forward for each in replaced]

            def outside(number):
                return lambda given, *_, **__: (seen.append(given), _like(torch, made[number], given))[1]

            try:
                for number, each in enumerate(replaced):
                    each.forward = outside(number)
                found = self.module(*args, **kwargs)
            finally:
                for each, forward in zip(replaced, before):
                    each.forward = forward
            return (*_flat(torch, found), *seen)

    return Around().eval()


def _exported(torch, around, args, kwargs, made):
    """The ONNX model."""
    try:
        program = torch.export.export(around, (args, kwargs, made), strict=False)
        return torch.onnx.export(program, (), dynamo=True, verbose=False).model_proto
    except Exception as error:  # torch's exporters raise errors of many kinds
        causes = [error]
        while (causes[-1].__cause__ or causes[-1].__context__) is not None:
            causes.append(causes[-1].__cause__ or causes[-1].__context__)
        first = str(causes[-1]).strip().split("\n")[0]
        place = f"module '{type(around.module).__name__}'"
        cause = f"torch does not export it: {type(causes[-1]).__name__}: {first}"
        refuse("unsupported-operator", place, cause, "capture a part of it, as a layer or a block: moe_blocks() lists the mixtures of experts")


def _rename(model, old, new):
    """A value of the graph."""
    for values in (model.graph.input, model.graph.output, model.graph.value_info):
        for each in values:
            each.name = new if each.name == old else each.name
    for node in model.graph.node:
        node.input[:] = [new if each == old else each for each in node.input]
        node.output[:] = [new if each == old else each for each in node.output]


def _name_by_modules(onnx, model, module, blocks):
    """Nodes after the modules that they are of, weights after the parameters whose values they have, blocks at their ends."""
    for node in model.graph.node:
        scopes = next((each.value for each in node.metadata_props if each.key == "pkg.torch.onnx.name_scopes"), None)
        if scopes:
            *modules, own = ast.literal_eval(scopes)
            path = modules[-1].removeprefix("module").lstrip(".") if modules else ""
            node.name = f"{path}.{own}" if path else own
        del node.metadata_props[:]
    for each, block in zip(reversed(model.graph.input), reversed(list(blocks))):
        _rename(model, each.name, f"{block} output")
    for each, block in zip(reversed(model.graph.output), reversed(list(blocks))):
        _rename(model, each.name, f"{block} input")
    arrays = {each.name: onnx.numpy_helper.to_array(each) for each in model.graph.initializer}
    names = _parameter_names(module, arrays)
    for node in model.graph.node:
        node.input[:] = [names.get(each, each) for each in node.input]
    for each in model.graph.initializer:
        each.name = names.get(each.name, each.name)
    return {names.get(name, name): array for name, array in arrays.items()}


def _parameter_names(module, arrays):
    """Array -> parameter with the same numbers, as it is or transposed, where there is one."""
    import numpy

    found, known = {}, {}
    for name, parameter in module.named_parameters():
        value = parameter.detach().cpu()
        if value.is_floating_point():
            known.setdefault(value.numel(), []).append((name, value.float().numpy()))
    for name, array in arrays.items():
        for parameter, value in known.get(array.size, ()):
            same = any(turned.shape == array.shape and numpy.array_equal(turned, array) for turned in (value, value.T))
            if array.ndim > 0 and array.dtype.kind == "f" and same and parameter not in found.values():
                found[name] = parameter
                break
    return found


def _origin(name, values):
    """(the value that a tensor is, transposed or not)"""
    base = re.sub(r" as [\dx]+$", "", name)
    turned = base.endswith(" transposed")
    base = base.removesuffix(" transposed")
    return (base if base in values else re.sub(r" \d+$", "", base)), turned


def _evaluated(onnx, model, feeds, wanted):
    """Values inside the model, by ONNX's own reference."""
    from onnx.reference import ReferenceEvaluator

    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    made = {each for node in copy.graph.node for each in node.output}
    names = [each for each in wanted if each in made]
    if not names:
        return {}
    del copy.graph.output[:]
    copy.graph.output.extend(onnx.helper.make_empty_tensor_value_info(each) for each in names)
    return dict(zip(names, ReferenceEvaluator(copy).run(names, feeds)))


def _bound(onnx, model, arrays, feeds, program):
    """What comes from outside: the weights as the engine reads them, what is given, and what was cut out with the model's own values."""
    declared = {name: shape for name, shape in _engine.outside_tensors(program._document).items() if name not in program.weights}
    values = {**arrays, **feeds}
    origins = {name: _origin(name, values) for name in declared}
    values.update(_evaluated(onnx, model, feeds, [base for base, _ in origins.values() if base not in values]))
    bound = dict(program.weights)
    for name, (base, turned) in origins.items():
        if base in values:
            array = values[base].swapaxes(-1, -2) if turned else values[base]
            bound[name] = array.astype("float32").reshape(declared[name])
    return bound


def _flat(torch, *given):
    return [each for each in torch.utils._pytree.tree_leaves(given) if isinstance(each, torch.Tensor)]


def _check_types(torch, module, args, kwargs):
    """NumPy, in whose arrays values come and go, has no bfloat16."""
    named = [*module.named_parameters(), *module.named_buffers(), *(("an argument", each) for each in _flat(torch, args, kwargs))]
    for name, each in named:
        if each.dtype == torch.bfloat16:
            fix = "give it as float32, module.float() and x.float(); precision and quantisation are knobs of the program"
            refuse("wrong-type", f"module '{type(module).__name__}'", f"'{name}' is of bfloat16, which is not captured", fix)


def capture_dense(module, args, kwargs, blocks, replaced, captured):
    """Of what is around the mixtures of experts, or the parts of them that are replaced; those of `captured` are programs of their own."""
    torch, onnx = _needed()
    _check_types(torch, module, args, kwargs)
    made = [torch.from_numpy(captured[name].expected["y"]) if name in captured else None for name in blocks]
    if any(each is None for each in made):
        name = next(name for name in blocks if name not in captured)
        refuse("unsupported-operator", f"module '{name}'", why_not(blocks[name]) or "it is not called", "export a part of the model without it")
    around = _wrapped(torch, module, list(replaced.values()))
    with torch.no_grad():
        expected = [each.float().cpu().numpy() for each in around(args, kwargs, made)]
    model = _exported(torch, around, tuple(args), kwargs, made)
    arrays = _name_by_modules(onnx, model, module, blocks)
    given = [each.detach().cpu().numpy() for each in _flat(torch, args, kwargs, made)]
    feeds = dict(zip([each.name for each in model.graph.input], given))
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, f"{type(module).__name__}.onnx")
        onnx.save(model, file)
        program = load(file, weights=True)
    coverage = dict(program.coverage)
    for name, block in captured.items():
        coverage = _joined(coverage, name, block)
    outputs = dict(zip([each.name for each in model.graph.output], expected))
    return Capture("", program, coverage, _bound(onnx, model, arrays, feeds, program), outputs, blocks=captured)


def _joined(coverage, name, block):
    """A model's, with a block that is a program of its own."""
    counts = ("nodes", "nodes_understood", "macs", "macs_understood", "bytes", "bytes_understood", "pieces")
    return {**{key: coverage[key] + block.coverage[key] for key in counts}, "cuts": coverage["cuts"] + block.coverage["cuts"]}
