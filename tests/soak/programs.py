"""Programs for the soak: samples, built-in workloads of random sizes, chains with a space of many points."""

import glob
import json
import os

def samples(box, deadlocks=True):
    """Files of sample_workloads/ that simulate within a second or so."""
    names = ["simple_moe", "swiglu", "deadlock_fork_join", "wavefront"]
    files = [os.path.join(box.source, "sample_workloads", name + ".sluice") for name in names]
    if deadlocks:
        files += sorted(glob.glob(os.path.join(box.source, "sample_workloads", "deadlocks", "*.sluice")))
    return files


def load(file):
    with open(file) as opened:
        return json.load(opened)


def save(box, name, document):
    return box.write(name, json.dumps(document, indent=1))


def at_random_point(rng, document):
    """--set options for a point of the space."""
    words = []
    for knob in document.get("knobs", []):
        values = knob_values(knob)
        words += ["--set", f"{knob['name']}={rng.choice(values)}"]
    return words


def knob_values(knob):
    kind = knob["kind"]
    low, high = knob.get("minimum", 1), knob.get("maximum", 1)
    if kind == "List":
        return knob["values"]
    if kind == "Choice":
        return knob["choices"]
    if kind == "Range":
        return list(range(low, high + 1, knob.get("step", 1)))
    return [1 << e for e in range(64) if low <= 1 << e <= high]


def chain(rng, points, maps=None, tokens=None):
    """A chain of maps whose FIFO depths and bandwidth are knobs; about `points` points."""
    maps = maps or rng.randint(4, 20)
    tokens = tokens or rng.randint(100, 600)
    bandwidths = rng.sample([128, 256, 512, 1024, 2048], 3)
    nodes = [{"name": "source", "kind": "TileGen", "parameters": {"shape": [tokens], "tile": [16, 16]}}]
    for i in range(maps):
        nodes.append({"name": f"map_{i}", "kind": "Map",
                      "parameters": {"function": "silu", "compute_bw": "bw" if i % 3 else 1024}})
    nodes.append({"name": "sink", "kind": "Consumer"})
    streams = [{"from": a["name"] + ".out", "to": b["name"] + ".in"} for a, b in zip(nodes, nodes[1:])]
    return {"sluice": 1, "title": "a chain for the soak",
            "knobs": [{"name": "depth", "kind": "Range", "minimum": 1, "maximum": max(1, points // 3), "default": 1},
                      {"name": "bw", "kind": "List", "values": sorted(bandwidths), "default": bandwidths[0]}],
            "program": {"nodes": nodes, "streams": streams}, "machine": {"fifo_depth": "depth"}}
