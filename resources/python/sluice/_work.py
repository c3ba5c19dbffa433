"""The engine at work: simulate, explore, design, compile, size_fifos, unlock, compare.

All of them let other Python threads run meanwhile. Ctrl-C stops them and raises Interrupted, which has what was found by then.
`progress` is True for a bar (tqdm's where it is installed), or is called some times a second, in the calling thread; what it raises stops
the work, too. What is asked of a program is also a method of it: `program.explore()`.
"""

import contextlib
import math
import operator

from . import _engine
from ._bar import listener
from ._errors import refuse, unless_interrupted
from ._export import export
from ._inputs import by_name
from ._program import Program
from ._results import Comparison, Compilation, Designs, Exploration, Run, Sizing, Unlocking


class Progress:
    """How far a piece of work is."""

    def __init__(self, fraction, done, total, seconds_left):
        self.fraction = fraction if fraction >= 0 else None  #: 0 to 1, None where nobody knows
        self.done = done  #: points, designs; of a simulation cycles
        self.total = total or None
        self.seconds_left = seconds_left if seconds_left >= 0 else None

    def __repr__(self):
        return f"<sluice.Progress {self.done} of {self.total or '?'}>"


_silence = contextlib.nullcontext()


def _heard(progress):
    """What the engine calls with each piece of news; cheap where nobody listens, as in a loop over many points."""
    return _silence if progress is None else _listening(progress)


@contextlib.contextmanager
def _listening(progress):
    with listener(progress) as listens:
        yield listens and (lambda *told: listens(Progress(*told)))


def _opened(program, inputs, machine):
    if not isinstance(program, Program):
        raise TypeError(f"expected a sluice.Program (see sluice.load), found {type(program).__name__}")
    return program.opened(inputs, machine)


def _count(name, given, least=0):
    try:
        number = operator.index(given)
    except TypeError:
        number = -1
    if not least <= number < 2**63:
        refuse("out-of-range", f"argument '{name}'", f"it is {given!r}", f"give a whole number, {least} or more")
    return number


def _text(name, given):
    if not isinstance(given, str):
        raise TypeError(f"{name} is a text, not {given!r}")
    return given


def _real(name, given, least=0.0):
    """A finite number of at least that."""
    try:
        number = float(given)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(given, str) or not (math.isfinite(number) and number >= least):
        refuse("out-of-range", f"argument '{name}'", f"it is {given!r}", f"give a number, {least:g} or more")
    return number


def _texts(name, given):
    if isinstance(given, str):
        raise TypeError(f"{name} is a list of texts, not the text {given!r}")
    return [str(each) for each in given]


def simulate(program, knobs=None, inputs=None, machine=None, record="count", progress=None):
    """Runs one design point.

    `knobs` are those that differ from their defaults; `inputs` other traces, arrays or files by name; `machine` other settings.
    `record`: "count" (fastest), "record" (also occupancy of FIFOs) or "timeline" (also who did what when). A deadlock is a result
    (`state`, `diagnostics`), not an error. Raises Error.
    """
    opened = _opened(program, inputs, machine)
    with _heard(progress) as heard:
        run, interruption = _engine.simulate(opened, by_name("knobs", knobs), _text("record", record), heard)
    return unless_interrupted(run and Run(run, (program, inputs, machine)), interruption)


def explore(
    program,
    strategy="exhaustive",
    budget=100000,
    objectives=(),
    constraints=(),
    seed=1,
    level="count",
    inputs=None,
    machine=None,
    threads=0,
    store="",
    resume=False,
    warm_start=False,
    fixed=None,
    progress=None,
):
    """Evaluates the design space, or searches it; `sluice.strategies()` lists how.

    `objectives` are names of metrics, `constraints` texts like "on_chip_bytes<=4e6". Knobs that `fixed` names keep their value. With `store`, a file, every point is kept, and with
    `resume` none is evaluated twice. Raises Error.
    """
    options = {
        "strategy": _text("strategy", strategy),
        "budget": _count("budget", budget, 1),
        "objectives": _texts("objectives", objectives),
        "constraints": _texts("constraints", constraints),
        "seed": _count("seed", seed),
        "level": _text("level", level),
        "store": str(store or ""),
        "resume": bool(resume),
        "warm_start": bool(warm_start),
        "fixed": by_name("fixed", fixed),
        "file": getattr(program, "name", ""),
    }
    opened = _opened(program, inputs, machine)
    with _heard(progress) as heard:
        found, interruption = _engine.explore(opened, options, _count("threads", threads), heard)
    return unless_interrupted(found and Exploration(found), interruption)


