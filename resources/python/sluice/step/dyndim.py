"""Dimensions that only a run knows, as expressions of SymPy."""

import sympy


def _expression(value):
    return value.expr if isinstance(value, DynDim) else sympy.sympify(value)


class DynDim:
    """A dimension: a name, which becomes a symbol, or an expression. Arithmetic with whole numbers and other dimensions gives dimensions."""

    def __init__(self, name_or_expr):
        named = isinstance(name_or_expr, str)
        self.expr = sympy.Symbol(name_or_expr, integer=True, nonnegative=True) if named else sympy.sympify(name_or_expr)

    def __add__(self, other):
        return DynDim(self.expr + _expression(other))

    def __sub__(self, other):
        return DynDim(self.expr - _expression(other))

    def __mul__(self, other):
        return DynDim(self.expr * _expression(other))

    def __floordiv__(self, other):
        return DynDim(sympy.floor(self.expr / _expression(other)))

    def __truediv__(self, other):
        return DynDim(self.expr / _expression(other))

    def __mod__(self, other):
        return DynDim(sympy.Mod(self.expr, _expression(other)))

    def __radd__(self, other):
        return DynDim(_expression(other) + self.expr)

    def __rsub__(self, other):
        return DynDim(_expression(other) - self.expr)

    __rmul__ = __mul__

    def __eq__(self, other):
        return isinstance(other, DynDim) and sympy.simplify(self.expr - other.expr) == 0

    __hash__ = None  # equal by algebra, so no hash goes with it

    def __repr__(self):
        return str(self.expr)
