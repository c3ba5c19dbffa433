"""A matrix product whose weights come from off-chip memory."""

from dataclasses import dataclass

from .._operator import StepOps, get_stream
from ..datatype import Float32
from ..functions import init_fn, map_accum_fn
from ..ops import BinaryMapAccum, Bufferize, OffChipLoad, Reshape, Streamify


@dataclass
class LinearTileConfig:
    m: int
    k: int
    n: int


def Linear(step_graph, input, weight, tile_config, comp_bw, write_back_mu, par_dispatch=4):
    """input x weight[K, N]; the input is a tensor, which is loaded, or a stream of tiles [m, k]."""
    m, k, n = tile_config.m, tile_config.k, tile_config.n
    inner, columns = weight.shape
    if not isinstance(input, (StepOps, tuple)):
        *outer, rows, _ = input.shape
        source = OffChipLoad(input, (inner // k, 0, 1), (*outer, rows // m, columns // n, inner // k), m, k, par_dispatch)
        ahead = tuple(source.stream.shape[1:-2])
    else:
        ahead = tuple(get_stream(input).shape[1:-1])
        if n == columns:
            source = Reshape(step_graph, input, 1, 1, False)
        else:
            source = Streamify(step_graph, Bufferize(step_graph, input, 1), [columns // n], 1)
    stride = (*(0 for _ in ahead), 1, columns // n)
    weights = OffChipLoad(weight, stride, (*ahead, columns // n, inner // k), k, n, par_dispatch)
    zero = init_fn.Zero((m, n), Float32())
    return BinaryMapAccum(step_graph, source, weights, map_accum_fn.Matmul(), zero, 1, write_back_mu, comp_bw)
