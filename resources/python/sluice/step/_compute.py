"""Operators that compute: maps and accumulations."""

from ._operator import StepOps, end, get_stream, size
from .datatype import Stream
from .functions import Product


class _Compute(StepOps):
    def fields(self):
        return {"fn": self.fn.fields(), "bw": self.compute_bw, "wb": self.write_back_mu}

    def _types(self):
        return [get_stream(source).stream_dtype for source in self.sources()]

    def _result(self):
        return self.stream.stream_dtype

    def _matmul_bytes(self):
        """The paper's term: 16 rows of the first input, the second, and the output."""
        first, second = self._types()
        return 16 * first.shape[1] + size(second) + size(self._result())


class UnaryMap(_Compute):
    slots = ("_input",)

    def __init__(self, graph, input, fn, write_back_mu, compute_bw):
        self._input, self.fn, self.write_back_mu, self.compute_bw = input, fn, write_back_mu, compute_bw
        made = Stream(fn.apply((get_stream(input).stream_dtype,)), get_stream(input).shape)
        super().__init__(graph)
        self._stream = made

    def memory(self, count_fifos, mode):
        return size(self._types()[0]) + size(self._result()) if count_fifos and mode == 1 else 0

    def fields(self):
        return {"inp": end(self._input), **super().fields()}


class BinaryMap(_Compute):
    slots = ("in1", "in2")

    def __init__(self, graph, in1, in2, fn, write_back_mu, compute_bw):
        a, b = get_stream(in1), get_stream(in2)
        for place, extent in enumerate(a.shape):
            if isinstance(extent, int) and (place >= len(b.shape) or b.shape[place] != extent):
                raise ValueError(f"BinaryMap takes streams of one shape, found {a.shape} and {b.shape}")
        self.in1, self.in2, self.fn, self.write_back_mu, self.compute_bw = in1, in2, fn, write_back_mu, compute_bw
        made = Stream(fn.apply((a.stream_dtype, b.stream_dtype)), a.shape)
        super().__init__(graph)
        self._stream = made

    def memory(self, count_fifos, mode):
        if not count_fifos:
            return 0
        if mode == 2:
            return self._matmul_bytes() if isinstance(self.fn, Product) else 0
        return sum(size(each) for each in self._types()) + size(self._result())

    def fields(self):
        return {"in1": end(self.in1), "in2": end(self.in2), **super().fields()}


class BinaryMapAccum(_Compute):
    slots = ("in1", "in2")

    def __init__(self, graph, in1, in2, fn, init_fn, rank, write_back_mu, compute_bw):
        a, b = get_stream(in1), get_stream(in2)
        if rank <= 0:
            raise ValueError(f"the rank of BinaryMapAccum is above 0, found {rank}")
        if len(a.shape) != len(b.shape) or any(x != y for x, y in zip(a.shape, b.shape)):
            raise ValueError(f"BinaryMapAccum takes streams of one shape, found {a.shape} and {b.shape}")
        self.in1, self.in2, self.fn, self.init_fn, self.rank = in1, in2, fn, init_fn, rank
        self.write_back_mu, self.compute_bw = write_back_mu, compute_bw
        made = Stream(fn.apply((a.stream_dtype, b.stream_dtype)), tuple(a.shape[:-rank]))
        super().__init__(graph)
        self._stream = made

    def memory(self, count_fifos, mode):
        if count_fifos and mode == 1:
            return 3 * size(self._types()[0])
        return self._matmul_bytes() if count_fifos else size(self._result())

    def fields(self):
        ends = {"in1": end(self.in1), "in2": end(self.in2)}
        return {**ends, **super().fields(), "rank": self.rank, "init": list(self.init_fn.shape)}


class Accum(_Compute):
    slots = ("_input",)

    def __init__(self, graph, input, output_stream_dtype, fn, init_fn, accum_rank, write_back_mu, compute_bw):
        if accum_rank <= 0:
            raise ValueError(f"the rank of Accum is above 0, found {accum_rank}")
        self._input, self.fn, self.init_fn, self.accum_rank = input, fn, init_fn, accum_rank
        self.write_back_mu, self.compute_bw = write_back_mu, compute_bw
        super().__init__(graph)
        self._stream = Stream(output_stream_dtype, tuple(get_stream(input).shape[:-accum_rank]))

    def memory(self, count_fifos, mode):
        return size(self._result()) + (size(self._types()[0]) if count_fifos and mode == 1 else 0)

    def fields(self):
        return {"inp": end(self._input), **super().fields(), "rank": self.accum_rank, "init": list(self.init_fn.shape)}
