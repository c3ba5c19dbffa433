"""Sluice: an explorer for streaming tensor programs on spatial dataflow accelerators.

    import sluice

    program = sluice.load("sample_workloads/simple_moe.sluice")
    run = sluice.simulate(program, knobs={"token_tile": 8})
    print(run.cycles, run.units["cycles"])
    print(sluice.explore(program).to_pandas())

`sluice.Builder` writes programs, `sluice.design` finds schedules for them. What is refused is a `sluice.Error` with code, place, cause and
fix of each mistake.
"""

try:
    from . import _engine
except ImportError as error:
    raise ImportError(f"the native module of sluice does not load ({error}); see the installation in resources/python/README.md") from error
from ._builder import Builder, Region, Stream
from ._engine import Expression as Dim
from ._engine import ceil_div
from ._engine import larger as max_of
from ._engine import smaller as min_of
from ._errors import Diagnostic, Error, Interrupted
from ._export import export
from ._plot import plot
from ._program import Program, load, loads, schedule_step, workload
from ._registry import depth_strategies, machine_settings, metrics, operators, strategies, transformations, units, workloads
from ._results import Comparison, Compilation, Depths, Design, Designs, Exploration, Point, Run, Sizing, Unlocking
from ._steps import Steps, steps
from ._work import Progress, compare, compile, design, explore, simulate, size_fifos, unlock

__version__ = _engine.version

__all__ = [
    "Builder", "Comparison", "Compilation", "Depths", "Design", "Designs", "Diagnostic", "Dim", "Error", "Exploration", "Interrupted",
    "Point", "Program", "Progress", "Region", "Run", "Sizing", "Steps", "Stream", "Unlocking", "ceil_div", "compare", "compile",
    "depth_strategies", "design", "explore", "export", "load", "loads", "machine_settings", "max_of", "metrics", "min_of", "operators", "plot",
    "schedule_step", "simulate", "size_fifos", "steps", "strategies", "transformations", "units", "unlock", "workload", "workloads",
]  # fmt: skip
