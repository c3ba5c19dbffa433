#!/usr/bin/env python3
"""Runs graph.pb on STeP's simulator: python3 run.py FOLDER, where FOLDER holds step_perf.so, the Python module that step-perf builds
(target/release/libstep_perf.so under that name). Prints cycles and seconds of the run; fails where cycles are too far from those in expected.json."""

import argparse
import json
import pathlib
import re
import signal
import subprocess
import sys
import types

HERE = pathlib.Path(__file__).resolve().parent
ON_CHIP_BANDWIDTH = 64  # bytes a cycle: a constant of the simulator's sources
TOLERANCE = 0.01  # of the cycles: where threads of the host race, runs of the simulator differ


def simulate(folder):
    sys.path.insert(0, str(folder))
    import step_perf

    sim = json.loads((HERE / "sim_config.json").read_text())
    sim["config_dict"] = {int(operator): depth for operator, depth in sim["config_dict"].items()}
    hbm = json.loads((HERE / "hbm_config.json").read_text())
    print("CYCLES", step_perf.run_graph("graph.pb", False, types.SimpleNamespace(**hbm), types.SimpleNamespace(**sim), None)[1])


def run(folder):
    """What the simulator says, in a process of its own, as it goes around Python's standard output."""
    told = subprocess.run([sys.executable, __file__, "--here", str(folder)], capture_output=True, text=True, cwd=HERE)
    # An operator that cannot go on does not end the simulator, which then gives some number of cycles.
    panic = re.search(r"panicked at ([^\n]*)\n([^\n]*)", told.stderr)
    if panic:
        sys.exit(f"run.py: the simulator has given up: {panic[2].strip()} ({panic[1].strip(': ')}); it may lack a function of this graph")
    cycles = re.search(r"^CYCLES (\d+)$", told.stdout, re.MULTILINE)
    if not cycles:
        ended = f"signal {-told.returncode}" if told.returncode < 0 else f"exit code {told.returncode}"
        sys.exit(f"run.py: the simulator failed, {ended}\n{told.stdout}{told.stderr}")
    duration = re.search(r"^Duration: (\S+)$", told.stdout, re.MULTILINE)
    return int(cycles[1]), duration and duration[1]


def compare(cycles, expected):
    bandwidth = json.loads((HERE / "sim_config.json").read_text())["on_chip_bandwidth"]
    if bandwidth != ON_CHIP_BANDWIDTH:
        print(f"not compared with expected.json: on-chip memory of {bandwidth} bytes a cycle, and of {ON_CHIP_BANDWIDTH} in the simulator")
        return
    difference = cycles / expected - 1
    print(f"{expected} cycles were expected, {difference:+.2%}")
    if abs(cycles - expected) > max(1, TOLERANCE * expected):
        sys.exit(f"run.py: that is more than {TOLERANCE:.0%}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="holds step_perf.so")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    folder = options.folder.resolve()
    if not list(folder.glob("step_perf*.so")):
        parser.error(f"{options.folder} holds no step_perf.so")
    if options.here:
        return simulate(folder)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # which ends the simulator, too
    expected = HERE / "expected.json"
    expected = json.loads(expected.read_text()) if expected.exists() else None
    if expected and expected["deadlock"]:
        sys.exit("run.py: a deadlock is expected, in which the simulator does not end")
    cycles, duration = run(folder)
    print(f"{cycles} cycles" + (f", {duration}" if duration else ""))
    if expected:
        compare(cycles, expected["cycles"])


if __name__ == "__main__":
    main()
