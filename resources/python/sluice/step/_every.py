"""A graph with an operator of every class, for the table of what the engine has for them."""

from networkx import MultiDiGraph

from . import ops, utility_ops
from .datatype import Float32, Tile
from .functions import accum_fn, init_fn, map_accum_fn, map_fn


class _Tensor:
    """As much of an array as an operator asks for."""

    def __init__(self, shape, dtype, values=()):
        self.shape, self.dtype, self._values = shape, dtype, list(values)

    def reshape(self, _):
        return self

    def tolist(self):
        return self._values


def graph_of_every_class():
    """Types fit; a run of it would come to no end, as nothing was made to fit beyond."""
    graph = MultiDiGraph()
    floats = _Tensor((8, 8), "float32")
    numbers = _Tensor((4,), "int64", [1, 2, 1, 2])
    tiles = ops.OffChipLoad(floats, (1,), (4,), 2, 8, 1)
    flat = ops.Flatten(graph, tiles, 0, 1)
    select = ops.Flatten(graph, utility_ops.SelectGen(True, _Tensor((4, 2), "int64", [1, 0] * 4), 2), 0, 1)
    parts = ops.FlatPartition(graph, flat, select, 0, [1, 1], False, 2)
    whole = ops.FlatReassemble(graph, [(parts, 0), (parts, 1)], select, 0, [1, 1], False)
    utility_ops.PrinterContext(graph, whole)
    lanes = ops.Parallelize(graph, flat, 0, 2)
    merge = ops.EagerMerge(graph, [(lanes, 0), (lanes, 1)], 0)
    utility_ops.ConsumerContext(graph, merge.select_tuple())
    copies = ops.Broadcast(graph, merge.data_tuple(), 2)
    rows = ops.UnaryMap(graph, (copies, 0), map_fn.Silu(), False, 64)
    both = ops.BinaryMap(graph, rows, (copies, 1), map_fn.Mul(), False, 64)
    grown = ops.Reshape(graph, both, 2, 0, False)
    packed = ops.Accum(graph, grown, Tile(Float32(), (4, 8)), accum_fn.RetileRow(), init_fn.Empty((0, 8), Float32()), 1, False, 64)
    repeated = ops.RepeatStatic(graph, packed, 2)
    weights = ops.DynOffChipLoad(graph, packed, floats, (1,), (2,), 8, 4, 1)
    product = ops.BinaryMapAccum(graph, repeated, weights, map_accum_fn.Matmul(), init_fn.Zero((4, 4), Float32()), 1, False, 64)
    ops.OffChipStore(graph, ops.Promote(graph, product, 1), 1)
    ops.RetileStreamify(graph, product, True)
    buffer = ops.Bufferize(graph, grown, 1)
    ops.Streamify(graph, buffer, [2], 1)
    lengths, index = utility_ops.MetadataGen(numbers), utility_ops.MetadataGen(numbers)
    address = utility_ops.CacheReadAddrGen(graph, index, lengths, 4)
    read = ops.RandomOffChipLoad(graph, floats, address, 2, 8, 0, 1)
    ops.RandomOffChipStore(graph, floats, read, address, 2, 8, 0, 1)
    utility_ops.FilterLastTile(graph, lengths)
    utility_ops.ExpertAddrGen(graph, select, 2, 0)
    ops.ExpandRef(graph, ops.Promote(graph, index, 0), ops.Reshape(graph, index, 1, 0, False), 1)
    once = ops.Bufferize(graph, ops.Reshape(graph, tiles, 4, 0, False), 1)
    ops.DynStreamify(graph, once, utility_ops.MetadataGen(_Tensor((1,), "int64", [1])), 0, 1)
    return graph
