"""Kiter (jkmingwen/kiter, bbodin/kiter; C++): the exact throughput of SDF and CSDF graphs. Whole processes, from the file to the answer."""

import json
import pathlib
import re

from measure import Case, Missing, Run, demand, shell, timed

NAME = "kiter"
TITLE = "Kiter"
HELP = "sources of kiter; needs cmake, Boost, libxml2 and GLPK (libboost-graph-dev, libboost-filesystem-dev, libxml2-dev, libglpk-dev)"
LARGE = ("JPEG2000", "JPEG2000_sized", "H264", "Echo", "PDectect")  # of its own benchmarks
GRAPHS = pathlib.Path(__file__).resolve().parents[2] / "data/sdf3"


def build(sources, work):
    demand(sources, NAME, "src/kiter")
    shell(["cmake", "-S", str(sources), "-B", str(work), "-DCMAKE_BUILD_TYPE=Release"], "cmake")
    shell(["cmake", "--build", str(work), "--target", "kiter", "--parallel"], "its build")
    return work / "bin/kiter"


def near(ours, theirs):
    """Kiter prints six digits behind the point."""
    if "inf" in ours + theirs:
        return ours == theirs
    return abs(float(ours.split()[1]) - float(theirs.split()[1])) <= 1e-6 + 1e-9 * float(theirs.split()[1])


def cases(sources, work, cli):
    kiter = build(sources, work)
    own = sorted(GRAPHS.glob("*.xml"))
    given = [file for file in sorted(sources.glob("benchmarks/**/*.xml")) if file.stem in LARGE]
    for file in own + given:

        def ours(file=file):
            out, seconds, processor = timed([cli, "throughput", str(file), "--json"])
            period = json.loads(out)["period"]
            return Run("period inf" if period is None else f"period {period:.12g}", seconds, processor)

        def theirs(file=file):
            out, seconds, processor = timed([str(kiter), "-f", str(file), "-a", "KPeriodicThroughput"])
            period = re.search(r"(?:Maximum period|KPeriodic Period)\s+is\s+(\S+)", out)
            if not period:
                raise Missing("Kiter gives no period")
            return Run("period inf" if "inf" in period[1] else f"period {float(period[1]):.12g}", seconds, processor)

        yield Case(f"throughput of {file.stem}", ours, theirs, "process", near)
