"""What runs and searches give, with tables of it for NumPy and pandas."""

import difflib
import warnings
from html import escape

from . import _engine, _registry
from ._errors import diagnostics_of, refuse, unless_interrupted
from ._export import export, picture
from ._inputs import by_name, floats
from ._plot import plot


def _frame(columns, units=None):
    import pandas

    frame = pandas.DataFrame(columns)
    frame.attrs["units"] = units or {}
    return frame


def _table(rows, title):
    """For notebooks."""
    cells = "".join("<tr>" + "".join(f"<td>{escape(str(each))}</td>" for each in row) + "</tr>" for row in rows)
    return f"<table><caption>{escape(title, quote=False)}</caption>{cells}</table>"


class Point:
    """A design point: `knobs`, `state`, `metrics` by name; a metric is an attribute, too: `point.cycles`."""

    def __init__(self, entry):
        self.knobs = entry["knobs"]  #: knob -> value; of a Choice the text
        self.state = entry["state"]  #: "done", "deadlocked", "infeasible", "failed", "cancelled"
        self.level = entry["level"]  #: "symbolic", "count" or "record"
        self.cause = entry["cause"]  #: why it is not done; one line
        self.metrics = entry["metrics"]  #: name -> number; `units` says of what
        self.wall_seconds = entry["wall_seconds"]  #: that it took to find out

    @property
    def units(self):
        """Metric -> unit, of those that are known here."""
        return {name: _registry.units()[name] for name in self.metrics}

    def __getattr__(self, name):
        metrics = self.__dict__.get("metrics", {})
        if name in metrics:
            return metrics[name]
        if name in _registry.metrics():
            raise AttributeError(f"the point is {self.state}: its {name} is not known")
        raise AttributeError(f"a {type(self).__name__} has no '{name}'; its metrics are {', '.join(metrics)}")

    def __dir__(self):
        return [*super().__dir__(), *self.metrics]

    def __repr__(self):
        knobs = ", ".join(f"{name}={value}" for name, value in self.knobs.items())
        lines = [f"<{type(self).__name__} {self.state}{': ' + self.cause if self.cause else ''}; {knobs or 'no knobs'}"]
        lines += [f"  {name:32} {value:>18,} {self.units[name]}" for name, value in self.metrics.items()]
        return "\n".join(lines) + ">"


class Run(Point):
    """A simulated design point, with what every operator and stream did."""

    def __init__(self, native, asked):
        super().__init__(native.point())
        self._native = native
        self._asked = asked  # program, inputs, machine

    @property
    def diagnostics(self):
        """What is to be said of the run: a deadlock, a token that an operator could not take, warnings."""
        return diagnostics_of(self._native.diagnostics())

    @property
    def cancelled(self):
        """It was stopped before its end."""
        return self._native.cancelled()

    @property
    def operators(self):
        """Columns by name: name, origin, kind, finished, busy, blocked_on_input, blocked_on_output (cycles), flops, off_chip_bytes."""
        return self._native.operators()

    @property
    def streams(self):
        """Columns by name: name, origin, type, depth, tokens, max_occupancy (tokens; 0 without record="record")."""
        return self._native.streams()

    @property
    def graph_hash(self):
        """Of the elaborated graph: two programs that come to the same graph have the same."""
        return self._native.graph_hash()

    def occupancy(self, stream):
        """Of a stream by its name, over time (cycles), of a run with record="record": columns time, low, high, last (tokens)."""
        return self._native.occupancy(stream)

    def values(self, tensors=None, precision="float32"):
        """What the program computes: the tensors that it stores, as float32 arrays by name.

        `tensors` are the contents of off-chip memory and of a tensor program's inputs and weights, by name; those that are missing are
        filled by a formula of their name, which a warning says. `precision` is "float32" or "bfloat16". Raises Error.
        """
        import numpy

        given = {str(name): floats(name, values) for name, values in by_name("tensors", tensors).items()}
        if not isinstance(precision, str):
            raise TypeError(f"precision is a text, not {precision!r}")
        found, made_up, interruption = _engine.values(self._native, given, precision)
        if given and made_up:
            warnings.warn(f"numbers made up for {', '.join(made_up)}: give them in `tensors`", stacklevel=2)
        arrays = found and {name: numpy.frombuffer(data, "f4").reshape(shape) for name, (shape, data) in found.items()}
        return unless_interrupted(arrays, interruption)

    def chrome_trace(self):
        """The run for Perfetto or chrome://tracing, as text; of a run with record="timeline"."""
        return self._native.chrome_trace()

    def export(self, file, chart="fifo", **options):
        """Draws the run as sluice.export() does: "fifo" (its fullest FIFOs, or `stream`), "timeline", "energy"."""
        program, inputs, machine = self._asked
        return export(program, file, chart, knobs=self.knobs, inputs=inputs, machine=machine, **options)

    def plot(self, stream=""):
        """Its fullest FIFOs, or one of them, over time, as the text of an SVG; None where sluice-cli is not installed."""
        program, inputs, machine = self._asked
        return picture(program, chart="fifo", stream=stream, knobs=self.knobs, inputs=inputs, machine=machine)

    def _repr_html_(self):
        return _table([(name, f"{value:,}", self.units[name]) for name, value in self.metrics.items()], f"{self.state} {self.cause}".strip())

    def to_pandas(self, what="operators"):
        """The operators, or with what="streams" the streams, as a pandas.DataFrame."""
        return _frame(getattr(self, what), {"finished": "cycles", "busy": "cycles", "off_chip_bytes": "bytes", "flops": "FLOPs"})

    def to_numpy(self, stream=None):
        """The metrics as a structured array of one record; with the name of a stream its occupancy, one row a sample."""
        import numpy

        if stream is not None:
            columns = self.occupancy(stream)
            return numpy.array(list(zip(*columns.values())), dtype=[(name, "i8") for name in columns])
        return _records([self])[0]


