"""Changes of a program that must not change what its run counts."""

import json
import os
import re

import programs
from harness import Failure

# What the run says of the whole program.
COUNTS = ("state", "cycles", "flops", "token_hops", "hbm_requests", "moved_off_chip_bytes", "off_chip_bytes", "on_chip_bytes")


def counts(box, file, point, *more):
    found = box.run(["simulate", file, *point, "--json", *more]).expect(0, 3).object()
    return {name: found[name] for name in COUNTS}


def expect_equal(box, document, changed, point, what):
    before = counts(box, programs.save(box, "before.sluice", document), point, "--count")
    after = counts(box, programs.save(box, "after.sluice", changed), point, "--count")
    if before != after:
        raise Failure(f"{what}: {before} became {after}; both files are in {box.folder}, --set {point}")


def copy(document):
    return json.loads(json.dumps(document))


def any_program(box, without_schedule=True):
    """A sample, a built-in workload of other sizes, or a chain; and a point of its space."""
    rng = box.rng
    while True:
        kind = rng.choice(["sample", "sample", "workload", "chain"])
        if kind == "chain":
            document = programs.chain(rng, rng.randint(3, 60), tokens=rng.randint(1, 400))
        elif kind == "workload":
            name, sizes = rng.choice([("swiglu", {"B": rng.choice([16, 32]), "D": 64, "F": rng.choice([64, 128])}),
                                      ("wavefront", {})])
            words = ["workload", name, "-o", box.path("workload.sluice")]
            for size, value in sizes.items():
                words += ["--size", f"{size}={value}"]
            if box.run(words).code != 0:
                continue
            document = programs.load(box.path("workload.sluice"))
        else:
            file = rng.choice(programs.samples(box))
            document = programs.load(file)
        if without_schedule and document.get("schedule"):
            continue
        checked = box.run(["check", programs.save(box, "checked.sluice", document), "--json"])
        if checked.code in (0, 3):
            return document, programs.at_random_point(rng, document)
        if not any(d["severity"] == "error" for d in checked.object()["diagnostics"]):
            checked.fail("refused without an error")


def graphs(graph):
    """A graph and the graphs of its regions."""
    yield graph
    for node in graph.get("nodes", []):
        if node["kind"] == "Region":
            yield from graphs(node["program"])


def rename(box):
    """Every node gets another name."""
    document, point = any_program(box)
    changed = copy(document)
    for graph in graphs(changed["program"]):
        names = {node["name"]: f"n{box.rng.randrange(10**9)}_{i}" for i, node in enumerate(graph.get("nodes", []))}
        for node in graph.get("nodes", []):
            node["name"] = names[node["name"]]
        for stream in graph.get("streams", []):
            for end in ("from", "to"):
                node, rest = re.match(r"([^.\[]+)(.*)", stream[end]).groups()
                stream[end] = names.get(node, node) + rest
    changed.pop("pinned", None)
    expect_equal(box, document, changed, point, "other names")


def reorder(box):
    """Streams in another order; those of one output keep theirs, which is the order of a broadcast."""
    document, point = any_program(box)
    changed = copy(document)
    for graph in graphs(changed["program"]):
        streams = graph.get("streams", [])
        waiting = {}
        for stream in streams:
            waiting.setdefault(re.sub(r"\[.*", "", stream["from"]), []).append(stream)
        order = [source for source, of in waiting.items() for _ in of]
        box.rng.shuffle(order)
        graph["streams"] = [waiting[source].pop(0) for source in order]
    expect_equal(box, document, changed, point, "streams in another order")


def wrap(box):
    """One node goes into a region of its own."""
    document, point = any_program(box)
    changed = copy(document)
    graph = box.rng.choice(list(graphs(changed["program"])))
    ends = [end for stream in graph.get("streams", []) for end in (stream["from"], stream["to"])]

    def wrappable(node):
        own = [end for end in ends if end.split(".")[0] == node["name"]]
        return node["kind"] != "Region" and own and not any("[" in end for end in own)
    nodes = [node for node in graph.get("nodes", []) if wrappable(node)]
    widths = {"Partition", "Reassemble", "EagerMerge", "Broadcast", "Zip", "Parallelize"}  # ports that are bundles
    nodes = [node for node in nodes if node["kind"] not in widths and "ways" not in node.get("parameters", {})]
    if not nodes:
        return
    node = box.rng.choice(nodes)
    name = node["name"]
    inputs = sorted({s["to"].split(".")[1] for s in graph["streams"] if s["to"].split(".")[0] == name})
    outputs = sorted({s["from"].split(".")[1] for s in graph["streams"] if s["from"].split(".")[0] == name})
    inner = {"nodes": [dict(node, name="inner")],
             "streams": [{"from": f"region.{port}", "to": f"inner.{port}"} for port in inputs] +
                        [{"from": f"inner.{port}", "to": f"region.{port}"} for port in outputs]}
    graph["nodes"][graph["nodes"].index(node)] = {"name": name, "kind": "Region", "count": 1, "inputs": inputs,
                                                  "outputs": outputs, "program": inner}
    changed.pop("pinned", None)
    expect_equal(box, document, changed, point, f"'{name}' in a region")


def record(box):
    """Counting, recording and the timeline see the same run."""
    document, point = any_program(box, without_schedule=False)
    file = programs.save(box, "program.sluice", document)
    count = counts(box, file, point, "--count")
    for more in ([], ["--stalls"]):
        if counts(box, file, point, *more) != count:
            raise Failure(f"{more or 'recording'}: {counts(box, file, point, *more)} instead of {count}: {file} {point}")


def round_trip(box):
    """Graphviz and back."""
    document, point = any_program(box)
    file = programs.save(box, "program.sluice", document)
    box.run(["dot", file, "-o", box.path("program.dot")]).expect(0)
    box.run(["import", box.path("program.dot"), "-o", box.path("back.sluice"), "--json"]).expect(0)
    before, after = counts(box, file, point), counts(box, box.path("back.sluice"), point)
    if before != after:
        raise Failure(f"DOT and back: {before} became {after}: {file} {point}")


def threads(box):
    """Any number of threads finds the same points and frontier."""
    document, _ = any_program(box, without_schedule=False)
    file = programs.save(box, "program.sluice", document)
    strategy = box.rng.choice(["exhaustive", "pruned", "random", "nsga2"])
    found = []
    for count in (1, box.rng.randint(2, 8)):
        words = ["explore", file, "--strategy", strategy, "--budget", 30, "--seed", 5, "--threads", count, "--json"]
        outcome = box.run(words).expect(0, 1, 3)
        result = outcome.object()
        if "points" not in result:
            return
        for point in result["points"]:
            del point["wall_seconds"]
        found.append((outcome.code, result["points"], result["frontier"], result["hypervolume"]))
    if found[0] != found[1]:
        raise Failure(f"{count} threads find something else than one: {file} {strategy}")
