"""What accumulations begin with."""

from dataclasses import dataclass
from typing import Tuple

from ..datatype import ElementTP, Tile


@dataclass
class InitFn:
    shape: Tuple[int, int]
    dtype: ElementTP

    def apply(self):
        return Tile(self.dtype, tuple(self.shape))

    def __str__(self):
        return type(self).__name__


class Zero(InitFn):
    pass


class Empty(InitFn):
    """No rows yet: an accumulator that grows."""
