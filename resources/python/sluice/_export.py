"""Charts for papers and notebooks: drawn by `sluice-cli export`, with the views of the window itself."""

import functools
import json
import os
import shutil
import subprocess
import tempfile

from ._errors import Error, diagnostics_of, refuse
from ._inputs import split
from ._program import _plain

_beside = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bin", "sluice-cli"))


@functools.cache
def _found(asked, path):
    for each in (asked, _beside):
        if each and os.access(each, os.X_OK):
            return each
    return shutil.which("sluice-cli", path=path)


def command_line():
    """The file of sluice-cli, None where there is none: SLUICE_CLI, that of the build that this package lies in, or the one in the path."""
    return _found(os.environ.get("SLUICE_CLI"), os.environ.get("PATH"))


def _told(output):
    """Diagnostics of a command's JSON."""
    entries = json.loads(output)["diagnostics"]
    for each in entries:
        each["related"] = [other["place"] for other in each.get("related", ())]
    return diagnostics_of(entries)


def _waited(words):
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as drawing:
        try:
            out, wrong = drawing.communicate()
        except BaseException:
            drawing.terminate()
            raise
    if drawing.returncode == 0:
        return
    try:
        told = _told(out)
    except (ValueError, KeyError):
        refuse("helper-failed", words[0], wrong.strip() or f"it ended with {drawing.returncode}", "see if it runs in a shell")
    raise Error(told)


def _absolute(source, folder):
    """The same from anywhere: a file, or a set of traces, which may be in files, too (engine/traces/README.md)."""
    is_set = source.startswith("set:")
    named, comma, options = source.removeprefix("set:").partition(",") if is_set else (source, "", "")
    path = os.path.abspath(os.path.join(folder, named))
    return source if is_set and not os.path.exists(path) else f"{'set:' if is_set else ''}{path}{comma}{options}"


def _input_files(program, inputs, folder):
    """Inputs by name, as files: those of the program by their absolute paths, then what is given."""
    files = {each["name"]: _absolute(each["file"], program._folder) for each in program.data.get("inputs", ()) if each.get("file")}
    own, arrays = split(inputs)
    files.update({name: _absolute(file, ".") for name, file in own.items()})
    for number, (name, array) in enumerate(arrays.items()):
        import numpy

        files[name] = os.path.join(folder, f"input{number}.npy")
        numpy.save(files[name], array)
    return files


def export(
    program,
    file,
    chart="graph",
    knobs=None,
    inputs=None,
    machine=None,
    format="",
    width="3.33in",
    text=8,
    stream="",
    metric="",
    by="",
    x="",
    y="",
    log_x=False,
    log_y=False,
    figure="",
):
    """Draws one view of a program into a file - PDF, SVG, PNG, PGF or CSV - as the window would.

    `chart`: "graph", "fifo", "timeline", "energy"; "pareto", "parallel", "sensitivity" (they explore first); over a set of traces also
    "distribution", "boxes", "experts". `figure` names one of the program's composed figures instead. `stream` is for "fifo" and "timeline",
    `by` ("operator", "region") for "energy", `x`, `y` and the logarithmic axes for "pareto". `width` is on paper, `text` in points.
    sluice-cli draws it; where that is not installed, this raises Error. Gives the file.
    """
    cli = command_line()
    if cli is None:
        refuse("helper-failed", "sluice-cli", "it draws the charts, and it is not in the path", "install Sluice, or name the file of sluice-cli in SLUICE_CLI")
    if machine:
        program = program.with_machine(**machine)
    given = {"chart": "" if figure else chart, "figure": figure, "format": format, "stream": stream, "metric": metric, "by": by, "x": x, "y": y}
    if not figure:
        given.update(width=width, text=_plain(text))
    with tempfile.TemporaryDirectory(prefix="sluice-") as folder:
        source = os.path.join(folder, "program.sluice")
        program.save(source)
        words = [cli, "export", source, "--json", "--out", os.path.abspath(os.fspath(file))]
        words += [part for name, value in given.items() if value != "" for part in (f"--{name}", str(value))]
        words += [name for name, wanted in (("--log-x", log_x), ("--log-y", log_y)) if wanted]
        words += [part for name, value in (knobs or {}).items() for part in ("--set", f"{name}={_plain(value)}")]
        words += [part for name, at in _input_files(program, inputs, folder).items() for part in ("--input", f"{name}={at}")]
        _waited(words)
    return file


def picture(program, **options):
    """The text of an SVG for a notebook; None where nothing can draw it."""
    if command_line() is None:
        return None
    with tempfile.TemporaryDirectory(prefix="sluice-") as folder:
        file = os.path.join(folder, "picture.svg")
        try:
            export(program, file, width="7in", **options)
        except Error:  # a notebook shows the text instead
            return None
        with open(file, encoding="utf-8") as drawn:
            return drawn.read()
