#!/usr/bin/env python3
"""Sluice's search strategies beside Optuna's samplers, on the same design space.

Both sides talk to one `sluice-cli serve`: ours by its method `explore`, a sampler by `simulate`, a point at a time.
A search is made anew for each budget, as strategies plan by it. Told is the hypervolume that a search has reached, as
a share of what all searches together have found: the median over the seeds, and the range of four fifths of them.
"""

import argparse
import statistics
import sys
import tempfile
import warnings
from pathlib import Path

import optuna

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "resources" / "python"))
from sluice_rpc import Sluice  # noqa: E402

SAMPLERS = {
    "optuna TPE": lambda seed: optuna.samplers.TPESampler(seed=seed, multivariate=True),
    "optuna GP": lambda seed: optuna.samplers.GPSampler(seed=seed),
    "optuna NSGA-II": lambda seed: optuna.samplers.NSGAIISampler(seed=seed, population_size=20),
}


class Space:
    """What points come to; each is simulated once, whichever strategy asks for it."""

    def __init__(self, desk, knobs, objectives, store):
        self.desk, self.knobs, self.objectives, self.store = desk, knobs, objectives, store
        self.known = {}

    def values_of(self, point):
        if point.get("state", "done") != "done":
            return None
        metrics = point.get("metrics", point)  # those of `simulate` are not in an object of their own
        return tuple(float(metrics[name]) for name in self.objectives)

    def ours(self, strategy, budget, seed):
        seen = []
        self.desk.explore(lambda told: seen.extend(told["points"]), strategy=strategy, budget=budget, seed=seed,
                          objectives=self.objectives, store=self.store, resume=True)
        return [self.values_of(point) for point in seen]

    def optuna(self, sampler, budget, seed):
        study = optuna.create_study(directions=["minimize"] * len(self.objectives), sampler=SAMPLERS[sampler](seed))
        seen = {}
        # A point that a sampler asks for again costs nothing, as it does with ours; but not for ever.
        for _ in range(5 * budget):
            if len(seen) >= budget:
                break
            trial = study.ask()
            point = {knob["name"]: self.suggested(trial, knob) for knob in self.knobs}
            key = tuple(sorted(point.items()))
            if key not in self.known:
                self.known[key] = self.values_of(self.desk.simulate(**point))
            seen[key] = values = self.known[key]
            if values is None:
                study.tell(trial, state=optuna.trial.TrialState.FAIL)
            else:
                study.tell(trial, values)
        return list(seen.values())

    @staticmethod
    def suggested(trial, knob):
        values = knob["values"]
        if any(isinstance(value, str) for value in values):
            return trial.suggest_categorical(knob["name"], values)
        return values[trial.suggest_int(knob["name"], 0, len(values) - 1)]


def hypervolume(points, reference):
    volume, top = 0.0, reference[1]
    for x, y in sorted(points):
        if x < reference[0] and y < top:
            volume += (reference[0] - x) * (top - y)
            top = y
    return volume


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cli")
    parser.add_argument("file")
    parser.add_argument("--strategies", default="random,latin-hypercube,nsga2,motpe,ehvi,auto")
    parser.add_argument("--samplers", default="TPE,NSGA-II,GP", help="Optuna's; GP needs scipy and torch")
    parser.add_argument("--budgets", default="10,20,40", help="evaluations")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--objectives", default="cycles,on_chip_bytes", help="two, to be minimised")
    options = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.filterwarnings("ignore")

    with tempfile.TemporaryDirectory() as folder, Sluice(options.cli) as desk:
        knobs = desk.open(options.file)["knobs"]
        space = Space(desk, knobs, options.objectives.split(","), folder + "/points.db")
        budgets = [int(budget) for budget in options.budgets.split(",")]
        searches = [(name, space.ours) for name in options.strategies.split(",")]
        searches += [("optuna " + name, space.optuna) for name in options.samplers.split(",")]
        found = {}
        for name, search in searches:
            for budget in budgets:
                for seed in range(1, options.seeds + 1):
                    found[name, budget, seed] = [values for values in search(name, budget, seed) if values]
            print(f"{name} is done", file=sys.stderr, flush=True)

    every = [values for points in found.values() for values in points]
    reference = [max(axis) + 0.1 * (max(axis) - min(axis)) for axis in zip(*every)]
    whole = hypervolume(every, reference)
    print("| strategy | " + " | ".join(f"{budget}" for budget in budgets) + " |")
    print("| --- |" + " --- |" * len(budgets))
    for name, _ in searches:
        cells = []
        for budget in budgets:
            shares = sorted(100 * hypervolume(found[name, budget, seed], reference) / whole
                            for seed in range(1, options.seeds + 1))
            tenth = len(shares) // 10
            cells.append(f"{statistics.median(shares):.2f} ({shares[tenth]:.1f} to {shares[-1 - tenth]:.1f})")
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
