"""Functions of BinaryMapAccum."""

from . import Function, Product


class MapAccumFn(Function):
    pass


class Matmul(Product, MapAccumFn):
    pass


class DynMatmul(Product, MapAccumFn):
    dynamic = True
