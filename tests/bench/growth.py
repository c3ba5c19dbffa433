#!/usr/bin/env python3
"""How time and memory of sluice-cli grow with the size of what it is given.

Makes programs of growing size in a scratch folder, runs sluice-cli on each, and measures the wall time and peak
memory of every run. Prints a line a case with the exponent of growth: the slope of a straight line through the
measured sizes on logarithmic scales, of what a run takes beyond that of a program of three operators. The exponent
of time is that of processor time, which other programs on the machine disturb less.

  growth.py [--full] [--check] [--only TEXT] [--timeout SECONDS] [--memory GIB] CLI

--full   takes the sizes up to 10^5 operators and beyond (about half an hour); without it a few minutes
--check  exits 1 when a run fails or an exponent is above its case's limit: 1.35 where no other is stated
"""

import argparse
import collections
import json
import math
import os
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

Case = collections.namedtuple("Case", "name unit sizes full prepare limit", defaults=(1.35,))
Run = collections.namedtuple("Run", "size seconds cpu mib failure")


# ---------------------------------------------------------------------------------------------- programs

def node(name, kind, **parameters):
    return {"name": name, "kind": kind, **({"parameters": parameters} if parameters else {})}


def stream(source, target):
    return {"from": source, "to": target}


def source(name="source", tokens=4):
    return node(name, "TileGen", shape=[tokens], tile=[16, 16])


def silu(name):
    return node(name, "Map", function="silu", compute_bw=2048)


def program(nodes, streams, **more):
    return {"sluice": 1, "title": "growth", **more, "program": {"nodes": nodes, "streams": streams}}


def chain(n, tokens=4, **more):
    names = ["source"] + [f"map_{i}" for i in range(n - 2)] + ["sink"]
    nodes = [source(tokens=tokens)] + [silu(name) for name in names[1:-1]] + [node("sink", "Consumer")]
    return program(nodes, [stream(a + ".out", b + ".in") for a, b in zip(names, names[1:])], **more)


