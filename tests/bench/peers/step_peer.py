"""STeP's simulator (step-perf, Rust, from the artifact of the paper): graphs of the authors' front end and the paper's, simulated by both. Timed is the
simulation alone, by each program's own clock."""

import csv
import dataclasses
import json
import pathlib
import re
import shutil
import sys
import tarfile

import dam_peer
import step_fixture
from measure import Case, Missing, Run, demand, shell

NAME = "step"
TITLE = "STeP's simulator"
HELP = "sources of step-perf, with those of step_perf_ir where its build looks for them and, without GitHub, DAM-RS in external/dam; needs cargo and protoc"
DRIVER = """
import json, sys, types
sys.path.insert(0, sys.argv[1])
import step_perf
told = json.loads(sys.argv[3])
depths = told["sim"]["config_dict"]
told["sim"]["config_dict"] = {int(number): depth for number, depth in depths.items()}
hbm, sim = (types.SimpleNamespace(**told[name]) for name in ("hbm", "sim"))
print("ANSWER", step_perf.run_graph(sys.argv[2], False, hbm, sim, None)[1])
"""
DATA = pathlib.Path(__file__).resolve().parents[2] / "data/step"
# Graphs of the front end, with the cycles that were seen; graphs of the paper, attention, as a run of a layer of experts takes minutes.
FRONT_END = ("moe_small_mixtral_16", "moe_small_mixtral_64", "moe_small_mixtral_dyn", "tm_small_static_r8", "tm_small_dyn_r8", "s_revet_61", "s_tms_73")
PUBLISHED = ("attention_b16_1456_dyn", "attention_b64_0996_dyn", "attention_b64_0996_static", "attention_b64_0484_coarse")
SECONDS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1}


def build(sources, work):
    demand(sources, NAME, "Cargo.toml")
    copy = work / "step-perf"
    if not copy.exists():
        shutil.copytree(sources, copy, ignore=shutil.ignore_patterns(".git", "target"))
        manifest = copy / "Cargo.toml"
        text = manifest.read_text()
        # Without GitHub: DAM's sources, where they lie inside of those of step-perf.
        if (copy / "external/dam").exists():
            dam_peer.copied(copy / "external/dam", work / "dam")
            text = re.sub(r'git = "[^"]*DAM-RS(\.git)?", branch = "[^"]*"', f'path = "{work / "dam"}"', text)
        manifest.write_text(text)
    shell(["cargo", "build", "--release", "--quiet"], "cargo build", cwd=copy)
    library = copy / "target/release/libstep_perf.so"
    if not library.exists():
        raise Missing("its build gives no libstep_perf.so")
    shutil.copy(library, work / "step_perf.so")
    return copy / "step_perf_ir/proto"


@dataclasses.dataclass
class Point:
    """A graph.pb with how it is run; `cycles`: what was seen, as they differ from run to run where threads of the host race."""

    name: str
    folder: pathlib.Path
    cycles: range | None = None
    channels: int = 32
    depth: int = 1
    depths: dict = dataclasses.field(default_factory=dict)
    bf16: bool = True

    def settings(self):
        hbm = {"addr_offset": 64, "channel_num": self.channels, "per_channel_latency": 2, "per_channel_init_interval": 2, "per_channel_outstanding": 1,
               "per_channel_start_up_time": 14}
        return {"hbm": hbm, "sim": {"channel_depth": self.depth, "functional_sim": False, "mock_bf16": self.bf16, "config_dict": self.depths}}


def front_end_points(work):
    with tarfile.open(DATA / "reference_runs.tar.xz") as archive:
        archive.extractall(work)
    with open(work / "reference_runs/runs.csv") as table:
        runs = {row["graph"]: row for row in csv.DictReader(table)}
    for name in FRONT_END:
        row = runs[name]
        cycles = range(int(row["cycles_min"]), int(row["cycles_max"]) + 1)
        yield Point(name, work / "reference_runs" / name, cycles, int(row["hbm_channels"]), int(row["channel_depth"]))


