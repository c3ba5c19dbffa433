"""The Python front end of *Streaming Tensor Programs* (ASPLOS '26), by its class names and arguments, on this engine.

    python -m sluice.step script.py             runs an author's script as it is
    import sluice.step; sluice.step.install()   does the same for the imports that follow: step_py, sim, rewrite, utils

Or change the imports: `from sluice.step.ops import *`. Graphs are networkx.MultiDiGraph, metrics expressions of SymPy; both must be
installed. `program(graph, ...)` makes a sluice.Program of a graph, `table()` says what the engine has for each class.
"""

import importlib
import importlib.util
import sys

from . import datatype, dyndim, functions, ops, utility_ops
from .ops import *  # noqa: F401,F403
from .rewrite.broadcast import infer_broadcast  # noqa: F401
from .sim import HBMConfig, SimConfig, program, simulate, to_json  # noqa: F401
from .utility_ops import *  # noqa: F401,F403

#: What the scripts import, and where it is here.
_modules = {
    "step_py": "", "step_py.ops": ".ops", "step_py.utility_ops": ".utility_ops", "step_py.datatype": ".datatype",
    "step_py.dyndim": ".dyndim", "step_py.functions": ".functions", "step_py.functions.map_fn": ".functions.map_fn",
    "step_py.functions.map_accum_fn": ".functions.map_accum_fn", "step_py.functions.accum_fn": ".functions.accum_fn",
    "step_py.functions.init_fn": ".functions.init_fn", "step_py.kernels": ".kernels", "step_py.kernels.linear": ".kernels.linear",
    "rewrite": ".rewrite", "rewrite.broadcast": ".rewrite.broadcast", "sim": ".sim", "utils": ".utils", "utils.moe": ".utils.moe",
    "utils.draw_graph": ".utils.draw_graph", "utils.gold_checking": ".utils.gold_checking",
}  # fmt: skip


def install():
    """From now on the front end's own module names are these modules."""
    for name, here in _modules.items():
        sys.modules[name] = importlib.import_module(__name__ + here)
    if importlib.util.find_spec("torch"):  # which scripts take from there, too
        for name in ("step_py.ops", "step_py.utility_ops", "utils.moe"):
            sys.modules[name].torch = importlib.import_module("torch")


def classes():
    """The operators' classes by name."""
    found = {}
    for module in (ops, utility_ops):
        for name, each in vars(module).items():
            if isinstance(each, type) and issubclass(each, ops.StepOps) and not name.startswith("_"):
                found[name] = each
    return {name: found[name] for name in sorted(found) if name not in ("StepOps", "MockStreamOp")}


def table():
    """Class of the front end -> kind of operator here, as the engine reads a graph that has one of each."""
    from ._every import graph_of_every_class

    graph = graph_of_every_class()
    kinds = {node["name"]: node["kind"] for node in program(graph).data["program"]["nodes"]}
    return dict(sorted((type(op).__name__, kinds[f"op{op.instance_id}"]) for op in graph.nodes))
