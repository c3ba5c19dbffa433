"""Runs and explorations: numbers with units, inputs, interrupts, what is refused."""

import contextlib
import io
import json
import os
import signal
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

import numpy
import sluice
from sluice import _bar
from support import moe, refused, sample

ROUTING = numpy.array([[i % 2] for i in range(16)])


class Simulation(unittest.TestCase):
    def test_metrics_have_names_and_units(self):
        run = sluice.simulate(moe())
        self.assertEqual(run.state, "done")
        self.assertEqual(run.cycles, run.metrics["cycles"])
        self.assertEqual(run.units["off_chip_bytes"], "bytes")
        plain = {name for name, metric in sluice.metrics().items() if not metric["needs_technology"]}
        self.assertEqual(set(run.metrics), plain)
        priced = sluice.simulate(moe(), machine={"technology": "7nm"})
        self.assertEqual(set(priced.metrics), set(sluice.metrics()))
        self.assertIn("cycles", repr(run))
        self.assertEqual(run.knobs, moe().knobs)
        with self.assertRaises(AttributeError):
            run.cycle

    def test_knobs_machine_and_schedule_change_it(self):
        program = moe()
        self.assertNotEqual(sluice.simulate(program, {"token_tile": 16}).cycles, sluice.simulate(program).cycles)
        slow = sluice.simulate(program, machine={"hbm_channels": 1})
        self.assertGreater(slow.cycles, sluice.simulate(program).cycles)

    def test_wrong_arguments_are_named(self):
        for ask, code, place in (
            (lambda: sluice.simulate(moe(), inputs={"routing": ROUTING[:8]}), "trace-mismatch", "input 'routing'"),
            (lambda: sluice.simulate(moe(), inputs={"routing": ROUTING + 7}), "trace-mismatch", "input 'routing'"),
            (lambda: sluice.workload("swiglu", B="x"), "not-an-integer", "size 'B'"),
            (lambda: sluice.workload("swiglu", B=10**30), "not-an-integer", "size 'B'"),
            (lambda: sluice.design(moe(), budget=3, seconds="x"), "out-of-range", "argument 'seconds'"),
            (lambda: sluice.size_fifos(moe(), tolerance=float("nan")), "out-of-range", "argument 'tolerance'"),
            (lambda: sluice.size_fifos(moe(), tolerance=-1), "out-of-range", "argument 'tolerance'"),
            (lambda: sluice.size_fifos(moe(), region="nobody"), "unknown-region", "argument 'region'"),
            (lambda: sluice.unlock(moe(), seconds=-1), "out-of-range", "argument 'seconds'"),
            (lambda: sluice.explore(moe()).plot(x="nobody"), "unknown-name", "plot"),
        ):
            with self.subTest(place=place), refused(self, code) as caught:
                ask()
            self.assertEqual(caught.exception.diagnostics[0].place, place)
        for ask in (
            lambda: sluice.explore(moe(), strategy=3),
            lambda: sluice.explore(moe(), level=None),
            lambda: sluice.simulate(moe(), record=None),
            lambda: sluice.simulate(moe()).values(precision=8),
            lambda: sluice.size_fifos(moe(), 3),
            lambda: sluice.design("program", plain=True),
            lambda: moe().with_machine(clock_mhz=1.5),
        ):
            with self.assertRaisesRegex(TypeError, "text|Program|clock_mhz"):
                ask()

    def test_wrong_machines_name_the_setting(self):
        for change in (lambda: moe().with_machine(foo=3), lambda: sluice.simulate(moe(), machine={"foo": 3})):
            with refused(self, "unknown-field") as caught:
                change()
            self.assertEqual(caught.exception.diagnostics[0].place, "machine, foo")
            self.assertIn("hbm_channels", caught.exception.diagnostics[0].fix)
        with refused(self, "out-of-range") as caught:
            sluice.simulate(moe().with_machine(hbm_channels=-1))
        self.assertEqual(caught.exception.diagnostics[0].place, "machine, hbm_channels")

    def test_numpy_numbers_are_numbers(self):
        run = sluice.simulate(moe(), {"token_tile": numpy.int64(8)})
        self.assertEqual(run.knobs["token_tile"], 8)

    def test_wrong_knobs_are_refused(self):
        with refused(self, "unknown-name") as caught:
            sluice.simulate(moe(), {"token_tiel": 4})
        self.assertIn("token_tile", caught.exception.diagnostics[0].fix)
        with self.assertRaises(sluice.Error):
            sluice.simulate(moe(), {"token_tile": 5})
        with refused(self, "not-an-integer"):
            sluice.simulate(moe(), {"token_tile": "four"})
        for wrong in (4.5, None, 10**30):
            with refused(self, "not-an-integer") as caught:
                sluice.simulate(moe(), {"token_tile": wrong})
            self.assertIn("token_tile", caught.exception.diagnostics[0].place)
        for what in ("knobs", "inputs", "machine"):
            with self.assertRaisesRegex(TypeError, f"{what} is a dictionary by name"):
                sluice.simulate(moe(), **{what: [1]})
        with self.assertRaises(TypeError):
            sluice.simulate(sample("simple_moe.sluice"))

    def test_tables_of_a_run(self):
        run = sluice.simulate(moe(), record="record")
        operators, streams = run.operators, run.streams
        self.assertEqual(len({len(column) for column in operators.values()}), 1)
        self.assertIn("expert[0].up", operators["name"])
        stream = streams["name"][streams["max_occupancy"].index(max(streams["max_occupancy"]))]
        occupancy = run.to_numpy(stream)
        self.assertEqual(int(occupancy["high"].max()), max(streams["max_occupancy"]))
        self.assertEqual(int(run.to_numpy()["cycles"]), run.cycles)
        with self.assertRaises(KeyError):
            run.occupancy("nobody")
        with refused(self, "unknown-name") as caught:
            sluice.simulate(moe(), record="everything")
        self.assertIn("record", caught.exception.diagnostics[0].place)
        with refused(self, "unknown-name") as caught:
            run.values(precision="float16")
        self.assertIn("float32", caught.exception.diagnostics[0].fix)
        with refused(self, "missing-data"):
            run.chrome_trace()

    def test_a_deadlock_is_a_result(self):
        run = sluice.simulate(sluice.load(sample("deadlock_fork_join.sluice")))
        self.assertEqual(run.state, "deadlocked")
        self.assertEqual(run.diagnostics[0].code, "deadlock")
        self.assertTrue(run.diagnostics[0].fix)
        with self.assertRaises(AttributeError):
            run.operational_intensity

    def test_two_runs_beside_each_other(self):
        a, b = sluice.simulate(moe()), sluice.simulate(moe(), {"token_tile": 16})
        found = sluice.compare(a, b)
        self.assertEqual(found.metrics["cycles"]["a"], a.cycles)
        self.assertAlmostEqual(found.metrics["cycles"]["change"], (b.cycles - a.cycles) / a.cycles)
        self.assertTrue(found.operators and found.streams)
        with self.assertRaises(TypeError):
            sluice.compare(a, None)


