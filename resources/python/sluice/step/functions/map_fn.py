"""Functions of UnaryMap and BinaryMap."""

from ..datatype import Tile, Uint64
from . import Elementwise, Function, Product, tile_of


class MapFn(Function):
    pass


class Matmul(Product, MapFn):
    pass


class DynMatmul(Product, MapFn):
    dynamic = True


class Mul(Elementwise, MapFn):
    dynamic = True


class Add(Elementwise, MapFn):
    pass


class Div(Elementwise, MapFn):
    pass


class Silu(MapFn):
    pass


class Exp(MapFn):
    pass


class RowWiseSum(MapFn):
    def result(self, first):
        return tile_of(first.tile_dtype, (first.shape[0], 1))


class SetOffset(MapFn):
    inputs = 2


class RowWiseAppend(MapFn):
    inputs = 2


class CacheWriteAddrGen(MapFn):
    inputs = 2

    def __init__(self, row_offset):
        self.row_offset = row_offset

    def result(self, first, second):
        if first != Tile(Uint64(), (1, 1)) or second != Tile(Uint64(), (1, 1)):
            raise TypeError(f"{self} takes two addresses, found {first} and {second}")
        return first
