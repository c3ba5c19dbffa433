"""STeP's simulator (step-perf, Rust, from the artifact of the paper): graphs of the authors' front end; the paper's and samples, which `emit step` has written;
simulated by both. Timed is the simulation alone, by each program's own clock."""

import csv
import dataclasses
import json
import pathlib
import re
import shutil
import sys
import tarfile

import dam_peer
from measure import Case, Missing, Run, demand, shell

NAME = "step"
TITLE = "STeP's simulator"
HELP = "sources of step-perf, with those of step_perf_ir where its build looks for them and, without GitHub, DAM-RS in external/dam; needs cargo and protoc"
ROOT = pathlib.Path(__file__).resolve().parents[3]
DATA, SAMPLES, RUN = ROOT / "tests/data/step", ROOT / "sample_workloads", ROOT / "resources/step/run.py"
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


@dataclasses.dataclass
class Point:
    """A program and the same as a graph of the simulator; `cycles`: what was seen, and one more or less, as they differ where threads of the host race."""

    name: str
    program: pathlib.Path
    folder: pathlib.Path
    cycles: range | None = None


def front_end_points(work, cli):
    with tarfile.open(DATA / "reference_runs.tar.xz") as archive:
        archive.extractall(work)
    with open(work / "reference_runs/runs.csv") as table:
        runs = {row["graph"]: row for row in csv.DictReader(table)}
    for name in FRONT_END:
        row, folder, program = runs[name], work / "reference_runs" / name, work / f"{name}.sluice"
        settings = {
            "hbm": {"addr_offset": 64, "channel_num": int(row["hbm_channels"]), "per_channel_latency": 2, "per_channel_init_interval": 2,
                    "per_channel_outstanding": 1, "per_channel_start_up_time": 14},
            "sim": {"channel_depth": int(row["channel_depth"]), "functional_sim": False, "mock_bf16": True, "config_dict": {}},
        }
        for part, values in settings.items():
            (folder / f"{part}_config.json").write_text(json.dumps(values))
        shutil.copy(RUN, folder)
        shell([cli, "import", str(folder / "graph.pb"), "-o", str(program)], "sluice-cli import")
        yield Point(name, program, folder, range(int(row["cycles_min"]) - 1, int(row["cycles_max"]) + 2))


def emitted(name, program, work, cli):
    folder = work / "emitted" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(exist_ok=True)
    schema = work / "step-perf/step_perf_ir/proto"
    shell([cli, "emit", "step", str(program), "--no-run", "--schema", str(schema), "-o", str(folder)], "sluice-cli emit step")
    return Point(name, program, folder)


def published_points(work, cli):
    with tarfile.open(DATA / "published_graphs.tar.xz") as archive:
        archive.extractall(work / "published")
    for name in PUBLISHED:
        graph, program = next((work / "published").rglob(f"{name}.json")), work / f"{name}.sluice"
        shell([cli, "import", str(graph), "-o", str(program)], "sluice-cli import")
        yield emitted(name, program, work, cli)


def samples(work, cli):
    """Our own; the layer of figure 8 with the on-chip memory that the simulator has."""
    for name in ("simple_moe", "attention_qwen"):
        yield emitted(name, SAMPLES / f"{name}.sluice", work, cli)
    layer = json.loads((SAMPLES / "swiglu.sluice").read_text())
    del layer["machine"]["on_chip_bandwidth"]
    program = work / "swiglu.sluice"
    program.write_text(json.dumps(layer))
    yield emitted("swiglu", program, work, cli)


def case(point, work, cli):
    def ours():
        told = json.loads(shell([cli, "simulate", str(point.program), "--count", "--json"], "sluice-cli simulate"))
        return Run(f"{told['cycles']} cycles", told["wall_seconds"])

    def theirs():
        told = shell([sys.executable, str(point.folder / "run.py"), str(work)], "run.py")
        cycles, seconds, unit = re.match(r"(\d+) cycles, ([\d.]+)(\D+)$", told).groups()
        return Run(f"{cycles} cycles", float(seconds) * SECONDS[unit.strip()])

    def equal(own, other):
        own, other = (int(text.split()[0]) for text in (own, other))
        return own in point.cycles and other in point.cycles if point.cycles else abs(own - other) <= 1

    return Case(point.name, ours, theirs, "simulation", equal)


def cases(sources, work, cli):
    build(sources, work)
    for points in (front_end_points, published_points, samples):
        for point in points(work, cli):
            yield case(point, work, cli)
