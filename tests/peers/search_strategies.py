#!/usr/bin/env python3
"""Sluice's search strategies beside Optuna's samplers, on the same design space.

Both sides talk to one `sluice-cli serve`: ours by its method `explore`, a sampler by `simulate`, a point at a time.
A search is made anew for each budget, as strategies plan by it. Told is the hypervolume that a search has reached, as
a share of what all searches together have found: the median over the seeds, and the range of four fifths of them.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import warnings

import optuna

SAMPLERS = {
    "optuna TPE": lambda seed: optuna.samplers.TPESampler(seed=seed, multivariate=True),
    "optuna GP": lambda seed: optuna.samplers.GPSampler(seed=seed),
    "optuna NSGA-II": lambda seed: optuna.samplers.NSGAIISampler(seed=seed, population_size=20),
}


class Desk:
    """A program, opened in a process of `sluice-cli serve`."""

    def __init__(self, cli, file):
        self.process = subprocess.Popen([cli, "serve", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.calls = 0
        self.knobs = self.call("open", {"file": file})["knobs"]

    def call(self, method, params, on_points=None):
        self.calls += 1
        request = {"jsonrpc": "2.0", "id": self.calls, "method": method, "params": params}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("method") == "progress" and on_points:
                on_points(message["params"]["points"])
            if message.get("id") == self.calls:
                if "error" in message:
                    sys.exit(f"{method}: {message['error']}")
                return message["result"]
        sys.exit(f"{method}: sluice-cli has ended")


class Space:
    """What points come to; each is simulated once, whoever asks for it."""

    def __init__(self, desk, objectives, store):
        self.desk, self.objectives, self.store = desk, objectives, store
        self.known = {}

    def values_of(self, point):
        if point.get("state", "done") != "done":
            return None
        metrics = point.get("metrics", point)  # those of `simulate` are not in an object of their own
        return tuple(float(metrics[name]) for name in self.objectives)

    def ours(self, strategy, budget, seed):
        seen = []
        params = {"strategy": strategy, "budget": budget, "seed": seed, "objectives": self.objectives,
                  "store": self.store, "resume": True}
        self.desk.call("explore", params, lambda points: seen.extend(points))
        return [self.values_of(point) for point in seen]

    def optuna(self, sampler, budget, seed):
        study = optuna.create_study(directions=["minimize"] * len(self.objectives), sampler=SAMPLERS[sampler](seed))
        seen = {}
        # A point that a sampler asks for again costs nothing, as it does with ours; but not for ever.
        for _ in range(5 * budget):
            if len(seen) >= budget:
                break
            trial = study.ask()
            point = {knob["name"]: self.suggested(trial, knob) for knob in self.desk.knobs}
            key = tuple(sorted(point.items()))
            if key not in self.known:
                self.known[key] = self.values_of(self.desk.call("simulate", {"knobs": point}))
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

    with tempfile.TemporaryDirectory() as folder:
        space = Space(Desk(options.cli, options.file), options.objectives.split(","), folder + "/points.db")
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
