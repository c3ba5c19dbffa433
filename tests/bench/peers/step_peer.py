"""STeP's simulator (step-perf, Rust, from the artifact of the paper): graphs of the authors' front end, simulated by both. Timed is the simulation alone,
by each program's own clock."""

import csv
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
DRIVER = """
import json, resource, sys, time, types
sys.path.insert(0, sys.argv[1])
import step_perf
told = json.loads(sys.argv[3])
hbm, sim = (types.SimpleNamespace(**told[name]) for name in ("hbm", "sim"))
start = time.perf_counter()
answer = step_perf.run_graph(sys.argv[2], False, hbm, sim, None)
print("ANSWER", answer[1], time.perf_counter() - start)
"""
RUNS = pathlib.Path(__file__).resolve().parents[2] / "data/step/reference_runs.tar.xz"
GRAPHS = ("moe_small_mixtral_16", "moe_small_mixtral_64", "moe_small_mixtral_dyn", "tm_small_static_r8", "tm_small_dyn_r8", "s_revet_61", "s_tms_73")


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


def cases(sources, work, cli):
    build(sources, work)
    with tarfile.open(RUNS) as archive:
        archive.extractall(work)
    with open(work / "reference_runs/runs.csv") as table:
        runs = {row["graph"]: row for row in csv.DictReader(table)}
    for name in GRAPHS:
        row, folder = runs[name], work / "reference_runs" / name
        settings = {
            "hbm": {"addr_offset": 64, "channel_num": int(row["hbm_channels"]), "per_channel_latency": 2, "per_channel_init_interval": 2,
                    "per_channel_outstanding": 1, "per_channel_start_up_time": 14},
            "sim": {"channel_depth": int(row["channel_depth"]), "functional_sim": False, "mock_bf16": True, "config_dict": None},
        }
        for part, file in (("hbm", "hbm_config.json"), ("sim", "sim_config.json")):
            (folder / file).write_text(json.dumps(settings[part]))
        program = work / f"{name}.sluice"
        shell([cli, "import", str(folder / "graph.pb"), "-o", str(program)], "sluice-cli import")

        def ours(program=program):
            told = json.loads(shell([cli, "simulate", str(program), "--count", "--json"], "sluice-cli simulate"))
            return Run(f"{told['cycles']} cycles", told["wall_seconds"])

        def theirs(folder=folder, settings=settings):
            command = [sys.executable, "-c", DRIVER, str(work), str(folder / "graph.pb"), json.dumps(settings)]
            answer = re.search(r"^ANSWER (\d+) (\S+)", shell(command, "step_perf", cwd=folder), re.MULTILINE)
            return Run(f"{answer[1]} cycles", float(answer[2]))

        # Its cycles differ from run to run where threads of the host race; row: the least and greatest that were seen.
        span = range(int(row["cycles_min"]), int(row["cycles_max"]) + 1)
        equal = lambda own, other, span=span: all(int(text.split()[0]) in span for text in (own, other))  # noqa: E731
        yield Case(name, ours, theirs, "simulation", equal)
