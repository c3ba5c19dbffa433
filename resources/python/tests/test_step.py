"""The STeP front end's class names on this engine, against graphs that its authors' front end wrote (tests/data/step)."""

import json
import os
import re
import tarfile
import unittest

import sluice
from support import SOURCE

try:
    import networkx  # noqa: F401
    import sympy  # noqa: F401
except ImportError:
    raise unittest.SkipTest("sluice.step needs networkx and sympy (Debian: python3-networkx, python3-sympy)") from None

import numpy
import sluice.step
from sluice.step import HBMConfig, SimConfig, ops
from step_graphs import Layer

HBM, DEPTH_2 = HBMConfig(64, 32, 2, 2, 1, 14), SimConfig(2, False, True)


def published(name):
    with tarfile.open(os.path.join(SOURCE, "tests", "data", "step", "published_graphs.tar.xz")) as files:
        member = next(each for each in files if os.path.basename(each.name) == name)
        return json.load(files.extractfile(member))


def routing_of(graph):
    onehot = next(op for op in graph["ops"] if op["T"] == "SelectGen" and len(op["shape"]) == 3)
    return numpy.array(onehot["data"]).reshape(onehot["shape"]).argmax(-1)


class Array:
    """An array in shape and type alone; the real ones have gigabytes."""

    dtype = "float32"

    def __init__(self, *shape):
        self.shape = shape


def mixtral(graph, rows, compute_bw):
    return Layer(routing_of(graph), 8, 4096, 14336, rows, 64, compute_bw, Array)


def plain(ops_):
    """Operators with their ids counted from the first, without what the published files leave out."""
    first = min(op["id"] for op in ops_)
    text = json.dumps([{key: value for key, value in op.items() if key not in ("ts", "stride", "multihot")} for op in ops_], sort_keys=True)
    moved = json.loads(text)
    for op in moved:
        op["id"] -= first
        for key in ("inp", "in1", "in2", "ref", "ctl"):
            if key in op:
                op[key][0] -= first
        for source in op.get("inps", ()):
            source[0] -= first
    return moved


class PublishedLayers(unittest.TestCase):
    """Mixtral at batch 64: Figures 9 and 19 of the paper."""

    def check(self, file, rows, compute_bw, cycles, traffic, on_chip):
        graph = published(file)
        layer = mixtral(graph, rows, compute_bw)
        self.assertEqual(plain(sluice.step.to_json(layer.graph, DEPTH_2)["ops"]), plain(graph["ops"]))
        counts = numpy.bincount(routing_of(graph).ravel(), minlength=8).tolist()
        for metric, bytes_ in (("off_chip_traffic", traffic), ("on_chip_requirement", on_chip)):
            total = sympy.sympify(layer.total(metric))
            values = dict(zip(sorted(total.free_symbols, key=str), counts))
            self.assertEqual(total.subs(values), bytes_)
        ran, milliseconds, seconds = sluice.step.simulate(layer.graph, False, HBM, DEPTH_2, "graph.pb")
        self.assertLess(abs(ran - cycles) / cycles, 0.013)  # as far apart as two runs of the authors' simulator
        return ran

    def test_tiles_of_16_rows(self):
        self.assertEqual(self.check("mixtral_b64_static16.json", 16, 4096, 4644975, 4229431552, 18915330), 4644975)

    def test_tiles_as_large_as_the_expert_needs(self):
        self.check("mixtral_b64_dynamic.json", None, 6400, 2817877, 2820145408, 18915330)


class Classes(unittest.TestCase):
    def test_every_class_has_a_kind_of_operator(self):
        table = sluice.step.table()
        self.assertEqual(sorted(table), sorted(sluice.step.classes()))
        for kind in table.values():
            self.assertIn(kind, sluice.operators())

    def test_the_document_has_the_table(self):
        with open(os.path.join(SOURCE, "resources", "python", "step.md"), encoding="utf-8") as file:
            rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \|$", file.read(), re.MULTILINE)
        self.assertEqual(rows, list(sluice.step.table().items()))

    def test_scripts_find_their_modules(self):
        sluice.step.install()
        from rewrite.broadcast import infer_broadcast
        from sim import simulate
        from step_py.functions import map_fn
        from step_py.ops import BinaryMap

        self.assertIs(BinaryMap, ops.BinaryMap)
        self.assertIs(simulate, sluice.step.simulate)
        self.assertTrue(callable(infer_broadcast) and map_fn.Silu)

    def test_a_loop_is_closed_behind_what_held_its_place(self):
        graph = networkx.MultiDiGraph()
        tile = ops.Tile(ops.Float32(), (1, 8))
        mocks = [ops.MockStreamOp(ops.Stream(tile, (2,))) for _ in range(2)]
        merge = ops.EagerMerge(graph, mocks, 0)
        with self.assertRaises(NotImplementedError):
            mocks[0].off_chip_traffic()
        x = ops.Flatten(graph, ops.OffChipLoad(Array(4, 8), (1, 1), (4, 1), 1, 8, 1), 0, 1)
        lanes = ops.Parallelize(graph, ops.Flatten(graph, x, 0, 1), 0, 2)
        merge.replace_full_input(graph, [(lanes, 0), (lanes, 1)])
        self.assertFalse([node for node in graph.nodes if isinstance(node, ops.MockStreamOp)])
        sluice.step.ConsumerContext(graph, merge.data_tuple())
        sluice.step.ConsumerContext(graph, merge.select_tuple())
        self.assertGreater(sluice.step.simulate(graph, False, HBM, DEPTH_2)[0], 4)


class Mistakes(unittest.TestCase):
    def setUp(self):
        self.graph = networkx.MultiDiGraph()
        self.x = ops.OffChipLoad(Array(8, 8), (4, 1), (4, 1), 2, 8, 1)

    def test_shapes_that_do_not_fit_are_refused(self):
        other = ops.OffChipLoad(Array(8, 8), (4, 1), (2, 1), 4, 8, 1)
        for wrong in (
            lambda: ops.Flatten(self.graph, self.x, 2, 5),
            lambda: ops.Reshape(self.graph, self.x, 3, 1, False),
            lambda: ops.Bufferize(self.graph, self.x, 0),
            lambda: ops.BinaryMap(self.graph, self.x, other, sluice.step.map_fn.Add(), False, 64),
            lambda: ops.BinaryMap(self.graph, self.x, self.x, sluice.step.map_fn.Matmul(), False, 64),
            lambda: ops.Flatten(self.graph, self.x, 0, 1).replace_input(self.x, other),
        ):
            with self.assertRaises(ValueError):
                wrong()
        with self.assertRaises(TypeError):
            ops.Streamify(self.graph, self.x, [2], 1)
        with self.assertRaises(NotImplementedError):
            self.x.stream_idx(0)

    def test_a_graph_that_the_engine_refuses_says_why(self):
        ops.Flatten(self.graph, self.x, 0, 1)
        with self.assertRaises(sluice.Error):
            sluice.step.simulate(self.graph, False, HBM, DEPTH_2)
