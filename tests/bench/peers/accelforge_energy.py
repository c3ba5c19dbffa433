"""Energy beside AccelForge (PyPI, Python 3.12): both get the same table of prices, and the actions of a matrix product and of the products of SwiGLU
are laid side by side, in bytes and operations; then the energies.

    python -m venv v && v/bin/pip install accelforge && v/bin/python tests/bench/peers/accelforge_energy.py build/release/bin/sluice-cli

AccelForge maps Einsums to a hierarchy: here main memory, a buffer where tiles are staged, the FIFO to the unit, the unit that holds a tile, and the
multiplier. The mapping is ours: tiles of the sizes of the program, fetched anew for each step of its loops."""

import json
import pathlib
import subprocess
import sys
import tempfile

SAMPLES = pathlib.Path(__file__).resolve().parents[3] / "sample_workloads"
# pJ a byte or an operation; round numbers of no device, so that each action shows in the sum.
PRICES = {"off_chip_read": 100.0, "off_chip_write": 200.0, "sram_read": 3.0, "sram_write": 4.0, "fifo_push": 0.25, "fifo_pop": 0.5, "add": 1.0,
          "multiply": 2.0}
BYTES = 4  # of a float32


def technology():
    entries = [{"action": action, "energy": price, "unit": "pJ", "source": "a comparison", "uncertainty": "none",
                **({"scalar": "f32"} if action in ("add", "multiply") else {"per_bytes": 1})} for action, price in PRICES.items()]
    return {"name": "table", "node_nm": 10, "clock_mhz": 100, "entries": entries}


def product(rows, inner, columns):
    """A matrix product of one tile each, as a program."""
    def load(name, tile):
        return {"name": name, "kind": "LinearOffChipLoad", "parameters": {"out_shape": [1], "par_dispatch": 4, "tile": tile}}
    nodes = [load("a", [rows, inner]), load("b", [inner, columns]),
             {"name": "product", "kind": "BinaryMap", "parameters": {"function": "matmul", "compute_bw": 1024}},
             {"name": "c", "kind": "LinearOffChipStore", "parameters": {"par_dispatch": 4, "tile": [rows, columns]}}]
    streams = [{"from": "a.out", "to": "product.in1"}, {"from": "b.out", "to": "product.in2"}, {"from": "product.out", "to": "c.in"}]
    return {"sluice": 1, "title": "product", "machine": {"mock_bf16": False}, "program": {"nodes": nodes, "streams": streams}}


def ours(cli, program, folder):
    """The actions and joules of a run, by operator and stream."""
    table = folder / "table.json"
    table.write_text(json.dumps(technology()))
    if not isinstance(program, pathlib.Path):
        path = folder / "program.sluice"
        path.write_text(json.dumps(program))
        program = path
    answer = json.loads(subprocess.run([cli, "energy", str(program), "--technology", str(table), "--json"], check=True, capture_output=True).stdout)
    energy = answer["energy_breakdown"] if "energy_breakdown" in answer else answer
    return {operator["name"]: operator for operator in energy["operators"]}, {stream["name"]: stream["bytes"] for stream in energy["streams"]}