def _records(points):
    """Metrics of points as a structured array, NaN where one is not known."""
    import numpy

    names = list(_registry.metrics())
    rows = [tuple(float(point.metrics.get(name, "nan")) for name in names) for point in points]
    return numpy.array(rows, dtype=[(name, "f8") for name in names])


class _Points:
    """Many points, the frontier among them."""

    def __init__(self, entry, make=Point):
        self.points = [make(each) for each in entry["points"]]  #: in the order of the space or of the search
        self.objectives = entry["objectives"]  #: names of metrics
        self.hypervolume = entry["hypervolume"]  #: share of the box that the points dominate, 0 to 1
        self.cancelled = entry["cancelled"]  #: it was stopped before its end
        self.wall_seconds = entry["wall_seconds"]
        self._frontier = entry["frontier"]

    @property
    def frontier(self):
        """The points that no other beats in all objectives, by the first objective."""
        return [self.points[i] for i in self._frontier]

    def __len__(self):
        return len(self.points)

    def __iter__(self):
        return iter(self.points)

    def __getitem__(self, index):
        return self.points[index]

    def best(self, metric=None):
        """The point of the frontier that is best in a metric, by default the first objective."""
        metric = metric or self.objectives[0]
        if metric not in _registry.metrics():
            close = difflib.get_close_matches(metric, _registry.metrics(), 1)
            fix = f"did you mean '{close[0]}'?" if close else f"metrics are {', '.join(_registry.metrics())}"
            refuse("unknown-name", f"metric '{metric}'", "there is no metric of that name", fix)
        if not self._frontier:
            refuse("no-feasible-point", "exploration", "no point is on its frontier", "loosen the constraints, or evaluate more points")
        sign = 1 if _registry.metrics()[metric]["smaller_is_better"] else -1
        return min(self.frontier, key=lambda point: sign * point.metrics[metric])

    def to_numpy(self):
        """The metrics, one record a point, NaN where one is not known."""
        return _records(self.points)

    def plot(self, file=None, x=None, y=None, title="", log=False):
        """All points and the frontier in two metrics, by default the first two objectives, as an SVG; see sluice.plot()."""
        first = self.objectives[0]
        x, y = x or (self.objectives[1] if len(self.objectives) > 1 else "on_chip_bytes"), y or first
        return plot({"points": self.points, "frontier": self.frontier}, x, y, file, title, log, ("frontier",))

    def _repr_svg_(self):
        return self.plot() if self._frontier else None

    def to_pandas(self):
        """A pandas.DataFrame with knobs, state, metrics and on_frontier, one row a point; `attrs["units"]` has the units."""
        on_frontier = set(self._frontier)
        rows = [
            {**point.knobs, "state": point.state, **point.metrics, "on_frontier": i in on_frontier} for i, point in enumerate(self.points)
        ]
        return _frame(rows, _registry.units())

    def __repr__(self):
        stopped = ", stopped early" if self.cancelled else ""
        return (
            f"<sluice.{type(self).__name__}: {len(self)} points, {len(self._frontier)} on the frontier over "
            f"{', '.join(self.objectives)}, hypervolume {self.hypervolume:.3f}{stopped}>"
        )


class Exploration(_Points):
    """What explore() found."""

    def __init__(self, entry):
        super().__init__(entry)
        self.strategy = entry["strategy"]  #: that chose the points
        self.order = entry["order"]  #: indices of the points as they were visited
        self.reference = entry["reference"]  #: corner of the hypervolume's box
        self.pruned = entry["pruned"]  #: points that their bounds ruled out
        self.reused = entry["reused"]  #: points that the store knew
        self.retimed = entry["retimed"]  #: points re-timed from the run of another
        self.diagnostics = diagnostics_of(entry["diagnostics"])  #: warnings of values of inputs that do not fit the program


