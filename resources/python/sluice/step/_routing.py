"""Operators that say where tokens go."""

from ._operator import StepOps, end, get_stream, producer, size
from .datatype import DynTile, MultiHot, Stream, Tile, product
from .dyndim import DynDim


class _Bundle(StepOps):
    """Several outputs, `num_consumers` of them."""

    def memory(self, count_fifos, mode):
        return (self.num_consumers + 1) * size(get_stream(self._input).stream_dtype) if count_fifos else 0


class Broadcast(_Bundle):
    slots = ("_input",)

    def __init__(self, graph, input, num_consumers):
        self._input, self.num_consumers = input, num_consumers
        super().__init__(graph)
        stream = get_stream(input)
        self._stream = [Stream(stream.stream_dtype, stream.shape) for _ in range(num_consumers)]

    def memory(self, count_fifos, mode):
        return 0

    def fields(self):
        return {"inp": end(self._input), "n": self.num_consumers}


class Parallelize(_Bundle):
    slots = ("_input",)

    def __init__(self, graph, input, parallelize_rank, num_consumers, switch_cycles=None, write_back_mu=False):
        stream = get_stream(input)
        if parallelize_rank != stream.rank:
            raise ValueError(f"Parallelize distributes the outermost dimension, rank {stream.rank}, not {parallelize_rank}")
        first, *inner = stream.shape
        if isinstance(first, int) and first % num_consumers:
            raise NotImplementedError(f"Parallelize cannot distribute {first} evenly over {num_consumers}")
        self._input, self.parallelize_rank, self.num_consumers = input, parallelize_rank, num_consumers
        self.switch_cycles, self.write_back_mu = switch_cycles or [1] * num_consumers, write_back_mu
        super().__init__(graph)
        share = first // num_consumers if isinstance(first, int) else first / num_consumers
        self._stream = [Stream(stream.stream_dtype, (share, *inner)) for _ in range(num_consumers)]

    def fields(self):
        return {"inp": end(self._input), "rank": self.parallelize_rank, "n": self.num_consumers, "sw": list(self.switch_cycles)}


class FlatPartition(_Bundle):
    slots = ("_input", "control")

    def __init__(self, graph, input, control, partition_rank, switch_cycles, write_back_mu, num_consumers):
        self._input, self.control, self.partition_rank, self.num_consumers = input, control, partition_rank, num_consumers
        self.switch_cycles, self.write_back_mu = switch_cycles, write_back_mu
        super().__init__(graph)
        stream = get_stream(input)
        inner = stream.shape[len(stream.shape) - partition_rank :]
        names = [f"{producer(control)}_{i:03d}" for i in range(num_consumers)]
        self._stream = [Stream(stream.stream_dtype, (DynDim(name), *inner)) for name in names]

    def fields(self):
        routing = {"rank": self.partition_rank, "n": self.num_consumers, "sw": list(self.switch_cycles), "wb": self.write_back_mu}
        return {"inp": end(self._input), "ctl": end(self.control), **routing}


class FlatReassemble(StepOps):
    slots = ("_inputs", "control")

    def __init__(self, graph, inputs, control, reassemble_rank, switch_cycles, write_back_mu):
        streams = [get_stream(source) for source in inputs]
        inner = tuple(streams[0].shape[len(streams[0].shape) - reassemble_rank :])
        if any(tuple(each.shape[len(each.shape) - reassemble_rank :]) != inner for each in streams):
            raise ValueError(f"FlatReassemble takes streams whose last {reassemble_rank} dimensions are the same")
        self._inputs, self.control, self.reassemble_rank = list(inputs), control, reassemble_rank
        self.switch_cycles, self.write_back_mu = switch_cycles, write_back_mu
        super().__init__(graph)
        self._stream = Stream(streams[0].stream_dtype, (*get_stream(control).shape, DynDim(f"{self}_dyn"), *inner))

    def memory(self, count_fifos, mode):
        queued = (len(self._inputs) + 1) * size(get_stream(self._inputs[0]).stream_dtype) if count_fifos else 0
        if not self.write_back_mu:
            return queued
        return queued + product(self.stream.shape[get_stream(self.control).rank - 1 :]) * size(self.stream.stream_dtype)

    def fields(self):
        routing = {"rank": self.reassemble_rank, "sw": list(self.switch_cycles), "wb": self.write_back_mu}
        return {"inps": [end(source) for source in self._inputs], "ctl": end(self.control), **routing}


class EagerMerge(StepOps):
    """Output 0 is the data, output 1 says where each token came from."""

    slots = ("_inputs",)
    num_consumers = 2

    def __init__(self, graph, inputs, input_rank):
        self._inputs, self.input_rank = list(inputs), input_rank
        super().__init__(graph)
        streams = [get_stream(source) for source in inputs]
        total = streams[0].shape[0]
        for each in streams[1:]:
            total = each.shape[0] + total if isinstance(each.shape[0], DynDim) else total + each.shape[0]
        inner = tuple(streams[0].shape[1:])
        self._stream = [Stream(streams[0].stream_dtype, (total, *inner)), Stream(MultiHot(len(inputs)), (total,))]

    def data_stream(self):
        return self._stream[0]

    def select_stream(self):
        return self._stream[1]

    def data_tuple(self):
        return (self, 0)

    def select_tuple(self):
        return (self, 1)

    def replace_input(self, org_input, new_input):
        if org_input in self._inputs:
            super().replace_input(org_input, new_input)

    def replace_full_input(self, graph, new_input_list):
        """Closes a loop: reads these instead of what only held their places."""
        if len(new_input_list) != len(self._inputs):
            raise ValueError(f"{self} has {len(self._inputs)} inputs, found {len(new_input_list)}")
        for old, new in zip(self._inputs, new_input_list):
            if tuple(get_stream(old).shape) != tuple(get_stream(new).shape):
                raise ValueError(f"shape of the input stream shouldn't change: {get_stream(old)} to {get_stream(new)}")
        graph.remove_nodes_from({producer(source) for source in self._inputs})
        self._inputs = list(new_input_list)
        self.connect(graph)

    def memory(self, count_fifos, mode):
        moved = size(self._stream[0].stream_dtype) + size(self._stream[1].stream_dtype)
        tiles = isinstance(self._stream[0].stream_dtype, (Tile, DynTile))
        return (len(self._inputs) + 1) * moved if count_fifos and tiles else 0

    def fields(self):
        return {"inps": [end(source) for source in self._inputs], "rank": self.input_rank}