def encoded(name, fixture, schema, work):
    folder = work / "fixtures" / name
    folder.mkdir(parents=True, exist_ok=True)
    step_fixture.encode(fixture, schema, folder)
    return Point(name, folder, depth=fixture["depth"], depths=fixture["cfg"], bf16=fixture["fb"] == 2)


def published_points(schema, work):
    with tarfile.open(DATA / "published_graphs.tar.xz") as archive:
        for name in PUBLISHED:
            member = next(member for member in archive.getmembers() if pathlib.Path(member.name).stem == name)
            yield encoded(name, json.load(archive.extractfile(member)), schema, work)


def swiglu(rows, columns, schema, work):
    """The layer of the paper's figure 8, 64 tokens of 256, 512 inside, in tiles of so many tokens and inner columns."""
    down, across = 64 // rows, 512 // columns

    def load(number, view, stride, tile):
        return {"T": "OffChipLoad", "id": number, "ts": view, "out": view, "stride": stride, "tile_row": tile[0], "tile_col": tile[1], "par": 4}

    def product(number, one, other, tile, back):
        return {"T": "BinaryMapAccum", "id": number, "in1": one, "in2": other, "fn": {"name": "Matmul", "weight_transposed": False}, "bw": 4096, "wb": back,
                "rank": 1, "init": tile}

    ops = [load(0, [down, across, 1], [1, 0, 1], [rows, 256]), load(1, [down, across, 1], [0, 1, across], [256, columns]),
           load(2, [down, across, 1], [0, 1, across], [256, columns]), {"T": "Broadcast", "id": 3, "inp": [0, None], "n": 2},
           product(4, [3, 0], [1, None], [rows, columns], False), product(5, [3, 1], [2, None], [rows, columns], False),
           {"T": "UnaryMap", "id": 6, "inp": [4, None], "fn": {"name": "Silu"}, "bw": 4096, "wb": False},
           {"T": "BinaryMap", "id": 7, "in1": [6, None], "in2": [5, None], "fn": {"name": "Mul"}, "bw": 4096, "wb": False},
           {"T": "Reshape", "id": 8, "inp": [7, None], "dim": 1, "chunk": 1, "wb": False, "outer": False, "srank": 1, "pad": None},
           load(9, [down, 1, across], [0, 1, 1], [columns, 256]), product(10, [8, None], [9, None], [rows, 256], True),
           {"T": "OffChipStore", "id": 11, "inp": [10, None], "tile_row": rows, "tile_col": 256, "par": 4}]
    point = encoded(f"swiglu_{rows}_{columns}", {"depth": 1, "cfg": {}, "fb": 4, "ops": ops}, schema, work)
    return dataclasses.replace(point, channels=8)


def case(point, schema, work, cli):
    settings, program = point.settings(), work / f"{point.name}.sluice"
    for part, file in (("hbm", "hbm_config.json"), ("sim", "sim_config.json")):
        (point.folder / file).write_text(json.dumps(settings[part]))
    shell([cli, "import", str(point.folder / "graph.pb"), "--schema", str(schema), "-o", str(program)], "sluice-cli import")

    def ours():
        told = json.loads(shell([cli, "simulate", str(program), "--count", "--json"], "sluice-cli simulate"))
        return Run(f"{told['cycles']} cycles", told["wall_seconds"])

    def theirs():
        command = [sys.executable, "-c", DRIVER, str(work), str(point.folder / "graph.pb"), json.dumps(settings)]
        told = shell(command, "step_perf", cwd=point.folder)
        seconds, unit = re.search(r"^Duration: ([\d.]+)(\D+)$", told, re.MULTILINE).groups()
        return Run(re.search(r"^ANSWER (\d+)$", told, re.MULTILINE)[1] + " cycles", float(seconds) * SECONDS[unit])

    def equal(own, other):
        own, other = (int(text.split()[0]) for text in (own, other))
        return own in point.cycles and other in point.cycles if point.cycles else abs(own - other) <= 1

    return Case(point.name, ours, theirs, "simulation", equal)


def cases(sources, work, cli):
    schema = build(sources, work)
    points = [*front_end_points(work), *published_points(schema, work), swiglu(16, 64, schema, work), swiglu(32, 64, schema, work)]
    for point in points:
        yield case(point, schema, work, cli)