class Design(Point):
    """A schedule that was found, evaluated."""

    def __init__(self, entry, program=None):
        super().__init__(entry)
        self.schedule = entry["schedule"]  #: all of its steps
        self.parent = entry["parent"]  #: the design that it was made of; None: the program as it is
        self.times_bound = entry["times_bound"]  #: metric -> how many times what no schedule can beat
        self._program = program

    @property
    def program(self):
        """The program with this schedule."""
        return self._program.with_schedule(self.schedule)


class Designs(_Points):
    """What design() found."""

    def __init__(self, entry, program):
        super().__init__(entry, lambda each: Design(each, program))
        self.simulated = entry["simulated"]  #: designs
        self.duplicates = entry["duplicates"]  #: schedules that come to the graph of another
        self.pruned = entry["pruned"]  #: schedules that bounds ruled out
        self.complete = entry["complete"]  #: nothing is left to be tried
        self.proved = entry["proved"]  #: of the frontier: {"design", "verdict", "why"}, whether it computes the same
        self.remarks = diagnostics_of(entry["remarks"])


class Compilation:
    """A compiled tensor program: kernels, FIFOs, memory, predicted cycles of each group."""

    def __init__(self, entry):
        self.program = entry["program"]  #: the node that held the tensor program
        self.sizing = entry["sizing"]  #: how depths were chosen
        self.kernels = entry["kernels"]  #: {"name", "group"}
        self.fifos = entry["fifos"]  #: {"from", "to", "depth", "folded"}
        self.predicted_cycles = entry["predicted_cycles"]  #: of each group
        self.fifo_bytes = entry["fifo_bytes"]
        self.on_chip_bytes = entry["on_chip_bytes"]
        self.largest_group_bytes = entry["largest_group_bytes"]
        self.external_bytes = entry["external_bytes"]  #: moved, repeats included
        self.text = entry["text"]  #: MLIR-style text

    def to_pandas(self):
        """The FIFOs as a pandas.DataFrame."""
        return _frame(self.fifos)

    def __repr__(self):
        return f"<sluice.Compilation of '{self.program}': {len(self.kernels)} kernels, {len(self.fifos)} FIFOs, {self.on_chip_bytes:,} bytes>"


class Depths:
    """Other depths of FIFOs: of size_fifos() and unlock()."""

    def __init__(self, entry, program):
        self.changes = entry["changes"]  #: {"stream", "origin", "instances", "from", "to", "bytes"}
        self.program = program  #: with these depths; None where there are none
        self.__dict__.update({name: value for name, value in entry.items() if name not in ("changes", "document")})

    def to_pandas(self):
        """The changes as a pandas.DataFrame."""
        return _frame(self.changes, {"bytes": "bytes", "from": "tokens", "to": "tokens"})

    def __repr__(self):
        told = ", ".join(f"{change['stream']}: {change['from']} -> {change['to']}" for change in self.changes)
        return f"<sluice.{type(self).__name__}: {told or 'nothing changes'}>"


class Sizing(Depths):
    """Of size_fifos(): `cycles_before` (None: it deadlocks), `cycles_after`; `bytes_before`, `bytes_after`, `bram_blocks_before` and
    `bram_blocks_after` of all FIFOs of the program; `front`: points with `bytes`, `bram_blocks`, `cycles` and `depths` by FIFO."""


class Unlocking(Depths):
    """Of unlock(): `kind` ("artificial", "real", "undecided"), `why`, `reasons`, `bytes`, `cycles`, `minimal`."""


def _shown(value):
    return "-" if value is None else f"{value:,.6g}"


class Comparison:
    """Two runs: `metrics`, `operators` (busy cycles), `streams` (tokens at once), `causes`, each with `a`, `b` and `change`."""

    def __init__(self, entry):
        self.metrics = {each["name"]: each for each in entry["metrics"]}
        self.operators = entry["operators"]
        self.streams = entry["streams"]
        self.causes = entry["causes"]

    def to_pandas(self, what="metrics"):
        """One of its tables as a pandas.DataFrame."""
        table = getattr(self, what)
        return _frame(list(table.values()) if isinstance(table, dict) else table)

    def _repr_html_(self):
        return _table([(name, _shown(each["a"]), _shown(each["b"])) for name, each in self.metrics.items()], "two runs")

    def __repr__(self):
        rows = [f"  {name:32} {_shown(each['a']):>18} {_shown(each['b']):>18}" for name, each in self.metrics.items()]
        return "\n".join(["<sluice.Comparison", *rows]) + ">"
