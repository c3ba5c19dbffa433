#!/usr/bin/env python3
"""Runs the tests of the package `sluice` that is in the path (PYTHONPATH=build/release/python), and prints what it costs to use it."""

import os
import subprocess
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


def seconds_to_import():
    """The least of three, as somebody else may use the machine."""
    script = "import time; begin = time.perf_counter(); import sluice; print(time.perf_counter() - begin)"
    return min(float(subprocess.run([sys.executable, "-c", script], check=True, capture_output=True).stdout) for _ in range(3))


def print_costs():
    import sluice

    print(f"import sluice: {seconds_to_import():.3f} s")
    program = sluice.load(os.path.join(HERE, "..", "..", "..", "sample_workloads", "simple_moe.sluice"))
    program.opened()
    sluice.simulate(program)
    calls = []
    for _ in range(1000):
        begin = time.perf_counter()
        run = sluice.simulate(program)
        whole = time.perf_counter() - begin
        calls.append((whole, whole - run.wall_seconds))
        del run  # the engine's work, too, in whatever language it is used
    # Of the fastest calls, as somebody else may use the machine.
    print(f"a simulated point: {1e6 * min(calls)[0]:.0f} us, {1e6 * min(each for _, each in calls):.0f} us of it not the engine's evaluation")


if __name__ == "__main__":
    sys.path.insert(0, os.path.join(HERE, "..", "examples"))
    sys.dont_write_bytecode = True
    outcome = unittest.TextTestRunner(verbosity=1).run(unittest.defaultTestLoader.discover(HERE))
    print_costs()
    sys.exit(0 if outcome.wasSuccessful() else 1)
