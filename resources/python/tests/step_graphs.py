"""The STeP paper's mixture of experts, written against the adapter from the paper's description of it (section 5)."""

from networkx import MultiDiGraph

from sluice.step.functions import accum_fn, init_fn, map_accum_fn, map_fn
from sluice.step.ops import (
    Accum, BinaryMap, BinaryMapAccum, DynOffChipLoad, DynTile, FlatPartition, FlatReassemble, Flatten, Float32, OffChipLoad, OffChipStore,
    RepeatStatic, Reshape, RetileStreamify, Tile, UnaryMap,
)  # fmt: skip
from sluice.step.rewrite.broadcast import infer_broadcast
from sluice.step.utility_ops import SelectGen
from sluice.step.utils.moe import topk_to_multihot, topk_to_onehot


class Layer:
    """`rows` is how many tokens a tile has; None: as many as the expert gets."""

    def __init__(self, routing, experts, hidden, inner, rows, inner_tile, compute_bw, array):
        self.graph, self.routing, self.experts, self.array = MultiDiGraph(), routing, experts, array
        self.hidden, self.inner, self.rows, self.inner_tile, self.bw = hidden, inner, rows, inner_tile, compute_bw
        self.multihot, self.onehot = topk_to_multihot(routing, experts), topk_to_onehot(routing, experts)
        self.partition = None
        self._build()
        infer_broadcast(self.graph)

    def _build(self):
        tokens, ones = len(self.routing), [1] * self.experts
        g, every, D = self.graph, range(self.experts), self.hidden
        x = Flatten(g, OffChipLoad(self.array(tokens, D), (1, 1), (tokens, 1), 1, D, 1, True), 0, 1)
        chosen, weighted = SelectGen(True, self.multihot, self.experts), SelectGen(True, self.onehot, self.routing.shape[1])
        scales = OffChipLoad(self.array(*self.routing.shape), (self.routing.shape[1], 1), self.routing.shape, 1, 1, 1, True)
        self.partition = FlatPartition(g, x, chosen, 0, ones, False, self.experts)
        pad = init_fn.Zero((1, D), Float32())
        packed = self._packed_statically(every, pad) if self.rows else self._packed_dynamically(every, pad)
        repeated = [RepeatStatic(g, each, self.inner // self.inner_tile) for each in packed]
        up = self._products(packed, repeated)
        gate = self._products(packed, repeated)
        active = [UnaryMap(g, each, map_fn.Silu(), False, self.bw) for each in gate]
        hidden = [BinaryMap(g, a, b, map_fn.Mul(), False, self.bw) for a, b in zip(up, active)]
        loads = [DynOffChipLoad(g, each, self.array(self.inner, D), (1, 1), (self.inner // self.inner_tile, 1), self.inner_tile, D, 1, True) for each in packed]  # fmt: skip
        flat = [Flatten(g, each, 0, 1) for each in loads]
        start = init_fn.Zero((self.rows, D), Float32()) if self.rows else init_fn.Empty((0, D), Float32())
        down = [BinaryMapAccum(g, a, b, self._matmul(map_accum_fn), start, 1, False, self.bw) for a, b in zip(hidden, flat)]
        rows = [RetileStreamify(g, each, True, True) for each in down]
        for i, each in enumerate(rows):
            each.stream.shape = self.partition.stream_idx(i).shape
        shares = FlatPartition(g, scales, weighted, 0, ones, False, self.experts)
        scaled = [BinaryMap(g, (shares, i), each, map_fn.Mul(), False, self.bw) for i, each in enumerate(rows)]
        back = FlatReassemble(g, scaled, SelectGen(True, self.multihot, self.experts), 0, ones, False)
        summed = Accum(g, back, Tile(Float32(), (1, D)), accum_fn.Add(), init_fn.Zero((1, D), Float32()), 1, False, self.bw)
        OffChipStore(g, Reshape(g, summed, 1, 0, True), 1)

    def _packed_statically(self, every, pad):
        """The tokens of each expert as tiles of `rows`, the last one padded."""
        g, tile = self.graph, Tile(Float32(), (self.rows, self.hidden))
        grouped = [Reshape(g, (self.partition, i), self.rows, 0, False, True, pad) for i in every]
        return [self._accumulated(Flatten(g, each, 1, 2), tile, self.bw) for each in grouped]

    def _packed_dynamically(self, every, pad):
        """The tokens of each expert as one tile."""
        g = self.graph
        grouped = [Flatten(g, Reshape(g, (self.partition, i), 1, 0, False, True, pad), 0, 1) for i in every]
        tiles = [DynTile(Float32(), (self.partition.stream_idx(i).shape[0], self.hidden)) for i in every]
        return [self._accumulated(each, tile, 1024) for each, tile in zip(grouped, tiles)]

    def _accumulated(self, rows, tile, bw):
        return Accum(self.graph, rows, tile, accum_fn.RetileRow(), init_fn.Empty((0, self.hidden), Float32()), 1, False, bw)

    def _matmul(self, functions):
        return functions.Matmul() if self.rows else functions.DynMatmul()

    def _products(self, packed, repeated):
        g, tile = self.graph, self.inner_tile
        loads = [DynOffChipLoad(g, each, self.array(self.hidden, self.inner), (1, 1), (self.inner // tile, 1), self.hidden, tile, 1, True) for each in packed]  # fmt: skip
        flat = [Flatten(g, each, 0, 1) for each in loads]
        return [BinaryMap(g, a, b, self._matmul(map_fn), False, self.bw) for a, b in zip(repeated, flat)]

    def total(self, metric):
        """Of all operators: "off_chip_traffic", "on_chip_requirement"."""
        return sum(getattr(node, metric)() for node in self.graph.nodes)