def theirs(name, ranks, tensors, loops, folder, held=None):
    """Actions of one Einsum, {(level, tensor, action): bytes or operations}. `tensors`: {name: ranks}, the output last; `loops`: [(rank, tile)], of
    which `held` is a tensor that stays in the buffer from the second on."""
    from accelforge.frontend.spec import Spec
    from accelforge.model.main import evaluate_mapping
    from accelforge.util.parallel import set_n_parallel_jobs
    set_n_parallel_jobs(1)

    def memory(level, read, write, keep):
        return (f"  - !Memory\n    name: {level}\n    size: inf\n    leak_power: 0\n    area: 0\n    tensors: {{keep: {keep}, may_keep: All}}\n"
                f"    actions:\n    - {{name: read, energy: {read}, throughput: inf}}\n    - {{name: write, energy: {write}, throughput: inf}}\n")
    a_bit = {action: price / 8 for action, price in PRICES.items()}
    arch = "arch:\n  nodes:\n" + memory("Main", a_bit["off_chip_read"], a_bit["off_chip_write"], "All")
    arch += memory("Buffer", a_bit["sram_read"], a_bit["sram_write"], "All") + memory("Fifo", a_bit["fifo_pop"], a_bit["fifo_push"], "All")
    arch += memory("Unit", 0, 0, "All") + ("  - !Compute\n    name: MAC\n    leak_power: 0\n    area: 0\n    actions:\n"
                                          f"    - {{name: compute, energy: {PRICES['add'] + PRICES['multiply']}, throughput: 1}}\n")
    output = list(tensors)[-1]
    accesses = "".join(f"    - {{name: {tensor}, projection: [{', '.join(of)}]{', output: True' if tensor == output else ''}}}\n" for tensor, of in tensors.items())
    weight, data = list(tensors)[1], list(tensors)[0]
    work = "workload:\n  iteration_space_shape:\n" + "".join(f"    {rank}: 0 <= {rank} < {size}\n" for rank, size in ranks.items())
    work += f"  bits_per_value: {{All: {8 * BYTES}}}\n  einsums:\n  - name: {name}\n    tensor_accesses:\n{accesses}"
    work += f"    renames: {{weight: {weight}, input: {data}, output: {output}}}\n"
    every = f"[{', '.join(tensors)}]"
    mapping = f"mapping:\n  nodes:\n  - !Storage {{tensors: {every}, component: Main}}\n"
    for at, (rank, tile) in enumerate(loops):
        if held and at == 1:
            mapping += f"  - !Storage {{tensors: [{held}], component: Buffer}}\n"
        mapping += f"  - !Temporal {{rank_variable: {rank}, tile_shape: {tile}}}\n"
    staged = f"[{', '.join(tensor for tensor in tensors if tensor != held)}]"
    mapping += f"  - !Storage {{tensors: {staged}, component: Buffer}}\n"
    mapping += "".join(f"  - !Storage {{tensors: {every}, component: {level}}}\n" for level in ("Fifo", "Unit"))
    mapping += "".join(f"  - !Temporal {{rank_variable: {rank}, tile_shape: 1}}\n" for rank in ranks)
    mapping += f"  - !Compute {{einsum: {name}, component: MAC}}\n"
    files = []
    for part, text in (("arch", arch), ("work", work), ("map", mapping)):
        files.append(folder / f"{name}_{part}.yaml")
        files[-1].write_text(text)
    actions = evaluate_mapping(Spec.from_yaml(*map(str, files))).actions(per_component=True, per_tensor=True)
    return {key: value / (1 if key[0] == "MAC" else 8) for key, value in actions.items()}


def row(what, mine, other, why=""):
    same = abs(mine - other) <= 1e-6 * max(mine, other, 1)
    print(f"{what:44} {mine:>14,.0f} {other:>14,.0f}   {'equal' if same else why or 'DIFFERENT'}")
    return same or bool(why)


