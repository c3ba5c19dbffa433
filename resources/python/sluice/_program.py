"""Programs: what a .sluice file holds, as an object that is never changed in place."""

import copy
import dataclasses
import json
import operator
import os

from . import _engine
from ._errors import Error, diagnostics_of, refuse, unless_interrupted
from ._inputs import by_name, split


def _plain(value):
    """What JSON has for a parameter, an expression, a number of NumPy's, a list of these."""
    if isinstance(value, _engine.Expression):
        return str(value)
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (str, bool)) or value is None:
        return value
    if hasattr(value, "__index__"):
        return value.__index__()
    if type(value).__name__ == "bool_":
        return bool(value)
    raise TypeError(f"expected a whole number, True or False, a text, a dimension, or a list of these, found {value!r}")


class Program:
    """A streaming tensor program with its knobs, schedule, machine and inputs.

    `sluice.load(file)`, `sluice.workload(name)` and `Builder.program()` make one. Methods that change something return another program.
    """

    def __init__(self, document, folder=".", name="", remarks=(), coverage=None):
        self._document = document
        self._folder = os.fspath(folder)
        self._data = None
        self._opened = None
        self.name = name  #: the file it came from, or a title
        self.remarks = tuple(remarks)  #: of an import: what was not taken over as it was
        self.weights = {}  #: of an ONNX import that was asked for them: arrays by the names of the program's tensors
        self.coverage = coverage  #: of an ONNX import: nodes, MACs and bytes understood of all, and `cuts`, what was left out and why

    def __repr__(self):
        data = self.data
        nodes = len(data["program"].get("nodes", ()))
        return f"<sluice.Program {data.get('title') or self.name!r}: {nodes} nodes, knobs {sorted(self.knobs) or 'none'}>"

    def __eq__(self, other):
        return isinstance(other, Program) and self._document == other._document

    def __hash__(self):
        return hash(self.text)

    def __reduce__(self):
        return (_parsed, (self.text, self._folder, self.name))

    # What it holds.

    @property
    def text(self):
        """The .sluice file."""
        return self._document.text()

    @property
    def data(self):
        """The file as a dictionary (engine/program/README.md is its schema); yours to read, `edited()` takes it back."""
        if self._data is None:
            self._data = json.loads(self.text)
        return copy.deepcopy(self._data)

    @property
    def knobs(self):
        """Knob -> its default."""
        return self._document.default_knobs()

    @property
    def schedule(self):
        """The steps, as dictionaries with `transformation` and `arguments`."""
        return self.data.get("schedule", [])

    @property
    def machine(self):
        """What differs from the reference machine."""
        return self.data.get("machine", {})

    @property
    def inputs(self):
        """Names of the inputs."""
        return [each["name"] for each in self.data.get("inputs", [])]

    def check(self):
        """Diagnostics of the program as it is; empty if there is nothing to say."""
        return diagnostics_of(self._document.check())

    # Others made of it.

    def edited(self, data):
        """The program that such a dictionary describes. Raises Error."""
        try:
            document = _engine.Document.parse(json.dumps(_plain_tree(data)), self.name or "program")
        except Error as error:
            raise Error(_without_file(each) for each in error.diagnostics) from None
        return Program(document, self._folder, self.name)

    def with_machine(self, **settings):
        """With other settings of the machine: `program.with_machine(hbm_channels=16, on_chip_capacity=2**20)`. Raises Error."""
        data = self.data
        for name, value in settings.items():
            try:
                settings[name] = _plain(value)
            except TypeError as error:
                raise TypeError(f"machine setting '{name}': {error}") from None
        data["machine"] = {**data.get("machine", {}), **settings}
        return self.edited(data)

    def with_schedule(self, steps):
        """With these steps instead of its schedule: those of `sluice.schedule_step()`, or dictionaries."""
        data = self.data
        data["schedule"] = [_plain(each) for each in steps]
        return self.edited(data)

    def then(self, *steps):
        """With further steps behind its schedule."""
        return self.with_schedule([*self.schedule, *steps])

    def _repr_svg_(self):
        from ._export import picture  # which takes programs

        return picture(self)

    def save(self, file):
        """Writes the .sluice file, atomically."""
        self._document.save(os.fspath(file))

    # For the functions of the package.

    def opened(self, inputs=None, machine=None):
        """With its inputs loaded, as the engine wants it."""
        if machine:
            return self.with_machine(**by_name("machine", machine)).opened(inputs)
        if inputs:
            files, arrays = split(inputs)
            return _engine.Workload(self._document, self._folder, files, arrays)
        if self._opened is None:
            self._opened = _engine.Workload(self._document, self._folder, {}, {})
        return self._opened


def _without_file(diagnostic):
    """Of what was given as a dictionary: no file is wrong, and no line of it."""
    parts = [each for each in diagnostic.location if each["kind"] not in ("file", "line", "column")]
    path = next((each["name"] for each in parts if each["kind"] == "path"), "")
    place = path.replace("$.machine.", "machine, ") or diagnostic.place
    return dataclasses.replace(diagnostic, place=place, location=tuple(parts))


def _plain_tree(value):
    """As _plain(), but with numbers that are not whole: positions on the canvas."""
    if isinstance(value, dict):
        return {str(key): _plain_tree(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain_tree(each) for each in value]
    return value if isinstance(value, float) else _plain(value)


def _parsed(text, folder, name):
    return Program(_engine.Document.parse(text, name or "program"), folder, name)


def load(file, dimensions=None, weights=False):
    """A program from a .sluice file, or of another tool: a STeP graph, an ONNX model, a tensor program, a Graphviz graph.

    `dimensions` gives extents of symbolic dimensions of an ONNX model: {"seq": 64}, or several, which make a knob: {"seq": [64, 32, 128]}. What an import did not take over is in `.remarks`,
    how much of a model it took in `.coverage`. With `weights` the values of its tensors, as far as an ONNX model has them, are in `.weights`.
    """
    file = os.fspath(file)
    folder = os.path.dirname(os.path.abspath(file))
    if file.endswith(".sluice") and not dimensions:
        return Program(_engine.Document.load(file), folder, file)
    found, interruption = _engine.Document.imported(file, by_name("dimensions", dimensions), bool(weights))
    document, remarks, coverage, values = unless_interrupted(found, interruption)
    program = Program(document, folder, file, diagnostics_of(remarks), coverage)
    if weights:
        import numpy

        program.weights = {name: numpy.frombuffer(data, "f4").reshape(shape) for name, (shape, data) in values.items()}
    return program


def loads(text, name="program", folder="."):
    """A program from the text of a .sluice file; input files are looked for in `folder`."""
    return _parsed(text, folder, name)


def _size(name, value):
    try:
        number = operator.index(value)
    except TypeError:
        number = 2**63
    if not -(2**63) <= number < 2**63:
        refuse("not-an-integer", f"size '{name}'", f"it is {value!r}", "give a whole number")
    return number


def workload(name, model="", **sizes):
    """A built-in workload: `sluice.workload("moe", "mixtral_b64")`; `sluice.workloads()` lists them with their sizes."""
    return Program(_engine.Document.workload(name, model, {size: _size(size, value) for size, value in sizes.items()}), ".", name)


def schedule_step(transformation, **arguments):
    """A step of a schedule: `sluice.schedule_step("tile", region="expert", input="x", method="static", rows=16)`."""
    return {"transformation": transformation, "arguments": _plain(arguments)}
