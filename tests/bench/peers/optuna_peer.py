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
SPACES = ("simple_moe", "gnn", "moe_three_ways")
PAIRS = (("motpe", "TPE"), ("ehvi", "GP"), ("nsga2", "NSGA-II"), ("auto", "TPE"))
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
    work.mkdir(parents=True, exist_ok=True)
    for name in SPACES:
        knobs = desk.open(str(ROOT / f"sample_workloads/{name}.sluice"))["knobs"]
        space = peers.Space(desk, knobs, ["cycles", "on_chip_bytes"], str(work / f"{name}.db"))
        every = [point for point in space.ours("exhaustive", 100_000, 1) if point]  # and every point is known from here on
        reference = [max(axis) + 0.1 * (max(axis) - min(axis)) for axis in zip(*every)]
        whole = peers.hypervolume(every, reference)
        for strategy, sampler in PAIRS:
            for budget in (10, 20, 40):
                yield Case(f"{budget} of {len(every)} points of {name}: {strategy} beside {sampler}",
                           searching(space.ours, strategy, budget, peers, reference, whole),
                           searching(space.optuna, f"optuna {sampler}", budget, peers, reference, whole),
                           "search", lambda own, other: None)


def searching(search, name, budget, peers, reference, whole):
    """A run for each seed from 1 on. Shares are padded: as texts they are in the order of the numbers."""
    seeds = iter(range(1, 1_000_000))

    def run():
        start = time.perf_counter()
        try:
            found = [point for point in search(name, budget, next(seeds)) if point]
        except ImportError as error:  # the sampler GP needs torch
            raise Missing(str(error)) from error
        seconds = time.perf_counter() - start
        return Run(f"{100 * peers.hypervolume(found, reference) / whole:5.1f} %", seconds)

    return run
