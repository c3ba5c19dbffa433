"""Optuna (PyPI): its samplers and our strategies search the same space, for the same number of evaluations by the same `sluice-cli serve`. What they
find is no equal result: told is the hypervolume, as a share of that of the whole space. Timed is a search by itself, without start and simulation of
points that are known."""

import pathlib
import sys
import time

from measure import Case, Missing, Run

NAME = "optuna"
TITLE = "Optuna"
HELP = "'yes', where Python has optuna (pip install optuna)"
ROOT = pathlib.Path(__file__).resolve().parents[3]


def cases(sources, work, cli):
    if sources is None:
        raise Missing("not asked for (--optuna yes)")
    sys.path.insert(0, str(ROOT / "tests/peers"))
    try:
        import optuna
        import search_strategies as peers
    except ImportError as error:
        raise Missing(f"{error} (pip install optuna)") from error
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    desk = peers.Sluice(cli).__enter__()
    knobs = desk.open(str(ROOT / "sample_workloads/simple_moe.sluice"))["knobs"]
    objectives = ["cycles", "on_chip_bytes"]
    work.mkdir(parents=True, exist_ok=True)
    space = peers.Space(desk, knobs, objectives, str(work / "points.db"))
    every = space.ours("exhaustive", 100_000, 1)  # and every point is known from here on
    reference = [max(axis) + 0.1 * (max(axis) - min(axis)) for axis in zip(*every)]
    whole = peers.hypervolume(every, reference)
    for budget in (10, 20, 40):
        seeds = {"ours": 0, "theirs": 0}

        def run(side, search, name, budget=budget, seeds=seeds):
            seeds[side] += 1
            start = time.perf_counter()
            found = [point for point in search(name, budget, seeds[side]) if point]
            seconds = time.perf_counter() - start
            return Run(f"{100 * peers.hypervolume(found, reference) / whole:.1f} %", seconds)

        yield Case(f"{budget} of {len(every)} points of simple_moe", lambda run=run: run("ours", space.ours, "auto"),
                   lambda run=run: run("theirs", space.optuna, "optuna TPE"), "search", lambda own, other: None)
