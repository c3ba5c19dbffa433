"""Traces on their way to the engine: files by their path, arrays as whole numbers."""

import os

from ._errors import refuse


def _place(name):
    return f"input '{name}'"


def _of_torch(values):
    """A tensor of torch's as an array, wherever it lies and whatever its type; the rest as it is."""
    if not hasattr(values, "detach"):
        return values
    tensor = values.detach().cpu()
    return (tensor.float() if tensor.is_floating_point() else tensor).numpy()


def whole_numbers(name, values):
    """A contiguous int64 array of the values, which may be a tensor of torch's; refuses what is no array of whole numbers."""
    import numpy

    try:
        array = numpy.asarray(_of_torch(values))
    except ValueError as error:
        refuse("input-shape", _place(name), f"it is no array: {error}", "give lists that are equally long in every dimension")
    if array.dtype.kind == "f":
        if not numpy.isfinite(array).all():
            refuse("not-an-integer", _place(name), "it has values that are not finite (NaN or infinite)", "give whole numbers")
        if (array != numpy.floor(array)).any():
            refuse("not-an-integer", _place(name), "it has values that are not whole", "give whole numbers")
        if (abs(array) >= 2.0**63).any():
            refuse("overflow", _place(name), "it has values that no 64 bits hold", "give smaller numbers")
    elif array.dtype.kind == "u" and array.size and int(array.max()) >= 2**63:
        refuse("overflow", _place(name), "it has values that no signed 64 bits hold", "give smaller numbers")
    elif array.dtype.kind not in "iub":
        refuse("wrong-type", _place(name), f"its elements are of type {array.dtype}", "give an array of whole numbers")
    return numpy.ascontiguousarray(array, dtype=numpy.int64)


def floats(name, values):
    """A contiguous float32 array of the values, which may be a tensor of torch's."""
    import numpy

    place = f"tensor '{name}'"
    try:
        array = numpy.asarray(_of_torch(values))
    except ValueError as error:
        refuse("input-shape", place, f"it is no array: {error}", "give lists that are equally long in every dimension")
    if array.dtype.kind not in "fiub":
        refuse("wrong-type", place, f"its elements are of type {array.dtype}", "give an array of numbers")
    if array.dtype.kind == "f" and numpy.isnan(array).any():
        refuse("not-a-number", place, "it has values that are no numbers (NaN)", "replace them, as by numpy.nan_to_num()")
    return numpy.ascontiguousarray(array, dtype=numpy.float32).reshape(array.shape)


def by_name(what, given):
    """A dictionary, empty where nothing is given."""
    if given is None:
        return {}
    try:
        return dict(given.items())
    except AttributeError:
        raise TypeError(f"{what} is a dictionary by name, not {given!r}") from None


def split(inputs):
    """(files by name, arrays by name) of what was given for inputs."""
    files, arrays = {}, {}
    for name, value in by_name("inputs", inputs).items():
        if isinstance(value, (str, os.PathLike)):
            files[name] = os.fspath(value)
        else:
            arrays[name] = whole_numbers(name, value)
    return files, arrays