class Inputs(unittest.TestCase):
    def test_arrays_files_and_lists_are_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "routing.npy")
            numpy.save(file, ROUTING)
            cycles = {sluice.simulate(moe(), inputs={"routing": each}).cycles for each in (ROUTING, file, ROUTING.tolist(), ROUTING * 1.0)}
        self.assertEqual(len(cycles), 1)
        self.assertNotEqual(cycles, {sluice.simulate(moe()).cycles})

    def test_strange_arrays_are_as_their_values(self):
        strided = numpy.zeros((16, 3), dtype=numpy.int32)
        strided[:, 1] = ROUTING[:, 0]
        expected = sluice.simulate(moe(), inputs={"routing": ROUTING}).cycles
        self.assertEqual(sluice.simulate(moe(), inputs={"routing": strided[:, 1:2]}).cycles, expected)
        self.assertEqual(sluice.simulate(moe(), inputs={"routing": ROUTING.astype(">i2")}).cycles, expected)

    def test_what_is_no_trace_is_refused(self):
        for code, values in (
            ("not-an-integer", numpy.full((16, 1), numpy.nan)),
            ("not-an-integer", numpy.full((16, 1), numpy.inf)),
            ("not-an-integer", ROUTING + 0.5),
            ("overflow", numpy.full((16, 1), 1e300)),
            ("overflow", numpy.full((16, 1), 2**64 - 1, dtype=numpy.uint64)),
            ("wrong-type", numpy.full((16, 1), "x")),
            ("wrong-type", numpy.full((16, 1), None)),
            ("input-shape", [[0, 1], [0]]),
        ):
            with self.subTest(code=code, values=str(values)[:30]), refused(self, code):
                sluice.simulate(moe(), inputs={"routing": values})

    def test_arrays_of_wrong_shape_or_value_are_refused(self):
        for values in (ROUTING + 7, ROUTING - 1, ROUTING.ravel(), ROUTING.reshape(4, 2, 2), numpy.zeros((0, 1), dtype=int)):
            with self.subTest(values=str(values)[:30]), self.assertRaises(sluice.Error) as caught:
                sluice.simulate(moe(), inputs={"routing": values})
            self.assertIn("routing", caught.exception.diagnostics[0].place)

    def test_tensors_of_a_run_are_arrays_of_numbers(self):
        run = sluice.simulate(moe())
        for code, values in (
            ("not-a-number", numpy.full((16, 64), numpy.nan)),
            ("wrong-type", numpy.full((16, 64), "x")),
            ("input-shape", [[0.0, 1.0], [0.0]]),
            ("shape-mismatch", numpy.zeros((16, 63))),
        ):
            with self.subTest(code=code, values=str(values)[:30]), refused(self, code) as caught:
                run.values({"x": values})
            self.assertIn("x", caught.exception.diagnostics[0].place)

    def test_values_that_the_program_cannot_do_with_are_told_at_the_input(self):
        program = sluice.load(sample("attention_qwen.sluice"))
        lengths = numpy.full(64, 100)
        self.assertEqual(sluice.simulate(program, inputs={"lengths": lengths}).diagnostics, ())
        lengths[63] = 9000
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "beyond.npy")
            numpy.save(file, lengths)
            for given in (lengths, file):
                for found in (
                    sluice.simulate(program, inputs={"lengths": given}),
                    sluice.explore(program, inputs={"lengths": given}, strategy="random", budget=1),
                ):
                    (told,) = found.diagnostics
                    self.assertEqual((told.severity, told.code), ("warning", "trace-mismatch"))
                    self.assertIn("input 'lengths'", told.place)
                    self.assertIn("request 63 asks for 282 tiles", told.cause)
            file = os.path.join(folder, "short.npy")
            numpy.save(file, lengths[:8])
            with refused(self, "trace-mismatch") as caught:
                sluice.simulate(program, inputs={"lengths": file})
            (told,) = caught.exception.diagnostics
            self.assertIn("short.npy", told.place)
            self.assertIn("which has 8", told.cause)

    def test_unknown_inputs_are_refused(self):
        with refused(self, "unknown-input"):
            sluice.simulate(moe(), inputs={"rooting": ROUTING})
        with refused(self, "unknown-input"):
            sluice.simulate(moe(), inputs={"rooting": "trace.npy"})


