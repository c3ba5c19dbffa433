"""Programs: files, what they hold, what is made of them."""

import copy
import json
import os
import pickle
import tempfile
import unittest

import sluice
from support import moe, refused, sample


class Files(unittest.TestCase):
    def test_a_program_is_saved_byte_for_byte(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "copy.sluice")
            moe().save(file)
            with open(file) as written, open(sample("simple_moe.sluice")) as original:
                self.assertEqual(written.read(), original.read())

    def test_a_missing_file_is_refused(self):
        with refused(self, "file-not-found"):
            sluice.load("none.sluice")

    def test_what_is_no_program_is_refused_with_its_place(self):
        with refused(self, "unknown-field") as caught:
            sluice.loads('{"sluice": 1, "program": {}, "knob": []}', "mine")
        self.assertIn("mine", caught.exception.diagnostics[0].place)
        self.assertEqual(caught.exception.diagnostics[0].location[0]["kind"], "file")

    def test_other_tools_programs_are_imported(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "graph.dot")
            with open(file, "w") as out:
                out.write('digraph { count [kind=Counter, parameters="{\\"max\\": 5}"]; end [kind=Consumer]; count -> end; }')
            self.assertEqual(len(sluice.load(file).data["program"]["nodes"]), 2)

    def test_built_in_workloads_have_sizes(self):
        program = sluice.workload("swiglu")
        self.assertGreater(sluice.simulate(program).cycles, 0)
        self.assertIn("moe", sluice.workloads())
        with self.assertRaises(sluice.Error):
            sluice.workload("mow")


class Values(unittest.TestCase):
    def test_programs_are_values(self):
        program = moe()
        other = program.with_machine(hbm_channels=16)
        self.assertEqual(program, moe())
        self.assertNotEqual(program, other)
        self.assertEqual(other.machine["hbm_channels"], 16)
        self.assertNotIn("hbm_channels", program.machine)
        self.assertEqual(pickle.loads(pickle.dumps(other)), other)

    def test_what_is_read_can_be_changed_without_harm(self):
        program = moe()
        data = program.data
        before = copy.deepcopy(data)
        data["knobs"].clear()
        self.assertEqual(program.data, before)

    def test_edits_go_through_the_dictionary(self):
        program = moe()
        data = program.data
        data["title"] = "Another"
        self.assertEqual(json.loads(program.edited(data).text)["title"], "Another")
        data["program"]["nodes"][0]["kind"] = "LinearOfChipLoad"
        wrong = program.edited(data).check()
        self.assertEqual(wrong[0].code, "unknown-operator")
        self.assertIn("LinearOffChipLoad", wrong[0].fix)

    def test_steps_come_behind_the_schedule(self):
        program = moe().then(sluice.schedule_step("broadcast"))
        self.assertEqual(program.schedule[-1]["transformation"], "broadcast")
        self.assertEqual(sluice.simulate(program).graph_hash, sluice.simulate(moe()).graph_hash)
        with refused(self, "unknown-transformation"):
            sluice.simulate(moe().then(sluice.schedule_step("bread")))

    def test_steps_are_functions(self):
        step = sluice.steps.tile(region="expert", input="x", method="static", rows=16)
        self.assertEqual(step, sluice.schedule_step("tile", region="expert", input="x", method="static", rows=16))
        self.assertEqual({each for each in vars(sluice.Steps) if not each.startswith("_")}, set(sluice.transformations()))
        self.assertIn("`rows`", sluice.steps.tile.__doc__)
        with refused(self, "unknown-argument") as caught:
            sluice.steps.tile(region="expert", inptu="x", method="static")
        self.assertIn("input", caught.exception.diagnostics[0].fix)
        with refused(self, "missing-argument"):
            sluice.steps.tile(region="expert")

    def test_what_is_asked_of_a_program_is_a_method_of_it(self):
        program = moe()
        run = program.simulate({"token_tile": 8})
        self.assertEqual(run.cycles, sluice.simulate(program, {"token_tile": 8}).cycles)
        self.assertEqual(len(program.explore(strategy="random", budget=3)), 3)
        self.assertEqual(program.compare(program.with_machine(hbm_channels=1)).metrics["cycles"]["a"], program.simulate().cycles)
        self.assertEqual(run.compare(run).metrics["cycles"]["change"], 0)
        for name in ("design", "compile", "size_fifos", "unlock", "export"):
            self.assertIs(getattr(sluice.Program, name), getattr(sluice, name))

    def test_machine_settings_are_those_that_a_machine_takes(self):
        settings = sluice.machine_settings()
        self.assertTrue(settings["hbm_channels"]["help"])
        low, high = settings["hbm_channels"]["range"]
        moe().with_machine(hbm_channels=low).simulate()
        with self.assertRaises(sluice.Error):
            moe().with_machine(hbm_channels=high + 1).simulate()

    def test_registries_tell_what_there_is(self):
        self.assertIn("function", [each["name"] for each in sluice.operators()["Map"]["parameters"]])
        self.assertIn("tile", sluice.transformations())
        self.assertEqual(sluice.units()["cycles"], "cycles")
        self.assertEqual(sluice.units()["on_chip_bytes"], "bytes")
        self.assertIn("nsga2", sluice.strategies())
        self.assertIn("unlock", sluice.depth_strategies())


class Dimensions(unittest.TestCase):
    def test_arithmetic_is_algebra(self):
        n, m = sluice.Dim("n"), sluice.Dim("m")
        self.assertEqual((n + m) * 2 - m, 2 * n + m)
        self.assertEqual(sluice.ceil_div(4 * n, 4), n)
        self.assertEqual((n // 4).substitute({"n": 10}), 2)
        self.assertFalse(n - n)
        self.assertTrue(n + 1)
        with refused(self, "dynamic-extent"):
            bool(n % 16)
        self.assertEqual((n % 4).substitute({"n": 10}), 2)
        self.assertEqual(sluice.max_of(n, 3).substitute({"n": 1}), 3)
        self.assertEqual(sluice.min_of(n, 3).substitute({"n": m}), sluice.min_of(m, 3))
        self.assertEqual((n * m).symbols(), ["m", "n"])
        self.assertNotEqual(n, "n")
        self.assertEqual(len({n, sluice.Dim("n"), m}), 2)

    def test_what_is_no_expression_is_refused(self):
        with refused(self, "expression-syntax"):
            sluice.Dim("n +")
        with self.assertRaises(TypeError):
            sluice.Dim("n") + 1.5