def gemm(cli, folder):
    print(f"\n{'product of 16 x 32 by 32 x 8':44} {'ours':>14} {'AccelForge':>14}")
    operators, streams = ours(cli, product(16, 32, 8), folder)
    them = theirs("product", {"m": 16, "k": 32, "n": 8}, {"a": "mk", "b": "kn", "c": "mn"}, [], folder)
    good = True
    for tensor in ("a", "b"):
        good &= row(f"off chip, read {tensor}", operators[tensor]["off_chip_bytes_read"], them["Main", tensor, "read"])
        good &= row(f"buffer, written {tensor}", operators[tensor]["on_chip_bytes_written"], them["Buffer", tensor, "write"])
        good &= row(f"buffer, read {tensor}", operators[tensor]["on_chip_bytes_read"], them["Buffer", tensor, "read"])
        good &= row(f"FIFO, pushed {tensor}", next(b for n, b in streams.items() if n.startswith(tensor + ".")), them["Fifo", tensor, "write"])
        good &= row(f"FIFO, popped {tensor}", next(b for n, b in streams.items() if n.startswith(tensor + ".")), them["Fifo", tensor, "read"])
    good &= row("off chip, written c", operators["c"]["off_chip_bytes_written"], them["Main", "c", "write"])
    good &= row("buffer, written c", operators["c"]["on_chip_bytes_written"], them["Buffer", "c", "write"])
    good &= row("buffer, read c", operators["c"]["on_chip_bytes_read"], them["Buffer", "c", "read"])
    good &= row("FIFO, pushed c", streams["product.out -> c.in"], them["Fifo", "c", "write"])
    good &= row("multiply-adds", operators["product"]["flops"] / 2, them["MAC", "None", "compute"])
    level = {"Main": ("off_chip_read", "off_chip_write"), "Buffer": ("sram_read", "sram_write"), "Fifo": ("fifo_pop", "fifo_push")}
    picojoules = sum(amount * PRICES[level[key[0]][key[2] == "write"]] for key, amount in them.items() if key[0] in level)
    picojoules += them["MAC", "None", "compute"] * (PRICES["add"] + PRICES["multiply"])
    return good & row("energy, pJ", sum(o["joules"]["total"] for o in operators.values()) * 1e12, picojoules)


def swiglu(cli, folder, b=64, d=256, f=512, tile_m=32, tile_n=64):
    print(f"\n{'swiglu.sluice, tiles of 32 x 64':44} {'ours':>14} {'AccelForge':>14}")
    operators, streams = ours(cli, SAMPLES / "swiglu.sluice", folder)
    loops = [("b", tile_m), ("f", tile_n)]
    gate = theirs("gate", {"b": b, "d": d, "f": f}, {"x": "bd", "w_gate": "df", "g": "bf"}, loops, folder)
    up = theirs("up", {"b": b, "d": d, "f": f}, {"x": "bd", "w_up": "df", "u": "bf"}, loops, folder)
    down = theirs("down", {"b": b, "f": f, "d": d}, {"h": "bf", "w_down": "fd", "y": "bd"}, loops, folder, held="y")
    good = row("off chip, read x", operators["x_load"]["off_chip_bytes_read"], gate["Main", "x", "read"])
    for load, of, tensor in (("gate_load", gate, "w_gate"), ("up_load", up, "w_up"), ("down_load", down, "w_down")):
        good &= row(f"off chip, read {tensor}", operators[load]["off_chip_bytes_read"], of["Main", tensor, "read"])
        good &= row(f"buffer, written {tensor}", operators[load]["on_chip_bytes_written"], of["Buffer", tensor, "write"])
        good &= row(f"buffer, read {tensor}", operators[load]["on_chip_bytes_read"], of["Buffer", tensor, "read"])
        good &= row(f"FIFO, pushed {tensor}", next(v for n, v in streams.items() if n.startswith(load + ".")), of["Fifo", tensor, "write"])
    good &= row("off chip, written y", operators["store"]["off_chip_bytes_written"], down["Main", "y", "write"])
    for name, of in (("gate", gate), ("up", up), ("down", down)):
        good &= row(f"multiply-adds of {name}", operators[name]["flops"] / 2, of["MAC", "None", "compute"])
    for name, mine, other in (("written", "on_chip_bytes_written", "write"), ("read", "on_chip_bytes_read", "read")):
        good &= row(f"sums of gate and up, {name}", operators["gate"][mine] + operators["up"][mine], gate["Buffer", "g", other] + up["Buffer", "u", other])
        good &= row(f"sums of down, {name}", operators["down"][mine], down["Buffer", "y", other],
                    "ours also writes its result back and reads it (write_back_mu): 65,536")
    row("FLOPs of silu and product", operators["activation"]["flops"] + operators["product"]["flops"], 0, "no Einsum: ours alone")
    return good


def main():
    cli = sys.argv[1] if len(sys.argv) == 2 else sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        good = gemm(cli, folder)
        good &= swiglu(cli, folder)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
