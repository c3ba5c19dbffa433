"""The operators of the paper: off-chip memory, and what is computed and moved on chip. Utilities are in utility_ops."""

import math  # noqa: F401  scripts take the names of this block from here
from abc import ABC, abstractmethod  # noqa: F401
from dataclasses import dataclass  # noqa: F401
from typing import Dict, List, Optional, Set, Tuple, Union  # noqa: F401

import sympy
from networkx import MultiDiGraph  # noqa: F401

from ._compute import Accum, BinaryMap, BinaryMapAccum, UnaryMap  # noqa: F401
from ._operator import StepOps, end, get_stream, size
from ._routing import Broadcast, EagerMerge, FlatPartition, FlatReassemble, Parallelize  # noqa: F401
from .datatype import (  # noqa: F401
    Bool, Buffer, DynTile, ElementTP, Float16, Float32, Index, MultiHot, Select, Stream, Tile, Uint32, Uint64, product,
)  # fmt: skip
from .dyndim import DynDim, _expression
from .functions import accum_fn, init_fn, map_accum_fn, map_fn, tile_of  # noqa: F401


class MockStreamOp(StepOps):
    """Holds the place of an operator that comes later, in a loop; EagerMerge.replace_full_input() puts it there."""

    def __init__(self, stream):
        super().__init__()
        self._stream = stream

    def off_chip_traffic(self):
        raise NotImplementedError("a stream that was only promised has no metrics; put an operator there")

    def memory(self, count_fifos, mode):
        return self.off_chip_traffic()


# Off-chip memory.


def _element(tensor, mock_bf16):
    """(type of the stream, bytes in memory) of an array's or a tensor's numbers."""
    name = str(tensor.dtype).rpartition(".")[2]
    if name == "float32":
        return Float32(), 2 if mock_bf16 else 4
    if name == "float16":
        return Float16(), 2
    raise ValueError(f"unsupported dtype: {tensor.dtype}")


