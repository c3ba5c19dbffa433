"""Programs written in Python: a method for each operator of the registry, streams as objects, regions as context managers."""

import contextlib
import json

from . import _engine, _registry
from ._errors import Error, diagnostics_of, refuse
from ._inputs import whole_numbers
from ._program import Program, _plain


class Stream:
    """A stream of a program that is being written: the output of an operator, of a region, or what enters a region.

    `stream[2]` is one of a bundle, `stream @ 16` the stream with FIFOs of 16 tokens where it is used next.
    """

    def __init__(self, graph, source, depth=None):
        self._graph, self._source, self._depth = graph, source, depth

    def __getitem__(self, index):
        if self._source.endswith("]"):
            raise TypeError(f"{self._source} is one stream of a bundle already")
        return Stream(self._graph, f"{self._source}[{_plain(index)}]", self._depth)

    def __iter__(self):
        raise TypeError(f"{self._source} is a bundle whose width the program decides; take stream[0], stream[1] ...")

    def __matmul__(self, depth):
        return Stream(self._graph, self._source, depth)

    @property
    def type(self):
        """{"text", "shape", "element", "tile"}. Raises Error where the program so far has none for it."""
        return self._graph.builder._types([self])[0]

    @property
    def shape(self):
        """The dimensions, outermost first: whole numbers, or Dims with the names of knobs and of what only a run knows."""
        return tuple(_number(extent) for extent, _ in self.type["shape"])

    @property
    def rank(self):
        """Number of dimensions - 1."""
        return len(self.type["shape"]) - 1

    @property
    def tile(self):
        """(rows, columns) of a tile; None for other elements."""
        tile = self.type["tile"]
        return tile and tuple(_number(extent) for extent, _ in tile[:2])

    def __repr__(self):
        try:
            return f"<sluice.Stream {self._graph.full(self._source)}: {self.type['text']}>"
        except Error as error:
            return f"<sluice.Stream {self._graph.full(self._source)}: {error.code}>"


def _number(extent):
    text = str(extent)
    return int(text) if text.lstrip("-").isdigit() else extent


class _Graph:
    """The graph of the program, or of a region."""

    def __init__(self, builder, path="", outer=None):
        self.builder, self.path, self.outer = builder, path, outer
        self.nodes, self.streams, self.names = [], [], set()

    def full(self, name):
        return f"{self.path}.{name}" if self.path else name

    def free_name(self, wish):
        name, number = wish, 2
        while name in self.names or name == "region":
            name, number = f"{wish}_{number}", number + 1
        self.names.add(name)
        return name

    def feed(self, target, stream):
        """A stream of this graph into `target`."""
        if not isinstance(stream, Stream):
            raise TypeError(f"{self.full(target)} takes a stream, found {stream!r}")
        if stream._graph is not self:
            refuse(
                "unconnected-port",
                f"input '{self.full(target)}'",
                f"{stream._graph.full(stream._source)} is a stream of another graph",
                "pass it into a region by the region's inputs, and out of it with region.output(stream)",
            )
        entry = {"from": stream._source, "to": target}
        if stream._depth is not None:
            entry["depth"] = _plain(stream._depth)
        self.streams.append(entry)

    def tree(self):
        return {"nodes": [node if "inner" not in node else _closed(node) for node in self.nodes], "streams": self.streams}


def _closed(node):
    entry = {key: value for key, value in node.items() if key != "inner"}
    entry["program"] = node["inner"].tree()
    return entry


class Region:
    """A part of the program that is there `count` times: what is written within `with` is in it.

    Its inputs are attributes (`region.x`), its instance number is `region.index`, and outside, its outputs are attributes, too.
    """

    def __init__(self, builder, name, count, inputs, index, widths, by_instance):
        graph = builder._graph
        self._builder, self._outer = builder, graph
        self._name = graph.free_name(name)
        self._inner = _Graph(builder, graph.full(self._name), graph)
        self._node = {"name": self._name, "kind": "Region", "count": _plain(count), "inputs": list(inputs), "outputs": []}
        if index:
            self._node["index"] = index
        if widths:
            self._node["widths"] = _plain(widths)
        if by_instance:
            self._node["by_instance"] = True
        self._node["inner"] = self._inner
        self.index = _engine.Expression(index) if index else None
        graph.nodes.append(self._node)
        for port, stream in inputs.items():
            graph.feed(f"{self._name}.{port}", stream)

    def __enter__(self):
        self._builder._graph = self._inner
        return self

    def __exit__(self, *_):
        self._builder._graph = self._outer

    def output(self, stream, name="y"):
        """The stream leaves the region as the output `name`; a bundle of `count` streams outside. Gives that bundle."""
        if name in self._node["outputs"]:
            refuse("name-taken", f"region '{self._inner.path}'", f"it has an output '{name}' already", "choose another name")
        self._inner.feed(f"region.{name}", stream)
        self._node["outputs"].append(name)
        return Stream(self._outer, f"{self._name}.{name}")

    def __getattr__(self, name):
        node = self.__dict__.get("_node", {"inputs": (), "outputs": ()})
        if name in node["inputs"] and self._builder._graph is not self._outer:
            return Stream(self._inner, f"region.{name}")
        if name in node["outputs"]:
            return Stream(self._outer, f"{self._name}.{name}")
        if name in node["inputs"]:
            return Stream(self._inner, f"region.{name}")
        ports = ", ".join([*node["inputs"], *node["outputs"]])
        raise AttributeError(f"the region has no port '{name}'; it has {ports or 'none'}")


