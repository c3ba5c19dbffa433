"""What operators have in common: inputs, streams, and what the metrics and the engine ask of them."""

from .datatype import Stream


def get_stream(source):
    """The stream of an operator with one output, or of (operator, number of the output)."""
    return source[0].stream_idx(source[1]) if isinstance(source, tuple) else source.stream


def producer(source):
    return source[0] if isinstance(source, tuple) else source


def size(dtype):
    return dtype.size_in_bytes()


class StepOps:
    """An operator of a graph. `slots` names the attributes that hold its inputs, one source or a list of them each."""

    _counter = 0  #: counts the operators of the process, as the ids of a graph do
    slots = ()

    def __init__(self, graph=None):
        self.instance_id = StepOps._counter
        StepOps._counter += 1
        self._stream = None  #: a Stream, a list of them, or None of a sink
        if graph is not None:
            self.connect(graph)

    def connect(self, graph):
        """The edges to it."""
        for source in self.sources():
            graph.add_edge(producer(source), self)

    def sources(self):
        """Everything that it reads, in the order of its inputs."""
        found = []
        for slot in self.slots:
            value = getattr(self, slot)
            found += value if isinstance(value, list) else [value]
        return found

    # Streams.

    @property
    def stream(self):
        if not isinstance(self._stream, Stream):
            raise NotImplementedError(f"{self} has {'several streams; take (operator, number)' if self._stream else 'no stream'}")
        return self._stream

    @property
    def stream_list(self):
        if self._stream is None:
            raise NotImplementedError(f"{self} has no streams")
        return self._stream if isinstance(self._stream, list) else [self._stream]

    def stream_idx(self, idx):
        if not isinstance(self._stream, list):
            raise NotImplementedError(f"{self} has no numbered streams")
        return self._stream[idx]

    @property
    def input(self):
        sources = self.sources()
        if len(sources) != 1:
            raise NotImplementedError(f"{self} has {len(sources)} inputs")
        return sources[0]

    @property
    def input_list(self):
        if not self.slots:
            raise NotImplementedError(f"{self} has no inputs")
        return self.sources()

    def replace_input(self, org_input, new_input):
        """Reads `new_input`, of the same type, where it read `org_input`."""
        for slot in self.slots:
            value = getattr(self, slot)
            for place, source in enumerate(value if isinstance(value, list) else [value]):
                if source != org_input:
                    continue
                if get_stream(source) != get_stream(new_input):
                    raise ValueError(f"shape of the input stream shouldn't change: {get_stream(source)} to {get_stream(new_input)}")
                if isinstance(value, list):
                    value[place] = new_input
                else:
                    setattr(self, slot, new_input)
                return
        raise ValueError(f"wrong org_input: {self} does not read {org_input}")

    # Metrics: expressions in the symbols of dimensions, or whole numbers.

    def off_chip_traffic(self):
        """Bytes."""
        return 0

    def on_chip_requirement(self, count_fifos=False, mode=1):
        """Bytes; in mode 2 by the equations that the paper prints."""
        return self.memory(count_fifos, mode)

    def memory(self, count_fifos, mode):
        return 0

    # For the engine.

    def fields(self):
        """As a STeP graph in JSON has it (engine/interchange/step_format.md), but for its kind and id."""
        raise NotImplementedError

    def __str__(self):
        return f"{type(self).__name__}_{self.instance_id}"

    __repr__ = __str__


def end(source):
    """A source as a STeP graph in JSON has it."""
    return [source[0].instance_id, source[1]] if isinstance(source, tuple) else [source.instance_id, None]
