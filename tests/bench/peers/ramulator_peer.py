"""Ramulator 2.1 (CMU-SAFARI, C++): memory down to its banks. The streaming case of its latency-throughput tests, one channel of HBM3 at 6.4 Gb/s, reads
only, as fast as they are taken: the timings of its preset on both sides; pseudo channels, bank groups and banks in turn; all banks refreshed."""

import json
import pathlib
import re
import shutil
import sys

from measure import Case, Missing, Run, demand, shell, timed

NAME = "ramulator"
TITLE = "Ramulator 2.1"
HELP = "sources of CMU-SAFARI/ramulator2; needs cmake, and its libraries yaml-cpp and fmt (libyaml-cpp-dev, libfmt-dev)"
HERE = pathlib.Path(__file__).resolve().parent
TICKS = 2  # of the memory for a clock
CONFIGURATION = """
import ramulator
from tests.utils import extract_dram_layout
dram = ramulator.dram.HBM3(org_preset="HBM3_8Gb_8hi", timing_preset="HBM3_6400Mbps")
frontend = ramulator.frontend.LatencyThroughputTrace(clock_ratio=4, nop_counter=1, streaming_only=True, num_streaming_requests={bursts}, warmup_cycles=0,
                                                     stream_cls=32, **extract_dram_layout(dram))
controller = ramulator.controller.HBM34(dram=dram, scheduler=ramulator.scheduler.FRFCFSRowHit(), row_policy=ramulator.row_policy.Open(),
                                        addr_mapper=ramulator.addr_mapper.PassThroughAddrMapper(),
                                        refresh_manager=ramulator.refresh_manager.AllBank(), read_buffer_size=128, write_buffer_size=64)
memory = ramulator.memory_system.GenericDRAM(clock_ratio=1, controllers=[controller],
                                             channel_mapper=ramulator.channel_mapper.PassThroughChannelMapper())
simulation = ramulator.Simulation(frontend, memory)
"""
# Debian's yaml-cpp calls itself otherwise.
LIBRARIES = """find_package(yaml-cpp REQUIRED)
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp INTERFACE IMPORTED GLOBAL)
  target_link_libraries(yaml-cpp::yaml-cpp INTERFACE yaml-cpp)
endif()
"""


def build(sources, work):
    demand(sources, NAME, "src/ramulator")
    work.mkdir(parents=True, exist_ok=True)
    copy = work / "ramulator"  # its build writes into its sources
    if not copy.exists():
        shutil.copytree(sources, copy, ignore=shutil.ignore_patterns(".git"))
    (work / "libraries.cmake").write_text(LIBRARIES)
    shell(["cmake", "-S", str(copy), "-B", str(work / "build"), "-DCMAKE_BUILD_TYPE=Release", "-DRAMULATOR_PYTHON_BINDINGS=OFF",
           "-DFETCHCONTENT_TRY_FIND_PACKAGE_MODE=ALWAYS", f"-DCMAKE_PROJECT_INCLUDE={work / 'libraries.cmake'}"], "cmake")
    shell(["cmake", "--build", str(work / "build"), "--parallel"], "its build")
    stream = work / "ramulator_stream"
    shell(["g++", "-std=c++20", "-O2", f"-I{copy / 'src'}", str(HERE / "ramulator_stream.cpp"), "-o", str(stream), f"-L{copy}", "-lramulator", "-lfmt",
           f"-Wl,-rpath,{copy}"], "g++")
    return copy, stream


def exported(copy, work, bursts):
    (work / "stream.py").write_text(CONFIGURATION.format(bursts=bursts))
    out = work / f"stream_{bursts}.yaml"
    shell([sys.executable, "-m", "ramulator", "export", str(work / "stream.py"), "-o", str(out)], "ramulator export", cwd=copy,
          env={"PYTHONPATH": f"{copy / 'python'}:{copy}", "PATH": "/usr/bin:/bin"})
    return out


def program(text, bursts):
    """Ours, with the timings of its configuration: ticks, in the order of HBM3.timing_params."""
    ticks = [int(word) for word in re.search(r"timing: \[([^]]*)\]", text)[1].split(",")]
    names = ("rate nBL nCL nRCDRD nRCDWR nRP nRAS nRC nWR nRTP nCWL nCCDS nCCDL nCCDR nRRDS nRRDL nWTRS nWTRL nRTW nFAW nPPD nRFC nRFCpb nRFMab nRFMpb "
             "nRREFD nREFI").split()
    clocks = {name: -(-value // TICKS) for name, value in zip(names, ticks)}
    ours = {"tBL": "nBL", "tCL": "nCL", "tRCD": "nRCDRD", "tRP": "nRP", "tRAS": "nRAS", "tRTP": "nRTP", "tWR": "nWR", "tCWL": "nCWL", "tCCD_S": "nCCDS",
            "tCCD_L": "nCCDL", "tRRD_S": "nRRDS", "tRRD_L": "nRRDL", "tFAW": "nFAW", "tWTR_S": "nWTRS", "tWTR_L": "nWTRL", "tRTW": "nRTW",
            "tRFC": "nRFC", "tREFI": "nREFI"}
    timing = {own: clocks[name] for own, name in ours.items()}
    timing |= {"core_mhz": 1600, "dram_mhz": 1600, "queue": 64, "banks": 8, "mapping": "RoCoBaBgCh", "controller_latency": 0}
    load = {"out_shape": [bursts // 1024], "stride": [1], "tile": [1, 16384], "par_dispatch": 4}
    nodes = [{"name": "load", "kind": "LinearOffChipLoad", "parameters": load}, {"name": "sink", "kind": "Consumer"}]
    return {"sluice": 1, "program": {"nodes": nodes, "streams": [{"from": "load.out", "to": "sink.in"}]},
            "machine": {"reference_mode": False, "hbm_model": "hbm3", "hbm_channels": 1, "hbm_request_bytes": 32, "fifo_depth": 64, "hbm_timing": timing}}


def near(ours, theirs):
    """A controller is not in all its choices the other: with these numbers ours is 1 % ahead, without refresh 0.2 %."""
    own, other = (int(text.split()[0]) for text in (ours, theirs))
    return abs(own - other) <= 0.02 * other


def cases(sources, work, cli):
    copy, stream = build(sources, work)
    for bursts in (1 << 18, 1 << 20):
        configuration = exported(copy, work, bursts)
        file = work / f"stream_{bursts}.sluice"
        file.write_text(json.dumps(program(configuration.read_text(), bursts)))

        def ours(file=file):
            out, _, processor = timed([cli, "simulate", str(file), "--count", "--json"])
            told = json.loads(out)
            return Run(f"{told['cycles']} clocks", told["wall_seconds"], processor)

        def theirs(configuration=configuration):
            out, _, processor = timed([str(stream), str(configuration)])
            ticks, seconds = out.strip().split("\n")[-1].split()
            return Run(f"{int(ticks) // TICKS} clocks", float(seconds), processor)

        yield Case(f"HBM3, {bursts:,} reads of 32 bytes in a row", ours, theirs, "simulation", near)