class Exploration(unittest.TestCase):
    def test_the_whole_space(self):
        found = sluice.explore(moe())
        self.assertEqual(len(found), 4 * 3 * 3 * 2)
        self.assertEqual(found.best("cycles").cycles, min(point.cycles for point in found))
        self.assertEqual(found.to_numpy()["cycles"][3], found[3].cycles)
        self.assertEqual(found.objectives, ["cycles", "on_chip_bytes"])
        self.assertFalse(found.cancelled)

    def test_a_knob_that_keeps_its_value(self):
        found = sluice.explore(moe(), fixed={"token_tile": 8})
        self.assertEqual(len(found), 3 * 3 * 2)
        self.assertEqual({point.knobs["token_tile"] for point in found}, {8})
        with refused(self, "unknown-name"):
            sluice.explore(moe(), fixed={"token_tail": 8})

    def test_a_search_with_constraints(self):
        told = []
        found = sluice.explore(
            moe(), strategy="random", budget=20, seed=3, objectives=["off_chip_bytes"], constraints=["on_chip_bytes<=1e9"], progress=told.append
        )
        self.assertEqual(len(found), 20)
        self.assertEqual(found.strategy, "random")
        self.assertEqual([point.knobs for point in found], [point.knobs for point in sluice.explore(moe(), "random", 20, seed=3)])

    def test_a_store_is_gone_on_with(self):
        with tempfile.TemporaryDirectory() as folder:
            store = os.path.join(folder, "points.db")
            sluice.explore(moe(), store=store)
            self.assertEqual(sluice.explore(moe(), store=store, resume=True).reused, 72)

    def test_wrong_requests_are_refused(self):
        with refused(self, "unknown-strategy"):
            sluice.explore(moe(), "nsga3")
        with refused(self, "unknown-metric"):
            sluice.explore(moe(), objectives=["cycle"])
        with refused(self, "constraint-syntax"):
            sluice.explore(moe(), constraints=["small"])
        with refused(self, "no-feasible-point"):
            sluice.explore(moe(), constraints=["cycles<=1000", "cycles>=2000"])
        with refused(self, "no-feasible-point"):
            sluice.explore(moe(), strategy="random", budget=2, constraints=["cycles<=1"]).best()
        with refused(self, "space-too-large"):
            sluice.explore(moe(), budget=3)
        with self.assertRaises(TypeError):
            sluice.explore(moe(), objectives="cycles")
        told = set()
        for wrong in ("many", -5, 0, 10**30):
            for ask in (sluice.explore, sluice.design):
                with refused(self, "out-of-range") as caught:
                    ask(moe(), budget=wrong)
                first = caught.exception.diagnostics[0]
                told.add((first.place, first.fix))
        self.assertEqual(told, {("argument 'budget'", "give a whole number, 1 or more")})
        with refused(self, "unknown-name") as caught:
            sluice.explore(moe(), level="deep")
        self.assertIn("level", caught.exception.diagnostics[0].place)
        with refused(self, "unknown-name") as caught:
            sluice.explore(moe(), strategy="random", budget=2).best("cyclesx")
        self.assertIn("cycles", caught.exception.diagnostics[0].fix)


