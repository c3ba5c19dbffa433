"""Operators that make selectors, addresses and numbers, and sinks."""

from ._operator import StepOps, end, get_stream
from .datatype import Index, MultiHot, Stream, Tile, Uint64
from .dyndim import DynDim


def _values(tensor):
    """Whole numbers and their shape."""
    return {"shape": list(tensor.shape), "data": [int(each) for each in tensor.reshape(-1).tolist()]}


def _address():
    return Tile(Uint64(), (1, 1))


class _Sink(StepOps):
    slots = ("_input",)

    def __init__(self, graph, input):
        self._input = input
        super().__init__(graph)

    def fields(self):
        return {"inp": end(self._input)}


class PrinterContext(_Sink):
    pass


class ConsumerContext(_Sink):
    pass


class SelectGen(StepOps):
    def __init__(self, is_multihot, tensor, n):
        self.is_multihot, self.underlying, self.n = is_multihot, tensor, n
        super().__init__()
        self._stream = Stream(MultiHot(n) if is_multihot else Index(n), (1, *tensor.shape[:-1]))

    def fields(self):
        return {**_values(self.underlying), "multihot": bool(self.is_multihot)}


class MetadataGen(StepOps):
    def __init__(self, tensor):
        self.underlying = tensor
        super().__init__()
        self._stream = Stream(_address(), (1, *tensor.shape))

    def fields(self):
        if str(self.underlying.dtype).rpartition(".")[2] not in ("int64", "uint64"):
            raise ValueError(f"unsupported dtype: MetadataGen takes int64 or uint64, found {self.underlying.dtype}")
        return _values(self.underlying)


class ExpertAddrGen(StepOps):
    slots = ("_input",)

    def __init__(self, graph, input, num_tile_per_expert, expert_addr_base):
        self._input, self.num_tile_per_expert, self.expert_addr_base = input, num_tile_per_expert, expert_addr_base
        super().__init__(graph)
        self._stream = Stream(_address(), (*get_stream(input).shape, num_tile_per_expert, 1))

    def fields(self):
        return {"inp": end(self._input), "n": self.num_tile_per_expert, "base": self.expert_addr_base}


class CacheReadAddrGen(StepOps):
    slots = ("idx", "seq_len")

    def __init__(self, graph, idx, seq_len, row_offset):
        self.idx, self.seq_len, self.row_offset = idx, seq_len, row_offset
        super().__init__(graph)
        self._stream = Stream(_address(), (*get_stream(idx).shape, DynDim(str(self))))

    def fields(self):
        return {"idx": end(self.idx), "sl": end(self.seq_len), "off": self.row_offset}


class FilterLastTile(StepOps):
    slots = ("_input",)

    def __init__(self, graph, input):
        self._input = input
        super().__init__(graph)
        self._stream = Stream(MultiHot(2), (*get_stream(input).shape, DynDim(str(self))))

    def fields(self):
        return {"inp": end(self._input)}
