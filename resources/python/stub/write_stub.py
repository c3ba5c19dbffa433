#!/usr/bin/env python3
"""Writes sluice/__init__.pyi, the types of the package, from its own docstrings and the engine's registries: python3 write_stub.py OUT.

A step of the build runs it on the package that was just built, so that nothing is listed twice.
"""

import dataclasses
import enum
import inspect
import keyword
import re
import sys

import sluice
from sluice import _builder, _engine, _registry
from sluice._steps import step_help

KINDS = {
    "integer": "Number",
    "boolean": "bool",
    "choice": "str",
    "integers": "Sequence[Number]",
    "input": "str",
    "text": "str",
    "texts": "Sequence[str]",
    "orders": "Sequence[str]",
}

HEAD = '''# Written by write_stub.py from the registries of the engine; do not edit.
from dataclasses import dataclass
from os import PathLike
from typing import Any, Callable, Iterator, Literal, Mapping, Optional, Sequence, Union

Number = Union[int, str, "Dim"]
Values = Mapping[str, Union[int, str]]
Trace = Union[str, "PathLike[str]", Any]
Heard = Union[None, bool, Callable[["Progress"], object]]
__version__: str
'''

# What a parameter's name says of its type; the rest is Any.
NAMED = {
    "program": "Program",
    "knobs": "Optional[Values]",
    "inputs": "Optional[Mapping[str, Trace]]",
    "machine": "Optional[Mapping[str, Any]]",
    "progress": "Heard",
    "strategy": "{strategy}",
    "objectives": "Sequence[Metric]",
    "constraints": "Sequence[str]",
    "allow": "Sequence[Transformation]",
    "forbid": "Sequence[Transformation]",
    "lock": "Sequence[str]",
    "transformation": "Transformation",
    "budget": "int",
    "seed": "int",
    "threads": "int",
    "steps": "int",
    "seconds": "Optional[float]",
    "tolerance": "float",
    "level": 'Literal["symbolic", "count", "record"]',
    "record": 'Literal["count", "record", "timeline"]',
    "store": 'Union[str, "PathLike[str]"]',
    "file": 'Union[str, "PathLike[str]"]',
    "resume": "bool",
    "warm_start": "bool",
    "plain": "bool",
    "prove": "bool",
    "front": "bool",
    "grouped": "bool",
    "pick": "int",
    "name": "str",
    "a": 'Union["Run", "Program"]',
    "b": 'Union["Run", "Program"]',
    "chart": 'Literal["graph", "fifo", "timeline", "energy", "pareto", "parallel", "sensitivity", "distribution", "boxes", "experts"]',
}

GIVES = {
    "simulate": "Run",
    "explore": "Exploration",
    "design": "Designs",
    "compile": "list[Compilation]",
    "size_fifos": "Sizing",
    "unlock": "Optional[Unlocking]",
    "compare": "Comparison",
    "export": 'Union[str, "PathLike[str]"]',
    "load": "Program",
    "loads": "Program",
    "workload": "Program",
    "schedule_step": "dict[str, Any]",
    "plot": "str",
    "units": "dict[str, str]",
    "program": "Program",
    "edited": "Program",
    "with_machine": "Program",
    "with_schedule": "Program",
    "then": "Program",
    "check": "tuple[Diagnostic, ...]",
}


def literal(names):
    return "Literal[" + ", ".join(f'"{name}"' for name in names) + "]"


def docstring(text, indent):
    lines = inspect.cleandoc(text or "").replace("\\", "\\\\").replace('"""', "'''").splitlines() or [""]
    pad = " " * indent
    body = "\n".join((pad + line).rstrip() for line in lines[1:])
    return f'{pad}"""{lines[0]}' + (f"\n{body}\n{pad}" if body else "") + '"""\n'


