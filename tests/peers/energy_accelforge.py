#!/usr/bin/env python3
"""Energy of a product and of a SwiGLU layer: Sluice beside AccelForge, with one table of prices.

Both have an off-chip memory, an on-chip buffer through which everything goes once, and arithmetic. AccelForge is told
the same order of work by a mapping: a tile at a time, registers without a price below the buffer, so that the buffer is
read once for each element that is loaded. FIFOs have no price on our side, as AccelForge has none.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import accelforge

PICOJOULES = {"add": 0.38, "multiply": 1.31, "read": 100.0, "write": 150.0, "buffer_read": 3.0, "buffer_write": 4.0}
BYTES = 4  # of a number


def technology():
    source = {"source": "round numbers, of no device", "uncertainty": "none"}
    entries = [{"action": name, "scalar": "f32", "energy": PICOJOULES[name], "unit": "pJ"} for name in ("add", "multiply")]
    moves = {"off_chip_read": "read", "off_chip_write": "write", "sram_read": "buffer_read", "sram_write": "buffer_write"}
    entries += [{"action": action, "energy": PICOJOULES[price], "unit": "pJ", "per_bytes": 1}
                for action, price in moves.items()]
    entries += [{"action": action, "energy": 0, "unit": "pJ", "per_bytes": 1} for action in ("fifo_push", "fifo_pop")]
    return {"name": "peer", "node_nm": 7, "clock_mhz": 1000, "entries": [dict(entry, **source) for entry in entries]}


def load(name, rows, columns):
    return {"name": name, "kind": "LinearOffChipLoad", "parameters": {"out_shape": [1], "tile": [rows, columns]}}


def store(name, rows, columns):
    return {"name": name, "kind": "LinearOffChipStore", "parameters": {"tile": [rows, columns]}}


def apply(name, kind, function):
    return {"name": name, "kind": kind, "parameters": {"function": function, "compute_bw": 1024}}


def stream(source, to):
    return {"from": source + ".out", "to": to}


def product(m, k, n):
    """C = A B."""
    nodes = [load("a", m, k), load("b", k, n), apply("c", "BinaryMap", "matmul"), store("out", m, n)]
    streams = [stream("a", "c.in1"), stream("b", "c.in2"), stream("c", "out.in")]
    einsums = [("Product", [("A", "m", "k"), ("B", "k", "n")], ("C", "m", "n"))]
    return nodes, streams, einsums, {"m": m, "k": k, "n": n}


def swiglu(m, d, f):
    """((X G) * (X U)) D, the layer without its silu."""
    nodes = [load("x", m, d), load("g", d, f), load("u", d, f), load("d", f, d),
             apply("gate", "BinaryMap", "matmul"), apply("up", "BinaryMap", "matmul"),
             apply("both", "BinaryMap", "multiply"), apply("down", "BinaryMap", "matmul"), store("out", m, d)]
    streams = [stream("x", "gate.in1"), stream("g", "gate.in2"), stream("x", "up.in1"), stream("u", "up.in2"),
               stream("gate", "both.in1"), stream("up", "both.in2"), stream("both", "down.in1"),
               stream("d", "down.in2"), stream("down", "out.in")]
    einsums = [("Gate", [("X", "m", "d"), ("G", "d", "f")], ("S", "m", "f")),
               ("Up", [("X", "m", "d"), ("U", "d", "f")], ("T", "m", "f")),
               ("Both", [("S", "m", "f"), ("T", "m", "f")], ("H", "m", "f")),
               ("Down", [("H", "m", "f"), ("D", "f", "e")], ("Y", "m", "e"))]
    return nodes, streams, einsums, {"m": m, "d": d, "f": f, "e": d}


def ours(cli, nodes, streams):
    """Joules by kind of action."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program.sluice"
        program.write_text(json.dumps({"sluice": 1, "program": {"nodes": nodes, "streams": streams},
                                       "machine": {"mock_bf16": False, "technology": "peer.json"}}))
        (Path(folder) / "peer.json").write_text(json.dumps(technology()))
        told = subprocess.run([cli, "energy", str(program), "--json"], capture_output=True, text=True)
    if told.returncode != 0:
        sys.exit(told.stderr)
    return json.loads(told.stdout)["energy_breakdown"]["dynamic"]


