"""Graphs on their way to the engine: configurations, and simulate() in the process instead of another simulator."""

import json
import time
import warnings
from dataclasses import asdict, dataclass
from typing import Dict, Optional

from ..._program import Program
from ... import _engine, _work


@dataclass
class HBMConfig:
    addr_offset: int  #: bytes of a request
    channel_num: int
    per_channel_latency: int  #: cycles
    per_channel_init_interval: int  #: cycles
    per_channel_outstanding: int
    per_channel_start_up_time: int  #: cycles


@dataclass
class SimConfig:
    channel_depth: Optional[int]  #: tokens of each FIFO; None: 1024
    functional_sim: bool = True
    mock_bf16: bool = False
    config_dict: Optional[Dict[int, int]] = None  #: id of an operator: depth of the FIFOs that leave it


def to_json(graph, sim_config):
    """The graph as a STeP graph in JSON, a dictionary; operators in the order in which their first edges were made."""
    depths = {str(key): depth for key, depth in (sim_config.config_dict or {}).items()}
    ops = [{"T": type(op).__name__, "id": op.instance_id, **op.fields()} for op in graph.nodes]
    return {"depth": sim_config.channel_depth, "fb": 2 if sim_config.mock_bf16 else 4, "cfg": depths, "ops": ops}


def program(graph, hbm_config=None, sim_config=None, name="STeP graph"):
    """The graph as a sluice.Program, with all that can be done with one. Raises sluice.Error."""
    text = json.dumps(to_json(graph, sim_config or SimConfig(None)))
    hbm = json.dumps(asdict(hbm_config)) if hbm_config else ""
    return Program(_engine.Document.step_graph(text, hbm, name), ".", name)


def simulate(graph, logging, hbm_config, sim_config, protobuf_file="", db_name=None):
    """(cycles, milliseconds, seconds) of a run. Raises RuntimeError where it does not come to its end.

    Times only: values are not computed, whatever `functional_sim` says. With `logging` the run's Chrome trace is written to `db_name`.
    `protobuf_file` is not written; sluice.step.program(graph, ...) has all of the graph, and saves it.
    """
    if sim_config.functional_sim:
        warnings.warn("sluice.step simulates times, not values; functional_sim is passed over", stacklevel=2)
    begin = time.perf_counter()
    run = _work.simulate(program(graph, hbm_config, sim_config), record="timeline" if logging else "count")
    seconds = time.perf_counter() - begin
    if run.state != "done":
        raise RuntimeError(f"the graph is {run.state}: {run.cause or run.diagnostics}")
    if logging and db_name:
        with open(db_name, "w", encoding="utf-8") as file:
            file.write(run.chrome_trace())
    return int(run.cycles), round(seconds * 1000), seconds


def serialize(graph, protobuf_file, functional):
    """Writes the graph as a .sluice file, beside the name that was given for a protobuf."""
    program(graph).save(f"{protobuf_file.removesuffix('.pb')}.sluice")