def design(
    program,
    knobs=None,
    objectives=(),
    constraints=(),
    budget=300,
    seconds=None,
    seed=1,
    steps=6,
    allow=(),
    forbid=(),
    lock=(),
    plain=False,
    prove=True,
    inputs=None,
    machine=None,
    threads=0,
    progress=None,
):
    """Finds schedules that nobody wrote down: the frontier of what steps can make of the program.

    `allow` and `forbid` name transformations, `lock` regions and operators that no step may change. `plain` begins without the steps that
    the program has. `prove` runs each design of the frontier beside the plain program and compares what both store. Raises Error.
    """
    if plain and isinstance(program, Program):
        program = program.with_schedule([])
    options = {
        "objectives": _texts("objectives", objectives),
        "constraints": _texts("constraints", constraints),
        "budget": _count("budget", budget, 1),
        "seconds": None if seconds is None else _real("seconds", seconds),
        "seed": _count("seed", seed),
        "steps": _count("steps", steps),
        "allow": _texts("allow", allow),
        "forbid": _texts("forbid", forbid),
        "lock": _texts("lock", lock),
        "prove": bool(prove),
    }
    opened = _opened(program, inputs, machine)
    with _heard(progress) as heard:
        found, interruption = _engine.design(opened, by_name("knobs", knobs), options, _count("threads", threads), heard)
    return unless_interrupted(found and Designs(found, program), interruption)


def compile(program, knobs=None, inputs=None, machine=None):
    """Compiles the tensor programs that the schedule's steps compile_tensors name: a list of Compilations. Raises Error."""
    found, interruption = _engine.compile(_opened(program, inputs, machine), by_name("knobs", knobs))
    return unless_interrupted(found and [Compilation(each) for each in found], interruption)


def _changed(kind, program, found):
    if found is None:
        return None
    document = found["document"]
    return kind(found, document and Program(document, program._folder, program.name))


def size_fifos(
    program,
    strategy="simulated",
    knobs=None,
    region="",
    tolerance=0.0,
    inputs=None,
    machine=None,
    front=False,
    pick=0,
    grouped=False,
    seconds=None,
):
    """Chooses the depths of the FIFOs in a region, or of all; `sluice.depth_strategies()` lists how. Raises Error.

    With `front` the result's `front` has less room at more cycles, point by point; `pick` takes the depths of one of them, from 1.
    `grouped` gives one depth to FIFOs that are alike. All three go with the strategies "simulated" and "bram", as do
    `seconds`: the best depths found by then are taken.
    """
    opened = _opened(program, inputs, machine)
    found, interruption = _engine.size_fifos(
        opened,
        by_name("knobs", knobs),
        _text("strategy", strategy),
        _text("region", region),
        _real("tolerance", tolerance),
        bool(front),
        _count("pick", pick),
        bool(grouped),
        None if seconds is None else _real("seconds", seconds),
    )
    return unless_interrupted(_changed(Sizing, program, found), interruption)


def unlock(program, knobs=None, seconds=4.0, inputs=None, machine=None):
    """Why the program deadlocks, and the depths that free it with the fewest bytes; None if it does not deadlock. Raises Error."""
    found, interruption = _engine.unlock(_opened(program, inputs, machine), by_name("knobs", knobs), _real("seconds", seconds))
    return unless_interrupted(_changed(Unlocking, program, found), interruption)


def compare(a, b):
    """Two runs of simulate() beside each other: metrics, operators, streams. With record="timeline" the causes of stalls, too.

    A program in the place of a run is simulated at its defaults, with the causes of its stalls.
    """
    runs = [simulate(each, record="timeline") if isinstance(each, Program) else each for each in (a, b)]
    for run in runs:
        if not isinstance(run, Run):
            raise TypeError(f"expected a run of sluice.simulate() or a sluice.Program, found {type(run).__name__}")
    return Comparison(_engine.compare(runs[0]._native, runs[1]._native))


for _asked in (simulate, explore, design, compile, size_fifos, unlock, compare, export):
    setattr(Program, _asked.__name__, _asked)
Run.compare = compare