class _Memory(StepOps):
    """What reads or writes tiles of a tensor."""

    def __init__(self, graph, underlying, tile_row, tile_col, par_dispatch, mock_bf16):
        element, self.n_byte = _element(underlying, mock_bf16)
        self.underlying, self.tile_row, self.tile_col, self.par_dispatch = underlying, tile_row, tile_col, par_dispatch
        *outer, rows, columns = underlying.shape
        self.tensor_shape_tiled = (*outer, rows // tile_row, columns // tile_col)
        self.tile = Tile(element, (tile_row, tile_col))
        super().__init__(graph)

    def off_chip_traffic(self):
        return self.stream.total_elements() * self.tile_row * self.tile_col * self.n_byte

    def memory(self, count_fifos, mode):
        return self.tile_row * self.tile_col * self.n_byte * (2 if mode == 2 else 1)

    def fields(self):
        return {"tile_row": self.tile_row, "tile_col": self.tile_col, "par": self.par_dispatch}


class _LinearLoad(_Memory):
    def fields(self):
        view = {"ts": list(self.tensor_shape_tiled), "stride": list(self.stride), "out": list(self.out_shape_tiled)}
        return {**view, **super().fields()}


class OffChipLoad(_LinearLoad):
    def __init__(self, underlying, stride, out_shape_tiled, tile_row, tile_col, par_dispatch, mock_bf16=False):
        self.stride, self.out_shape_tiled = stride, out_shape_tiled
        super().__init__(None, underlying, tile_row, tile_col, par_dispatch, mock_bf16)
        self._stream = Stream(self.tile, (1, *out_shape_tiled))


class DynOffChipLoad(_LinearLoad):
    slots = ("ref",)

    def __init__(self, graph, ref, underlying, stride, out_shape_tiled, tile_row, tile_col, par_dispatch, mock_bf16=False):
        self.ref, self.stride, self.out_shape_tiled = ref, stride, out_shape_tiled
        super().__init__(graph, underlying, tile_row, tile_col, par_dispatch, mock_bf16)
        self._stream = Stream(self.tile, (*get_stream(ref).shape, *out_shape_tiled))

    def fields(self):
        return {"ref": end(self.ref), **super().fields()}


class RandomOffChipLoad(_Memory):
    slots = ("raddr",)

    def __init__(self, graph, underlying, raddr, tile_row, tile_col, base_addr_byte, par_dispatch, mock_bf16=False):
        self.raddr, self.base_addr_byte = raddr, base_addr_byte
        super().__init__(graph, underlying, tile_row, tile_col, par_dispatch, mock_bf16)
        self._stream = Stream(self.tile, tuple(get_stream(raddr).shape))

    def fields(self):
        return {"raddr": end(self.raddr), **super().fields()}


class RandomOffChipStore(_Memory):
    slots = ("waddr", "wdata")

    def __init__(
        self, graph, underlying, wdata, waddr, tile_row, tile_col, base_addr_byte, par_dispatch, ack_based_on_waddr=True,
        buffer_depth=1, mock_bf16=False,
    ):  # fmt: skip
        self.wdata, self.waddr, self.base_addr_byte = wdata, waddr, base_addr_byte
        self.ack_based_on_waddr, self.buffer_depth, self.store_file_name = ack_based_on_waddr, buffer_depth, "output"
        super().__init__(graph, underlying, tile_row, tile_col, par_dispatch, mock_bf16)
        self._stream = Stream(Bool(), tuple(get_stream(waddr if ack_based_on_waddr else wdata).shape))

    def memory(self, count_fifos, mode):
        return super().memory(count_fifos, mode) * self.buffer_depth

    def fields(self):
        buffer = {"buffer": self.buffer_depth} if self.buffer_depth != 1 else {}
        ends = {"waddr": end(self.waddr), "wdata": end(self.wdata), "ackw": self.ack_based_on_waddr}
        return {**ends, **super().fields(), **buffer}


class OffChipStore(StepOps):
    slots = ("_input",)

    def __init__(self, graph, input, par_dispatch, store_file_name="output"):
        dtype = get_stream(input).stream_dtype
        if not isinstance(dtype, Tile):
            raise TypeError(f"OffChipStore takes tiles, found {dtype}")
        self._input, self.par_dispatch, self.store_file_name = input, par_dispatch, store_file_name
        self.tile_row, self.tile_col = dtype.shape
        self.tensor_shape_tiled = tuple(get_stream(input).shape[1:])
        super().__init__(graph)

    def get_untiled_shape(self):
        """That of the tensor, in elements."""
        tiled = self.tensor_shape_tiled
        if len(tiled) == 1:
            return (tiled[0] * self.tile_row, self.tile_col)
        return (*tiled[:-2], tiled[-2] * self.tile_row, tiled[-1] * self.tile_col)

    def off_chip_traffic(self):
        stream = get_stream(self._input)
        return stream.total_elements() * size(stream.stream_dtype)

    def memory(self, count_fifos, mode):
        return size(get_stream(self._input).stream_dtype) * (2 if mode == 2 else 1)

    def fields(self):
        return {"inp": end(self._input), "tile_row": self.tile_row, "tile_col": self.tile_col, "par": self.par_dispatch}


# On-chip memory.


class Bufferize(StepOps):
    slots = ("_input",)

    def __init__(self, graph, input, rank, off_chip=False):
        stream = get_stream(input)
        if rank <= 0:
            raise ValueError(f"the rank of Bufferize is above 0, found {rank}")
        if not isinstance(stream.stream_dtype, Tile):
            raise TypeError(f"Bufferize takes tiles, found {stream.stream_dtype}")
        self._input, self.rank, self.off_chip = input, rank, off_chip
        super().__init__(graph)
        self._stream = Stream(Buffer(stream.stream_dtype, tuple(stream.shape[-rank:])), tuple(stream.shape[:-rank]))

    def off_chip_traffic(self):
        stream = get_stream(self._input)
        return stream.total_elements() * size(stream.stream_dtype) if self.off_chip else 0

    def memory(self, count_fifos, mode):
        buffer = self.stream.stream_dtype
        return size(buffer.buff_dtype) + (0 if self.off_chip else 2 * size(buffer))

    def fields(self):
        return {"inp": end(self._input), "rank": self.rank}


class _Streamify(StepOps):
    """Reads buffers."""

    def _buffer(self, input, rank):
        buffer = get_stream(input).stream_dtype
        if rank <= 0:
            raise ValueError(f"the rank of {type(self).__name__} is above 0, found {rank}")
        if not isinstance(buffer, Buffer):
            raise TypeError(f"{type(self).__name__} takes buffers, found {buffer}")
        return buffer

    def memory(self, count_fifos, mode):
        buffer = get_stream(self._input).stream_dtype
        if self.off_chip:
            return size(buffer.buff_dtype)
        return 0 if mode == 2 else size(buffer) + size(buffer.buff_dtype)


class Streamify(_Streamify):
    slots = ("_input",)

    def __init__(self, graph, input, repeat_factor, rank, off_chip=False):
        buffer = self._buffer(input, rank)
        self._input, self.repeat_factor, self.rank, self.off_chip = input, repeat_factor, rank, off_chip
        super().__init__(graph)
        self._stream = Stream(buffer.buff_dtype, (*get_stream(input).shape, *repeat_factor, *buffer.shape))

    def on_chip_requirement(self, count_fifos=True, mode=1):
        return self.memory(count_fifos, mode)

    def off_chip_traffic(self):
        stream = get_stream(self._input)
        read = stream.total_elements() * product(self.repeat_factor) * size(stream.stream_dtype.buff_dtype)
        return read if self.off_chip else 0

    def fields(self):
        return {"inp": end(self._input), "rank": self.rank, "rf": list(self.repeat_factor)}


class DynStreamify(_Streamify):
    slots = ("_input", "ref")

    def __init__(self, graph, input, ref, repeat_rank, bufferized_rank, off_chip=False):
        buffer = self._buffer(input, bufferized_rank)
        shape, told = list(get_stream(input).shape), list(get_stream(ref).shape)
        outer = len(shape) - repeat_rank - 1
        if any(extent != 1 for extent in shape[outer:]) or shape[:outer] != told[:outer]:
            raise ValueError(f"DynStreamify cannot repeat {shape} by {told} in rank {repeat_rank}")
        self._input, self.ref, self.repeat_rank, self.bufferized_rank, self.off_chip = input, ref, repeat_rank, bufferized_rank, off_chip
        super().__init__(graph)
        self._stream = Stream(buffer.buff_dtype, (*told, *buffer.shape))

    def off_chip_traffic(self):
        tile = get_stream(self._input).stream_dtype.buff_dtype
        return get_stream(self.ref).total_elements() * size(tile) if self.off_chip else 0

    def fields(self):
        return {"inp": end(self._input), "ref": end(self.ref), "rank": self.bufferized_rank, "rr": self.repeat_rank}


# Shapes.


class ExpandRef(StepOps):
    slots = ("_input", "ref")

    def __init__(self, graph, input, ref, expand_rank):
        shape, told = list(get_stream(input).shape), list(get_stream(ref).shape)
        if expand_rank <= 0 or any(extent != 1 for extent in shape[-expand_rank:]) or shape[:-expand_rank] != told[:-expand_rank]:
            raise ValueError(f"ExpandRef cannot expand {shape} to {told} in rank {expand_rank}")
        self._input, self.ref, self.expand_rank = input, ref, expand_rank
        super().__init__(graph)
        self._stream = Stream(get_stream(input).stream_dtype, tuple(told))

    def memory(self, count_fifos, mode):
        return size(self.stream.stream_dtype) * (2 if count_fifos else 1)

    def fields(self):
        return {"inp": end(self._input), "ref": end(self.ref), "rank": self.expand_rank}


class RepeatStatic(StepOps):
    slots = ("_input",)

    def __init__(self, graph, input, repeat_factor):
        self._input, self.repeat_factor = input, repeat_factor
        super().__init__(graph)
        self._stream = Stream(get_stream(input).stream_dtype, (*get_stream(input).shape, repeat_factor))

    memory = ExpandRef.memory

    def fields(self):
        return {"inp": end(self._input), "rf": self.repeat_factor}


class _Shape(StepOps):
    """Changes the shape, not the elements."""

    slots = ("_input",)

    def memory(self, count_fifos, mode):
        return 2 * size(self.stream.stream_dtype) if count_fifos else 0


class Promote(_Shape):
    def __init__(self, graph, input, promote_rank):
        self._input, self.promote_rank = input, promote_rank
        super().__init__(graph)
        shape = list(get_stream(input).shape)
        shape.insert(len(shape) - promote_rank, 1)
        self._stream = Stream(get_stream(input).stream_dtype, tuple(shape))

    def fields(self):
        return {"inp": end(self._input), "rank": self.promote_rank}


def _times(extents):
    """Their product: a whole number, or a dimension."""
    whole = all(isinstance(extent, int) for extent in extents)
    return int(product(extents)) if whole else DynDim(product(extents))


class Flatten(_Shape):
    def __init__(self, graph, input, min_rank, max_rank):
        shape = tuple(get_stream(input).shape)
        if not 0 <= min_rank <= max_rank < len(shape):
            raise ValueError(f"Invalid rank range: {min_rank} to {max_rank} of {shape}")
        self._input, self.min_rank, self.max_rank = input, min_rank, max_rank
        super().__init__(graph)
        first, after = len(shape) - 1 - max_rank, len(shape) - min_rank
        self._stream = Stream(get_stream(input).stream_dtype, (*shape[:first], _times(shape[first:after]), *shape[after:]))

    def fields(self):
        return {"inp": end(self._input), "mn": self.min_rank, "mx": self.max_rank}


class Reshape(_Shape):
    def __init__(self, graph, input, chunk_size, reshape_rank, write_back_mu, add_outer_dim=False, pad_fn=None):
        shape = list(get_stream(input).shape)
        self._input, self.chunk_size, self.reshape_rank, self.pad_fn = input, chunk_size, reshape_rank, pad_fn
        self.write_back_mu, self.add_outer_dim, self.input_stream_rank = write_back_mu, add_outer_dim, len(shape) - 1
        if not 0 <= reshape_rank < len(shape):
            raise ValueError(f"Reshape has no rank {reshape_rank} in {shape}")
        place = len(shape) - 1 - reshape_rank
        split = shape[place]
        divides = isinstance(split, int) and split % chunk_size == 0
        if not divides and not (reshape_rank == 0 and (pad_fn is not None or chunk_size == 1)):
            raise ValueError(f"Reshape needs padding to split {split} into chunks of {chunk_size}")
        if add_outer_dim and (len(shape) != 1 or split == 0):
            raise ValueError(f"Reshape adds an outer dimension to streams of rank 0 that are not empty, found {shape}")
        super().__init__(graph)
        shape[place : place + 1] = [(split + chunk_size - 1) // chunk_size, chunk_size]
        if add_outer_dim:
            known = isinstance(split, int)
            shape.insert(0, 1 if known else DynDim(sympy.Piecewise((1, _expression(split) >= 1), (0, True))))
        self._stream = Stream(get_stream(input).stream_dtype, tuple(shape))

    def fields(self):
        pad = list(self.pad_fn.shape) if self.pad_fn is not None else None
        options = {"wb": self.write_back_mu, "outer": self.add_outer_dim, "srank": self.input_stream_rank, "pad": pad}
        return {"inp": end(self._input), "dim": self.reshape_rank, "chunk": self.chunk_size, **options}


class RetileStreamify(StepOps):
    slots = ("_input",)

    def __init__(self, graph, input, split_row, filter_mask=False):
        stream = get_stream(input)
        tile = stream.stream_dtype
        if not isinstance(tile, (Tile, DynTile)):
            raise TypeError(f"RetileStreamify takes tiles, found {tile}")
        self._input, self.split_row, self.filter_mask = input, split_row, filter_mask
        super().__init__(graph)
        rows, columns = tile.shape
        last = DynDim(f"{self}_dyn") if filter_mask else _times((stream.shape[-1], rows if split_row else columns))
        shape = (1, columns) if split_row else (rows, 1)
        self._stream = Stream(tile_of(tile.tile_dtype, shape), (*stream.shape[:-1], last))

    def fields(self):
        return {"inp": end(self._input), "row": self.split_row, "mask": self.filter_mask}