class Builder:
    """Writes a program, one operator a call: `y = p.binary_map(a, b, function="matmul", compute_bw=1024)`.

    Streams come first, in the order of the operator's inputs (or by their names), parameters by name; `name=` is the operator's name, else
    it is called by its kind. With `check` each call looks whether the program so far is right, and raises Error where it is not.
    """

    def __init__(self, title="", description="", check=True, folder="."):
        self._graph = self._root = _Graph(self)
        self._check, self._folder = check, folder
        self._head = {"sluice": 1, "title": title, "description": description, "constants": {}, "knobs": []}
        self._machine, self._inputs, self._schedule = {}, [], []
        self._known = set()

    # What is not the graph.

    def constant(self, name, value):
        """A named whole number of the workload; use it in parameters, with arithmetic."""
        self._head["constants"][name] = _plain(value)
        return _engine.Expression(name)

    def constants(self, **values):
        """Several, in the order given: `B, D = p.constants(B=16, D=64)`."""
        return tuple(self.constant(name, value) for name, value in values.items())

    def knob(self, name, values, default=None, help=""):
        """A knob of the design space: a list of whole numbers, a range(), or a list of texts."""
        entry = {"name": name}
        if isinstance(values, str):
            raise TypeError(f"knob '{name}' takes a list of values, not the text {values!r}")
        values = list(values) if not isinstance(values, range) else values
        if not values:
            refuse("missing-value", f"knob '{name}'", "it has no values", "give at least one")
        if isinstance(values, range) and values.step > 0 and len(values) > 0:
            entry.update(kind="Range", minimum=values.start, maximum=values[-1], step=values.step)
        elif values and isinstance(values[0], str):
            entry.update(kind="Choice", choices=values)
        else:
            entry.update(kind="List", values=_plain(values))
        entry.update(default=_plain(values[0] if default is None else default), help=help)
        self._head["knobs"].append(entry)
        return "=" + name if entry["kind"] == "Choice" else _engine.Expression(name)

    def machine(self, **settings):
        """What differs from the reference machine."""
        self._machine.update(_plain(settings))

    def input(self, name, kind="Tensor", data=None, **fields):
        """A trace: an array or lists (`data`), `file`, or of kind "Routing" the synthetic counts, tokens, experts, top_k. Gives the name."""
        entry = {"name": name, "kind": kind, **_plain({key: _listed(value) for key, value in fields.items()})}
        if data is not None:
            entry["data"] = whole_numbers(name, data).tolist()
        self._inputs.append(entry)
        return name

    def step(self, transformation, **arguments):
        """A step behind the schedule."""
        self._schedule.append({"transformation": transformation, "arguments": _plain(arguments)})

    # The graph.

    def region(self, name, count=1, inputs=None, index="", widths=None, by_instance=False):
        """`with p.region("expert", count=E, inputs={"x": scattered}, index="e") as expert:` - see Region."""
        return Region(self, name, count, dict(inputs or {}), index, widths, by_instance)

    def operator(self, kind, *streams, name=None, **given):
        """An operator by its kind; what the methods of operators call."""
        spec = _registry.operators().get(kind)
        if spec is None:
            refuse("unknown-operator", f"operator '{name or kind}'", f"there is no operator of kind '{kind}'", "see sluice.operators()")
        graph = self._graph
        before = len(graph.nodes), len(graph.streams), set(graph.names)
        own = graph.free_name(name or _registry.method_name(kind))
        try:
            self._connect(graph, own, spec, streams, given)
            graph.nodes.append({"name": own, "kind": kind, "parameters": {key: _plain(_listed(value)) for key, value in given.items()}})
            outputs = tuple(Stream(graph, f"{own}.{port['name']}") for port in spec["outputs"])
            if self._check:
                self._look()
        except (Error, TypeError):
            del graph.nodes[before[0] :], graph.streams[before[1] :]
            graph.names = before[2]
            raise
        return outputs[0] if len(outputs) == 1 else outputs or None

    def _connect(self, graph, own, spec, streams, given):
        ports = [port["name"] for port in spec["inputs"]]
        if len(streams) > len(ports):
            raise TypeError(f"{spec['kind']} has {len(ports)} inputs ({', '.join(ports)}), found {len(streams)} streams")
        fed = dict(zip(ports, streams))
        for port in ports:
            if isinstance(given.get(port), (Stream, list)) and (isinstance(given[port], Stream) or _all_streams(given[port])):
                fed[port] = given.pop(port)
        for port in ports:
            if port not in fed or fed[port] is None:
                continue  # fed later, by connect()
            if isinstance(fed[port], (list, tuple)):
                for i, stream in enumerate(fed[port]):
                    graph.feed(f"{own}.{port}[{i}]", stream)
            else:
                graph.feed(f"{own}.{port}", fed[port])

    def connect(self, stream, target, depth=None):
        """Feeds an input that was left open: `p.connect(stream, "merge.in[1]")`, for loops."""
        self._graph.feed(target, stream if depth is None else stream @ depth)

    # What is there so far.

    def _text(self):
        head = {key: value for key, value in self._head.items() if value}
        tree = {**head, "program": self._root.tree(), "schedule": self._schedule}
        if self._machine:
            tree["machine"] = self._machine
        tree["inputs"] = self._inputs
        return json.dumps(tree)

    def _look(self):
        document = _engine.Document.parse(self._text(), "the program")
        _, problems = document.types(self._folder, [])
        wrong = tuple(each for each in diagnostics_of(problems) if each.severity == "error" and str(each) not in self._known)
        if wrong:
            raise Error(wrong)

    def _types(self, streams):
        document = _engine.Document.parse(self._text(), "the program")
        types, problems = document.types(self._folder, [(each._graph.path, each._source) for each in streams])
        missing = [each for i, each in enumerate(streams) if i not in types]
        if missing:
            wrong = diagnostics_of(problems)
            if wrong:
                raise Error(wrong)
            place = f"stream '{missing[0]._graph.full(missing[0]._source)}'"
            refuse("unconnected-port", place, "its type is not known, as something before it is not connected yet", "connect that first")
        return [types[i] for i in range(len(streams))]

    def program(self):
        """The program. Raises Error where it is not complete."""
        document = _engine.Document.parse(self._text(), self._head["title"] or "the program")
        wrong = tuple(each for each in diagnostics_of(document.check()) if each.severity == "error")
        if wrong:
            raise Error(wrong)
        return Program(document, self._folder, self._head["title"])