class Interrupts(unittest.TestCase):
    """Large enough that nobody waits for its end."""

    def setUp(self):
        data = sluice.load(sample("moe_mixtral.sluice")).data
        data["knobs"].append({"name": "unused", "kind": "Range", "minimum": 1, "maximum": 10_000, "default": 1})
        self.large = sluice.loads(json.dumps(data), folder=os.path.dirname(sample("")))

    def test_ctrl_c_keeps_what_is_there(self):
        def interrupt(progress):
            if progress.done:
                os.kill(os.getpid(), signal.SIGINT)

        with self.assertRaises(KeyboardInterrupt) as caught:
            sluice.explore(self.large, progress=interrupt)
        self.assertIsInstance(caught.exception, sluice.Interrupted)
        self.assertTrue(caught.exception.result.cancelled)
        self.assertGreater(len(caught.exception.result), 0)

    def test_ctrl_c_is_heard_within_a_second(self):
        program, tensors = sluice.workload("attention", "qwen_b80"), sluice.load(sample("gpt2_block.sluice"))
        run = sluice.simulate(sluice.workload("swiglu", "", B=512, D=1024, F=2048))
        pieces = {
            "simulate": lambda: sluice.simulate(sluice.workload("whole_model", ""), record="timeline"),
            "explore": lambda: sluice.explore(self.large),
            "design": lambda: sluice.design(self.large, budget=100_000),
            "compile": lambda: [sluice.compile(tensors) for _ in range(1000)],
            "size_fifos": lambda: [sluice.size_fifos(program) for _ in range(1000)],
            "unlock": lambda: [sluice.unlock(program) for _ in range(1000)],
            "values": lambda: [run.values() for _ in range(1000)],
        }
        for name, piece in pieces.items():
            sent = []

            def interrupt():
                sent.append(time.process_time())
                os.kill(os.getpid(), signal.SIGINT)

            with self.subTest(name):
                timer = threading.Timer(0.2, interrupt)
                timer.start()
                with self.assertRaises(KeyboardInterrupt):
                    while True:  # a quick machine may be done before
                        piece()
                # In processor time, as somebody else may use the machine.
                self.assertLess(time.process_time() - sent[0], 1)

    def test_a_bar_is_shown(self):
        told = io.StringIO()
        with mock.patch.dict(sys.modules, {"tqdm": None}), contextlib.redirect_stderr(told):
            sluice.explore(moe(), progress=True)
        if told.getvalue():  # an exploration of milliseconds says nothing
            self.assertIn("of 72", told.getvalue())
        shown = []
        with _bar.listener(True) as listens:
            listens(sluice.Progress(0.5, 36, 72, 1.0))
        with self.assertRaises(TypeError):
            sluice.explore(moe(), progress=3)
        with _bar.listener(shown.append) as listens:
            listens("news")
        self.assertEqual(shown, ["news"])

    def test_exceptions_of_the_callback_come_out(self):
        def fail(progress):
            raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            sluice.explore(self.large, progress=fail)

    def test_other_threads_run_meanwhile(self):
        ticks = threading.Event()
        worker = threading.Timer(0.01, ticks.set)

        def stop(progress):
            if ticks.is_set():
                raise RuntimeError("another thread has run")

        worker.start()
        with self.assertRaisesRegex(RuntimeError, "another thread"):
            sluice.explore(self.large, progress=stop)

    def test_threads_of_python_simulate_side_by_side(self):
        cycles = []
        threads = [threading.Thread(target=lambda: cycles.append(sluice.simulate(moe()).cycles)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(cycles, 4 * [sluice.simulate(moe()).cycles])

    def test_a_forked_process_simulates(self):
        cycles = sluice.simulate(moe()).cycles
        child = os.fork()
        if child == 0:
            os._exit(0 if sluice.simulate(moe()).cycles == cycles else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)


class Tables(unittest.TestCase):
    """With pandas where it is installed."""

    def setUp(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")

    def test_runs_searches_and_comparisons_become_frames(self):
        program = moe()
        run, other = sluice.simulate(program), sluice.simulate(program, {"token_tile": 8})
        operators = run.to_pandas()
        self.assertEqual(list(operators["busy"]), run.operators["busy"])
        self.assertEqual(operators.attrs["units"]["busy"], "cycles")
        self.assertEqual(list(run.to_pandas("streams")["tokens"]), run.streams["tokens"])
        found = sluice.explore(program, budget=8, strategy="random")
        frame = found.to_pandas()
        self.assertEqual(list(frame["cycles"]), [point.cycles for point in found])
        self.assertEqual(list(frame[frame["on_frontier"]].index), sorted(found._frontier))
        self.assertEqual(frame.attrs["units"]["on_chip_bytes"], "bytes")
        compared = sluice.compare(run, other).to_pandas().set_index("name")
        self.assertEqual(compared.loc["cycles", "b"], other.cycles)
        self.assertEqual(len(sluice.size_fifos(program, "peaks").to_pandas().columns), 6)
