"""One case of ./dev peers: both sides run in turn, and how far the machine was theirs alone."""

import dataclasses
import os
import resource
import statistics
import subprocess
import time
from typing import Callable


class Missing(Exception):
    """What the table says instead of times: sources that are not given, a build or a run that failed."""


@dataclasses.dataclass
class Run:
    result: str  # what must be the same on both sides
    seconds: float  # of the work alone, by the program's own clock, or of the process
    processor: float = 0  # seconds of user and system time; of the work alone where `seconds` is


@dataclasses.dataclass
class Case:
    name: str
    ours: Callable[[], Run]
    theirs: Callable[[], Run]
    clock: str  # what is timed: "simulation", "process"
    # None: nothing that could be equal.
    equal: Callable[[str, str], bool | None] = lambda ours, theirs: ours == theirs


def demand(sources, option, file):
    """The sources of a peer, known by a file of theirs."""
    if sources is None:
        raise Missing(f"no sources given (--{option})")
    if not (sources / file).exists():
        raise Missing(f"{sources} has no {file}")


def shell(command, what, **options):
    """Runs a step of a build; its last lines become the reason where it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, **options)
    except OSError as error:
        raise Missing(f"{what}: {error}") from error
    if done.returncode != 0:
        lines = (done.stdout + done.stderr).strip().split("\n")
        raise Missing(f"{what} failed: {lines[-1][:200]}")
    return done.stdout


def timed(command, **options):
    """The standard output of a process, its seconds, and those of the processor."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    out = shell(command, command[0], **options)
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return out, seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def busy():
    """Seconds for which the processors of this machine have worked, for whomever."""
    fields = [int(word) for word in open("/proc/stat").readline().split()[1:]]
    idle, stolen = fields[3] + fields[4], fields[7]
    return (sum(fields[:8]) - idle - stolen) / os.sysconf("SC_CLK_TCK")


def own():
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in usage)


def measure(case, runs):
    """Results, medians, and the ratio with its least and most. `quiet`: others used less than a twentieth of a core meanwhile."""
    before, start = busy() - own(), time.perf_counter()
    pairs = [(case.ours(), case.theirs()) for _ in range(runs)]
    others, elapsed = busy() - own() - before, time.perf_counter() - start
    quiet = others < 0.05 * elapsed + 0.05
    results = {run.result for run, _ in pairs}, {run.result for _, run in pairs}
    ours, theirs = (" to ".join(dict.fromkeys([min(own), max(own)])) for own in results)
    # Where others were at work, the processor's time of the runs, if it is known of both.
    processor = not quiet and all(run.processor for pair in pairs for run in pair)
    time_of = (lambda run: run.processor) if processor else (lambda run: run.seconds)
    ratios = sorted(time_of(their) / time_of(our) for our, their in pairs)
    verdicts = [case.equal(one, other) for one in results[0] for other in results[1]]
    return {
        "equal": None if None in verdicts else all(verdicts),
        "ours_result": ours,
        "theirs_result": theirs,
        "ours_seconds": statistics.median(time_of(our) for our, _ in pairs),
        "theirs_seconds": statistics.median(time_of(their) for _, their in pairs),
        "ratio": statistics.median(ratios),
        "ratio_least": ratios[0],
        "ratio_most": ratios[-1],
        "runs": runs,
        "clock": case.clock + (", processor time" if processor else ""),
        "quiet": quiet,
    }