def memory(name, read, write):
    """Prices are joules a bit."""
    actions = [{"name": action, "energy": joules * 1e-12 / 8, "throughput": "inf", "latency": 0}
               for action, joules in (("read", read), ("write", write))]
    return (f"  - !Memory\n    name: {name}\n    size: inf\n    leak_power: 0\n    area: 0\n"
            f"    tensors: {{may_keep: All}}\n    actions: {json.dumps(actions)}\n")


def compute(name, picojoules):
    actions = [{"name": "compute", "energy": picojoules * 1e-12, "throughput": 1, "latency": 0}]
    return f"  - !Compute\n    name: {name}\n    leak_power: 0\n    area: 0\n    actions: {json.dumps(actions)}\n"


def architecture(both):
    """`both`: the picojoules of one step of the arithmetic."""
    return ("arch:\n  nodes:\n" + memory("Memory", PICOJOULES["read"], PICOJOULES["write"]) +
            memory("Buffer", PICOJOULES["buffer_read"], PICOJOULES["buffer_write"]) + memory("Registers", 0, 0) +
            compute("Arithmetic", both))


def theirs(einsum, extents, through, picojoules):
    """Joules by component of one step; `through`: the tensors that come from memory or go there."""
    name, inputs, output = einsum
    ranks = {rank for _, *own in inputs + [output] for rank in own}
    accesses = [{"name": tensor, "projection": list(own)} for tensor, *own in inputs]
    accesses.append({"name": output[0], "projection": list(output[1:]), "output": True})
    workload = {"iteration_space_shape": {rank: f"0 <= {rank} < {extents[rank]}" for rank in sorted(ranks)},
                "bits_per_value": {"All": 8 * BYTES},
                "einsums": [{"name": name, "tensor_accesses": accesses}]}
    tensors = [tensor for tensor, *_ in inputs + [output]]
    nodes = ""
    for component, held in (("Memory", through), ("Buffer", through), ("Registers", tensors)):
        for tensor in held:
            nodes += f"  - !Storage\n    tensors: [{tensor}]\n    component: {component}\n"
    for rank in sorted(ranks):
        nodes += f"  - !Temporal\n    rank_variable: {rank}\n    tile_shape: 1\n"
    nodes += f"  - !Compute\n    einsum: {name}\n    component: Arithmetic\n"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "peer.yaml"
        file.write_text(architecture(picojoules) + "workload: " + json.dumps(workload) + "\nmapping:\n  nodes:\n" + nodes)
        spec = accelforge.Spec.from_yaml(str(file))
        return spec.evaluate_mapping().energy(per_component=True)


def compare(cli, title, case):
    nodes, streams, einsums, extents = case
    mine = ours(cli, nodes, streams)
    made = {output[0] for _, _, output in einsums}
    used = {tensor for _, inputs, _ in einsums for tensor, *_ in inputs}
    peer = {"off_chip": 0.0, "on_chip": 0.0, "compute": 0.0}
    seen = set()
    for einsum in einsums:
        name, inputs, output = einsum
        tensors = [tensor for tensor, *_ in inputs + [output]]
        through = [tensor for tensor in tensors
                   if (tensor not in made or tensor not in used) and tensor not in seen]
        seen.update(through)  # what two steps use is loaded once
        product = len(inputs) == 2 and len({rank for _, *own in inputs for rank in own}) > len(output) - 1
        step = PICOJOULES["multiply"] + (PICOJOULES["add"] if product else 0)
        told = theirs(einsum, extents, through, step)
        for key, component in (("off_chip", "Memory"), ("on_chip", "Buffer"), ("compute", "Arithmetic")):
            peer[key] += float(told.get(component, 0))
    print(title)
    worst = 0.0
    for key, joules in peer.items():
        difference = abs(mine[key] - joules) / joules
        worst = max(worst, difference)
        print(f"  {key:10} {mine[key]:.6e} J, AccelForge {joules:.6e} J, {100 * difference:.4f} %")
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli", help="the program sluice-cli")
    options = parser.parse_args()
    worst = compare(options.cli, "product of 64 x 128 by 128 x 32", product(64, 128, 32))
    worst = max(worst, compare(options.cli, "SwiGLU, 16 tokens, 64 and 128 wide", swiglu(16, 64, 128)))
    return 0 if worst < 1e-9 else 1


if __name__ == "__main__":
    sys.exit(main())
