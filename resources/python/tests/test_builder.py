"""Programs written in Python."""

import unittest

import sluice
from simple_moe import simple_moe
from support import moe, refused


def loaded(**options):
    p = sluice.Builder(**options)
    return p, p.linear_off_chip_load(out_shape=[4, 2], stride=[2, 1], tile=[16, 32])


class Example(unittest.TestCase):
    def test_the_papers_layer_is_the_sample(self):
        written, original = simple_moe(), moe()
        for tile in (2, 8, 16):
            a, b = sluice.simulate(written, {"token_tile": tile}), sluice.simulate(original, {"token_tile": tile})
            self.assertEqual(a.metrics, b.metrics)
            self.assertEqual(a.graph_hash, b.graph_hash)


class Types(unittest.TestCase):
    def test_shapes_are_there_while_writing(self):
        p, x = loaded()
        self.assertEqual(x.shape, (1, 4, 2))
        self.assertEqual(x.tile, (16, 32))
        self.assertEqual(x.rank, 2)
        self.assertEqual(p.flatten(x, min=0, max=1).shape, (1, 8))
        self.assertIn("tile[16, 32]", repr(x))

    def test_dimensions_have_the_names_of_knobs(self):
        p = sluice.Builder()
        n = p.knob("n", range(1, 9), default=4)
        x = p.linear_off_chip_load(out_shape=[n, 2], stride=[2, 1], tile=[16, 2 * n])
        self.assertEqual(x.shape[1], n)
        self.assertEqual(x.tile[1], 2 * n)
        self.assertEqual(p.flatten(x, min=0, max=1).shape[-1], 2 * n)

    def test_ragged_dimensions_have_symbols(self):
        p = sluice.Builder()
        p.input("routing", "Routing", data=[[0], [1], [1], [0]], experts=2)
        x = p.flatten(p.linear_off_chip_load(out_shape=[4, 1], stride=[1, 1], tile=[1, 8]), min=0, max=1)
        parts = p.partition(x, p.select_gen(input="routing"), ways=2)
        self.assertIsInstance(parts[0].shape[0], sluice.Dim)


class Arithmetic(unittest.TestCase):
    """Of dimensions, with whole numbers on either side."""

    def test_every_operation(self):
        n, m = sluice.Dim("n"), sluice.Dim("m")
        for made, wanted in (
            (-n + 3, lambda n, m: -n + 3),
            (+n - m, lambda n, m: n - m),
            (3 - n, lambda n, m: 3 - n),
            (2 * n + n * 3, lambda n, m: 5 * n),
            (n // 3 + 100 // n, lambda n, m: n // 3 + 100 // n),
            (n % 4 + 100 % n, lambda n, m: n % 4 + 100 % n),
            (n**2 - n**0, lambda n, m: n * n - 1),
            (sluice.ceil_div(n, 3), lambda n, m: -(-n // 3)),
            (sum([n, m, 1]), lambda n, m: n + m + 1),
            (sluice.max_of(n, 5) + sluice.min_of(m, 5), lambda n, m: max(n, 5) + min(m, 5)),
        ):
            for values in ({"n": 7, "m": 2}, {"n": 12, "m": 9}):
                self.assertEqual(made.substitute(values), wanted(**values), str(made))

    def test_comparisons_that_hold_for_all_sizes(self):
        n, m = sluice.Dim("n"), sluice.Dim("m")
        self.assertTrue(n + 1 > n and n <= n and n >= 0 and not n < n and n + m >= m)
        self.assertTrue(0 <= n and 3 < n + 4 and not n + 1 <= n)
        with refused(self, "dynamic-extent") as caught:
            bool(n < 4)
        self.assertIn("n < 4", caught.exception.diagnostics[0].place)
        self.assertEqual(sorted([n + 2, n, n + 1]), [n, n + 1, n + 2])

    def test_numbers_and_what_is_no_number(self):
        n = sluice.Dim("n")
        self.assertEqual([int(n - n + 4), list(range(n - n + 2))], [4, [0, 1]])
        self.assertEqual(hash(n - n + 4), hash(4))
        for wrong in (lambda: int(n), lambda: n / 2, lambda: n * 0.5, lambda: n**n, lambda: n**-1, lambda: n < 4.5):
            with self.assertRaises(TypeError):
                wrong()
        self.assertEqual(divmod(n, 4), (n // 4, n % 4))
        for wrong in (lambda: n // 0, lambda: n % 0, lambda: sluice.ceil_div(n, 0)):
            with self.assertRaises(ZeroDivisionError):
                wrong()


class Mistakes(unittest.TestCase):
    def test_they_are_told_where_they_are_made(self):
        p, x = loaded()
        y = p.linear_off_chip_load(out_shape=[4, 2], stride=[2, 1], tile=[16, 48])
        with self.assertRaises(sluice.Error) as caught:
            p.binary_map(x, y, function="matmul", compute_bw=64, name="product")
        first = caught.exception.diagnostics[0]
        self.assertIn("product", first.place)
        self.assertTrue(first.cause and first.fix and first.code)

    def test_a_call_that_was_refused_leaves_nothing(self):
        p, x = loaded()
        before = p._text()
        for wrong in (
            lambda: p.flatten(x, min=0, max=7),
            lambda: p.flatten(x, min=0, maximum=1),
            lambda: p.flatten(x, x, min=0, max=1),
            lambda: p.flatten("x", min=0, max=1),
            lambda: p.flatten(x, min=0, max=1.5),
            lambda: p.operator("Flaten", x),
        ):
            with self.assertRaises((sluice.Error, TypeError)):
                wrong()
            self.assertEqual(p._text(), before)
        self.assertEqual(p.flatten(x, min=0, max=1).shape, (1, 8))

    def test_streams_stay_in_their_graph(self):
        p, x = loaded()
        with p.region("part", count=2, inputs={}) as part:
            with refused(self, "unconnected-port"):
                p.consumer(x)
        with self.assertRaises(AttributeError):
            part.nothing

    def test_an_unfinished_program_is_refused_at_the_end(self):
        p, _ = loaded()
        with self.assertRaises(sluice.Error) as caught:
            p.program()
        self.assertTrue(caught.exception.diagnostics[0].fix)

    def test_parameters_that_are_missing_are_named(self):
        p, x = loaded()
        with refused(self, "missing-parameter"):
            p.flatten(x, min=0)


    def test_knobs_have_values(self):
        p = sluice.Builder()
        with refused(self, "missing-value"):
            p.knob("n", [])
        with self.assertRaisesRegex(TypeError, "list of values"):
            p.knob("n", "abc")


class Parts(unittest.TestCase):
    def test_depths_names_and_several_outputs(self):
        p, x = loaded()
        p.consumer(x @ 7, name="end")
        data = p.program().data["program"]
        self.assertEqual(data["streams"][0]["depth"], 7)
        self.assertEqual(data["nodes"][1]["name"], "end")
        self.assertEqual(len(p.counter2d() if hasattr(p, "counter2d") else p.counter_2d(rows=2, columns=3)), 2)

    def test_methods_explain_themselves(self):
        self.assertIn("compute_bw", sluice.Builder.map.__doc__)
        for kind in sluice.operators():
            self.assertTrue(any(kind in each for each in sluice.operators()))

    def test_bundles_are_taken_apart(self):
        p, x = loaded()
        flat = p.flatten(p.flatten(x, min=0, max=1), min=0, max=1)
        copies = p.broadcast(flat, ways=2)
        p.consumer(copies[0])
        p.consumer(copies[1])
        self.assertEqual(sluice.simulate(p.program()).state, "done")
        with self.assertRaises(TypeError):
            list(copies)
