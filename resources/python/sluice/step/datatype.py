"""What streams carry, and how many bytes one of it has."""

import math
from dataclasses import dataclass
from typing import Tuple, Union

import sympy

from .dyndim import DynDim, _expression


class ElementTP:
    """A type of numbers; types are equal by their class."""

    size = 0

    def size_in_bytes(self):
        return self.size

    def __eq__(self, other):
        return type(self) is type(other)

    def __hash__(self):
        return hash(type(self))

    def __str__(self):
        return type(self).__name__

    __repr__ = __str__


class Float16(ElementTP):
    size = 2


class Float32(ElementTP):
    size = 4


class Uint32(ElementTP):
    size = 4


class Uint64(ElementTP):
    size = 8


class Bool(ElementTP):
    size = 1


@dataclass
class Tile:
    """Rows and columns of numbers, whole numbers both."""

    tile_dtype: ElementTP
    shape: Tuple[int, int]

    def size_in_bytes(self):
        return math.prod(self.shape) * self.tile_dtype.size_in_bytes()


@dataclass
class DynTile:
    """A tile whose rows or columns may be a dimension that only a run knows."""

    tile_dtype: ElementTP
    shape: Tuple[Union[int, DynDim], Union[int, DynDim]]

    def size_in_bytes(self):
        return product(self.shape) * self.tile_dtype.size_in_bytes()


@dataclass
class Buffer:
    """Tiles in on-chip memory, read by reference."""

    buff_dtype: Tile
    shape: Tuple[Union[int, DynDim], ...]

    def __post_init__(self):
        for place, extent in enumerate(self.shape):
            if not isinstance(extent, int) and (place or not isinstance(extent, DynDim)):
                raise TypeError(f"dimension {place} of a buffer is a whole number, found {extent!r}")

    @property
    def rank(self):
        return len(self.shape) - 1

    def size_in_bytes(self):
        return product(self.shape) * self.buff_dtype.size_in_bytes()


class Select:
    """What says where a token goes."""


@dataclass
class MultiHot(Select):
    """One bit a target."""

    total_n: int

    def size_in_bytes(self):
        return self.total_n


@dataclass
class Index(Select):
    """The numbers of the targets."""

    active_n: int

    def size_in_bytes(self):
        return 2 * self.active_n


@dataclass
class Stream:
    """A type of element and a shape, outermost dimension first."""

    stream_dtype: Union[Tile, DynTile, Buffer, Select, ElementTP]
    shape: Tuple[Union[int, DynDim], ...]

    @property
    def rank(self):
        return len(self.shape) - 1

    def total_elements(self):
        return product(self.shape)


def product(shape):
    """Of the dimensions; a whole number of SymPy's where all of them are known."""
    return sympy.Mul(*(_expression(extent) for extent in shape))