def _all_streams(values):
    return bool(values) and all(isinstance(each, Stream) for each in values)


def _listed(value):
    return value.tolist() if hasattr(value, "tolist") else value


def _method(kind, spec):
    def call(self, *streams, name=None, **parameters):
        return self.operator(kind, *streams, name=name, **parameters)

    call.__name__ = _registry.method_name(kind)
    call.__qualname__ = f"Builder.{call.__name__}"
    call.__doc__ = method_help(spec)
    return call


def method_help(spec):
    """What a method of the builder is for, from the operator's description."""
    lines = [f"{spec['summary']} ({spec['paper']})" if spec["paper"] else spec["summary"], ""]
    for what, ports in (("Takes", spec["inputs"]), ("Gives", spec["outputs"])):
        for port in ports:
            width = f" (a bundle of {port['width']})" if port["width"] else ""
            lines.append(f"{what} `{port['name']}`{width}: {port['help']}")
    for parameter in spec["parameters"]:
        about = [parameter["help"]]
        if parameter["unit"]:
            about.append(f"in {parameter['unit']}")
        if parameter["choices"]:
            about.append("one of " + ", ".join(parameter["choices"]))
        about.append("must be given" if parameter["needed"] else f"default {parameter['default']!r}")
        lines.append(f"`{parameter['name']}`: {'; '.join(each for each in about if each)}.")
    lines += ["", f"Shape: {spec['shape']}", f"Cost: {spec['cost']}", f"Timing: {spec['timing']}"]
    return "\n".join(lines)


for _kind, _spec in _registry.operators().items():
    _made = _method(_kind, _spec)
    if not hasattr(Builder, _made.__name__):
        setattr(Builder, _made.__name__, _made)
with contextlib.suppress(NameError):
    del _kind, _spec, _made
