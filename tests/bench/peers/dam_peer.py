"""DAM (stanford-ppl/DAM-RS, Rust): the simulation framework that STeP's simulator stands on. A chain of stages, with channels of the same depth and
tokens of the same bytes on both sides."""

import json
import pathlib
import re
import shutil

from measure import Case, Missing, Run, demand, shell, timed

NAME = "dam"
TITLE = "DAM"
HELP = "sources of stanford-ppl/DAM-RS; needs cargo"
HERE = pathlib.Path(__file__).resolve().parent
MANIFEST = """[package]
name = "dam_chain"
version = "0.1.0"
edition = "2021"
[dependencies]
dam = { path = "dam" }
"""


def copied(sources, into):
    """A copy that builds without GitHub: what its manifest takes from there is taken from crates.io."""
    shutil.rmtree(into, ignore_errors=True)
    shutil.copytree(sources, into, ignore=shutil.ignore_patterns(".git", "target"))
    manifest = into / "Cargo.toml"
    manifest.write_text(re.sub(r'git = "[^"]*/may(\.git)?"', 'version = "0.3"', manifest.read_text()))


def build(sources, work):
    demand(sources, NAME, "Cargo.toml")
    (work / "src").mkdir(parents=True, exist_ok=True)
    if not (work / "dam").exists():
        copied(sources, work / "dam")
    (work / "Cargo.toml").write_text(MANIFEST)
    shutil.copy(HERE / "dam_chain.rs", work / "src" / "main.rs")
    shell(["cargo", "build", "--release", "--quiet"], "cargo build", cwd=work)
    return work / "target/release/dam_chain"


def program(stages, tokens, depth):
    names = ["source"] + [f"stage_{i}" for i in range(stages)] + ["sink"]
    nodes = [{"name": name, "kind": "Map", "parameters": {"function": "silu", "compute_bw": 2048}} for name in names]
    nodes[0] = {"name": "source", "kind": "TileGen", "parameters": {"shape": [tokens], "tile": [16, 16]}}
    nodes[-1] = {"name": "sink", "kind": "Consumer"}
    streams = [{"from": f"{a}.out", "to": f"{b}.in"} for a, b in zip(names, names[1:])]
    return {"sluice": 1, "program": {"nodes": nodes, "streams": streams}, "machine": {"fifo_depth": depth}}


def cases(sources, work, cli):
    chain = build(sources, work)
    for stages, tokens, depth in ((50, 100_000, 16), (50, 100_000, 2), (500, 10_000, 16)):
        file = work / f"chain_{stages}_{tokens}_{depth}.sluice"
        file.write_text(json.dumps(program(stages, tokens, depth)))

        def ours(file=file):
            out, _, processor = timed([cli, "simulate", str(file), "--count", "--json"])
            told = json.loads(out)
            # Both programs spend next to nothing outside of the simulation.
            return Run(f"{told['cycles']} cycles, {told['token_hops'] // (stages + 1)} tokens", told["wall_seconds"], processor)

        def theirs(stages=stages, tokens=tokens, depth=depth):
            out, _, processor = timed([str(chain), str(stages), str(tokens), str(depth)])
            cycles, arrived, seconds = out.split()
            if int(arrived) != tokens * (tokens - 1) // 2:
                raise Missing("DAM lost tokens")
            return Run(f"{cycles} cycles, {tokens} tokens", float(seconds), processor)

        yield Case(f"chain of {stages} stages, {tokens:,} tokens, depth {depth}", ours, theirs, "simulation")
