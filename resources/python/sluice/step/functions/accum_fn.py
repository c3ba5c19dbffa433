"""Functions of Accum; the operator takes the type of its output from its caller and does not ask apply()."""

from ..datatype import Tile, Uint64
from . import Elementwise, Function


class AccumFn(Function):
    pass


class Mul(Elementwise, AccumFn):
    pass


class Add(Elementwise, AccumFn):
    pass


class RetileRow(AccumFn):
    inputs = 2

    def result(self, first, second):
        if first.shape[1] != second.shape[1]:
            raise ValueError(f"{self} puts rows of one width together, found {first.shape} and {second.shape}")
        return second


class SignalReqAllRead(AccumFn):
    def result(self, first):
        return Tile(Uint64(), (1, 1))
