"""The engine's lists, each read once: operators, transformations, metrics, search strategies, ways to size FIFOs, workloads."""

import functools

from . import _engine


def _by(key, entries):
    return {entry[key]: entry for entry in entries}


@functools.cache
def operators():
    """Operators by kind: parameters, ports, and what they do."""
    return _by("kind", _engine.operators())


@functools.cache
def transformations():
    """Steps of schedules by name, with their arguments."""
    return _by("name", _engine.transformations())


@functools.cache
def metrics():
    """Metrics by name: title, unit, whether smaller is better, whether only machines with a technology have it."""
    return _by("name", _engine.metrics())


@functools.cache
def strategies():
    """Search strategies of explore() by name."""
    return _by("name", _engine.strategies())


@functools.cache
def depth_strategies():
    """Ways of size_fifos() by name."""
    return _by("name", _engine.depth_strategies())


@functools.cache
def workloads():
    """Built-in workloads by name, with their sizes and models."""
    return _by("name", _engine.workloads())


@functools.cache
def machine_settings():
    """Numbers of the machine by name: what each is, its unit, and the range that it may be in."""
    return _by("name", _engine.machine_settings())


@functools.cache
def units():
    """Metric -> its unit; "fraction" where it has none."""
    return {name: entry["unit"] or "fraction" for name, entry in metrics().items()}


def method_name(kind):
    """LinearOffChipLoad -> linear_off_chip_load, Counter2D -> counter_2d."""
    name = ""
    for i, letter in enumerate(kind):
        before = kind[i - 1] if i else ""
        if i and ((letter.isupper() and not before.isupper() and not before.isdigit()) or (letter.isdigit() and not before.isdigit())):
            name += "_"
        name += letter.lower()
    return name
