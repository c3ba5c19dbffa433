"""Explorations that are killed, interrupted and shared: the store must end as an undisturbed one does."""

import csv
import io
import os
import signal
import time

import programs
from harness import Failure, hears_signals

SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
# What two explorations of the same points may differ in; shards have other names and numbers, too.
CHANCE = {"exploration", "strategy", "finished", "wall_seconds"}


def rows(box, store, sharded=False):
    """The points of a store as a sorted list, as often as the store lists them."""
    outcome = box.run(["points", store]).expect(0)
    table = list(csv.reader(io.StringIO(outcome.out.decode())))
    keep = [i for i, name in enumerate(table[0]) if name not in CHANCE and not (sharded and name == "number")]
    return sorted(tuple(row[i] for i in keep) for row in table[1:])


def request(box, strategies=("exhaustive", "exhaustive", "pruned", "random", "nsga2", "halving")):
    rng = box.rng
    file = programs.save(box, "program.sluice", programs.chain(rng, rng.randint(60, 400)))
    strategy = rng.choice(strategies)
    words = ["explore", file, "--strategy", strategy, "--seed", rng.randrange(100), "--threads", rng.choice([1, 2])]
    if strategy not in ("exhaustive", "pruned"):
        words += ["--budget", rng.randint(30, 60)]
    return words


def undisturbed(box, words):
    begin = time.monotonic()
    box.run(words + ["--store", box.path("whole.db"), "--json"]).expect(0)
    return box.path("whole.db"), time.monotonic() - begin


def compare(found, wanted, what):
    if found != wanted:
        missing = [row for row in wanted if row not in set(found)]
        extra = [row for row in found if row not in set(wanted)]
        raise Failure(f"{what}: {len(found)} rows instead of {len(wanted)}; missing {missing[:2]}, not of the "
                      f"undisturbed run {extra[:2]}")


def disturb(box, process, seconds):
    """Sends a random signal at a random time; True: the process was still there."""
    number = box.rng.choice(SIGNALS)
    if number != signal.SIGKILL and not hears_signals(process, number):
        return False
    time.sleep(box.rng.random() * seconds)
    if process.poll() is not None:
        return False
    process.send_signal(number)
    outcome = box.finish(process, 60)
    if number == signal.SIGKILL:
        return outcome.code == -signal.SIGKILL
    outcome.expect(0, 130)
    if outcome.code == 130:
        if outcome.object().get("cancelled") is not True:
            outcome.fail("cancelled, and the object does not say so")
        if "--resume" not in outcome.err and "run the command again" not in outcome.err:
            outcome.fail("nothing says how to go on")
    return True


def kill_and_resume(box):
    """Kills and signals during `explore --store`, with --resume after each."""
    words = request(box)
    whole, seconds = undisturbed(box, words)
    wanted = rows(box, whole)
    store = box.path("s.db")
    words += ["--store", store, "--resume", "--json"]
    known = set()
    for _ in range(box.rng.randint(1, 5)):
        process = box.start(words)
        if not disturb(box, process, seconds):
            if process.poll() is None:
                process.wait()
            break
        if not os.path.exists(store):
            continue
        listed = box.run(["points", store])
        if listed.code != 0:
            continue  # killed before the store was complete
        now = rows(box, store)
        if not set(now) <= set(wanted):
            compare(sorted(set(now) | set(wanted)), wanted, "a point changed")
        if not known <= set(now):
            raise Failure(f"points are gone after a kill: {list(known - set(now))[:2]}")
        known = set(now)
    last = box.run(words).expect(0).object()
    compare(rows(box, store), wanted, "the store after kills")
    again = box.run(words).expect(0).object()
    # Successive halving makes its short runs again, to decide as it did; a run that is over so soon counts as one.
    if "halving" not in words and again["reused"] != again["evaluated"]:
        raise Failure(f"evaluated twice: {again['evaluated'] - again['reused']} of {again['evaluated']} points")
    if again["frontier"] != last["frontier"]:
        raise Failure("another frontier from the same store")


def shared(box):
    """Two to four processes at once on one store, one of them perhaps killed."""
    words = request(box)
    whole, seconds = undisturbed(box, words)
    store = box.path("s.db")
    count = box.rng.randint(2, 4)
    shards = words[words.index("--strategy") + 1] == "exhaustive" and box.rng.random() < 0.5
    commands = []
    for i in range(count):
        commands.append(words + (["--shard", f"{i}/{count}"] if shards else []) + ["--store", store, "--resume", "--json"])
    processes = [box.start(command) for command in commands]
    victim = box.rng.randrange(count) if box.rng.random() < 0.5 else None
    if victim is not None:
        disturb(box, processes[victim], seconds)
    for i, process in enumerate(processes):
        if i != victim:
            box.finish(process).expect(0)
        elif process.poll() is None:
            box.finish(process)
    if victim is not None:
        box.run(commands[victim]).expect(0)
    compare(rows(box, store, shards), rows(box, whole, shards), f"{count} processes on one store")


def merged(box):
    """Shards into stores of their own, merged in any order, some twice."""
    words = request(box, ["exhaustive"])
    whole, _ = undisturbed(box, words)
    count = box.rng.randint(2, 4)
    stores = []
    for i in range(count):
        stores.append(box.path(f"shard{i}.db"))
        box.run(words + ["--shard", f"{i}/{count}", "--store", stores[-1], "--json"]).expect(0)
    order = stores + ([box.rng.choice(stores)] if box.rng.random() < 0.5 else [])
    box.rng.shuffle(order)
    box.run(["merge", box.path("all.db"), *order, "--json"]).expect(0)
    compare(rows(box, box.path("all.db"), True), rows(box, whole, True), f"{count} shards merged")