def ladder(n):
    """Stages of a fork (an operator of its own), two maps and a join."""
    nodes, streams, last = [source()], [], "source.out"
    for i in range((n - 2) // 4):
        nodes += [silu(f"left_{i}"), silu(f"right_{i}"), node(f"join_{i}", "BinaryMap", function="add", compute_bw=2048)]
        streams += [stream(last, f"left_{i}.in"), stream(last, f"right_{i}.in"),
                    stream(f"left_{i}.out", f"join_{i}.in1"), stream(f"right_{i}.out", f"join_{i}.in2")]
        last = f"join_{i}.out"
    return program(nodes + [node("sink", "Consumer")], streams + [stream(last, "sink.in")])


def parallel(n):
    """Pipelines of three operators beside each other."""
    nodes, streams = [], []
    for i in range(n // 3):
        nodes += [source(f"source_{i}"), silu(f"map_{i}"), node(f"sink_{i}", "Consumer")]
        streams += [stream(f"source_{i}.out", f"map_{i}.in"), stream(f"map_{i}.out", f"sink_{i}.in")]
    return program(nodes, streams)


def fan_out(n):
    nodes = [source()] + [node(f"sink_{i}", "Consumer") for i in range(n - 1)]
    return program(nodes, [stream("source.out", f"sink_{i}.in") for i in range(n - 1)])


def fan_in(n):
    ways = (n - 2) // 2
    nodes = [source(f"source_{i}") for i in range(ways)] + [
        node("merge", "EagerMerge", ways=ways, rank=1), node("data", "Consumer"), node("select", "Consumer")]
    streams = [stream(f"source_{i}.out", f"merge.in[{i}]") for i in range(ways)]
    return program(nodes, streams + [stream("merge.data", "data.in"), stream("merge.select", "select.in")])


def region(n):
    """A region x n/2 behind a Broadcast."""
    count = max(1, (n - 2) // 2)
    inner = {"nodes": [silu("map"), node("sink", "Consumer")],
             "streams": [stream("region.x", "map.in"), stream("map.out", "sink.in")]}
    box = {"name": "copy", "kind": "Region", "count": count, "inputs": ["x"], "program": inner}
    return program([source(), node("fork", "Broadcast", ways=count), box],
                   [stream("source.out", "fork.in"), stream("fork.out", "copy.x")])


def nested(n):
    """Regions in regions, ten times each; the innermost holds a pipeline of three."""
    graph = {"nodes": [source(), silu("map"), node("sink", "Consumer")],
             "streams": [stream("source.out", "map.in"), stream("map.out", "sink.in")]}
    level, left = 0, max(1, n // 3)
    while left > 1:
        count = min(10, left)
        graph = {"nodes": [{"name": f"level_{level}", "kind": "Region", "count": count, "program": graph}], "streams": []}
        level, left = level + 1, left // count
    return {"sluice": 1, "title": "growth", "program": graph}


def knobs(points):
    """A chain with two knobs: its design space has so many points."""
    side = max(1, math.isqrt(points))
    document = chain(6, tokens="tokens", knobs=[
        {"name": "tokens", "kind": "Range", "maximum": side, "default": 1},
        {"name": "depth", "kind": "Range", "maximum": max(1, points // side), "default": 1}])
    return {**document, "machine": {"fifo_depth": "depth"}}


# ------------------------------------------------------------------------------------------------- ONNX

def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def onnx_value(name, shape):
    dims = b"".join(field(1, field(1, extent)) for extent in shape)
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, dims)))


def onnx(n, width=16):
    """A chain of MatMul and Softmax, all with one weight."""
    nodes, last = [], "x"
    for i in range(n):
        names = [last, "w"] if i % 2 == 0 else [last]
        nodes.append(b"".join(field(1, name) for name in names) + field(2, f"t{i}") + field(3, f"node_{i}") +
                     field(4, "MatMul" if i % 2 == 0 else "Softmax"))
        last = f"t{i}"
    weight = field(1, width) + field(1, width) + field(2, 1) + field(8, "w") + field(
        9, struct.pack("<f", 0.5) * (width * width))
    graph = b"".join(field(1, each) for each in nodes) + field(2, "growth") + field(5, weight)
    graph += field(11, onnx_value("x", [width, width])) + field(12, onnx_value(last, [width, width]))
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 17))


# ------------------------------------------------------------------------------------------------- cases

class Bench:
    def __init__(self, cli, folder, timeout, gib):
        self.cli, self.folder, self.timeout, self.most = cli, folder, timeout, int(gib * 2**30)

    def limit(self):
        resource.setrlimit(resource.RLIMIT_AS, (self.most, self.most))

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, document):
        with open(self.path("growth.sluice"), "w", encoding="utf-8") as out:
            json.dump(document, out)
        return out.name

    def write_onnx(self, n):
        with open(self.path("growth.onnx"), "wb") as out:
            out.write(onnx(n))
        return out.name

    def setup(self, *arguments):
        subprocess.run([self.cli, *arguments], check=True, timeout=self.timeout, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def store(self, name, points, *more):
        """The arguments that explore a space of so many points into a store."""
        return ["explore", self.write(knobs(points)), "--threads", "2", "--store", self.path(name), *more]

    def measure(self, size, arguments):
        """One run of sluice-cli: wall time, and the most memory that it had at once."""
        with open(os.devnull, "wb") as nowhere, open(self.path("stderr"), "w+b") as errors:
            start = time.monotonic()
            child = subprocess.Popen([self.cli, *arguments], stdout=nowhere, stderr=errors,
                                     preexec_fn=self.limit)
            pid = status = 0
            while not pid and time.monotonic() - start < self.timeout:
                pid, status, usage = os.wait4(child.pid, os.WNOHANG)
                if not pid:
                    time.sleep(0.002)
            if not pid:
                child.kill()
                _, status, usage = os.wait4(child.pid, 0)
            seconds = time.monotonic() - start
            child.returncode = os.waitstatus_to_exitcode(status)
            failure = ""
            if not pid:
                failure = f"over {self.timeout:g} s"
            elif child.returncode != 0:
                errors.seek(0)
                words = errors.read().decode(errors="replace").strip().splitlines()
                failure = f"exit {child.returncode}: {words[-1] if words else ''}"
        return Run(size, seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, failure)


def cases():
    graphs = {"chain": chain, "ladder": ladder, "parallel": parallel, "nested": nested, "fan-out": fan_out,
              "fan-in": fan_in, "region x n": region}
    small, large = [1000, 4000, 16000], [1000, 10000, 100000]

    def on(make, *words):
        return lambda bench, n: [words[0], bench.write(make(n)), *words[1:]]

    for name, make in graphs.items():
        # An EagerMerge looks at all its inputs for every group that it passes on.
        run_limit = 2.2 if name == "fan-in" else 1.35
        for command in ["check", "shapes", "simulate", "dot"]:
            yield Case(f"{command}: {name}", "operators", small, large, on(make, command), run_limit)
        yield Case(f"simulate --json: {name}", "operators", small, large, on(make, "simulate", "--json"), run_limit)
        yield Case(f"simulate --stalls --json: {name}", "operators", small, large,
                   on(make, "simulate", "--stalls", "--json"), run_limit)
        yield Case(f"compare --json: {name}", "operators", small, large,
                   lambda bench, n, make=make: ["compare", bench.write(make(n)), "--json"], run_limit)
        yield Case(f"explore: {name}", "operators", small, large, on(make, "explore", "--json"), run_limit)
    tokens, many = [10**4, 10**5, 10**6], [10**5, 10**6, 10**7]

    def of_tokens(n):
        return chain(6, tokens=n)

    yield Case("simulate: tokens", "tokens", tokens, many, on(of_tokens, "simulate", "--count"))
    yield Case("simulate --stalls --json: tokens", "tokens", tokens, many, on(of_tokens, "simulate", "--stalls", "--json"))
    yield Case("simulate --trace: tokens", "tokens", tokens, many,
               lambda bench, n: ["simulate", bench.write(of_tokens(n)), "--trace", bench.path("trace.json")])
    yield Case("simulate: FIFO depth", "tokens of room", [10, 10**5, 10**9], [10, 10**3, 10**6, 10**9],
               on(lambda n: {**chain(6, tokens=1000), "machine": {"fifo_depth": n}}, "simulate"), 0.2)
    points, more = [10**3, 4000, 16000], [10**3, 10**4, 10**5]
    yield Case("explore, all points", "points", points, more, on(knobs, "explore", "--threads", "2", "--json"))

    def fresh(bench, n):
        for name in ["growth.db", "growth.db-wal", "growth.db-shm"]:
            if os.path.exists(bench.path(name)):
                os.remove(bench.path(name))
        return bench.store("growth.db", n)

    def filled(bench, n):
        bench.setup(*fresh(bench, n))

    def resumed(bench, n):
        filled(bench, n)
        return bench.store("growth.db", n, "--resume")

    def read(bench, n):
        filled(bench, n)
        return ["points", bench.path("growth.db")]

    def merged(bench, n):
        filled(bench, n)
        if os.path.exists(bench.path("all.db")):
            os.remove(bench.path("all.db"))
        return ["merge", bench.path("all.db"), bench.path("growth.db")]

    yield Case("explore --store", "points", points, more, fresh)
    yield Case("explore --store --resume", "points", points, more, resumed)
    yield Case("points of a store", "points", points, more, read)
    yield Case("merge of stores", "points", points, more, merged)

    def imported(bench, n):
        return ["import", bench.write_onnx(n), "-o", bench.path("imported.sluice")]

    def compiled(bench, n):
        bench.setup(*imported(bench, n))
        return ["compile", bench.path("imported.sluice")]

    yield Case("import ONNX", "nodes", [500, 2000, 8000], [500, 5000, 20000], imported)
    yield Case("compile ONNX", "kernels", [100, 300, 1000], [100, 1000, 10000], compiled, 1.6)


# ---------------------------------------------------------------------------------------------- the table

def exponent(runs, idle, value):
    """The slope on logarithmic scales of what runs take beyond an idle one; 0 where that is too little to tell."""
    steps = [(math.log(run.size), math.log(value(run) - value(idle))) for run in runs
             if value(run) > 1.3 * value(idle)]
    if len(steps) < 2:
        return 0.0
    mean_x = sum(x for x, _ in steps) / len(steps)
    mean_y = sum(y for _, y in steps) / len(steps)
    return sum((x - mean_x) * (y - mean_y) for x, y in steps) / sum((x - mean_x) ** 2 for x, _ in steps)


def judge(case, runs, idle):
    """What is wrong with a case: empty where nothing is."""
    failed = [run for run in runs if run.failure]
    if failed:
        return f"at {failed[0].size:,}: {failed[0].failure}"
    for what, value in [("time", lambda run: run.cpu), ("memory", lambda run: run.mib)]:
        grows = exponent(runs, idle, value)
        if grows > case.limit:
            return f"{what} grows with exponent {grows:.2f}, over {case.limit}"
    return ""


def line(case, runs, idle):
    done = [run for run in runs if not run.failure]
    grows = [f"{exponent(done, idle, value):6.2f}" if len(done) > 1 else "     -"
             for value in [lambda run: run.cpu, lambda run: run.mib]]
    sizes = "  ".join(f"{run.size:>9,}: {run.seconds:7.2f} s {run.mib:6.0f} MiB" for run in runs)
    return f"{case.name:38} {case.unit:14} {grows[0]} {grows[1]}   {sizes}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", default="", metavar="TEXT", help="cases whose name has this in it")
    parser.add_argument("--timeout", type=float, default=120, metavar="SECONDS", help="of one run (120)")
    parser.add_argument("--memory", type=float, default=4, metavar="GIB", help="that one run may have (4)")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="sluice-growth-")
    bench = Bench(os.path.abspath(options.cli), folder, options.timeout, options.memory)
    idle, wrong = bench.measure(3, ["simulate", bench.write(chain(3))]), []
    print(f"{'case':38} {'size in':14} {'time^':>6} {'mem^':>6}   wall time and peak memory at each size")
    try:
        for case in cases():
            if options.only not in case.name:
                continue
            runs = []
            for size in case.full if options.full else case.sizes:
                try:
                    runs.append(bench.measure(size, case.prepare(bench, size)))
                except (subprocess.SubprocessError, OSError) as error:
                    runs.append(Run(size, 0, 0, 0, f"could not be made: {error}"))
                if runs[-1].failure:
                    break
            print(line(case, runs, idle), flush=True)
            problem = judge(case, runs, idle)
            if problem:
                wrong.append(f"{case.name}: {problem}")
                print(f"  ! {problem}", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if options.check and wrong else 0


if __name__ == "__main__":
    sys.exit(main())
