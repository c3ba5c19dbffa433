#!/usr/bin/env python3
"""Attacks sluice-cli at random for a while and counts: kills, signals, full disks, little memory, shared stores, damaged
files, and changes of a program that must change nothing. Exit code 1 if anything failed.

  soak.py --minutes 60 [--seed 7]     a soak; every action has a number, and its own random numbers
  soak.py --again 7:1234              action 1234 of seed 7 once more, its folder is kept
"""

import argparse
import collections
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

import limits
import metamorphic
import mutations
import stores
from harness import Box, Failure

# What is done, and how often.
ACTIONS = {stores.kill_and_resume: 2, stores.shared: 2, stores.merged: 1, limits.lost_output: 3, limits.small_files: 2,
           limits.full_disk: 2, limits.signalled: 4, limits.little_memory: 3, mutations.damaged_file: 10,
           metamorphic.rename: 2, metamorphic.reorder: 2, metamorphic.wrap: 2, metamorphic.record: 2,
           metamorphic.round_trip: 2, metamorphic.threads: 2}


def perform(cli, source, seed, number, folder):
    """Runs one action; returns its name and what went wrong, if something did."""
    rng = random.Random(f"{seed}:{number}")
    action = rng.choices(list(ACTIONS), list(ACTIONS.values()))[0]
    os.makedirs(folder)
    try:
        action(Box(cli, source, folder, rng))
    except Failure as failure:
        return action.__name__, str(failure)
    except subprocess.SubprocessError as failure:
        return action.__name__, f"{type(failure).__name__}: {failure}"
    return action.__name__, None


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--again", metavar="SEED:NUMBER")
    parser.add_argument("--cores", type=int, default=1, help="cores that all of it may use")
    source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser.add_argument("--cli", default=os.path.join(source, "build/release/bin/sluice-cli"))
    parser.add_argument("--keep", default=os.path.join(source, "out/soak"), help="folder for what failed")
    options = parser.parse_args()
    options.source = source
    return options


def soak(options):
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(10**6)
    print(f"seed {seed}, {options.minutes:g} minutes", flush=True)
    counts, failures = collections.Counter(), []
    end = time.monotonic() + 60 * options.minutes
    number = 0
    with tempfile.TemporaryDirectory(prefix="sluice-soak-") as folder:
        while time.monotonic() < end:
            place = os.path.join(folder, str(number))
            name, failure = perform(options.cli, options.source, seed, number, place)
            counts[name] += 1
            if failure:
                kept = os.path.join(options.keep, f"{seed}-{number}")
                shutil.copytree(place, kept, dirs_exist_ok=True)
                failures.append((seed, number, name))
                print(f"FAILED {name}, again by: ./dev soak again {seed}:{number}\n  files in {kept}\n  {failure}", flush=True)
            shutil.rmtree(place, ignore_errors=True)
            number += 1
    for name, count in sorted(counts.items()):
        failed = sum(1 for failure in failures if failure[2] == name)
        print(f"{name:18} {count:6} {str(failed) + ' failed' if failed else ''}")
    print(f"{sum(counts.values())} actions of seed {seed}, {len(failures)} failed")
    return 1 if failures else 0


def again(options):
    seed, number = options.again.split(":")
    folder = os.path.join(options.keep, f"{seed}-{number}-again")
    shutil.rmtree(folder, ignore_errors=True)
    name, failure = perform(options.cli, options.source, int(seed), int(number), folder)
    print(f"{name}: {failure or 'nothing failed'}\nfiles in {folder}")
    return 1 if failure else 0


def main():
    options = parse()
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, cores[-options.cores:])
    sys.exit(again(options) if options.again else soak(options))


if __name__ == "__main__":
    main()
