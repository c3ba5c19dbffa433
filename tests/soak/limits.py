"""Full disks, output that is lost, signals and little memory, for any command."""

import os
import signal
import subprocess
import time

import programs
from harness import Failure, hears_signals

TYPE = "itensor<4x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d1,d0)>"


def command(box):
    """A command that ends well, and the file that it writes if it writes one."""
    rng = box.rng
    file = box.copy(rng.choice(programs.samples(box, deadlocks=False)[:3]))
    out = box.path("written")
    point = programs.at_random_point(rng, programs.load(file))
    store = box.path("small.db")
    if not os.path.exists(store):
        box.run(["explore", file, "--budget", 5, "--store", store])
    every = [
        (["check", file, "--json"], None),
        (["shapes", file, *point, "--json"], None),
        (["simulate", file, *point, "--json"], None),
        (["simulate", file, *point, "--trace", out, "--json"], out),
        (["simulate", file, *point, "--vcd", out, "--json"], out),
        (["simulate", file, *point, "--stalls"], None),
        (["explore", file, "--budget", 20, "--json"], None),
        (["explore", file, "--budget", 20, "--store", box.path("new.db"), "--json"], None),
        (["strategies", file, "--budget", 10, "--json"], None),
        (["compare", file, file, *[w.replace("--set", "--set-b") if w == "--set" else w for w in point], "--json"], None),
        (["schedule", file, *point, "-o", out, "--json"], out),
        (["dot", file, *point, "-o", out], out),
        (["dot", file], None),
        (["explorations", store, "--json"], None),
        (["points", store], None),
        (["points", store, "--format", "jsonl", "--out", out], out),
        (["merge", box.path("all.db"), store, "--json"], None),
        (["workload", "swiglu"], None),
        (["workload", "swiglu", "-o", out], out),
        (["compile", "gpt2", "--set", "tokens=16", "--json"], None),
        (["depth-frontier", os.path.join(box.source, "sample_workloads/deadlocks/interlocking.sluice"), "--up-to", 4,
          "--json"], None),
        (["unlock", os.path.join(box.source, "sample_workloads/deadlock_fork_join.sluice"), "--json"], None),
    ]
    return rng.choice(every)


def whole_or_absent(box, file, words):
    """What is left of an output file of a run that did not end well must be nothing, or all of it."""
    if not file or not os.path.exists(file):
        return
    found = box.read(file)
    os.remove(file)
    box.run(words)
    if found != box.read(file):
        raise Failure(f"{words}: part of {file} was left ({len(found)} bytes)")


def lost_output(box):
    """Standard output on a full disk, closed, or without a reader: exit 1 and a reason."""
    words, _ = command(box)
    if not box.run(words).out:
        return
    kind = box.rng.choice(["full", "closed", "no reader"])
    if kind == "full":
        with open("/dev/full", "wb") as full:
            outcome = box.finish(box.start(words, stdout=full))
    elif kind == "no reader":
        reader, writer = os.pipe()
        os.close(reader)
        outcome = box.finish(box.start(words, stdout=writer))
        os.close(writer)
    else:
        script = 'exec "$@" >&-'
        done = subprocess.run(["sh", "-c", script, "sh", box.cli, *map(str, words)], stderr=subprocess.PIPE, timeout=300)
        if done.returncode != 1 or b"standard output" not in done.stderr:
            raise Failure(f"closed stdout: exit code {done.returncode}, {done.stderr[-300:]!r}: {words}")
        return
    outcome.expect(1)
    if "standard output" not in outcome.err:
        outcome.fail("lost output is not told")


def small_files(box):
    """No file may grow beyond a few hundred bytes or kilobytes: everything written is whole or not there."""
    words, file = command(box)
    box.run(words)
    for left in (file, box.path("new.db"), box.path("all.db")):
        if left and os.path.exists(left):
            os.remove(left)
    with open(os.devnull, "wb") as nowhere:
        outcome = box.finish(box.start(words, stdout=nowhere, file_size=box.rng.choice([100, 1000, 10_000, 100_000])))
    outcome.expect(0, 1, 3)
    if outcome.code == 1:
        whole_or_absent(box, file, words)


def full_disk(box):
    """The same on a file system of a few pages, where we may mount one."""
    if os.geteuid() != 0:
        return small_files(box)
    disk = box.path("disk")
    os.makedirs(disk, exist_ok=True)
    size = box.rng.choice(["16k", "64k", "256k"])
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk], capture_output=True)
    if mounted.returncode != 0:
        return small_files(box)
    try:
        words, file = command(box)
        moved = {box.path(name): os.path.join(disk, name) for name in ("written", "new.db", "all.db")}
        words = [moved.get(word, word) if isinstance(word, str) else word for word in words]
        outcome = box.run(words).expect(0, 1, 3)
        target = moved.get(file)
        if outcome.code == 1 and target and os.path.exists(target):
            raise Failure(f"{words}: a part of {target} was left")
    finally:
        subprocess.run(["umount", "-l", disk], check=False)


def signalled(box):
    """A signal at any time after the start of any command: it ends as ever, or cancelled, with one object."""
    words, file = command(box)
    begin = time.monotonic()
    expected = box.run(words).code
    seconds = time.monotonic() - begin
    for left in (file, box.path("new.db"), box.path("all.db")):
        if left and os.path.exists(left):
            os.remove(left)
    process = box.start(words)
    if hears_signals(process):
        time.sleep(box.rng.random() * seconds)
        for _ in range(box.rng.choice([1, 1, 1, 2])):
            process.send_signal(box.rng.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP]))
    outcome = box.finish(process, 60)
    outcome.expect(expected, 130)
    if outcome.code == 130 and "--json" in words and outcome.object().get("cancelled") is not True:
        outcome.fail("cancelled, and the object does not say so")
    if outcome.code == 130 and file:
        whole_or_absent(box, file, words)


def little_memory(box):
    """So little address space that it may not do: a diagnostic and one object, no crash."""
    words, _ = command(box)
    process = box.start(words, memory=box.rng.randint(120, 1200) << 20)
    process.wait(120)
    if process.returncode == 127:  # not even the libraries could be loaded
        return
    outcome = box.finish(process)
    outcome.expect(0, 1, 3)
