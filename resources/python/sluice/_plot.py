"""Points as an SVG: two metrics against each other, the frontier joined."""

import math
from html import escape

from . import _registry
from ._errors import refuse

_colors = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b")
_width, _height, _left, _bottom, _top, _right = 640, 420, 90, 60, 40, 20


def _ticks(low, high, log):
    if log:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        found = [mantissa * 10.0**power for power in powers for mantissa in (1, 2, 5)]
    else:
        step = 10.0 ** math.floor(math.log10(max(high - low, 1e-300)))
        step = next(step * part for part in (0.2, 0.5, 1, 2) if (high - low) / (step * part) <= 6)
        found = [step * i for i in range(math.ceil(low / step), math.floor(high / step) + 1)]
    return [each for each in found if low <= each <= high]


class _Axis:
    """Numbers to places on the paper."""

    def __init__(self, values, first, last, log):
        low, high = min(values), max(values)
        self.log = log and low > 0
        if self.log:
            low, high = low / 1.15, high * 1.15
        else:
            room = 0.06 * (high - low) or abs(high) * 0.1 or 1
            low, high = low - room, high + room
        self.low, self.high, self.first, self.last = low, high, first, last

    def __call__(self, value):
        low, high, value = (math.log(each) for each in (self.low, self.high, value)) if self.log else (self.low, self.high, value)
        return self.first + (self.last - self.first) * (value - low) / (high - low)

    def ticks(self):
        return _ticks(self.low, self.high, self.log)


def _text(x, y, words, anchor="middle", turned=False, size=12):
    turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"{turn}>{escape(words, quote=False)}</text>'


def _frame(x, y, names, title):
    metrics = _registry.metrics()
    labels = [f"{metrics[name]['title']} ({_registry.units()[name]})" for name in names]
    right, bottom = _width - _right, _height - _bottom
    parts = [f'<rect x="{_left}" y="{_top}" width="{right - _left}" height="{bottom - _top}" fill="none" stroke="#888"/>']
    for value in x.ticks():
        parts += [f'<path d="M{x(value):.1f} {bottom}v5" stroke="#888"/>', _text(x(value), bottom + 19, f"{value:,.4g}", size=11)]
    for value in y.ticks():
        parts += [f'<path d="M{_left} {y(value):.1f}h-5" stroke="#888"/>', _text(_left - 8, y(value) + 4, f"{value:,.4g}", "end", size=11)]
    middle = (_left + right) / 2
    parts += [_text(middle, _height - 14, labels[0]), _text(18, (_top + bottom) / 2, labels[1], turned=True)]
    return [*parts, _text(middle, 24, title, size=14)]


def _series(number, name, points, x, y, names, joined):
    color = _colors[number % len(_colors)]
    places = [(x(point.metrics[names[0]]), y(point.metrics[names[1]])) for point in points]
    parts = []
    if joined and len(places) > 1:
        line = "L".join(f"{a:.1f} {b:.1f}" for a, b in sorted(places))
        parts.append(f'<path d="M{line}" fill="none" stroke="{color}" stroke-width="1.5"/>')
    for (a, b), point in zip(places, points):
        told = ", ".join(f"{knob}={value}" for knob, value in point.knobs.items())
        parts.append(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="4" fill="{color}"><title>{escape(told, quote=False)}</title></circle>')
    row = _top + 18 + 18 * number
    legend = [f'<circle cx="{_width - 150}" cy="{row - 4}" r="4" fill="{color}"/>', _text(_width - 138, row, name, "start")]
    return parts + (legend if name else [])


def svg(series, x, y, title="", log=False, joined=()):
    """The text of an SVG. `series`: name -> points; those of `joined` have a line through them. Points that lack a metric are left out."""
    names = (x, y)
    shown = {name: [point for point in points if x in point.metrics and y in point.metrics] for name, points in series.items()}
    found = [point for points in shown.values() for point in points]
    if not found:
        known = ", ".join(_registry.metrics())
        refuse("unknown-name", "plot", f"no point has both {x} and {y}", f"choose two of the points' metrics, of {known}")
    across = _Axis([point.metrics[x] for point in found], _left, _width - _right, log)
    upwards = _Axis([point.metrics[y] for point in found], _height - _bottom, _top, log)
    parts = _frame(across, upwards, names, title)
    for number, (name, points) in enumerate(shown.items()):
        parts += _series(number, name, points, across, upwards, names, name in joined)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{_width}" height="{_height}" font-family="sans-serif">'
    return "\n".join([head, f'<rect width="{_width}" height="{_height}" fill="white"/>', *parts, "</svg>", ""])


def plot(series, x, y, file=None, title="", log=False, joined=()):
    """Runs and points in two metrics, as an SVG in `file`; gives its text. `series`: name -> points, or points alone."""
    drawn = svg(series if isinstance(series, dict) else {"": list(series)}, x, y, title, log, joined)
    if file is not None:
        with open(file, "w", encoding="utf-8") as out:
            out.write(drawn)
    return drawn
