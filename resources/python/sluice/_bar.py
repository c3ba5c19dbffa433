"""How far work is, for people: a bar of tqdm's where that is installed, else a line on the standard error that is written over."""

import contextlib
import sys


class _Line:
    """What tqdm would show, in plain text."""

    def __init__(self):
        self._longest = 0

    def show(self, told):
        parts = [f"{told.done:,}" + (f" of {told.total:,}" if told.total else "")]
        if told.fraction is not None:
            parts.append(f"{100 * told.fraction:.0f} %")
        if told.seconds_left is not None:
            parts.append(f"{told.seconds_left:.0f} s left")
        line = ", ".join(parts)
        self._longest = max(self._longest, len(line))
        print("\r" + line.ljust(self._longest), end="", file=sys.stderr, flush=True)

    def close(self):
        if self._longest:
            print(file=sys.stderr)


class _Tqdm:
    def __init__(self, tqdm):
        self._make, self._bar = tqdm, None

    def show(self, told):
        if self._bar is None:
            self._bar = self._make(total=told.total, unit="", leave=True)
        self._bar.total, self._bar.n = told.total, told.done
        self._bar.refresh()

    def close(self):
        if self._bar is not None:
            self._bar.close()


def _bar():
    try:
        from tqdm import tqdm
    except ImportError:
        return _Line()
    return _Tqdm(tqdm)


@contextlib.contextmanager
def listener(progress):
    """What is called with each Progress: `progress` itself, nothing, or a bar where it is True."""
    if progress is None or progress is False:
        yield None
    elif progress is True:
        bar = _bar()
        try:
            yield bar.show
        finally:
            bar.close()
    elif callable(progress):
        yield progress
    else:
        raise TypeError(f"progress is True for a bar, or a function that is called with each sluice.Progress, not {progress!r}")
