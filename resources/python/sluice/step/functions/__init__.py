"""Functions of maps and accumulations; each says by apply() what comes of the types that go in."""


class Function:
    """One by its name; the engine has it under the same."""

    inputs = 1  #: how many types apply() takes

    def apply(self, input_tp):
        if len(input_tp) != self.inputs:
            raise ValueError(f"{self} takes {self.inputs} inputs, found {len(input_tp)}")
        return self.result(*input_tp)

    def result(self, first, *_):
        return first

    def fields(self):
        """As a STeP graph in JSON has it."""
        return {"name": type(self).__name__, **vars(self)}

    def __str__(self):
        return type(self).__name__


def tiles(function, *types, dynamic=False):
    """Refuses what is no tile."""
    from ..datatype import DynTile, Tile

    for each in types:
        if not isinstance(each, (Tile, DynTile) if dynamic else Tile):
            raise TypeError(f"{function} takes tiles, found {each}")


def tile_of(element, shape):
    """A Tile; a DynTile where not all of the shape is whole numbers."""
    from ..datatype import DynTile, Tile

    return (Tile if all(isinstance(extent, int) for extent in shape) else DynTile)(element, tuple(shape))


class Product(Function):
    """[M, K] x [K, N], or with weight_transposed x [N, K]."""

    inputs = 2
    dynamic = False

    def __init__(self, weight_transposed=False):
        self.weight_transposed = weight_transposed

    def result(self, first, second):
        tiles(self, first, second, dynamic=self.dynamic)
        inner, columns = reversed(second.shape) if self.weight_transposed else second.shape
        if first.shape[1] != inner:
            raise ValueError(f"incompatible shapes for {self}: {first.shape} and {second.shape}")
        return tile_of(first.tile_dtype, (first.shape[0], columns))


class Elementwise(Function):
    """Two tiles whose dimensions are equal, or 1 in one of them."""

    inputs = 2
    dynamic = False

    def result(self, first, second):
        tiles(self, first, second, dynamic=self.dynamic)
        shape = []
        for a, b in zip(first.shape, second.shape):
            if not (a == b or a == 1 or b == 1):
                raise ValueError(f"{self} cannot broadcast {first.shape} and {second.shape}")
            shape.append(b if a == 1 else a)
        return tile_of(first.tile_dtype, shape)