def signature(function, indent, method):
    """`def` of something written in Python."""
    parts, star = [], False
    for parameter in inspect.signature(function).parameters.values():
        if method and not parts:
            parts.append("self")
            continue
        kind = NAMED.get(parameter.name, "Any")
        if kind == "{strategy}":
            kind = "DepthStrategy" if function.__name__ == "size_fifos" else "Strategy"
        if parameter.kind is parameter.VAR_POSITIONAL:
            parts.append(f"*{parameter.name}: Any")
            star = True
        elif parameter.kind is parameter.VAR_KEYWORD and parameter.name == "settings":  # of the machine
            parts += ["*", *(f"{name}: Any = ..." for name in _registry.machine_settings())]
        elif parameter.kind is parameter.VAR_KEYWORD:
            parts.append(f"**{parameter.name}: Any")
        else:
            if parameter.kind is parameter.KEYWORD_ONLY and not star:
                parts.append("*")
                star = True
            default = "" if parameter.default is parameter.empty else " = ..."
            parts.append(f"{parameter.name}: {kind}{default}")
    gives = "None" if function.__name__ == "__init__" else GIVES.get(function.__name__, "Any")
    pad = " " * indent
    told = inspect.cleandoc(function.__doc__ or "") + listed(function)
    return f"{pad}def {function.__name__}({', '.join(parts)}) -> {gives}:\n" + docstring(told, indent + 4) + f"{pad}    ...\n"


def listed(function):
    """What the registries have for a parameter: settings of the machine, strategies, metrics."""
    names = inspect.signature(function).parameters
    if "settings" in names:
        settings = _registry.machine_settings().values()
        return "\n\n" + "\n".join(f"`{each['name']}`: {each['help']}{', ' + each['unit'] if each['unit'] else ''}." for each in settings)
    if "strategy" not in names or function.__name__ not in ("explore", "size_fifos"):
        return ""
    strategies = _registry.strategies() if function.__name__ == "explore" else _registry.depth_strategies()
    return "\n\n" + "\n".join(f'`strategy="{name}"`: {each["summary"]}.' for name, each in strategies.items())


def step_function(name, spec):
    """A function of sluice.steps, with the transformation's arguments; those that Python has no name for go by **."""
    parts, others = ["self", "*"], []
    for argument in sorted(spec["arguments"], key=lambda each: not each["needed"]):
        kind = literal(argument["choices"]) if argument["choices"] else KINDS[argument["kind"]]
        if keyword.iskeyword(argument["name"]):
            others.append("**others: Any")
        else:
            parts.append(f"{argument['name']}: {kind}{'' if argument['needed'] else ' = ...'}")
    written = (parts if len(parts) > 2 else ["self"]) + others[:1]
    return f"    def {name}({', '.join(written)}) -> dict[str, Any]:\n" + docstring(step_help(spec), 8) + "        ...\n"


def operator_method(spec):
    """A method of the builder, with the operator's inputs and parameters."""
    parts = ["self"]
    for port in spec["inputs"]:
        if keyword.iskeyword(port["name"]):  # given by its place
            parts.append(f"{port['name']}_: Any = ...")
            continue
        parts.append(f"{port['name']}: {'Union[Stream, Sequence[Stream]]' if port['width'] else 'Stream'} = ...")
    parts += ["*", "name: Optional[str] = ..."]
    for parameter in sorted(spec["parameters"], key=lambda each: not each["needed"]):
        kind = literal(parameter["choices"]) if parameter["choices"] else KINDS[parameter["kind"]]
        parts.append(f"{parameter['name']}: {kind}{'' if parameter['needed'] else ' = ...'}")
    outputs = len(spec["outputs"])
    gives = "None" if outputs == 0 else "Stream" if outputs == 1 else f"tuple[{', '.join(['Stream'] * outputs)}]"
    name = _registry.method_name(spec["kind"])
    return f"    def {name}({', '.join(parts)}) -> {gives}:\n" + docstring(_builder.method_help(spec), 8) + "        ...\n"


def attribute(name, value, function):
    if isinstance(value, property):
        return f"    @property\n    def {name}(self) -> Any:\n" + docstring(value.__doc__, 8) + "        ...\n"
    return signature(function, 4, True)


def attributes(cls):
    """What its __init__ gives an object, with the comment that stands behind."""
    if "__init__" not in vars(cls):
        return []
    source = inspect.getsource(cls.__init__)
    found = re.findall(r"^ +self\.([a-z]\w*) = .*?(?:  #: (.*))?$", source, re.MULTILINE)
    return [f"    {name}: Any{'  # ' + about if about else ''}\n" for name, about in found]


