#!/usr/bin/env python3
"""Runs graph.pb on STeP's simulator: python3 run.py FOLDER, where FOLDER holds step_perf.so, the Python module that step-perf builds
(target/release/libstep_perf.so under that name). Prints cycles and seconds of the run; fails where cycles are others than in expected.json."""

import json
import os
import pathlib
import re
import subprocess
import sys
import types

HERE = pathlib.Path(__file__).resolve().parent
ON_CHIP_BANDWIDTH = 64  # bytes a cycle: a constant of the simulator's sources
CYCLES = 1  # the simulator's own runs differ by as many in the last cycle of memory


def simulate(folder):
    sys.path.insert(0, folder)
    import step_perf

    sim = json.loads((HERE / "sim_config.json").read_text())
    sim["config_dict"] = {int(operator): depth for operator, depth in sim["config_dict"].items()}
    hbm = json.loads((HERE / "hbm_config.json").read_text())
    print("CYCLES", step_perf.run_graph("graph.pb", False, types.SimpleNamespace(**hbm), types.SimpleNamespace(**sim), None)[1])


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--here":
        return simulate(sys.argv[2])
    if len(sys.argv) != 2:
        sys.exit("run.py: the folder of step_perf.so is missing")
    expected = HERE / "expected.json"
    expected = json.loads(expected.read_text()) if expected.exists() else None
    if expected and expected["deadlock"]:
        sys.exit("run.py: a deadlock is expected, in which the simulator does not end")
    # A process of its own, as what the simulator says goes around Python's standard output.
    run = subprocess.run([sys.executable, __file__, "--here", os.path.abspath(sys.argv[1])], capture_output=True, text=True, cwd=HERE)
    cycles = re.search(r"^CYCLES (\d+)$", run.stdout, re.MULTILINE)
    if not cycles:
        ended = f"signal {-run.returncode}" if run.returncode < 0 else f"exit code {run.returncode}"
        sys.exit(f"run.py: the simulator failed, {ended}\n{run.stdout}{run.stderr}")
    duration = re.search(r"^Duration: (\S+)$", run.stdout, re.MULTILINE)
    print(f"{cycles[1]} cycles" + (f", {duration[1]}" if duration else ""))
    if not expected:
        return
    bandwidth = json.loads((HERE / "sim_config.json").read_text())["on_chip_bandwidth"]
    if bandwidth != ON_CHIP_BANDWIDTH:
        print(f"not compared with expected.json: on-chip memory of {bandwidth} bytes a cycle, and of {ON_CHIP_BANDWIDTH} in the simulator")
        return
    if abs(expected["cycles"] - int(cycles[1])) > CYCLES:
        sys.exit(f"run.py: {expected['cycles']} cycles were expected")


if __name__ == "__main__":
    main()