def members(cls, generated):
    """What the class itself has."""
    written = attributes(cls)
    for name, value in vars(cls).items():
        if name.startswith("_") and name not in ("__init__", "__len__", "__iter__", "__getitem__", "__matmul__", "__enter__"):
            continue
        if name in generated:
            written.append(operator_method(generated[name]))
        elif isinstance(value, property) or inspect.isfunction(value):
            written.append(attribute(name, value, value))
    if issubclass(cls, sluice.Point) and cls is sluice.Point:
        for metric in _registry.metrics().values():
            kind = "int" if metric["whole"] else "float"
            written.append(f"    {metric['name']}: {kind}  # {metric['title']}, {_registry.units()[metric['name']]}\n")
    return written


def class_stub(cls):
    generated = {_registry.method_name(kind): spec for kind, spec in _registry.operators().items()} if cls is sluice.Builder else {}
    if cls is sluice.Steps:
        functions = (step_function(name, spec) for name, spec in _registry.transformations().items())
        return "class Steps:\n" + docstring(cls.__doc__, 4) + "".join(functions)
    if dataclasses.is_dataclass(cls):
        return "@dataclass(frozen=True)\n" + f"class {cls.__name__}:\n" + docstring(cls.__doc__, 4) + "".join(
            f"    {each.name}: {each.type.__name__}{' = ...' if each.default is not dataclasses.MISSING else ''}\n" for each in dataclasses.fields(cls)
        )
    bases = [base.__name__ for base in cls.__bases__ if base is not object and (hasattr(sluice, base.__name__) or issubclass(base, BaseException))]
    body = [docstring(cls.__doc__, 4)]
    for base in cls.__mro__[1:]:
        if base.__name__.startswith("_"):  # not seen from outside: what it has is the class's own
            body += [each for each in members(base, {}) if "def __init__" not in each]
    body += members(cls, generated)
    if cls in (sluice.Point, sluice.Depths) or issubclass(cls, (sluice.Point, sluice.Depths)) or cls is sluice.Region:
        body.append("    def __getattr__(self, name: str) -> Any: ...\n")
    return f"class {cls.__name__}" + (f"({', '.join(bases)})" if bases else "") + ":\n" + "".join(body)


def dim_stub():
    operations = ("add", "radd", "sub", "rsub", "mul", "rmul", "floordiv", "rfloordiv", "mod", "rmod")
    lines = [f"    def __{name}__(self, other: Number) -> Dim: ...\n" for name in operations]
    lines += [f"    def __{name}__(self) -> Dim: ...\n" for name in ("neg", "pos")]
    lines += [f"    def __{name}__(self) -> int: ...\n" for name in ("int", "index", "hash")]
    lines += ["    def __bool__(self) -> bool: ...\n"]
    lines += [f"    def __{name}__(self, other: Number) -> bool: ...\n" for name in ("lt", "le", "gt", "ge")]
    lines += [
        "    def __pow__(self, exponent: int) -> Dim: ...\n",
        "    def __divmod__(self, other: Number) -> tuple[Dim, Dim]: ...\n",
    ]
    return (
        "class Dim:\n"
        + docstring("An extent over constants, knobs and what only a run knows: whole numbers, + - * // % **, == by algebra, < and the like, and truth, where they hold for all sizes.", 4)
        + "    def __init__(self, expression: Number) -> None: ...\n"
        + "".join(lines)
        + "    def symbols(self) -> list[str]: ...\n    def substitute(self, values: Mapping[str, Number]) -> Number: ...\n"
    )


def stub():
    names = {
        "Metric": _registry.metrics(),
        "Transformation": _registry.transformations(),
        "Strategy": _registry.strategies(),
        "DepthStrategy": _registry.depth_strategies(),
    }
    text = HEAD + "".join(f"{name} = {literal(listed)}\n" for name, listed in names.items())
    for name in ("ceil_div", "max_of", "min_of"):
        text += f"def {name}(a: Number, b: Number) -> Dim: ...\n"
    for name in sluice.__all__:
        value = getattr(sluice, name)
        if value is _engine.Expression:
            text += dim_stub()
        elif isinstance(value, sluice.Steps):
            text += f"{name}: Steps\n"
        elif inspect.isclass(value) and not issubclass(value, enum.Enum):
            text += class_stub(value)
        elif hasattr(value, "__wrapped__") or inspect.isfunction(value):
            text += signature(inspect.unwrap(value), 0, False)
    return text


if __name__ == "__main__":
    made = stub()
    compile(made, "__init__.pyi", "exec")
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write(made)
